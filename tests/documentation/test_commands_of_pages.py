"""What pages, recipes and workflows tell a person or a machine to run does run: each command, by a shell, elsewhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.cheap_experiment import ENVIRONMENT
from helpers.shown import ROOT, Shown, add, commands, examples, files, languages, pages, settings, typed
from helpers.stand_in import NEEDED, TOOLS, TYPED, UNCOVERED, tools

from dprepro.config.checked_experiment import check
from dprepro.config.compose import compose

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not all(map(shutil.which, ("bash", "make"))) or not (ROOT / ".ci").is_dir(),
    reason="needs Linux, bash, make and a checkout",
)

TOGETHER = [
    ("README.md", "docs/pages/index.md", "docs/pages/gallery.md"),
    ("docs/pages/howto/cluster.md", "CHANGELOG.md"),
    ("CONTRIBUTING.md", "docs/pages/howto/families.md", "docs/pages/howto/paper.md"),
]
"""Pages that a person reads in one sitting: what one measures the next one draws, or measures with another seed."""
SITTINGS = [
    *TOGETHER,
    *((page,) for page in pages() if page not in sum(TOGETHER, ()) and commands(page)),
]
SAYS = {
    r"python -m dprepro": r"lasso_rate .*Theorem 2\.5",
    r"python -m dprepro \+experiment=(lasso_rate|slopes_rate)": r"^verdict: .*: confirmed",
    r"python -m dprepro \+experiment=\w+ (checks\.exponent_n|\+algorithm\.noise)\S+": r"^verdict: .*: refuted",
    r"python -m dprepro check": "all sound",
    r"python -m dprepro verify share=\.02": "all agree",
    r"python benchmarks/\S+ --quick": "yardstick: ",
}
"""What is to stand in the output, where a page says so."""
PACKAGES = ("dprepro", "conf", "docs", "mutants", "paper_figures")
"""Python finds them in the checkout itself, where their compiled code is."""
NOT_LINKED = {*PACKAGES, "results", "build", "dist", ".git"}
SURVEY = "visits,age,group\n" + "".join(f"{age % 7},{age},{'ab'[age % 2]}\n" for age in range(20, 80) for _ in range(8))


def new(sitting: Sequence[str]) -> list[Shown]:
    """The commands of these pages that no sitting before has."""
    before = {
        command for pages in SITTINGS[: SITTINGS.index(tuple(sitting))] for page in pages for command in commands(page)
    }
    return list(dict.fromkeys(command for page in sitting for command in commands(page) if command not in before))


class Checkout:
    """A folder with links to what a checkout has beside its packages, no results, and stand-ins on the path."""

    def __init__(self, folder: Path, met: Path, slow: bool = False) -> None:
        self.folder = folder / "checkout"
        self.folder.mkdir()
        for path in ROOT.iterdir():
            if path.name not in NOT_LINKED and not path.name.startswith(".venv"):
                (self.folder / path.name).symlink_to(path)
        path = folder / "path"
        tools(path)
        tools(self.folder / ".venv/bin")
        for name in NEEDED:
            (path / name).symlink_to(str(shutil.which(name)))
        own = folder / "own"  # what is installed goes there; what the tests have is seen there
        venv.create(own, symlinks=True)
        (libraries,) = own.glob("lib/python*/site-packages")
        (libraries / "tests.pth").write_text("\n".join(one for one in sys.path if one.endswith("-packages")), "utf-8")
        bins = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        programs = {name: shutil.which(name, path=bins) for name in (*TOOLS, "true")}
        settings = {
            "root": str(ROOT),
            "met": str(met),
            "slow": slow,
            "programs": {**programs, "python": str(own / "bin/python")},
            "environment": {
                "PATH": os.environ["PATH"], "PYTHONPATH": ENVIRONMENT["PYTHONPATH"], "PYTHONDONTWRITEBYTECODE": "",
                "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0",
                "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_CONFIG_FILE": os.devnull, "NO_MKDOCS_2_WARNING": "1",
            },
        }  # fmt: skip
        foreign = ("DPREPRO_", "MAKE", "PYTEST", "VIRTUAL_ENV")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        self._settings: dict[str, Any] = settings
        self._environment = {**kept, "PATH": str(path), "PYENV_ROOT": str(folder / "none"), "MPLBACKEND": "agg"}

    def copy(self) -> None:
        """Have packages and configuration too, to add files to."""
        for name in PACKAGES:
            shutil.copytree(ROOT / name, self.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        self._settings["environment"]["PYTHONPATH"] = str(self.folder)

    def run(self, line: str, recipes: bool = False) -> subprocess.CompletedProcess[str]:
        """What a shell does with a line."""
        environment = {**self._environment, "DPREPRO_STAND_IN": json.dumps(self._settings)}
        if recipes:
            environment["DPREPRO_RECIPES"] = "1"
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", line], cwd=self.folder, env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def python(self, code: str) -> subprocess.CompletedProcess[str]:
        """What Python does with the code."""
        environment = {**self._environment, **self._settings["environment"]}
        (self.folder / "example.py").write_text(code, "utf-8")  # where its source is found
        words = [self._settings["programs"]["python"], "example.py"]
        return subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def checkout(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Checkout:
    base = tmp_path_factory.getbasetemp()
    met = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "met"
    met.mkdir(exist_ok=True)
    return Checkout(tmp_path, met, slow=request.node.get_closest_marker("slow") is not None)


def go_through(checkout: Checkout, sitting: tuple[str, ...]) -> None:
    """Do what the pages say."""
    if "CONTRIBUTING.md" in sitting:
        checkout.copy()
        for name, text in (shown for page in sitting for shown in files(page).items()):
            if not name.startswith(PACKAGES):
                continue  # its folder is the checkout's own
            add(checkout.folder / name, text)
        (checkout.folder / "my-lab").symlink_to(ROOT / "packs/adassp")
    if "docs/pages/howto/own.md" in sitting:
        for name, text in files("docs/pages/howto/own.md").items():
            add(checkout.folder / name, text)
    (checkout.folder / "survey.csv").write_text(SURVEY, "utf-8")
    for command in new(sitting):
        done = checkout.run(command.text, recipes=command.text.startswith(".ci/"))
        assert done.returncode == command.code, f"{command.text}\n{done.stdout}\n{done.stderr}"
        if command.text.endswith("> survey.yaml"):  # what the person fills in
            draft = checkout.folder / "survey.yaml"
            filled = draft.read_text("utf-8").replace("group: FILL IN", "group: {categories: [a, b]}")
            draft.write_text(filled.replace(": FILL IN", ": {range: [0, 100]}"), "utf-8")
        for pattern, words in SAYS.items():
            if re.fullmatch(pattern, command.text):
                assert re.search(words, done.stdout, re.MULTILINE), f"{command.text}\n{done.stdout}"


def title(sitting: tuple[str, ...]) -> str:
    return Path(sitting[0]).with_suffix("").as_posix()


@pytest.mark.pages
@pytest.mark.parametrize("sitting", SITTINGS, ids=title)
def test_every_command_of_a_page_runs_and_leaves_the_exit_code_that_the_page_states(
    sitting: tuple[str, ...], checkout: Checkout
) -> None:
    go_through(checkout, sitting)


def long(sitting: tuple[str, ...]) -> bool:
    """Whether a row keeps some command of these pages for slow tests."""
    return any(
        re.fullmatch(row.pattern, one.text.replace("'", "")) for one in new(sitting) for row in TYPED if row.slow
    )


@pytest.mark.slow
@pytest.mark.parametrize("sitting", list(filter(long, SITTINGS)), ids=title)
def test_every_command_of_a_page_that_takes_less_than_minutes_runs_as_it_stands(
    sitting: tuple[str, ...], checkout: Checkout
) -> None:
    go_through(checkout, sitting)


def made(page: str) -> list[str]:
    return [name for line in page.splitlines() if line.startswith(".PHONY:") for name in line.split()[1:]]


@pytest.mark.pages
@pytest.mark.parametrize("target", made((ROOT / "Makefile").read_text("utf-8")))
def test_every_command_of_a_recipe_of_the_makefile_exists(target: str, checkout: Checkout) -> None:
    shutil.rmtree(checkout.folder / ".venv")
    done = checkout.run(f"make {target}", recipes=True)
    assert done.returncode == 0, done.stdout + done.stderr


JOBS = {
    f"{path.stem}-{name}": [step["run"] for step in job["steps"] if "run" in step]
    for path in sorted((ROOT / ".github/workflows").glob("*.yaml"))
    for name, job in yaml.safe_load(path.read_text("utf-8"))["jobs"].items()
}


@pytest.mark.pages
@pytest.mark.parametrize("job", JOBS)
def test_every_command_of_a_step_of_a_workflow_exists(job: str, checkout: Checkout) -> None:
    for step in JOBS[job]:
        done = checkout.run(step, recipes=True)
        assert done.returncode == 0, step + done.stdout + done.stderr


@pytest.mark.pages
@pytest.mark.parametrize("page", [page for page in pages() if page.endswith(".md") and examples(page)])
def test_every_notebook_example_of_a_page_ends_confirmed_with_a_table_and_a_figure(
    page: str, checkout: Checkout
) -> None:
    for command in commands(page):
        if command.text.startswith("python -m dprepro new "):
            assert checkout.run(command.text).returncode == 0
    for code in examples(page):
        done = checkout.python(f"{code}\nprint(outcome.figure.axes, len(outcome.frame))")
        assert done.returncode == 0, done.stderr
        table, verdict, found = re.split(r"^(verdict: .*)$", done.stdout, flags=re.MULTILINE)
        assert re.search(r"^series +n +risk +bound +ratio( +reduction)?$", table, re.MULTILINE)
        assert re.search(": confirmed", verdict)
        assert verdict.endswith("all checks came out as expected")
        assert "<Axes" in found


BASES = {
    "README.md": ["+experiment=lasso_rate"],
    "docs/pages/gallery.md": ["+experiment=lasso_rate"],
    "docs/pages/howto/data.md": ["+experiment=pair"],
    "docs/pages/howto/table.md": ["+experiment=table_regression", "construction=rand_health"],
    "docs/pages/howto/cluster.md": ["+experiment=lasso_rate"],
}
"""The experiment that a page's settings are for."""


