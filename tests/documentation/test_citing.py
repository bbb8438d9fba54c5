"""The page from which entries of BibTeX are copied has one for every paper, whole and with a key of its own."""

from __future__ import annotations

import re

from docs import citing
from docs.sources import ROOT

PAGE = citing.filled((ROOT / "docs/pages/citing.md").read_text(encoding="utf-8"))


def test_every_paper_and_every_pack_has_an_entry_of_its_own() -> None:
    keys = re.findall(r"^@\w+\{([\w-]+),$", PAGE, re.MULTILINE)
    packs = {file.parents[3].name for file in citing.described()}
    assert packs == {"adassp", "last_iterate", "objective_perturbation", "sco"}
    assert {f"dprepro-{name}" for name in packs} < set(keys)
    assert len(keys) == len(set(keys)) == 4 + 1 + len(packs)


def test_entries_are_whole() -> None:
    for block in re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL):
        assert block.count("{") == block.count("}")
        assert not re.search(r"(?<!\\)&", block)
    assert (ROOT / "references.bib").read_text(encoding="utf-8").strip() in PAGE


def test_what_is_derived_here_is_not_laid_to_others() -> None:
    entries = [citing.entry(file) for file in citing.described()]
    derived = [entry for entry in entries if citing.DERIVED in entry]
    assert len(derived) == 3
    assert all("author = {{the dprepro developers}}" in entry and "year = {2026}" in entry for entry in derived)
