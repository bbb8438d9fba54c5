"""The page from which entries of BibTeX are copied has one for every paper, whole and with a key of its own."""

from __future__ import annotations

import re

import pytest

from docs import citing, release
from docs.sources import ROOT, reference
from dprepro.register.constants_register import FILE, read_register

PAGE = citing.filled((ROOT / "docs/pages/citing.md").read_text(encoding="utf-8"))


def test_every_paper_and_every_pack_has_an_entry_of_its_own() -> None:
    keys = re.findall(r"^@\w+\{([\w-]+),$", PAGE, re.MULTILINE)
    packs = {file.parents[3].name for file in citing.described()}
    assert packs == {"adassp", "last_iterate", "objective_perturbation", "sco"}
    derived = {f"dprepro-{file.stem}" for file in citing.described() if citing.entry(file)}
    assert derived == {f"dprepro-{name}" for name in packs - {"adassp"}}
    assert {"wang2018", *derived} < set(keys)
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("pack", ["adassp", "last_iterate", "objective_perturbation", "sco"])
def test_every_paper_that_a_pack_is_after_has_an_address_and_is_named_by_the_pack(pack: str) -> None:
    (file,) = (file for file in citing.described() if file.parents[3].name == pack)
    entries = (ROOT / "packs" / pack / "references.bib").read_text(encoding="utf-8").strip().split("\n\n")
    said = file.read_text(encoding="utf-8")
    for entry in entries:
        found = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))
        assert re.fullmatch(r"\d{4}\.\d{5}", found.get("eprint", "")) or "doi" in found or "pages" in found
        assert found["author"].partition(",")[0] in said
        assert found["year"] in said


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


def test_the_names_that_the_page_gives_as_examples_are_entries_of_the_ledger() -> None:
    named = set(re.findall(r"`((?:kst|bst|lasso|glm)-[\w-]+)`", PAGE))
    ledger = reference("ledger.json")
    assert len(named) == 2
    assert named <= {row["id"] for part in ("claims", "errata") for row in ledger[part]}


def test_a_constant_is_named_by_a_digest_of_what_it_holds() -> None:
    """Each entry holds the digest of the one before, so an entry that is changed is noticed by the reader."""
    register = read_register(ROOT / FILE)
    assert register.entries[1].previous == register.entries[0].id
    assert "constants.md#history" in PAGE


def test_a_doi_of_a_release_reaches_every_file_from_its_citation(monkeypatch: pytest.MonkeyPatch) -> None:
    own = release.citation()
    own["preferred-citation"]["doi"] = "10.5281/zenodo.1234567"
    monkeypatch.setattr(release, "citation", lambda: own)
    assert "doi = {10.5281/zenodo.1234567}" in release.bibtex()
    assert release.codemeta()["identifier"] == "https://doi.org/10.5281/zenodo.1234567"
    (root,) = (part for part in release.crate()["@graph"] if part["@id"] == "./")
    assert root["identifier"] == "https://doi.org/10.5281/zenodo.1234567"
    assert not (ROOT / ".zenodo.json").exists()
