"""The generated pages cover every experiment, statement and erratum; the built site is whole (slow, needs `docs`)."""

from __future__ import annotations

import html
import importlib.util
import io
import json
import math
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from helpers.cheap_experiment import ENVIRONMENT
from PIL import Image

from docs import api, contributing, experiments, explorer, ledger, sources, walkthroughs
from docs.links import dead
from docs.pictures import LARGEST, reference_figure, small
from dprepro.report.page import anchor
from dprepro.statements.papers import papers
from dprepro.statements.statement import identity
from dprepro.support.regular_files import unpacked

ROOT = Path(__file__).parent.parent.parent
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
browsed = pytest.mark.skipif(BROWSER is None, reason="needs the browser chromium")
NAMES = sorted(path.stem for path in (ROOT / "conf/experiment").glob("*.yaml"))


@lru_cache(maxsize=1)
def entries() -> dict[str, str]:
    """The entries of the ledger's page by their addresses."""
    return dict(re.findall(r'<article id="([\w-]+)"(.*?)</article>', ledger.page(), re.DOTALL))


def test_every_experiment_has_a_page_with_its_claim_checks_and_command_and_a_line_in_the_table() -> None:
    table = experiments.index()
    for name in NAMES:
        page = experiments.page(name)
        assert f"# {name}\n" in page
        assert f"python -m dprepro +experiment={name}\n" in page
        assert not [check for check in sources.checks(name) if f"<code>{check}</code>" not in page]
        assert f'<a href="{name}.html">' in table


def test_every_experiment_of_the_last_full_run_shows_its_figure_first_and_in_the_gallery() -> None:
    gallery = experiments.gallery()
    for name in filter(sources.has_table, NAMES):
        before, _, after = experiments.page(name).partition(f"(../assets/experiments/{name}.png)")
        assert after
        assert "## " not in before
        assert f'src="assets/experiments/{name}.png"' in gallery
        assert "loading" not in gallery  # a picture that waits to be scrolled to is missing on paper
        assert reference_figure(name).stat().st_size <= LARGEST


def test_a_page_leads_to_its_points_in_the_explorer_and_such_a_view_is_no_anchor(tmp_path: Path) -> None:
    for name in explorer.shown():
        address = re.search(r'href="[.][.]/explorer[.]html#([^"]+)"', experiments.page(name))
        assert address
        assert json.loads(unquote(address[1])) == {"e": [name]}
    (tmp_path / "explorer.html").touch()
    (tmp_path / "page.html").write_text('<a href="explorer.html#%7B%22e%22%3A%5B%5D%7D">x</a>')
    assert not dead(tmp_path)
    (tmp_path / "page.html").write_text('<a href="explorer.html#gone">x</a>')
    assert dead(tmp_path) == ["page.html: explorer.html#gone"]


def test_a_figure_of_too_many_bytes_is_made_narrower() -> None:
    noise = np.random.default_rng(3).integers(0, 256, (300, 450, 3), dtype=np.uint8)
    plain = Image.new("RGB", (2100, 1200), "white")
    assert len(small(Image.fromarray(noise))) <= LARGEST
    assert Image.open(io.BytesIO(small(plain))).width == 1050


def test_every_statement_and_erratum_of_the_last_full_run_has_an_address() -> None:
    # Those of today come with the next full run, which the reference folder keeps.
    reference = json.loads(unpacked(ROOT / "results/reference/ledger.json.gz"))
    expected = {anchor(row) for row in reference["claims"]} | {erratum["id"] for erratum in reference["errata"]}
    assert set(entries()) == expected
    found = [one["location"].partition("#") for one in ledger.searched()]
    assert {page for page, _, _ in found} == {"ledger.html"}
    assert {place for _, _, place in found} == {"", *expected}


def test_a_statement_and_the_pages_of_its_experiments_lead_to_each_other() -> None:
    for row in sources.reference("ledger.json")["claims"]:
        for name in row["experiments"] if row["statement"] else ():
            before, _, _ = experiments.page(name).partition(f'<a href="../ledger.html#{anchor(row)}">')
            assert (row["words"] if row["verdict"] == "refuted" else row["verdict"]) in before.rpartition("<li>")[2]
        for measurement in row["measurements"]:
            assert f'<a href="experiments/{measurement["experiment"]}.html">' in entries()[anchor(row)]


