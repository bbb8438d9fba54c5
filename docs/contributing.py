"""CONTRIBUTING.md as pages: the tutorial on one, the rules on another."""

from __future__ import annotations

import re

from docs.sources import ROOT

PAGES = {
    "howto/algorithm.md": ("Your algorithm", ("A complete example",)),
    "contributing.md": ("Contributing", ("Rules that keep results honest", "Tests, lint, types")),
}
"""Title and sections of each."""

LEADS = {
    "howto/algorithm.md": "This page adds a theorem of your own, step by step. [The YAML](yaml.md) is the reference of "
    "an experiment's keys, [your families](families.md) adds data and attacks, [your paper](paper.md) a package.",
    "contributing.md": "Which rules keep results honest, and what a change must pass. [The rooms](rooms.md) shows the "
    "layout of the code; [your algorithm](howto/algorithm.md) and [your paper](howto/paper.md) say how to add to it.",
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
