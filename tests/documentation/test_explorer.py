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
from dprepro.report.formulas import prose
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


def test_the_interval_of_a_point_is_that_of_a_run_and_not_two_and_a_half_errors_of_three_replicates() -> None:
    lines = unpacked(table_of("lasso_rate")).decode().splitlines()
    rows = [row for row in csv.DictReader(lines) if (row["series"], row["quantity"]) == ("tuned_needle", "excess_risk")]
    relative = np.array([float(row["standard_error"]) / float(row["mean"]) for row in rows])
    pooled = math.sqrt(np.mean(relative**2))  # six points of three replicates: 12 degrees of freedom
    quantile = 3.0545395894  # of Student's law with 12 degrees of freedom, at 0.995
    wanted = [quantile * float(row["mean"]) * max(own, pooled) for row, own in zip(rows, relative, strict=True)]
    assert {row["replicates"] for row in rows} == {"3"}
    assert explorer.half_widths(rows) == pytest.approx(wanted, rel=0.006)  # three digits
    assert all(half > 2.58 * float(row["standard_error"]) for half, row in zip(wanted, rows, strict=True))


def test_a_point_has_no_interval_where_nothing_was_repeated_and_none_is_wide_where_all_replicates_agree() -> None:
    row = {"series": "a", "quantity": "risk", "mean": "2", "bound": "", "state": ""}
    assert explorer.half_widths([row | {"standard_error": "", "replicates": "1"}]) == [None]
    assert explorer.half_widths([row | {"standard_error": "0", "replicates": "3"}]) == [0]


def test_an_experiment_has_the_formulas_of_its_statements_and_the_words_of_the_figures() -> None:
    data, claims = explorer.data(), reference("ledger.json")["claims"]
    assert data["experiments"]["lasso_rate"]["statements"] == ["lasso-theorem-2-5"]
    formula = next(row["formula"] for row in claims if row["id"] == "lasso-theorem-2-5")
    assert data["statements"]["lasso-theorem-2-5"]["formula"] == str(prose(f"${formula}$"))
    assert {key for one in data["experiments"].values() for key in one["statements"]} == set(data["statements"])
    assert data["words"]["axes"]["n"] == "records n"
    assert data["words"]["axes"]["delta"] == "privacy δ"  # the page shows δ, not ln(1/δ)


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
    assert re.search(r'<option value="epsilon"[^>]*>privacy ε', second)
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