def test_an_address_is_that_of_the_statement() -> None:
    known = {identity(paper, claim.item) for paper, described in papers().items() for claim in described.claims}
    assert len(known & set(entries())) > 100


def test_every_walkthrough_is_a_page_and_what_it_printed_belongs_to_its_cells() -> None:
    assert set(walkthroughs.recorded()) <= set(walkthroughs.SCRIPTS)
    for name in walkthroughs.SCRIPTS:
        code = [cell for cell in walkthroughs.cells(name) if cell.code]
        page = walkthroughs.page(name)
        assert page.startswith("# ")
        assert all(f"```python\n{cell.text}\n```" in page for cell in code)
        known = walkthroughs.recorded().get(name, {})
        assert page.count("```text") == sum(bool(known.get(cell.digest)) for cell in code)


def test_a_walkthrough_shows_the_figure_of_each_experiment_that_it_runs_once() -> None:
    for name in walkthroughs.SCRIPTS:
        page = walkthroughs.page(name)
        ran = {one for cell in walkthroughs.cells(name) if cell.code for one in walkthroughs.RUN.findall(cell.text)}
        shown = re.findall(r"]\(\.\./assets/experiments/(\w+)\.png\)", page)
        assert "loading=" not in page
        assert sorted(shown) == sorted(one for one in ran if reference_figure(one).is_file())


def test_every_section_of_contributing_is_on_a_page() -> None:
    text = "".join(contributing.pages().values())
    assert not [title for title in contributing.sections() if f"## {title}\n" not in text]


def test_every_room_of_the_api_has_modules_that_exist() -> None:
    for room in api.ROOMS:
        assert api.modules(room)
        assert not [name for name in api.modules(room) if importlib.util.find_spec(name) is None]


@pytest.mark.parametrize("page", sorted((ROOT / "docs/pages").rglob("*.md")), ids=lambda path: path.stem)
def test_pages_written_by_hand_name_experiments_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"experiment=(\w+)", text)) - {"NAME", "glob"}
    named |= set(re.findall(r"experiments/(\w+)\.md", text)) - {"index"}
    assert named <= {*NAMES, *(path.stem for path in (ROOT / "packs").glob("*/**/experiment/*.yaml"))}


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 100
    targets = [one.partition("#")[0] for one in re.findall(r"\]\((?!https?:)([^)]+)\)", text)]
    assert not [target for target in targets if not (ROOT / target).exists()]


