"""Metadata of a release: made of what the checkout says elsewhere, and read by the readers of each format."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
import yaml
from helpers.json_schema import faults

import dprepro
from docs import release
from docs.sources import ROOT
from dprepro.report.ledger import SCHEMAS


@pytest.mark.parametrize("name", ["references.bib", "codemeta.json", "ro-crate-metadata.json", release.CROISSANT])
def test_a_committed_file_is_what_the_checkout_says(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == release.files()[name], "python -m docs.release writes it"


def test_the_version_that_is_cited_is_that_of_the_package() -> None:
    found = release.citation()
    assert found["version"] == found["preferred-citation"]["version"] == dprepro.__version__
    assert release.codemeta()["version"] == dprepro.__version__


def test_every_paper_has_an_address_and_an_entry() -> None:
    entries = re.findall(r"^@\w+\{(\w+),", release.bibtex(), flags=re.MULTILINE)
    papers = release.citation()["references"]
    assert len(entries) == len(set(entries)) == len(papers) + 1
    for paper in papers:
        assert "doi" in paper or paper["url"].startswith("https://")


def test_a_table_whose_content_changed_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "one.csv.gz"
    digests = []
    for content in ("series,n,mean\na,10,1\n", "series,n,mean\na,10,2\n"):
        path.write_bytes(gzip.compress(content.encode(), mtime=0))
        (table,) = release.croissant(tmp_path)["distribution"]
        digests.append(table["sha256"])
    assert digests[0] != digests[1]
    assert [known["name"] for known in release.croissant(tmp_path)["recordSet"][0]["field"]] == ["series", "n", "mean"]


def test_every_part_of_the_crate_stands_in_the_checkout() -> None:
    parts = next(known for known in release.crate()["@graph"] if known["@id"] == "./")["hasPart"]
    assert parts
    assert not [part["@id"] for part in parts if not (ROOT / part["@id"]).exists()]


def test_the_commands_of_the_artifact_name_experiments_that_exist() -> None:
    text = (ROOT / "ARTIFACT.md").read_text(encoding="utf-8")
    named = re.findall(r"\+experiment=([\w,]+)(?!\w*\()", text)
    known = {path.stem for path in (ROOT / "conf" / "experiment").rglob("*.yaml")}
    assert len(named) >= 8
    assert {name for names in named for name in names.split(",")} <= known


def test_the_schema_of_a_verdict_refuses_what_is_none() -> None:
    schema = json.loads(SCHEMAS[1].read_text(encoding="utf-8"))
    check = dict.fromkeys(schema["$defs"]["check"]["required"])
    check |= {"role": "claim", "verdict": "confirmed", "expect": "confirmed", "as_expected": True, "estimate": 1.0}
    check |= {"rule": "ratio", "reason": "", "details": {}}
    found = dict.fromkeys(schema["required"], "") | {"neighbours": "replace_one", "verdict": "confirmed"}
    provenance = dict.fromkeys(schema["$defs"]["provenance"]["required"], "")
    provenance |= {"versions": {}, "seed": 1, "cells": 2, "seconds": 0.5}
    found |= {"as_expected": True, "checks": {"one": check}, "overrides": [], "provenance": provenance}
    assert not list(faults(found, schema, schema))
    for wrong in ({"verdict": "right"}, {"checks": {"one": check | {"role": "hope"}}}, {"further": 1}):
        assert list(faults(found | wrong, schema, schema)), wrong


def test_binder_installs_the_checkout_and_what_constrains_it() -> None:
    """pip takes a local project from where it is run, the checkout, and a constraint from beside the file."""
    lines = (ROOT / ".binder/requirements.txt").read_text(encoding="utf-8").splitlines()
    (constraint,) = (line.removeprefix("-c ") for line in lines if line.startswith("-c "))
    (project,) = (line.partition("[")[0] for line in lines if line.startswith("."))
    assert (ROOT / ".binder" / constraint).resolve() == ROOT / "constraints.txt"
    assert (ROOT / project / "pyproject.toml").is_file()


def test_the_container_copies_what_it_installs_and_runs_as_nobody_special() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    steps = [line.partition(" ")[::2] for line in lines if line and not line.startswith(("#", " "))]
    names = [name for name, _ in steps]
    assert (
        names.index("COPY") < names.index("RUN", names.index("COPY")) < names.index("USER") < names.index("ENTRYPOINT")
    )
    assert dict(steps)["USER"] not in ("root", "0")
    assert dict(steps)["FROM"].removeprefix("python:").removesuffix("-slim") in ("3.11", "3.12", "3.13")
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not {"conf", "constants.json", "docs", "README.md", "LICENSE", "pyproject.toml"} & set(ignored)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # theirs, of their own libraries
def test_readers_of_each_format_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """No extra has them, as nothing else needs them: pip install cffconvert mlcroissant rocrate."""
    rocrate = pytest.importorskip("rocrate.rocrate")
    croissant = pytest.importorskip("mlcroissant")
    cff = pytest.importorskip("cffconvert")
    crate = rocrate.ROCrate(str(ROOT))
    assert {entity.id for entity in crate.data_entities} >= {"dprepro/", "results/reference/"}
    cff.Citation((ROOT / "CITATION.cff").read_text(encoding="utf-8")).validate()
    monkeypatch.chdir(ROOT)
    read = croissant.Dataset(release.CROISSANT)
    assert not read.metadata.issues.errors
    for record_set in ("lasso_rate", "glm_phase_diagram"):
        lines = gzip.decompress(Path(release.REFERENCE, f"{record_set}.csv.gz").read_bytes()).decode().splitlines()
        assert sum(1 for _ in read.records(record_set)) == len(lines) - 1


def test_the_citation_is_yaml_of_one_document() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["cff-version"] == "1.2.0"
