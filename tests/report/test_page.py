"""The page in a real browser: legible at the width of a telephone, filtered by its script, whole without it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from helpers.cheap_experiment import command, write_config_dir

import dprepro

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
browsed = pytest.mark.skipif(BROWSER is None, reason="needs the browser chromium")

#: Reports sizes instead of the page; appended to a copy of it. What lies within a box that scrolls by itself widens no
#: page; the box itself is counted.
PROBE = """<script>
const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
const within = (element) => element !== document.body && (scrolls(element) || within(element.parentElement));
const all = [...document.querySelectorAll("body *")].filter((element) => !within(element.parentElement));
const wide = all.filter((element) => element.getBoundingClientRect().right > innerWidth + 1);
const narrow = [...document.querySelectorAll(".evidence td:nth-child(4)")].filter((cell) => cell.clientWidth < 150);
const names = wide.map((element) => `${element.localName}.${element.className}`).slice(0, 9);
document.title = [innerWidth, document.documentElement.scrollWidth, narrow.length, names].join(" ");
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
    assert command("ledger", f"results_dir={root / 'results'}", "--single-file") == 0
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
    return [re.sub("<.*?>", "", title) for attributes, title in entries if "hidden" not in attributes]


@pytest.mark.slow
def test_the_page_is_whole_without_its_script_and_asks_nothing_of_the_network(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    # Addresses in it are anchors and pictures beside it, or embedded ones, only.
    addresses = re.findall(r'(?:src|href|action)="([^"]*)"', text)
    assert not [at for at in addresses if not at.startswith(("#", "ledger_files/"))]
    single = page.with_name("ledger_single.html").read_text(encoding="utf-8")
    assert not [at for at in re.findall(r'src="([^"]*)"', single) if not at.startswith("data:image/png;base64,")]
    assert re.sub(r'src="[^"]*"', "", single) == re.sub(r'src="[^"]*"', "", text)
    assert not re.search(r"https?://|@import|url\(", text)
    assert '<form id="filter" role="search" hidden>' in text
    assert len(shown(text)) > 150
    assert sorted(path.name for path in page.with_name("ledger_files").glob("*.png")) == [
        "cheap.png",
        "lasso_delta.png",
    ]
    targets, anchors = set(re.findall(r'href="#([^"]*)"', text)), set(re.findall(r'id="([^"]*)"', text))
    assert targets <= anchors
    ids = re.findall(r'<article id="([^"]*)"', text)
    assert len(ids) == len(set(ids)) == text.count("<article")
    assert {"lasso-theorem-2-5", "lasso-erratum-algorithm-3-noise", "experiment-cheap"} <= set(ids) <= targets
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
        ("#paper=lasso&verdict=not%20measured", {"Section 1, privacy for free"}),
        ("#kind=experiment", {"cheap", "lasso_delta"}),
        ("#search=EPSILON%20dimension&paper=glm", {"Theorem 2"}),
        ("#search=no%20such%20word", set()),
        ("#search=Johnson&paper=glm&kind=rate", {"Theorem 2"}),
        ("#search=%22Some%20private%20algorithm%22%20epsilon)%5E%7B-2/3%7D", {"Theorem 1.1", "Theorem 2.6"}),
        ("#lasso-theorem-2-5", {"Theorem 2.4.1", "cheap"}),
    ],
)
def test_the_script_filters_by_paper_verdict_kind_and_words(page: Path, fragment: str, expected: set[str]) -> None:
    document = dump(page, fragment=fragment)
    titles = shown(document)
    assert '<form id="filter" role="search">' in document
    total = len(re.findall("<article", document))
    assert f"{len(titles)} of {total} entries" in document
    assert expected <= set(titles)
    assert (len(titles) == total) == ("=" not in fragment)
    nothing = re.search(r'<p id="nothing"( hidden="")?>(.*?)</p>', document)
    assert nothing
    assert bool(nothing[1]) == bool(titles)
    if fragment.startswith("#search=no"):
        assert nothing[2].startswith("Nothing matches")
    if fragment.startswith(("#kind", "#search=no", "#search=%22")):
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
    found = re.search(r"<title>(\d+) (\d+) (\d+) ?(.*?)</title>", document)
    assert found, document[:500]
    inner, scroll, narrow = (int(number) for number in found.groups()[:3])
    assert abs(inner - width) <= 20
    assert (found[4], scroll <= inner) == ("", True)
    assert narrow == 0, "what was found stands in a column of a word or two"


def luminance(colour: str) -> float:
    """Relative luminance of #rgb or #rrggbb (WCAG 2)."""
    digits = colour.lstrip("#")
    pairs = [digit * 2 for digit in digits] if len(digits) == 3 else [digits[i : i + 2] for i in (0, 2, 4)]
    parts = [int(pair, 16) / 255 for pair in pairs]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_all_text_has_a_contrast_of_five_and_more_on_its_ground_in_light_dark_and_print() -> None:
    style = (Path(dprepro.__file__).parent / "report" / "page.css").read_text(encoding="utf-8")
    schemes = [dict(re.findall(r"--([\w-]+): (#\w+)", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S)]
    assert len(schemes) == 3
    for scheme in schemes:
        pairs = [(text, ground) for text in ("ink", "soft", "link") for ground in ("ground", "card")]
        pairs += [(name, f"{name}-ground") for name in ("good", "bad", "open", "none")]
        for text, ground in pairs:
            dark, light = sorted((luminance(scheme[text]), luminance(scheme[ground])))
            assert (light + 0.05) / (dark + 0.05) >= 5, (text, ground)