def test_the_numbers_of_the_readme_are_those_of_the_last_full_run() -> None:
    ledger, checks = sources.reference("ledger.json"), sources.reference("checks.json")
    rows = [row for row in ledger["claims"] if row["kind"] != "further" and row["paper"] != "derived"]
    lasso = next(row["constant"] for row in rows if row["id"] == "lasso-theorem-2-5")
    spent = checks["glm_output_perturbation"]["certified_budget_as_printed"]
    optimum = checks["minimax_linear"]
    assert spent["verdict"] == "refuted"
    assert {optimum[name]["verdict"] for name in ("closed_form", "closed_form_most", "limit")} == {"confirmed"}
    failures = sum(erratum["severity"] == "privacy failure" for erratum in ledger["errata"])
    confirmed = sum(row["verdict"] == "confirmed" for row in rows)
    packing, fingerprinting = (math.ceil(100 * optimum[name]["high"] - 1e-9) for name in ("packing", "fingerprinting"))
    refuted, corners = ledger["causes"]["rows"], ledger["causes"]["corners"]
    typos = sum(row["note"].startswith("False as printed (typo);") for row in rows)
    wanted = [
        f"between {math.floor(100 * lasso['lower']) / 100}, which stored data need, and",
        f"{math.ceil(100 * lasso['upper']) / 100}, which is proved",
        f"spends {spent['estimate']:.2f} times its budget",
        f"one of {failures} places",
        f"{packing}% and {fingerprinting}% of it",
        f"Of {len(rows)} numbered statements {confirmed} are confirmed as printed, {refuted} are refuted",
        f"{typos} of these by typos alone",
        f"{corners} more at a degenerate corner",
    ]
    first = " ".join((ROOT / "README.md").read_text(encoding="utf-8").partition("## Two commands")[0].split())
    assert not [words for words in wanted if words not in first]
    assert len(re.findall(r"[0-9]+[.][0-9]+", first)) == 4  # no number besides these and the theorem's


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built in strict mode; a hook fails for links that lead nowhere."""
    if importlib.util.find_spec("mkdocs") is None:
        pytest.skip("needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    words = ["mkdocs", "--quiet", "build", "--strict", "--config-file", "docs/mkdocs.yml", "--site-dir", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_built_site_has_every_experiment_and_fetches_nothing(site: Path) -> None:
    assert {path.stem for path in (site / "experiments").glob("*.html")} == {*NAMES, "index"}
    assert not dead(site)
    (site / "control.html").write_text('<script src="https://host/x.js"></script><a href="gone.html">x</a>')
    assert dead(site) == ["control.html fetches https://host/x.js", "control.html: gone.html"]
    (site / "control.html").unlink()


def probed(site: Path, width: int, pages: list[str], frame: str = "") -> dict[str, dict[str, Any]]:
    """What `probe.js` finds on these pages in a frame of that width."""
    assert BROWSER is not None
    script = (Path(__file__).parent / "probe.js").read_text(encoding="utf-8")
    body = f'<iframe width="{width}" height="900" {frame}></iframe><pre></pre>'
    probe = site / "probe.html"
    probe.write_text(f"{body}<script>const PAGES = {json.dumps(pages)};\n{script}</script>", encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    words = [BROWSER, *options, "--virtual-time-budget=600000", "--dump-dom", probe.as_uri()]
    document = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300).stdout
    probe.unlink()
    found = re.search("<pre>(.*?)</pre>", document, re.DOTALL)
    assert found
    answer: dict[str, dict[str, Any]] = json.loads(html.unescape(found[1]))
    return answer


@pytest.mark.slow
@browsed
@pytest.mark.parametrize(("width", "frame"), [(390, ""), (1280, ""), (390, 'sandbox="allow-same-origin"')])
def test_no_page_is_wider_than_its_window_or_hard_to_read(site: Path, width: int, frame: str) -> None:
    control = site / "control.html"
    control.write_text(
        '<div class="md-content"><p style="color: #999">faint</p><img src="data:,">'
        '<div style="width: 3000px">wide</div><p>words <a href="x" style="text-decoration: none">and a link</a></p>'
        f'<pre style="width: 9rem; overflow: auto"><code>{"x" * 300}</code></pre></div>',
        encoding="utf-8",
    )
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if path.stem != "404")
    found = probed(site, width, pages, frame)  # without scripts in the third case
    control.unlink()
    wrong = found.pop("control.html")
    assert all(wrong[key] for key in ("wide", "faint", "cut", "bare", "uncopied", "nameless"))
    assert len(found) > 100
    assert not {page: value for page, value in found.items() if value["scroll"] > value["width"] or value["wide"]}
    for key in ("faint", "cut", "bare", "nameless"):
        assert not {page: value[key] for page, value in found.items() if value[key]}
    if not frame:
        assert not {page: value["uncopied"] for page, value in found.items() if value["uncopied"]}
    assert min(one["words"] for one in found.values()) > 500


@pytest.mark.slow
@browsed
def test_the_search_answers_in_a_site_that_was_opened_from_a_folder(site: Path) -> None:
    address = f"{(site / 'index.html').as_uri()}?q=Huberisation"
    words = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=30000", "--dump-dom"]
    document = subprocess.run([*words, address], capture_output=True, text=True, check=True, timeout=120).stdout
    assert "matching documents" in document
    assert re.search("ledger.html[?]h=huberisation#bst-erratum-", document)
