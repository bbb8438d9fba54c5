"""The files by which others cite and find a release: all made of CITATION.cff, pyproject.toml and the reference folder.

``python -m docs.release`` writes ``references.bib`` (BibTeX), ``codemeta.json`` (CodeMeta 3.0), ``croissant.json``
(Croissant 1.0 of the measurements) and ``ro-crate-metadata.json`` (RO-Crate 1.1 of the checkout).
Nothing is typed twice, so a test holds the files against what this writes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from docs.sources import ROOT

REFERENCE = "results/reference"
CROISSANT = "croissant.json"
LICENSES = {"MIT": "https://spdx.org/licenses/MIT"}

COLUMNS = {
    "series": ("sc:Text", "the series of the experiment's YAML"),
    "role": ("sc:Text", "claim, control or context"),
    "quantity": ("sc:Text", "what was measured; excess_risk is the mean over the records, less the least risk"),
    "mean": ("sc:Float", "mean over the replicates"),
    "standard_error": ("sc:Float", "standard error of the mean; empty for one replicate"),
    "replicates": ("sc:Integer", "number of independent replicates"),
    "bound": ("sc:Float", "the explicit bound at this point, mean over the replicates"),
    "state": ("sc:Text", "empty, or why the point is no evidence: saturated, skipped, failed"),
    "n": ("sc:Float", "number of records"),
    "p": ("sc:Float", "dimension"),
    "epsilon": ("sc:Float", "epsilon of the privacy that is claimed"),
    "delta": ("sc:Float", "the probability with which the privacy loss may be larger"),
    "norm": ("sc:Float", "bound on the norm of the parameter"),
}
"""Type and meaning of the columns that every table has; what else it has is an axis of its sweep, as text."""


def citation() -> dict[str, Any]:
    """CITATION.cff."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    return found


def project() -> dict[str, Any]:
    """The table ``project`` of pyproject.toml."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def names(authors: list[Mapping[str, str]]) -> list[str]:
    """Each author as ``given family``, or by the one name that it has."""
    return [author.get("name") or f"{author['given-names']} {author['family-names']}" for author in authors]


def braced(authors: list[Mapping[str, str]]) -> str:
    """All authors as BibTeX takes them: a single name is held together by braces."""
    return " and ".join(
        f"{{{author['name']}}}" if "name" in author else f"{author['family-names']}, {author['given-names']}"
        for author in authors
    )


def bibtex() -> str:
    """The papers, then this software."""
    found = citation()
    return "\n".join(map(_entry, [*found["references"], found["preferred-citation"]]))


def key(work: Mapping[str, Any]) -> str:
    """The key of an entry: the first author's family name, or this software's, and the year."""
    return f"{(work['authors'][0].get('family-names') or citation()['title']).lower()}{work['year']}"


def _entry(work: Mapping[str, Any]) -> str:
    preprint = next((known["value"] for known in work.get("identifiers", ()) if known["type"] == "other"), None)
    fields = {
        "author": braced(work["authors"]),
        "title": "{{{}}}".format(work["title"]),
        "booktitle": work.get("collection-title"),
        "year": work["year"],
        "pages": f"{work['start']}--{work['end']}" if "start" in work else None,
        "doi": work.get("doi"),
        "url": work.get("url"),
        "version": work.get("version"),
        "eprint": preprint and preprint.removeprefix("arXiv:"),
        "archiveprefix": preprint and "arXiv",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value is not None]
    kind = {"conference-paper": "inproceedings", "software": "software"}[work["type"]]
    return "\n".join([f"@{kind}{{{key(work)},", *lines, "}", ""])


def codemeta() -> dict[str, Any]:
    """CodeMeta 3.0 of the software."""
    found, package = citation(), project()
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": found["title"],
        "description": found["abstract"].strip(),
        "version": found["version"],
        "dateModified": str(found["date-released"]),
        "license": LICENSES[found["license"]],
        "keywords": found["keywords"],
        "author": [{"@type": "Organization", "name": name} for name in names(found["authors"])],
        "programmingLanguage": {"@type": "ComputerLanguage", "name": "Python", "version": package["requires-python"]},
        "runtimePlatform": f"Python {package['requires-python']}",
        "softwareRequirements": package["dependencies"],
        "referencePublication": [_article(work) for work in found["references"]],
        **_identifier(found),
    }


def _identifier(found: Mapping[str, Any]) -> dict[str, str]:
    """The DOI of the release, once an archive has given it one."""
    doi = found["preferred-citation"].get("doi")
    return {"identifier": f"https://doi.org/{doi}"} if doi else {}


def _article(work: Mapping[str, Any]) -> dict[str, Any]:
    address = f"https://doi.org/{work['doi']}" if "doi" in work else work["url"]
    return {
        "@type": "ScholarlyArticle",
        "@id": address,
        "name": work["title"],
        "author": [{"@type": "Person", "name": name} for name in names(work["authors"])],
        "datePublished": str(work["year"]),
    }


def crate() -> dict[str, Any]:
    """RO-Crate 1.1 of the checkout: what runs, what came out, which papers it is about."""
    found = citation()
    parts = {
        "README.md": ("File", "How to begin", "text/markdown"),
        "ARTIFACT.md": ("File", "Which command shows which claim, in how many minutes", "text/markdown"),
        "references.bib": ("File", "The papers, in BibTeX", "text/x-bibtex"),
        "dprepro/": ("Dataset", "The package", None),
        "conf/": ("Dataset", "The experiments, one YAML each", None),
        f"{REFERENCE}/": ("Dataset", "Measurements, verdicts and ledger of the last full run", None),
        CROISSANT: ("File", "The measurements' columns, in Croissant", "application/ld+json"),
    }
    works = [_article(work) for work in found["references"]]
    people = {name: {"@id": f"#{name}"} for work in found["references"] for name in names(work["authors"])}
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": found["title"],
        "description": found["abstract"].strip(),
        "datePublished": str(found["date-released"]),
        "license": {"@id": LICENSES[found["license"]]},
        "keywords": ", ".join(found["keywords"]),
        "author": [{"@id": f"#{name}"} for name in names(found["authors"])],
        "hasPart": [{"@id": path} for path in parts],
        "version": found["version"],
        "citation": [{"@id": work["@id"]} for work in works],
        **_identifier(found),
    }
    return {
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": [
            {
                "@id": "ro-crate-metadata.json",
                "@type": "CreativeWork",
                "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
                "about": {"@id": "./"},
            },
            root,
            *(
                {"@id": path, "@type": kind, "name": title} | ({"encodingFormat": form} if form else {})
                for path, (kind, title, form) in parts.items()
            ),
            *(work | {"author": [people[known["name"]] for known in work["author"]]} for work in works),
            *({"@id": known["@id"], "@type": "Person", "name": name} for name, known in people.items()),
            *({"@id": f"#{name}", "@type": "Organization", "name": name} for name in names(found["authors"])),
            {"@id": LICENSES[found["license"]], "@type": "CreativeWork", "name": f"{found['license']} License"},
        ],
    }


CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The vocabulary of Croissant 1.0, as its readers compare it."""


