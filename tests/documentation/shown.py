"""What the pages of the checkout tell a person to type, and the Python that they show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stand_in import TOOLS

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
    "n=... p=... epsilon=...": "n=1e4 p=3 epsilon=1",
    "https://HOST/OWNER/dprepro": "https://forge.example/someone/dprepro",
}
"""What stands for something in a page, and an example of it."""

FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`]+)\1(?!`)")
INDENTED = re.compile(r"^ {4}([^ ].*)$", re.MULTILINE)
PINNED = re.compile(r"^#.*?(pip install .*)$", re.MULTILINE)
SETTINGS = r"(?:[A-Z_]+=\S* )*"
COMMAND = re.compile(rf"{SETTINGS}(?:\.venv/bin/)?(?:{'|'.join(TOOLS)}) \S.*|\. \S+/activate|\.ci/run")
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


def commands(page: str) -> list[Shown]:
    """The commands of a page in their order, each once."""
    text = (ROOT / page).read_text(encoding="utf-8")
    if page.endswith(".txt"):
        lines = PINNED.findall(text)
    elif page.endswith(".py"):
        lines = [line for _, line in _placed(text, fences=False)]
    else:
        lines = [line for _, line in _placed(text, fences=True)]
    return list(dict.fromkeys(_shown(line) for line in lines))


def examples(page: str) -> list[str]:
    """The blocks of Python of a page that call the package; CONTRIBUTING's are files."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = [body for _, language, body in FENCE.findall(text) if language.strip() == "python"]
    return [body for body in blocks if "dprepro.run(" in body]


def _placed(text: str, fences: bool) -> list[tuple[int, str]]:
    """Lines that are commands, with where they stand."""
    found: list[tuple[int, str]] = []
    prose = text
    if fences:
        last = 0
        for block in FENCE.finditer(text):
            language = block[2].strip()
            # A block without a language is typed; one that follows a block at once is what that printed.
            if language == "" and text[last : block.start()].strip():
                found += [(block.start() + at, line) for at, line in enumerate(_lines(block[3]))]
            last = block.end()
        prose = FENCE.sub(lambda block: "\n" * len(block[0]), text)
    else:
        found += [(m.start(), m[1]) for m in INDENTED.finditer(text) if COMMAND.fullmatch(m[1].partition("  ")[0])]
    for span in INLINE.finditer(prose):
        line = re.sub(r"\s*\n[# ]*", " ", span[2]).strip()
        if COMMAND.fullmatch(line):
            found.append((span.start(), line))
    return sorted(found)


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