def driven(opened: Path, script: str, width: int = 1400) -> dict[str, Any]:
    """What a script finds that acts on the page as a reader would; the console stays empty."""
    frame = f"""<script>
    const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
    const by = (id) => document.getElementById(id);
    const press = (key) => document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", {{ key, bubbles: true, cancelable: true }}));
    addEventListener("load", async () => {{
      await pause(300);
      const told = {{}};
      {script}
      document.body.dataset.told = JSON.stringify(told);
    }});
    </script>"""
    path = opened.with_name("driven.html")
    path.write_text(page().replace("</body>", frame + "</body>"), encoding="utf-8")
    assert BROWSER is not None
    words = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    words += [f"--window-size={max(width, 500)},900", "--virtual-time-budget=60000", "--dump-dom", path.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    assert "CONSOLE" not in done.stderr
    found = re.search(r'data-told="([^"]*)"', done.stdout)
    assert found
    answer: dict[str, Any] = json.loads(html.unescape(found[1]))
    return answer


ENTER = """
  const enter = (values) => {
    for (const [name, text] of Object.entries(values)) {
      by(`c_${name}`).value = text;
      by(`c_${name}`).dispatchEvent(new Event("input"));
    }
  };
  told.answers = GIVEN.map((values) => {
    enter(values);
    const shown = [...document.querySelectorAll("#rates [data-value]")].map((cell) => Number(cell.dataset.value));
    return [by("refused").textContent, shown, document.querySelectorAll("#rates tbody tr").length];
  });
"""


@pytest.mark.slow
@browsed
def test_the_calculator_in_the_browser_is_that_of_the_functions(opened: Path) -> None:
    rng, names = np.random.default_rng(11), ("n", "p", "epsilon", "delta", "s")
    powers = rng.uniform((1, 0, -3, -12, 0), (9, 5, 1, -1, 1.3), (30, 5))
    drawn = [[float(number) for number in 10**row] for row in powers]
    given = json.dumps([dict(zip(names, map(repr, numbers), strict=True)) for numbers in drawn])
    answers = driven(opened, ENTER.replace("GIVEN", given))["answers"]
    for (n, p, epsilon, delta, s), (refused, shown, rows) in zip(drawn, answers, strict=True):
        assert refused == ""
        assert rows == len(RATES)
        assert shown == pytest.approx(
            [FUNCTIONS[identity](n, p, epsilon, delta, s) for identity, _ in SIDES], rel=1e-12
        )


@pytest.mark.slow
@browsed
def test_the_calculator_says_which_number_is_none_and_pure_privacy_has_its_own_bounds(opened: Path) -> None:
    first = {"n": "1e6", "p": "100", "epsilon": "1", "delta": "1e-6", "s": "5"}
    wrong = {
        "n": ["", "0", "-3", "1e400", "1,000", "NaN", "Infinity", "1", "<b>2</b>"],
        "epsilon": ["0", "-1", "1e-400"],
        "delta": ["1", "-0.1", "none"],
        "p": ["0.5"],
        "s": ["0"],
    }
    cases = [(name, text) for name, texts in wrong.items() for text in texts]
    given = [first | {name: text} for name, text in cases] + [first | {"delta": "0"}, first]
    answers = driven(opened, ENTER.replace("GIVEN", json.dumps(given)))["answers"]
    for (name, text), (refused, shown, rows) in zip(cases, answers, strict=False):
        assert refused.startswith(f"{name} must be a number")
        assert refused.endswith(f"got {text or 'nothing'}")
        assert shown == []
        assert rows == len(RATES)  # the page does not jump
    pure, again = answers[-2:]
    assert pure[0] == again[0] == ""
    assert len(again[1]) == len(SIDES)
    without = [FUNCTIONS[identity](1e6, 100, 1, 1e-6, 5) for identity, text in SIDES if "delta" not in text]
    assert pure[1] == pytest.approx(without, rel=1e-12)


@pytest.mark.slow
@browsed
def test_an_experiment_that_sweeps_nothing_has_a_place_for_each_series(opened: Path) -> None:
    document, said = browse(opened, {"e": ["attacks_lasso"]})
    assert "CONSOLE" not in said
    assert len(checked(document)) > 20
    assert re.search(r'<select id="x"><option value="series">series</option></select>', document)


RANDOM_VIEWS = """
  let seed = 5;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const some = (list) => list[Math.floor(random() * list.length)];
  const enter = (at, text, event) => { at.value = text; at.dispatchEvent(new Event(event)); };
  const choose = (at) => enter(at, some([...at.options].map((it) => it.value).filter(Boolean)), "change");
  const view = () => [
    ...[...document.querySelectorAll("#controls input, #controls select, #curves input, #numbers input")]
      .map((it) => (it.type === "checkbox" ? it.checked : it.value)),
    ...["seen", "ratio", "point", "points", "chosen", "refused", "rates", "curves"].map((id) => by(id).textContent),
    by("table").open, document.querySelector("#plot svg").outerHTML.replace(/(plot-|clip-)[0-9a-z-]+/g, ""),
  ].join("|");
  const acts = [
    () => { choose(by("add")); by("put").click(); },
    () => choose(by("x")),
    () => choose(by("quantity")),
    () => { const held = some([...document.querySelectorAll("#fixed select")]); if (held) choose(held); },
    () => some([...document.querySelectorAll("#curves input")])?.click(),
    () => by(some(["log_x", "log_y", "bounds"])).click(),
    () => enter(by("constant"), some(["0.3", "1.7", "40"]), "input"),
    () => enter(by(some(["c_n", "c_delta", "c_s"])), some(["7", "0.5", "x"]), "input"),
    () => { by("plot").focus(); press("End"); },
    () => { by("table").open = true; },
  ];
  told.lost = [];
  const views = new Set();
  for (let i = 0; i < 25; i++) {
    by("reset").click();
    for (let k = 0; k < 7; k++) some(acts)();
    await pause(200); // the address follows
    const address = location.hash, before = view();
    by("reset").click();
    await pause(200);
    location.hash = address;
    await pause(20);
    views.add(address);
    if (view() !== before) told.lost.push(decodeURIComponent(address));
  }
  told.views = views.size;
"""


@pytest.mark.slow
@browsed
def test_the_link_of_any_view_restores_it(opened: Path) -> None:
    told = driven(opened, RANDOM_VIEWS)
    assert told["views"] > 20
    assert told["lost"] == []


DRIVE = """
  const box = document.querySelector("#curves input");
  const paths = () => document.querySelectorAll("#plot svg path").length;
  const before = paths();
  box.focus();
  box.click();
  told.off = paths() < before;
  told.focus = document.activeElement.dataset.curve === box.dataset.curve;
  document.activeElement.click();
  told.on = paths() === before;
  const line = () => document.querySelector("#plot .draggable");
  const bound = () => line().getPointAtLength(0).matrixTransform(line().getScreenCTM());
  const from = bound();  // near a point, where the plot listens too
  const point = (what, at, y, pointerType = "mouse") => at.dispatchEvent(new PointerEvent(
    what, { clientX: from.x, clientY: y, pointerType, button: 0, bubbles: true, cancelable: true }));
  point("pointerenter", document.querySelector("#plot svg"), from.y);
  point("pointermove", document.querySelector("#plot svg"), from.y);
  await pause(100);
  point("pointerdown", line(), from.y);
  point("pointermove", window, from.y + 30);
  told.followed = bound().y - from.y;
  point("pointerup", window, from.y + 30);
  told.constant = Number(by("constant").value);
  for (let i = 0; i < 300; i++) { by("plot").focus(); press("End"); } // a key that is held
  await pause(200);
  told.address = decodeURIComponent(location.hash);
  told.ratio = by("ratio").textContent;

  // a finger: the page does not move, and a tap through the line chooses the point beside it
  const touch = new TouchEvent("touchstart", { bubbles: true, cancelable: true });
  line().dispatchEvent(touch);
  const elsewhere = new TouchEvent("touchstart", { bubbles: true, cancelable: true });
  document.querySelector("#plot svg").dispatchEvent(elsewhere);
  told.held = [touch.defaultPrevented, elsewhere.defaultPrevented];
  const tapped = bound().y;
  point("pointerdown", line(), tapped, "touch");
  point("pointerup", window, tapped, "touch");
  told.tapped = by("point").textContent;

  // keys: along the points, and the line up and down
  by("plot").focus();
  press("Escape");
  told.none = by("point").textContent;
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "End"]) press(key);
  told.last = by("point").textContent;
  told.ring = document.querySelectorAll("#plot .chosen path, #plot .chosen circle, #plot path.chosen").length;
  press("ArrowRight");
  told.round = by("point").textContent;
  document.querySelector("#plot [role=slider]").focus();
  press("Home");
  for (const key of ["ArrowUp", "ArrowUp", "ArrowDown", "PageUp"]) press(key);
  const held = document.activeElement;
  told.keyed = [Number(by("constant").value), held.getAttribute("aria-valuenow"), held.getAttribute("role")];
  told.nameless = [...document.querySelectorAll("button, select, input, [role=slider], [tabindex]")]
    .filter((it) => !(it.getAttribute("aria-label") || it.labels?.[0]?.textContent.trim() || it.textContent.trim()))
    .map((it) => it.outerHTML);

  document.querySelector("#table summary").click();
  document.querySelector("#points button").click();
  told.point = by("point").textContent;
  await pause(200);
  told.state = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  told.wide = document.documentElement.scrollWidth - innerWidth;

  const saved = {};
  URL.createObjectURL = (blob) => { saved.blob = blob; return "#"; };
  HTMLAnchorElement.prototype.click = () => {};
  by("csv").click();
  told.csv = await saved.blob.text();
  by("svg").click();
  const svg = new DOMParser().parseFromString(await saved.blob.text(), "image/svg+xml");
  const many = (what) => svg.querySelectorAll(what).length;
  told.svg = [svg.documentElement.tagName, many("parsererror, .handle, .chosen"), many("path")];
"""


@pytest.mark.slow
@browsed
@pytest.mark.parametrize("width", [390, 1400])
def test_curves_are_switched_lines_dragged_and_points_shown(opened: Path, width: int) -> None:
    told = driven(opened, DRIVE, width=width)
    assert told["off"]
    assert told["on"]
    assert told["focus"]
    assert told["followed"] == pytest.approx(30, abs=2)
    assert 0.3 < told["constant"] < 0.95  # down is less
    assert f'"c":{told["constant"]:g}' in told["address"]
    assert told["ratio"].startswith("Measured over bound is 0.822 to 0.825; ")
    assert told["held"] == [True, False]
    assert "n = 4e7" in told["tapped"]
    assert told["none"] == ""
    assert "n = 4e9" in told["last"]
    assert "n = 4e7" in told["round"]
    assert told["ring"] == 1
    assert told["keyed"] == [pytest.approx(2 * 1.05, rel=0.01), str(told["keyed"][0]), "slider"]
    assert told["nameless"] == []
    assert "python -m dprepro +experiment=lasso_rate" in told["point"]
    assert told["wide"] <= 0
    lines = unpacked(table_of("lasso_rate")).decode().splitlines()
    rows = [row for row in csv.DictReader(lines) if (row["series"], row["quantity"]) == ("tuned_needle", "excess_risk")]
    saved = list(csv.DictReader(told["csv"].splitlines()))
    assert [row["n"] for row in saved] == [row["n"] for row in rows]
    for key in ("mean", "standard_error", "bound"):
        assert [float(row[key]) for row in saved] == [float(row[key]) for row in rows]
    assert told["svg"][:2] == ["svg", 0]
    assert told["svg"][2] > len(rows)
    restored, _ = browse(opened, told["state"])
    box = re.search(r'<div id="point"[^>]*>(.*?)<p id="buttons">', restored, re.DOTALL)
    assert box
    assert html.unescape(re.sub("<.*?>", "", box[1])).strip() == told["point"]
    assert re.search('<details id="table" open', restored)
