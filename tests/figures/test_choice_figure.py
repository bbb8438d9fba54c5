"""The figure of a choice, and that of shares."""

from __future__ import annotations

import numpy as np
import pandas as pd
from helpers.analysis_frames import make_frame
from helpers.drawn_figures import title

from dprepro.figures import build
from dprepro.figures.choice_figure import WIDE

NAMES = {"good": 0.1, "middling": 0.3, "slow": 0.5, "late": 0.7, "poor": 0.9, "worst": 1.1}


def frame() -> pd.DataFrame:
    points = [{"epsilon": e, "split": float(s)} for e in (0.1, 1.0, 10.0) for s in range(3)]
    sizes = [{"n": n, "split": float(s)} for n in (1e3, 1e4) for s in range(3)]
    parts = [
        make_frame(points, lambda at, c=c: 1 + c / at["epsilon"], series=name, replicates=1)
        for name, c in NAMES.items()
    ]
    parts.append(make_frame(points, lambda at: 2.0, series="mean", role="context", replicates=1))
    parts.append(make_frame(sizes, lambda at: 1 + 1e3 / at["n"], series="good_n", role="context", replicates=1))
    return pd.concat(parts, ignore_index=True)


def draw() -> object:
    law = {"good_n": {"places": [1e3, 1e5], "middle": [2, 1.01], "low": [1.9, 1.005], "high": [2.1, 1.02]}}
    check = {"role": "claim", "rule": "attainment", "verdict": "confirmed", "reason": "", "details": {"target": 1.5}}
    along = check | {"role": "context", "details": {"target": 1.5, "laws": law}}
    verdict = {"claim": "a choice", "verdict": "confirmed", "checks": {"good_enough": check, "enough_n": along}}
    config = {"study": {}, "checks": {"good_enough": {}, "enough_n": {"axis": "n"}}, "sweep": {"split": [0, 1, 2]}}
    options = {"name": "choice", "axis": ["epsilon", "n"], "average": ["split"]}
    return build(options).draw(frame(), verdict, config)


def test_the_best_are_named_once_beside_the_panel_and_no_name_lies_on_another() -> None:
    """All six curves are drawn; three have names, as one line to compare with has, and the target."""
    figure = draw()
    left, right = figure.axes  # type: ignore[attr-defined]
    assert {text.get_text() for text in left.texts} == {"good", "middling", "slow", "mean", "good enough"}
    grey = [line for line in left.lines if line.get_color() == "0.62" and line.get_linestyle() != "None"]
    assert len(grey) == 3
    assert {text.get_text() for text in right.texts} == {"good", "good enough"}
    heights = sorted(text.get_position()[1] for text in left.texts)
    assert np.diff(heights).min() > 0.05


def test_the_best_differ_in_dashes_and_markers_and_a_law_runs_beyond_the_data() -> None:
    left, right = draw().axes  # type: ignore[attr-defined]
    bold = [line for line in left.lines if line.get_linewidth() > 1 and line.get_marker() not in ("", "None", None)]
    looks = {(line.get_marker(), str(line._unscaled_dash_pattern)) for line in bold if line.get_linestyle() != "None"}
    assert len({marker for marker, _ in looks}) == len({dash for _, dash in looks}) == 3
    assert max(float(np.max(line.get_xdata())) for line in right.lines) == 1e5


def test_the_note_says_where_another_library_is_ahead_and_how_many_times_as_long_it_takes() -> None:
    points = [{"epsilon": e, "split": float(s)} for e in (0.1, 10.0) for s in range(3)]
    library = make_frame(points, lambda at: 1.5, series="library", role="context", replicates=1)
    options = {"name": "choice", "axis": ["epsilon"], "average": ["split"], "peers": ["library", "absent"]}
    both = pd.concat([frame(), library.assign(seconds=2.0)], ignore_index=True)
    verdict = {"claim": "a choice", "verdict": "confirmed", "checks": {}}
    figure = build(options).draw(both, verdict, {"study": {}, "checks": {}, "sweep": {"split": [0, 1, 2]}})
    told = " ".join(figure.get_supxlabel().splitlines()[1:])
    assert told == (
        "library, excess risk (mean) at epsilon 0.1: 1.5 against 2; 10: 1.5 against 1.01, ours; ahead of ours at 0.1; "
        "a cell takes 20 to 20 times as long."
    )


def test_a_note_on_many_overrides_is_wrapped() -> None:
    drawing = build({"name": "choice", "axis": ["epsilon"], "average": ["split"], "note": "a=1, " * 80})
    verdict = {"claim": "a choice", "verdict": "confirmed", "checks": {}}
    figure = drawing.draw(frame(), verdict, {"study": {}, "checks": {}, "sweep": {"split": [0, 1, 2]}})
    lines = figure.get_supxlabel().splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) <= WIDE


def test_shares_rise_to_one() -> None:
    several = make_frame([{"n": float(n)} for n in range(1, 21)], lambda at: 1 + at["n"] / 10, quantity="regret")
    verdict = {"claim": "advice", "verdict": "confirmed", "checks": {}}
    figure = build({"name": "shares", "quantities": {"regret": "advised"}}).draw(several, verdict, {})
    assert float(np.max(figure.axes[0].lines[0].get_ydata())) == 1.0


def test_shares_say_what_was_judged_and_where_it_was_not_confirmed() -> None:
    several = make_frame([{"n": float(n)} for n in range(1, 21)], lambda at: 1 + at["n"] / 10, quantity="regret")
    check = {
        "role": "claim", "rule": "share", "verdict": "refuted", "estimate": 0.65, "low": 0.65, "high": 0.65,
        "expected": 0.8, "margin": 0.1, "details": {"limit": 2.5, "cases": 20},
    }  # fmt: skip
    verdict = {"claim": "advice", "verdict": "refuted", "checks": {"most": check}}
    config = {"checks": {"most": {"rule": "share"}}}
    figure = build({"name": "shares", "quantities": {"regret": "advised"}}).draw(several, verdict, config)
    assert "65% of 20 within 2.5, claimed ≥ 80%, margin 10%: refuted" in title(figure)
