"""The page from which entries of BibTeX are copied: of the papers, of this software, and of what packs hold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docs import release
from docs.sources import ROOT
from dprepro.support.yaml_files import load

DERIVED = "derived here"
"""In the title of what no paper states in these words: its authors are this project's."""


def filled(markdown: str) -> str:
    """The page with its entries in the place of the comments."""
    parts = {"<!-- papers -->": release.bibtex(), "<!-- packs -->": "\n".join(map(entries, described()))}
    for comment, text in parts.items():
        assert comment in markdown, comment
        markdown = markdown.replace(comment, f"```text\n{text.strip()}\n```")
    return markdown


def described() -> list[Path]:
    """What packs describe: a file for each paper, in the order of their names."""
    return sorted((ROOT / "packs").glob("*/dprepro_*/conf/papers/*.yaml"))


def entries(file: Path) -> str:
    """Of what a pack derives here, then of the papers that it is after, as its ``references.bib`` has them."""
    papers = (file.parents[3] / "references.bib").read_text(encoding="utf-8")
    own = entry(file)
    return f"{own}\n{papers}" if own else papers


def entry(file: Path) -> str:
    """Of a pack whose statements are derived here: by this project's authors. Nothing of one that holds a paper's."""
    head: Mapping[str, Any] = load(file)
    title = " ".join(str(head["title"]).split()).replace("&", r"\&")
    if DERIVED not in title:
        return ""
    own = release.citation()["preferred-citation"]
    note = f"dprepro {own['version']}, packs/{file.parents[3].name}"
    fields = {"author": release.braced(own["authors"]), "title": f"{{{title}}}", "year": own["year"], "note": note}
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{dprepro-{file.stem},", *lines, "}", ""])
