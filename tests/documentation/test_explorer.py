"""The explorer: its points are the tables', its calculator the functions of `dprepro.bounds`, its address the view."""

from __future__ import annotations

import csv
import html
import json
import math
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from docs import explorer
from docs.explorer.calculator import RATES
from docs.sources import reference, table_of
from dprepro.bounds import bst, bst_generic, bst_lower, glm, kst, lasso
from dprepro.support.regular_files import unpacked

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
browsed = pytest.mark.skipif(BROWSER is None, reason="needs the browser chromium")
Function = Callable[[float, float, float, float, float], float]

FUNCTIONS: Mapping[str, Function] = {
    "lasso-theorem-2-5": lambda n, p, e, d, s: lasso.theorem_2_5_rate(n, e, d, 8, 4, 1, 2 * p),
    "lasso-theorem-2-6": lambda n, p, e, d, s: lasso.theorem_2_6_rate(n, e, d, 1, 1, math.sqrt(p)),
    "lasso-theorem-3-1": lambda n, p, e, d, s: lasso.theorem_3_1_rate(n),
    "bst-theorem-2-4-1": lambda n, p, e, d, s: bst.theorem_2_4_1_rate(n, p, e, d, 1, 2),
    "bst-theorem-5-3": lambda n, p, e, d, s: bst_lower.theorem_5_3_rate(n, p, e),
    "bst-theorem-3-2": lambda n, p, e, d, s: bst.theorem_3_2_rate(n, p, e, 1, 2),
    "bst-theorem-5-2": lambda n, p, e, d, s: bst_lower.theorem_5_2_rate(n, p, e),
    "bst-theorem-2-4-2": lambda n, p, e, d, s: bst.theorem_2_4_2_rate(n, p, e, d, 1, 1),
    "bst-theorem-5-5": lambda n, p, e, d, s: bst_lower.theorem_5_5_rate(n, p, e),
    "bst-theorem-4-3": lambda n, p, e, d, s: bst.theorem_4_3_rate(n, p, e, 1, 1),
    "bst-theorem-b-2": lambda n, p, e, d, s: bst_generic.theorem_b_2_rate(n, p, e, d, 1, 1),
    "bst-theorem-e-2": lambda n, p, e, d, s: bst_generic.theorem_e_2_rate(n, p, e, d, 1, 1),
    "bst-theorem-5-4": lambda n, p, e, d, s: bst_lower.theorem_5_4_rate(n, p, e),
    "kst-theorem-4": lambda n, p, e, d, s: kst.theorem_4_rate(n, p, e, d, 1, 1),
    "kst-theorem-6": lambda n, p, e, d, s: kst.theorem_6_rate(n, p, e, s, 1),
    "kst-theorem-9": lambda n, p, e, d, s: kst.theorem_9_rate(n, e, d, s, n),
    "glm-theorem-1": lambda n, p, e, d, s: glm.theorem_1_rate(n, p, e, d, 1, 1, 4, 1),
    "glm-theorem-4": lambda n, p, e, d, s: glm.theorem_4_rate(n, p, e, 1, 1, 1),
    "glm-theorem-5": lambda n, p, e, d, s: glm.theorem_5_rate(n, e, d, 1, 1),
    "glm-theorem-6": lambda n, p, e, d, s: glm.theorem_6_rate(n, p, e, 1, 1),
}
BOTH = [side for rate in RATES for side in ((rate.upper, rate.upper_rate), (rate.lower, rate.lower_rate))]
SIDES = [(identity, text) for identity, text in BOTH if identity]


@lru_cache(maxsize=1)
def page() -> str:
    return explorer.page()


def test_it_is_one_page_below_a_megabyte_and_a_half_that_fetches_nothing() -> None:
    assert len(page().encode()) <= 1.5e6
    assert not re.findall(r'<(?:script|link|img)\b[^>]*\s(?:src|href)="(?!data:)', page())


def test_its_points_are_those_of_the_tables() -> None:
    found = explorer.data()["experiments"]
    assert len(found) > 60
    for name in ("lasso_rate", "glm_phase_diagram", "objective_perturbation"):
        rows = list(csv.DictReader(unpacked(table_of(name)).decode().splitlines()))
        columns = found[name]["columns"]
        for key in ("series", "quantity", "state", *found[name]["axes"]):
            at = columns[key].get("at", [0] * len(rows))
            assert [columns[key]["of"][i] for i in at] == [row[key] for row in rows]
        for key in ("mean", "standard_error", "bound"):
            wanted = [float(row[key] or "nan") for row in rows]
            given = [math.nan if number is None else number for number in columns[key]]
            np.testing.assert_array_equal(given, [number if math.isfinite(number) else math.nan for number in wanted])


