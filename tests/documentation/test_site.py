"""The generated pages cover every experiment, statement and erratum; the built site is whole (slow, needs `docs`)."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest
from cheap_experiment import ENVIRONMENT

from docs import api, contributing, experiments, ledger, sources, walkthroughs
from dprepro.report.registry import identity, registries

ROOT = Path(__file__).parent.parent.parent
NAMES = sorted(path.stem for path in (ROOT / "conf/experiment").glob("*.yaml"))


@lru_cache(maxsize=1)
def anchors() -> dict[str, set[str]]:
    """Addresses on the pages of the ledger and of the errata."""
    pages = {paper: ledger.paper_page(paper) for paper in ledger.papers()} | {"errata": ledger.errata()}
    return {name: set(re.findall(r"\{ #([\w-]+) \}", text)) for name, text in pages.items()}


def test_every_experiment_has_a_page_with_its_claim_checks_and_command_and_a_line_in_the_table() -> None:
    table = experiments.index()
    for name in NAMES:
        page = experiments.page(name)
        assert f"# {name}\n" in page
        assert f"python -m dprepro +experiment={name}\n" in page
        assert not [check for check in sources.checks(name) if f"<code>{check}</code>" not in page]
        assert f'<a href="{name}.html">' in table


def test_every_statement_and_erratum_of_the_last_full_run_has_an_address() -> None:
    # Those of the registries come with the next full run, which the reference folder keeps.
    reference = json.loads((ROOT / "results/reference/ledger.json").read_text(encoding="utf-8"))
    for row in reference["claims"]:
        assert row["kind"] == "further" or row["id"] in anchors()[row["paper"]]
    assert {slip["id"] for slip in reference["errata"]} <= anchors()["errata"]
    overview = ledger.index()
    assert not [row["id"] for row in reference["claims"] if row["id"] not in overview]


def test_an_address_is_that_of_the_registry() -> None:
    known = {identity(paper, one.item) for paper, registry in registries().items() for one in registry.claims}
    assert len(known & set().union(*anchors().values())) > 100


def test_every_walkthrough_is_a_page_and_what_it_printed_belongs_to_its_cells() -> None:
    assert set(walkthroughs.recorded()) <= set(walkthroughs.SCRIPTS)
    for name in walkthroughs.SCRIPTS:
        code = [cell for cell in walkthroughs.cells(name) if cell.code]
        page = walkthroughs.page(name)
        assert page.startswith("# ")
        assert all(f"```python\n{cell.text}\n```" in page for cell in code)
        known = walkthroughs.recorded().get(name, {})
        assert page.count("```text") == sum(bool(known.get(cell.digest)) for cell in code)


def test_every_section_of_contributing_is_on_a_page() -> None:
    text = "".join(contributing.pages().values())
    assert not [title for title in contributing.sections() if f"## {title}\n" not in text]


def test_every_room_of_the_api_has_modules_that_exist() -> None:
    for room in api.ROOMS:
        assert api.modules(room)
        assert not [name for name in api.modules(room) if importlib.util.find_spec(name) is None]


@pytest.mark.parametrize("page", sorted((ROOT / "docs/pages").rglob("*.md")), ids=lambda path: path.stem)
def test_pages_written_by_hand_show_commands_and_experiments_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"experiment=(\w+)", text)) - {"NAME", "glob"}
    named |= set(re.findall(r"experiments/(\w+)\.md", text)) - {"index"}
    assert named <= set(NAMES)
    modules = set(re.findall(r"python -m ((?:dprepro|mutants|paper_figures)[.\w]*)", text))
    assert not [name for name in modules if importlib.util.find_spec(name.rstrip(".")) is None]


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    targets = [one.partition("#")[0] for one in re.findall(r"\]\((?!https?:)([^)]+)\)", text)]
    assert not [target for target in targets if not (ROOT / target).exists()]


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="needs the extra docs")
def test_the_site_is_built_in_strict_mode_and_has_no_dead_link(tmp_path: Path) -> None:
    words = ["mkdocs", "--quiet", "build", "--strict", "--config-file", "docs/mkdocs.yml", "--site-dir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
