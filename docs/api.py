"""Pages of the API: what each public room of the package offers, from the docstrings."""

from __future__ import annotations

from docs.sources import ROOT

ROOMS = {
    "dprepro": ("Running", ["session", "budget", "errors", "axes"]),
    "algorithms": ("Algorithms", []),
    "problems": ("Problems", []),
    "constructions": ("Constructions", []),
    "mechanisms": ("Mechanisms", []),
    "privacy": ("Privacy", []),
    "bounds": ("Bounds", []),
    "laws": ("Laws", []),
    "reductions": ("Reductions", []),
    "dispatch": ("Dispatch", []),
    "studies": ("Studies", []),
    "analysis": ("Analysis", []),
}
"""Title and modules of each; all of a room's modules where none is named."""


def modules(room: str) -> list[str]:
    """The dotted names of the modules that a page documents."""
    if room == "dprepro":
        return [f"dprepro.{name}" for name in ROOMS[room][1]]
    names = sorted(path.stem for path in (ROOT / "dprepro" / room).glob("*.py") if not path.stem.startswith("_"))
    return [f"dprepro.{room}.{name}" for name in ROOMS[room][1] or names]


def pages() -> dict[str, str]:
    """A page for each room, and an overview with the packages' own first sentences."""
    found = {f"api/{room}.md": _page(room) for room in ROOMS}
    lines = [f"| [{title}]({room}.md) | {_first_sentence(room)} |" for room, (title, _) in ROOMS.items()]
    head = (
        "# API\n\nThe public rooms of the package, module by module. An experiment needs none of them: it is a YAML.\n"
    )
    return {"api/index.md": "\n".join([head, "| room | what stands there |", "|---|---|", *lines, ""])} | found


def _page(room: str) -> str:
    blocks = "\n\n".join(f"::: {name}" for name in modules(room))
    return f"# {ROOMS[room][0]}\n\n{_first_sentence(room)}\n\n{blocks}\n"


def _first_sentence(room: str) -> str:
    package = ROOT / "dprepro" / ("" if room == "dprepro" else room) / "__init__.py"
    text = package.read_text(encoding="utf-8").removeprefix('"""').split('"""')[0]
    return " ".join(text.split("\n\n")[0].split())
