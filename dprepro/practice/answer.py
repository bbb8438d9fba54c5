"""The advice in words: three sentences, a short table, and on request all that is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap

from dprepro.errors import DpreproError, InputError
from dprepro.practice.advice import Advice, Candidate, Choice, expected, rounded
from dprepro.practice.ordinary import Asked
from dprepro.practice.prediction import SOURCES

NAMES = {
    "noisy_sgd_full": "noisy gradient descent, decaying steps",
    "noisy_gd": "noisy gradient descent, averaged",
    "gaussian_frank_wolfe": "Frank-Wolfe with Gaussian noise",
    "noisy_frank_wolfe": "Frank-Wolfe with private vertices",
    "huberised": "objective perturbation of rounded losses",
    "johnson_lindenstrauss": "noisy descent after random projection",
    "objective_perturbation_gamma": "objective perturbation, gamma noise",
    "output_perturbation_gaussian": "output perturbation, Gaussian noise",
    "sufficient_statistics": "least squares from noisy moments",
    "high_probability": "best of several exponential mechanisms",
    "confidence_boosting": "confidence boosting of output perturbation",
    "regularised_output_perturbation_lipschitz": "output perturbation, Lipschitz ridge",
    "regularised_output_perturbation": "output perturbation, smooth ridge",
    "grid_search": "private grid search over the norm",
}
"""Names of configurations, spelled out; others have spaces for underscores."""

SETTINGS = {
    "constants=exact": "", "steps=300": "", "regulariser=least": "least ridge", "noise=gaussian": "Gaussian noise",
    "noise=laplace": "Laplace noise",
}  # fmt: skip
"""Changed parameters, in words; empty for what goes without saying."""

ROWS = 10
"""Rows of the short table, a heading and the trivial answer being beside them."""

ENOUGH = 0.1
"""Of what answering zero loses: good enough where no target is given."""

GRIDS = {"epsilon": [10 ** (k / 2) for k in range(-6, 5)], "n": [10 ** (k / 2) for k in range(4, 21)]}
"""Where a solution is looked for; between two of these values it is interpolated."""


def spelled(choice: Choice) -> str:
    """The algorithm's name in words."""
    changes = [f"{key}={value}" for key, value in choice.changes.items()]
    words = [word for word in (SETTINGS.get(change, change) for change in changes) if word]
    return ", ".join([NAMES.get(choice.name, choice.name.replace("_", " ")), *words])


def short(value: float | None) -> str:
    """Three digits."""
    return "-" if value is None else f"{value:.3g}"


def title(asked: Asked) -> str:
    """What is asked for, in a line."""
    point = ", ".join(f"{key}={asked.point[key]:.10g}" for key in ("n", "p", "epsilon", "delta"))
    return f"{asked.loss} loss, {asked.constraint_set} of radius {asked.radius:g}, {asked.budget.neighbours}: {point}"


def least(risk: Callable[[float], tuple[float, str]], grid: Sequence[float], target: float) -> tuple[float | None, str]:
    """The place from which a falling risk is below the target, and whose it is: bisection, then interpolation.

    Between two values of the grid logarithms are interpolated. None where the last value does not do.
    """
    low, high = -1, len(grid)
    known: dict[int, tuple[float, str]] = {}
    while high - low > 1:
        middle = (low + high) // 2
        known[middle] = risk(grid[middle])
        low, high = (low, middle) if known[middle][0] <= target else (middle, high)
    if high == len(grid):
        return None, ""
    below, label = known[high]
    above = known[low][0] if low >= 0 else math.inf
    if not (math.isfinite(above) and above > below > 0):
        return grid[high], label
    share = math.log(above / target) / math.log(above / below)
    return float(grid[low] * (grid[high] / grid[low]) ** share), label


def enough(at: Callable[[float], Asked], candidate: Candidate, target: float, grid: Sequence[float]) -> float | None:
    """From which place of the grid on the algorithm is expected to keep to the target; None where it never does."""

    def risk(place: float) -> tuple[float, str]:
        asked = at(place)
        try:
            candidate[2].admit(asked.domain, asked.budget)
            return float(expected(candidate[2], asked)[0].max()), candidate[0]
        except DpreproError:
            return math.inf, ""

    found = least(risk, grid, target)[0]
    return None if found is None else rounded(found)


