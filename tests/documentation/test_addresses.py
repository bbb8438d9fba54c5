"""A wheel's description and addresses, as the build makes them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

from docs.addresses import NAMED
from docs.sources import ROOT

HOME = "https://forge.example/someone/dprepro"


def built(**environment: str) -> subprocess.CompletedProcess[str]:
    known = {key: value for key, value in os.environ.items() if key not in ("DPREPRO_URL", "DPREPRO_REF")}
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "metadata"],
        cwd=ROOT, env=known | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def metadata(**environment: str) -> dict[str, Any]:
    return dict(json.loads(built(**environment).stdout))


def test_where_the_checkout_is_published_every_address_of_the_description_leads_to_a_file_of_it() -> None:
    found = metadata(DPREPRO_URL=HOME + "/", DPREPRO_REF="v1")
    addresses = re.findall(r"\]\(([^)]*)\)", found["readme"]["text"])
    assert sum("/raw/v1/paper_figures/" in address for address in addresses) == 1
    assert len(addresses) > 12
    for one in (*addresses, *found["urls"].values()):
        path = re.sub(rf"^{HOME}(/(raw|blob)/v1/|$)", "", one.partition("#")[0])
        assert (ROOT / path).exists(), one
    assert list(found["urls"]) == ["Source", *NAMED]


def test_elsewhere_the_description_has_neither_links_nor_pictures_and_no_address_is_named() -> None:
    found = metadata()
    assert "](" not in found["readme"]["text"]
    assert "Full titles are in CITATION.cff" in found["readme"]["text"]
    assert "urls" not in found


@pytest.mark.parametrize("wrong", ["dprepro", "http://forge.example/someone", "https://forge.example"])
def test_what_is_no_address_is_refused(wrong: str) -> None:
    done = built(DPREPRO_URL=wrong)
    assert done.returncode != 0
    assert f"DPREPRO_URL={wrong} is no address" in done.stderr