def croissant(folder: Path) -> dict[str, Any]:
    """Croissant 1.0 of the tables in a reference folder: files with their digests, a record set for each experiment."""
    found, tables = citation(), sorted(folder.glob("*.csv.gz"))
    meanings = "; ".join(f"{name}, {meaning}" for name, (_, meaning) in COLUMNS.items())  # once: 75 tables have them
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"{found['title']}-measurements",
        "description": f"{found['abstract'].strip()} A table for each experiment, a line for each series, point and "
        f"quantity. Columns: {meanings}. What else a table has is an axis of its sweep.",
        "version": found["version"],
        "datePublished": str(found["date-released"]),
        "license": LICENSES[found["license"]],
        "creator": [{"@type": "Organization", "name": name} for name in names(found["authors"])],
        "citeAs": _entry(found["preferred-citation"]).strip(),
        "distribution": [_file(path) for path in tables],
        "recordSet": [_records(path) for path in tables],
    }


def _file(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": f"{REFERENCE}/{path.name}",
        "contentSize": f"{len(content)} B",
        "encodingFormat": "text/csv",
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _records(path: Path) -> dict[str, Any]:
    experiment = path.name.removesuffix(".csv.gz")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        columns = next(lines).strip().split(",")
    return {
        "@type": "cr:RecordSet",
        "@id": experiment,
        "name": experiment,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{experiment}/{column}",
                "name": column,
                "dataType": COLUMNS.get(column, ("sc:Text", ""))[0],
                "source": {"fileObject": {"@id": path.name}, "extract": {"column": column}},
            }
            for column in columns
        ],
    }


def files() -> dict[str, str]:
    """Each file of a release, by its path in the checkout."""
    as_json = {"codemeta.json": codemeta(), "ro-crate-metadata.json": crate()}
    return {
        "references.bib": bibtex(),
        **{name: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for name, content in as_json.items()},
        CROISSANT: json.dumps(croissant(ROOT / REFERENCE), separators=(",", ":"), ensure_ascii=False) + "\n",
    }


if __name__ == "__main__":
    for name, content in files().items():
        (ROOT / name).write_text(content, encoding="utf-8")
        print(name)
