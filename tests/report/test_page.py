"""The page in a real browser: legible at the width of a telephone, filtered by its script, whole without it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cheap_experiment import command, write_config_dir

from dprepro.ledger import main as ledger

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
browsed = pytest.mark.skipif(BROWSER is None, reason="needs the browser chromium")

#: Reports sizes instead of the page; appended to a copy of it.
PROBE = """<script>
const all = [...document.querySelectorAll("body *")];
const wide = all.filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
document.title = JSON.stringify([innerWidth, document.documentElement.scrollWidth, wide.length]);
</script>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with one experiment that no statement names and, of the shipped ones, `lasso_delta`."""
    root = tmp_path_factory.mktemp("page")
    folder = write_config_dir(root / "mine")
    for name in ("cheap", "lasso_delta"):
        assert (
            command("--config-dir", folder, f"results_dir={root / 'results'}", f"+experiment={name}", "workers=1") == 0
        )
    assert command(f"results_dir={root / 'results'}", function=ledger) == 0
    return root / "results" / "ledger.html"


def dump(page: Path, *options: str, fragment: str = "") -> str:
    """The page's document after its script has run."""
    assert BROWSER is not None
    words = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        *options,
        "--dump-dom",
        f"{page.as_uri()}{fragment}",
    ]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=120).stdout


def shown(document: str) -> list[str]:
    """Headings of the entries that are not hidden."""
    entries = re.findall(r"<article([^>]*)>\s*<header><h3>(.*?) <small>", document)
    return [title for attributes, title in entries if "hidden" not in attributes]


@pytest.mark.slow
def test_the_page_is_whole_without_its_script_and_asks_nothing_of_the_network(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    # Addresses in it are anchors and embedded pictures only.
    assert not [at for at in re.findall(r'(?:src|href|action)="([^"]*)"', text) if not at.startswith(("#", "data:"))]
    assert not re.search(r"https?://|@import|url\(", text)
    assert '<form id="filter" role="search" hidden>' in text
    assert len(shown(text)) > 150
    assert text.count('src="data:image/png;base64,') == 2
    targets, anchors = set(re.findall(r'href="#([^"]*)"', text)), set(re.findall(r'id="([^"]*)"', text))
    assert targets <= anchors
    for part in ('lang="en"', 'name="viewport"', "<title>", "prefers-color-scheme: dark", "@media print"):
        assert part in text
    assert text.count("<img") == text.count('alt="Figure of ')
    assert all(f"<label>{name} <" in text for name in ("Search", "Paper", "Verdict", "Kind"))


@pytest.mark.slow
@browsed
@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("", {"Theorem 2.4.1", "cheap", "lasso_delta"}),
        ("#paper=lasso&verdict=not%20measured", {"Remark 2", "Theorem 3.2"}),
        ("#kind=experiment", {"cheap", "lasso_delta"}),
        ("#search=EPSILON%20dimension&paper=glm", {"Theorem 2"}),
        ("#search=no%20such%20word", set()),
    ],
)
def test_the_script_filters_by_paper_verdict_kind_and_words(page: Path, fragment: str, expected: set[str]) -> None:
    document = dump(page, fragment=fragment)
    titles = shown(document)
    assert '<form id="filter" role="search">' in document
    total = len(re.findall("<article", document))
    assert f"{len(titles)} of {total} entries" in document
    assert expected <= set(titles)
    assert (len(titles) == total) == (not fragment)
    if fragment.startswith(("#kind", "#search=no")):
        assert set(titles) == expected
    if fragment.startswith("#paper"):
        assert "Theorem 2.4.1" not in titles


@pytest.mark.slow
@browsed
@pytest.mark.parametrize("width", [400, 1200])
def test_nothing_is_wider_than_the_window(page: Path, tmp_path: Path, width: int) -> None:
    probe = tmp_path / "probe.html"
    probe.write_text(page.read_text(encoding="utf-8").replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    # A headless window has a least width; a frame of the wanted width has none.
    frame = tmp_path / "frame.html"
    listen = "<script>onload = () => { document.title = frames[0].document.title; }</script>"
    frame.write_text(f'<iframe width="{width}" height="900" src="probe.html"></iframe>{listen}', encoding="utf-8")
    document = dump(frame, "--allow-file-access-from-files", "--virtual-time-budget=5000")
    found = re.search(r"<title>\[(\d+),(\d+),(\d+)\]</title>", document)
    assert found, document[:500]
    inner, scroll, wide = map(int, found.groups())
    assert abs(inner - width) <= 20
    assert (scroll <= inner, wide) == (True, 0)