def sentences(
    asked: Asked, advice: Advice, target: float, given: bool, reached: float | None, command: str
) -> list[str]:
    """Which algorithm and what it loses; against what, and from which epsilon on; what to do next.

    Args:
        target: the risk that will do. given: whether the user said so. reached: the least epsilon for it, if any.
        command: what checks the choice.
    """
    best, zero = advice.best, short(advice.zero)
    if best is None:
        lines = [
            "Answer the data-free point: no private algorithm here is expected to beat it.",
            f"It loses {zero} on ordinary data, where no privacy loses 0.",
        ]
        if advice.zero == 0:
            lines[1] = "On ordinary data it is the minimiser itself."
        return [*lines, "Next: ask with n=? or epsilon=? and the risk that will do, such as "
                f"risk={ENOUGH * advice.zero:.2g}, for what would help."]  # fmt: skip
    between = "" if best.low is None else f" ({short(best.low)} to {short(best.high)} in nine of ten cases)"
    first = f"Take {spelled(best)}: expected to lose {short(best.typical)}{between} in mean risk."
    assert best.typical is not None
    assert best.share is not None
    second = f"No privacy loses 0, and answering zero {zero}: this is {100 * best.share:.3g}% of it; "
    said = f"the target {target:.3g}" if given else f"a tenth of it, {target:.3g},"
    if reached is None:
        second += f"{said} is out of reach up to epsilon={GRIDS['epsilon'][-1]:g}."
    elif reached <= GRIDS["epsilon"][0]:
        second += f"{said} is reached from epsilon={reached:.3g} on, and below."
    else:
        second += f"{said} is reached from epsilon={reached:.3g} on."
    return [first, second, f"Next: choose before looking at the data, then check with {command}"]


def table(advice: Advice, verbose: bool) -> list[str]:
    """The choices with predicted risks; at most twelve lines unless verbose."""
    some = [choice for choice in advice.choices if choice.typical is not None]
    shown = some if verbose else some[:ROWS]
    rows = [["algorithm", "expected", "range of nine in ten", "of zero", *(["bound", "spends"] if verbose else [])]]
    for choice in shown:
        between = f"{short(choice.low)} to {short(choice.high)}"
        share = "-" if choice.share is None else f"{100 * choice.share:.3g}%"
        rows.append([spelled(choice), short(choice.typical), between, share,
                     *([short(choice.bound), short(choice.spent)] if verbose else [])])  # fmt: skip
    rows.append(["answering zero", short(advice.zero), "", "100%", *([short(advice.most), "0"] if verbose else [])])
    if all(choice.low is None for choice in shown):  # nothing was tested: no column for it
        rows = [row[:2] + row[3:] for row in rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  ".join([f"{row[0]:<{widths[0]}}", *(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:],
                                                                                         strict=True))]).rstrip()
        for row in rows
    ]  # fmt: skip


def rest(advice: Advice) -> list[str]:
    """What is told on request: sources with their tested errors, who has no prediction, and who is refused."""
    lines = []
    for source, (words, _) in SOURCES.items():
        some = [choice for choice in advice.choices if choice.source == source]
        if some:
            error = "" if some[0].median is None else f"; half of the tested cases within {100 * some[0].median:.2g}%"
            lines += wrap(f"predicted by {words}{error}: {', '.join(spelled(choice) for choice in some)}", 118)
    for choice in advice.choices:
        if choice.note:
            lines += wrap(f"no prediction: {spelled(choice)}: {choice.note}", 118)
    for why, names in advice.refused.items():
        lines += wrap(f"not here: {', '.join(names)}: {why}", 118)
    bounds = [choice for choice in advice.choices if choice.bound is not None and choice.bound < advice.most]
    if bounds:
        first = min(bounds, key=lambda choice: choice.bound or math.inf)
        lines += wrap(f"on any data {spelled(first)} loses at most {short(first.bound)} in the mean, by its paper's "
                      "bound", 118)  # fmt: skip
    else:
        lines.append("on any data no explicit bound is below what answering zero loses at most")
    many = sum(choice.typical is not None for choice in advice.choices)
    lines += wrap(
        f"choosing by these public numbers costs no privacy; naming the best of {many} by their risks on private data "
        f"would, up to {many} times the epsilon of one where all of them are run and compared", 118,
    )  # fmt: skip
    return lines


def solved_words(loss: str, within: str, radius: str, key: str, answer: Mapping[str, object]) -> list[str]:
    """A solution in words."""
    end, risk = GRIDS[key][-1], answer["risk"]
    lines = [f"{loss} loss over {within} of radius {radius}, risk {risk:g}:"]
    for name, where in (("typical", "predicted on ordinary data"), ("certified", "on any data, by an explicit bound")):
        found, owner = answer[name], str(answer[f"{name}_by"])
        said = f"no {key} up to {end:g} will do" if found is None else f"{key} from {found:.3g} on, by {owner}"
        lines.append(f"  {where}: {said}")
    return lines


def check_target(text: str) -> float:
    """A risk that will do; raises InputError unless it is positive."""
    from dprepro.support import expressions

    try:
        risk = float(expressions.evaluate(text))
    except ValueError as error:
        raise InputError(f"risk must be a number, got risk={text}") from error
    if not risk > 0:
        raise InputError(f"risk must be positive, got risk={text}")
    return risk
