"""Publication figures: the command, and that they are drawn from stored measurements alone."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from helpers.cheap_experiment import command, python
from helpers.fabricated import fabricate

from paper_figures.__main__ import main
from paper_figures.drawing import DOUBLE, SINGLE
from paper_figures.figures import FIGURES
from paper_figures.measured import Measurements, NotMeasuredError

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    fabricate(folder, ["lasso_rate"])
    return folder


def run(*arguments: str | Path) -> int:
    return command(*arguments, function=main)


def test_a_figure_is_drawn_as_png_and_pdf_with_the_same_bytes_in_a_process_without_any_algorithm(
    results: Path, tmp_path: Path
) -> None:
    code = (
        "import sys; from paper_figures.__main__ import main; assert main(sys.argv[1:]) == 0;"
        "assert not [m for m in sys.modules if m.startswith(('dprepro.algorithms', 'dprepro.studies', 'hydra'))]"
    )
    done = python(code, "lasso_rate", f"results_dir={results}", f"output_dir={tmp_path / 'one'}")
    assert done.returncode == 0, done.stderr
    assert run("lasso_rate", f"results_dir={results}", f"output_dir={tmp_path / 'two'}") == 0
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == ["lasso_rate.pdf", "lasso_rate.png"]
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    pdf = (tmp_path / "one/lasso_rate.pdf").read_bytes()
    assert b"/FontFile2" in pdf  # TrueType outlines, embedded
    assert b"/Type3" not in pdf
    assert b"CreationDate" not in pdf


def test_what_is_not_measured_is_named_with_its_command_and_the_others_are_drawn(
    results: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("glm_phase", "bst_table_1", "lasso_rate", f"results_dir={results}", f"output_dir={tmp_path}") == 1
    out, error = capfd.readouterr()
    assert len(out.splitlines()) == 2
    first, second = error.splitlines()
    assert f"python -m dprepro +experiment=glm_phase_diagram results_dir={results}" in first
    assert re.search(r"-m dprepro -m \+experiment=erm_exponential,erm_rate,\S+ results_dir", second)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["lasso_rat"], "unknown figure 'lasso_rat' (did you mean lasso_rate?); choices: "),
        (["output=here"], "unknown argument 'output=here'; choices: results_dir=DIR, output_dir=DIR"),
        (["output_dir="], "unknown argument 'output_dir='"),
        (["results_dir=nowhere"], "there is no store in nowhere; run `python -m dprepro"),
    ],
)
def test_bad_input_is_one_line_with_the_choices(
    arguments: list[str], said: str, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    out, error = capfd.readouterr()
    assert out == ""
    assert len(error.splitlines()) == 1
    assert said in error
    assert not list(tmp_path.iterdir())


def test_runs_with_overrides_are_no_measurements_of_a_paper(tmp_path: Path) -> None:
    fabricate(tmp_path, ["lasso_rate"], overrides=["seed=1"])
    with pytest.raises(NotMeasuredError):
        Measurements(str(tmp_path)).of("lasso_rate")


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_committed_at_a_column_width_and_shown_in_the_gallery(name: str) -> None:
    png = (ROOT / "paper_figures" / f"{name}.png").read_bytes()
    width = struct.unpack(">I", png[16:20])[0] / 300
    assert width in (pytest.approx(SINGLE, abs=0.01), pytest.approx(DOUBLE, abs=0.01))
    assert f"(assets/figures/{name}.png)" in (ROOT / "docs/pages/gallery.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_every_figure_is_drawn_where_everything_is_measured(tmp_path: Path) -> None:
    names = {path.stem for path in (ROOT / "conf/experiment").glob("*.yaml")}
    fabricate(tmp_path, sorted(names))
    assert run(f"results_dir={tmp_path}", f"output_dir={tmp_path / 'out'}") == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        f"{name}.{kind}" for name in FIGURES for kind in ("png", "pdf")
    }