@pytest.mark.parametrize(
    ("identity", "text"), dict.fromkeys(SIDES), ids=[identity for identity, _ in dict.fromkeys(SIDES)]
)
def test_a_rate_of_the_calculator_is_that_of_the_function(identity: str, text: str) -> None:
    rng = np.random.default_rng(5)
    known = {"log": math.log, "sqrt": math.sqrt, "min": min, "__builtins__": {}}
    for _ in range(20):
        n, p, s = 10 ** rng.uniform(1, 9), 10 ** rng.uniform(0.1, 5), rng.uniform(1, 20)
        epsilon, delta = 10 ** rng.uniform(-3, 1), 10 ** rng.uniform(-12, -1)
        given = eval(text, known, {"n": n, "p": p, "epsilon": epsilon, "delta": delta, "s": s})
        assert given == pytest.approx(FUNCTIONS[identity](n, p, epsilon, delta, s), rel=1e-12)


def test_the_calculator_has_every_private_statement_whose_constant_is_known_and_its_own_formula() -> None:
    rows = [row for row in reference("ledger.json")["claims"] if row["constant"]]
    own = {row["id"] for row in rows if row["kind"] == "rate" and "epsilon" in row["constant"]["at"]}
    restated = {"lasso-theorem-a-1"}  # Theorem 2.5 again
    assert own - restated == {rate.upper for rate in RATES}


def test_every_line_of_the_calculator_has_its_statement_with_a_constant() -> None:
    lines = explorer.rates()
    assert len(lines) == len(RATES)
    for line in lines:
        low, high = line["upper"]["constant"]
        assert 0 < low <= high


def browse(path: Path, state: Mapping[str, Any] | None = None, width: int = 1400) -> tuple[str, str]:
    """The page after its script ran at that address, and what the browser said."""
    assert BROWSER is not None
    address = path.as_uri() + ("#" + quote(json.dumps(state)) if state else "")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--window-size={width},900"]
    words = [BROWSER, *options, "--virtual-time-budget=20000", "--dump-dom", address]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.partition("</noscript>")[0], done.stderr


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(page(), encoding="utf-8")
    return path


def checked(document: str) -> list[str]:
    """The points' first column: which experiments are drawn."""
    table = document.partition('id="points"')[2].partition("</table>")[0]
    return re.findall(r"<tr><td>([^<]*)</td>", table)


@pytest.mark.slow
@browsed
def test_a_link_restores_its_view_and_the_console_stays_empty(opened: Path) -> None:
    first, said = browse(opened)
    assert "CONSOLE" not in said
    assert set(checked(first)) == {"lasso_rate"}
    state = {"e": ["erm_rate", "erm_exponential"], "x": "epsilon", "ly": 0, "c": 0.5}
    second, said = browse(opened, state)
    assert "CONSOLE" not in said
    assert set(checked(second)) <= {"erm_rate", "erm_exponential"}
    assert re.search(r'<option value="epsilon"[^>]*>epsilon', second)
    assert len(checked(second)) > 3


@pytest.mark.slow
@browsed
def test_a_curve_without_a_bound_has_the_power_that_is_fitted_to_it_named_as_such(opened: Path) -> None:
    state = {"e": ["glm_low_dimension"], "x": "n", "q": "excess_risk"}
    document, said = browse(opened, state)
    assert "CONSOLE" not in said
    assert 'class="fit"' in document
    told = re.findall(r"no bound: dotted, fitted to the points, n\^(-?[\d.]+)", document)
    lines = unpacked(table_of("glm_low_dimension")).decode().splitlines()
    rows = [row for row in csv.DictReader(lines) if row["series"] == "counts_in_n" and row["quantity"] == "excess_risk"]
    assert not any(row["bound"] or row["state"] for row in rows)
    x, y = (np.log([float(row[column]) for row in rows]) for column in ("n", "mean"))
    assert f"{np.polyfit(x, y, 1)[0]:.3g}" in told
    without, _ = browse(opened, state | {"b": 0})
    assert "fitted to the points" not in without


