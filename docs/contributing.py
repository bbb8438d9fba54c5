"""CONTRIBUTING.md as pages: an algorithm and a paper of one's own, and the rules of the house."""

from __future__ import annotations

import re

from docs.sources import ROOT

PAGES = {
    "howto/algorithm.md": (
        "Your algorithm",
        ("A complete example", "Data of your own", "An attack of your own", "Short forms"),
    ),
    "howto/paper.md": ("Your paper", ("A paper in a package of your own",)),
    "contributing.md": ("Contributing", ("The house", "Rules that keep results honest", "Tests, lint, types")),
}
"""Title and sections of each."""

LEADS = {
    "howto/algorithm.md": "A theorem of your own is a statement, an algorithm and an experiment, ninety lines "
    "together, and no existing file changes. This page adds them, step by step. Copy the blocks as they are: they run.",
    "howto/paper.md": "A package of your own can bring a paper with its algorithms, experiments and rows of the "
    "ledger. The repository has one, `packs/adassp`, with AdaSSP of Wang 2018.",
    "contributing.md": "How the code is laid out, which rules keep results honest, and what a change must pass. "
    "[Your algorithm](howto/algorithm.md) and [your paper](howto/paper.md) say how to add to it.",
}
REPOSITORY = re.compile(r"\[([^]]*)\]\((?!https?:|#)([^)]*)\)")
"""A link to a file of the checkout, which the site does not hold."""


def sections() -> dict[str, str]:
    """The sections of CONTRIBUTING.md by their headings."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    return {title: REPOSITORY.sub(r"`\2`", body).strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}


def pages() -> dict[str, str]:
    """The pages by their place in the site; every section stands on one of them."""
    known = sections()
    found = {}
    for place, (title, names) in PAGES.items():
        body = "\n\n".join(f"## {name}\n\n{known[name]}" for name in names)
        found[place] = f"# {title}\n\n{LEADS[place]}\n\n{body}\n"
    return found
