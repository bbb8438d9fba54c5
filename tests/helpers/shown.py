"""What the pages of the checkout tell a person to type, and the Python that they show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from helpers.stand_in import TOOLS

ROOT = Path(__file__).parents[2]
PLACES = (
    "README.md",
    "docs/pages/**/*.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/templates/*.j2",
    "packs/*/README.md",
    "results/reference/README.md",
    "CITATION.cff",
    "constraints*.txt",
    "experiments/*.py",
    "benchmarks/*.py",
    "docs/*.py",
)

WRITTEN_OUT = {
    "[--quick | --tables]": "--quick",
    "[--quick | CELLS]": "--quick",
    "[--quick]": "--quick",
    "[NAME ...] [results_dir=DIR] [reference_dir=DIR]": "",
    "{{ command }}": "python -m dprepro +experiment=lasso_rate",
    "+experiment=NAME": "+experiment=lasso_rate",
    "python -m mutants NAME": "python -m mutants least_loss_triple",
    "python -m pytest PATH": "python -m pytest tests/errata/test_kst.py",
    " n=... p=... epsilon=...": "",
    "https://HOST/OWNER/dprepro": "https://forge.example/someone/dprepro",
}
"""What stands for something in a page, and an example of it."""

FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"`([\w/.]+\.(?:py|yaml))`:\n\n```\w+\n(.*?)```", re.DOTALL)
INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`]+)\1(?!`)")
INDENTED = re.compile(r"^ {4}([^ ].*)$", re.MULTILINE)
PINNED = re.compile(r"^#.*?(pip install .*)$", re.MULTILINE)
SETTINGS = r"(?:[A-Z_]+=\S* )*"
COMMAND = re.compile(rf"{SETTINGS}(?:\.venv/bin/)?(?:{'|'.join(TOOLS)}) [^= ].*|\. \S+/activate|\.ci/run")
SETTING = re.compile(r"\+{0,2}(?:[a-z_]+\.[a-z_.]+|reuse|workers)=\S+")
CODES = re.compile(r"\bexit code (\d+)|\bexits? (?:with )?(\d+)")


@dataclass(frozen=True)
class Shown:
    """A command of a page.

    Attributes:
        text: the line that the shell gets.
        code: the exit code that the page states beside it; 0 where it states none.
    """

    text: str
    code: int = 0


def pages() -> list[str]:
    """Every file that may show a command, by its path in the checkout."""
    found = [path for place in PLACES for path in sorted(ROOT.glob(place))]
    return [path.relative_to(ROOT).as_posix() for path in dict.fromkeys(found)]


@cache
def commands(page: str) -> tuple[Shown, ...]:
    """The commands of a page in their order, each once."""
    text = (ROOT / page).read_text(encoding="utf-8")
    if page.endswith(".txt"):
        return tuple(_shown(line) for line in PINNED.findall(text))
    return typed(text, fences=not page.endswith(".py"))


def typed(text: str, fences: bool = True) -> tuple[Shown, ...]:
    """The commands of a text in their order, each once: of Markdown, or of the comments and docstrings of Python."""
    found = []
    if fences:
        last = 0
        for block in FENCE.finditer(text):
            # A block without a language is typed; one that follows a block at once is what that printed.
            if not block[2].strip() and text[last : block.start()].strip():
                found += [(block.start() + at, line) for at, line in enumerate(_lines(block[3]))]
            last = block.end()
        text = FENCE.sub(lambda block: " " * len(block[0]), text)
    else:
        found += [(match.start(), match[1]) for match in INDENTED.finditer(text) if COMMAND.fullmatch(match[1])]
    for span in INLINE.finditer(text):
        line = re.sub(r"\s*\n[# ]*", " ", span[2]).strip()
        if COMMAND.fullmatch(line):
            found.append((span.start(), line))
    return tuple(dict.fromkeys(_shown(line) for _, line in sorted(found)))


def files(page: str) -> dict[str, str]:
    """The files that a page shows in whole, by their paths in the checkout."""
    return dict(FILE.findall((ROOT / page).read_text(encoding="utf-8")))


def add(file: Path, text: str) -> None:
    """Write a file of an example, which may only add files, or be there already as somebody pasted it."""
    assert not file.exists() or file.read_text("utf-8") == text, f"{file.name} is another file's name"
    file.write_text(text, "utf-8")


def languages(page: str) -> set[str]:
    """What the blocks of a page say that they are."""
    return {block[2].split(" ")[0] for block in FENCE.finditer((ROOT / page).read_text(encoding="utf-8"))}


def examples(page: str) -> list[str]:
    """The blocks of Python of a page that run an experiment."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [block[3] for block in FENCE.finditer(text) if block[2] == "python" and "dprepro.run(" in block[3]]


def settings(page: str) -> list[str]:
    """Keys of an experiment that stand in a line of a page with a value."""
    prose = FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    return [span[2].strip("'") for span in INLINE.finditer(prose) if SETTING.fullmatch(span[2].strip("'"))]


def _lines(block: str) -> Iterator[str]:
    """The lines of a block, those that end with a backslash joined."""
    for line in block.replace("\\\n", " ").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line.strip()


def _shown(line: str) -> Shown:
    command, _, comment = line.partition("  #")
    for written, out in WRITTEN_OUT.items():
        command = command.replace(written, out)
    stated = CODES.search(comment)
    return Shown(command.strip(), int(stated[1] or stated[2]) if stated else 0)