@pytest.mark.slow
@browsed
@pytest.mark.parametrize("broken", ['["x"]', "null", '{"e":["nothing"],"fix":[1],"num":{"n":"<b>"}}', "{"])
def test_an_address_that_is_none_shows_the_first_view(opened: Path, broken: str) -> None:
    assert BROWSER is not None
    words = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    words += ["--virtual-time-budget=20000", "--dump-dom", opened.as_uri() + "#" + quote(broken)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    assert "CONSOLE" not in done.stderr
    assert set(checked(done.stdout)) == {"lasso_rate"}


@pytest.mark.slow
@browsed
def test_the_calculator_in_the_browser_is_that_of_the_functions(opened: Path) -> None:
    numbers = (3e7, 250.0, 0.3, 1e-8, 7.0)
    state = {"num": dict(zip(("n", "p", "epsilon", "delta", "s"), map(str, numbers), strict=True))}
    document, _ = browse(opened, state)
    table = html.unescape(document.partition('id="rates"')[2])
    given = [float(text) for text in re.findall(r'data-value="([^"]+)"', table)]
    assert given == pytest.approx([FUNCTIONS[identity](*numbers) for identity, _ in SIDES], rel=1e-12)
    refused, _ = browse(opened, {"num": {"delta": "2"}})
    assert "delta is between 0 and 1, got 2" in refused


SCRIPT = """
<script>
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
addEventListener("load", async () => {
  await pause(500);
  const told = {};
  const box = document.querySelector("#curves input");
  const paths = () => document.querySelectorAll("#plot svg path").length;
  const before = paths();
  box.focus();
  box.click();
  told.off = paths() < before;
  told.focus = document.activeElement.dataset.curve === box.dataset.curve;
  document.activeElement.click();
  told.on = paths() === before;
  const bound = () => {
    const path = document.querySelector("#plot .draggable");
    return path.getPointAtLength(0).matrixTransform(path.getScreenCTM());
  };
  const from = bound();  // near a point, where the plot listens too
  const point = (what, at, y) => at.dispatchEvent(new PointerEvent(
    what, { clientX: from.x, clientY: y, pointerType: "mouse", button: 0, bubbles: true, cancelable: true }));
  point("pointerenter", document.querySelector("#plot svg"), from.y);
  point("pointermove", document.querySelector("#plot svg"), from.y);
  await pause(100);
  point("pointerdown", document.querySelector("#plot .draggable"), from.y);
  point("pointermove", window, from.y + 30);
  told.followed = bound().y - from.y;
  point("pointerup", window, from.y + 30);
  told.constant = Number(document.getElementById("constant").value);
  told.address = decodeURIComponent(location.hash);
  document.querySelector("#table summary").click();
  document.querySelector("#points button").click();
  told.point = document.getElementById("point").textContent;
  await pause(100);
  told.state = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  told.wide = document.documentElement.scrollWidth - innerWidth;
  document.body.dataset.told = JSON.stringify(told);
});
</script>"""


@pytest.mark.slow
@browsed
@pytest.mark.parametrize("width", [390, 1400])
def test_curves_are_switched_lines_dragged_and_points_shown(opened: Path, width: int) -> None:
    path = opened.with_name(f"driven_{width}.html")
    path.write_text(page().replace("</body>", SCRIPT + "</body>"), encoding="utf-8")
    assert BROWSER is not None
    words = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={max(width, 500)},900"]
    done = subprocess.run(
        [*words, "--virtual-time-budget=20000", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    found = re.search(r'data-told="([^"]*)"', done.stdout)
    assert found
    told = json.loads(html.unescape(found[1]))
    assert told["off"]
    assert told["on"]
    assert told["focus"]
    assert told["followed"] == pytest.approx(30, abs=2)
    assert 0.3 < told["constant"] < 0.95  # down is less
    assert f'"c":{told["constant"]:g}' in told["address"]
    assert "python -m dprepro +experiment=lasso_rate" in told["point"]
    assert told["wide"] <= 0
    restored, _ = browse(opened, told["state"])
    assert (
        html.unescape(re.sub("<.*?>", "", restored.partition('id="point">')[2].partition("</div>")[0])) == told["point"]
    )
    assert re.search('<details id="table" open', restored)