@pytest.mark.parametrize(
    "page", [page for page in pages() if page.endswith(".md") and page != "CHANGELOG.md" and settings(page)]
)
def test_every_setting_that_a_page_names_is_one_of_its_experiment(page: str) -> None:
    for setting in settings(page):
        check(compose([*BASES[page], setting]).config)


def test_the_commands_of_a_text_are_those_of_its_blocks_and_of_its_lines() -> None:
    text = """\
Type `make lint`, or `pip install
x`; `make` is a program, `dprepro.run` none.

```
python -m a 'b #c'    # says why, exit code 1
# nothing
python -m d \\
    e
```

```
what that printed
```

```text
printed too
```
"""
    lines = [("make lint", 0), ("pip install x", 0), ("python -m a 'b #c'", 1), ("python -m d      e", 0)]
    assert [(one.text, one.code) for one in typed(text)] == lines
    script = (
        '"""Times.\n\n    python a.py [--quick]\n\nSee `b`."""\n\n# Run it as `python b.py`.\nx = 1\n    python = 1\n'
    )
    assert [one.text for one in typed(script, fences=False)] == ["python a.py --quick", "python b.py"]


@pytest.mark.parametrize("page", [page for page in pages() if page.endswith((".md", ".j2"))])
def test_every_block_of_a_page_is_typed_or_printed_or_a_file(page: str) -> None:
    assert languages(page) <= {"", "python", "text", "toml", "yaml"}


def test_more_than_fifty_commands_are_found_on_more_than_ten_pages() -> None:
    assert len({command for page in pages() for command in commands(page)}) > 50
    assert len([page for page in pages() if commands(page)]) > 10


@pytest.mark.parametrize(
    "line", ["python -m dprepro.nothing", "python -m dprepro +experiment=lasso_rate x=1", "pip list", "ruff check"]
)
def test_a_command_that_no_row_covers_is_noticed(line: str, checkout: Checkout) -> None:
    done = checkout.run(line)
    assert done.returncode == UNCOVERED
    assert f"covers: {line}" in done.stderr


def test_a_program_that_has_no_stand_in_is_not_found(checkout: Checkout) -> None:
    assert checkout.run("git --version").returncode == 127
