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
    parts = {"<!-- papers -->": release.bibtex(), "<!-- packs -->": "\n".join(map(entry, described()))}
    for comment, text in parts.items():
        assert comment in markdown, comment
        markdown = markdown.replace(comment, f"```text\n{text.strip()}\n```")
    return markdown


def described() -> list[Path]:
    """What packs describe: a file for each paper, in the order of their names."""
    return sorted((ROOT / "packs").glob("*/dprepro_*/conf/papers/*.yaml"))


def entry(file: Path) -> str:
    """A paper of a pack: by its authors, or by this project's where its statements are derived here."""
    head: Mapping[str, Any] = load(file)
    title = " ".join(str(head["title"]).split()).replace("&", r"\&")
    pack = file.parents[3].name
    author, year, note = str(head["authors"]), head["year"], f"held by packs/{pack}"
    if DERIVED in title:
        own = release.citation()["preferred-citation"]
        author, year, note = "{the dprepro developers}", own["year"], f"dprepro {own['version']}, packs/{pack}"
    fields = {"author": author, "title": f"{{{title}}}", "year": year, "note": note}
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{dprepro-{file.stem},", *lines, "}", ""])
