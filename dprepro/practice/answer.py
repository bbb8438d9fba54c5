"""The advice in words: three sentences, a short table, and on request all that is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from textwrap import wrap
from typing import Any

from dprepro.budget import Budget
from dprepro.errors import DpreproError, InputError
from dprepro.practice.advice import FLOOR, TINY, Advice, Candidate, Choice, expected, rounded
from dprepro.practice.chosen_release import ChosenRelease
from dprepro.practice.ordinary import AdviceQuestion
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

ENDS = {"epsilon": (1e-3, 100.0), "n": (100.0, 1e10)}
"""Between which a solution is looked for."""

NEAR, TRIES, FAR = 0.02, 12, 50.0
"""Of logarithms: how near to the target is near enough; evaluations; and what stands for infinity."""


def spelled(choice: Choice) -> str:
    """The algorithm's name in words."""
    changes = [f"{key}={value}" for key, value in choice.changes.items()]
    words = [word for word in (SETTINGS.get(change, change) for change in changes) if word]
    return ", ".join([NAMES.get(choice.name, choice.name.replace("_", " ")), *words])


def short(value: float | None) -> str:
    """Three digits."""
    return "-" if value is None else f"{value:.3g}"


def trivial_name(constraint_set: str) -> tuple[str, str]:
    """The answer that looks at no data, in words, and the point itself."""
    return ("answering the centre", "centre") if constraint_set == "simplex" else ("answering zero", "zero")


def title(asked: AdviceQuestion) -> str:
    """What is asked for, in a line."""
    point = ", ".join(f"{key}={asked.point[key]:.10g}" for key in ("n", "p", "epsilon", "delta"))
    if asked.point["n"] != asked.n:
        point += f" (n in multiples of {asked.rows}, {asked.n:.10g} being asked)"
    return f"{asked.loss} loss, {asked.constraint_set} of radius {asked.radius:g}, {asked.budget.neighbours}: {point}"


def crossing(
    risk: Callable[[float], float], ends: tuple[float, float], target: float, place: float, there: float | None = None
) -> float | None:
    """From which place on a falling risk keeps to the target: secants of logarithms, then false position.

    The risk there is within `NEAR` of the target, or places that are so much smaller are not enough, or `TRIES`
    evaluations did not tell them apart. None where the upper end does not do; the lower end where it does.

    Args:
        ends: between which it is looked for. place, there: where to begin, and the risk there, if it is known.
    """
    low, high = math.log(ends[0]), math.log(ends[1])
    x, slope = min(max(math.log(place), low), high), 1.5
    little: tuple[float, float] | None = None  # a place where the risk is too large, and by how much
    enough: tuple[float, float] | None = None
    for tried in range(TRIES):
        value = there if there is not None and not tried else risk(math.exp(x))
        over = min(math.log(max(value, TINY) / target), FAR)
        if -NEAR <= over <= 0 or (over <= 0 and x <= low):
            return math.exp(x)
        if over > 0 and x >= high:
            return None
        before, here = enough or little, (x, over)
        little, enough = (here, enough) if over > 0 else (little, here)
        if little and enough:
            if enough[0] - little[0] < NEAR:
                break
            share = (little[1] + NEAR / 2) / (little[1] - enough[1]) if tried % 3 and little[1] < FAR else 0.5
            x = little[0] + min(max(share, 0.02), 0.98) * (enough[0] - little[0])
            continue
        if before and max(over, before[1]) < FAR:
            slope = min(max((before[1] - over) / (x - before[0]), 0.25), 4.0)
        x = min(max(x + (min(over, 5.0) + NEAR / 2) / slope, low), high)
    return math.exp(enough[0]) if enough else None


def predicted_risk(candidate: Candidate, asked: AdviceQuestion) -> float:
    """What the algorithm is expected to lose; infinite where it does not run or has no prediction."""
    try:
        candidate[2].admit(asked.domain, asked.budget)
        return float(expected(candidate[2], asked)[0].max())
    except (DpreproError, ArithmeticError):
        return math.inf


def enough(asked: AdviceQuestion, candidate: Candidate, target: float, there: float) -> float | None:
    """From which epsilon on the algorithm is expected to keep to the target, ``there`` being its risk as asked."""
    found = crossing(
        lambda place: predicted_risk(candidate, replace(asked, budget=replace(asked.budget, epsilon=place))),
        ENDS["epsilon"], target, asked.budget.epsilon, there,
    )  # fmt: skip
    return None if found is None else rounded_up(found)


def rounded_up(value: float) -> float:
    """To three digits, or the next larger such number."""
    near = rounded(value)
    return near if near >= value * (1 - 1e-9) else rounded(value + 10.0 ** (math.floor(math.log10(value)) - 2))


def sentences(
    asked: AdviceQuestion, advice: Advice, target: float, given: bool, reached: float | None, command: str
) -> list[str]:
    """Which algorithm and what it loses; against what, and from which epsilon on; what to do next.

    Args:
        target: the risk that will do. given: whether the user said so. reached: the least epsilon for it, if any.
        command: what to do with the choice, ``check with ...``.
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
    share, loses = best.share, f"{short(best.typical)}{between}"
    if advice.unresolved(best):
        share, loses = advice.resolution / advice.zero, f"less than {short(advice.resolution)}"
    first = f"Take {spelled(best)}: expected to lose {loses} in mean risk."
    assert best.typical is not None
    assert share is not None
    small = share < FLOOR or advice.unresolved(best)
    of_zero = f"less than {100 * max(share, FLOOR):.3g}%" if small else f"{100 * share:.3g}%"
    second = f"No privacy loses 0, and {trivial_name(asked.constraint_set)[0]} {zero}: this is {of_zero} of it; "
    said = f"the target {target:.3g}" if given else f"a tenth of it, {target:.3g},"
    if reached is None:
        second += f"{said} is out of reach up to epsilon={ENDS['epsilon'][1]:g}."
    elif reached <= ENDS["epsilon"][0]:
        second += f"{said} is reached from epsilon={reached:.3g} on, and below."
    else:
        second += f"{said} is reached from epsilon={reached:.3g} on."
    return [first, second, f"Next: choose before looking at the data, then {command}"]


def table(asked: AdviceQuestion, advice: Advice, verbose: bool) -> list[str]:
    """The choices with predicted risks; at most twelve lines unless verbose."""
    some = [choice for choice in advice.choices if choice.typical is not None]
    shown = some if verbose else some[:ROWS]
    answering, point = trivial_name(asked.constraint_set)
    rows = [["algorithm", "expected", "range of nine in ten", f"of {point}", *(["bound", "spends"] if verbose else [])]]
    for choice in shown:
        between = f"{short(choice.low)} to {short(choice.high)}"
        share = "-" if choice.share is None else f"{100 * choice.share:.3g}%"
        typical = short(choice.typical)
        if advice.unresolved(choice):
            typical, between = f"<{short(advice.resolution)}", "-"
            share = f"<{100 * advice.resolution / advice.zero:.3g}%"
        rows.append([spelled(choice), typical, between, share,
                     *([short(choice.bound), short(choice.certified_epsilon)] if verbose else [])])  # fmt: skip
    rows.append([answering, short(advice.zero), "", "100%", *([short(advice.most), "0"] if verbose else [])])
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


def solved_words(values: Mapping[str, str], key: str, answer: Mapping[str, Any]) -> list[str]:
    """A solution in three sentences: predicted, on any data, and what to do next."""
    end, risk, found, sure = ENDS[key][1], answer["risk"], answer["typical"], answer["certified"]
    asked = {name: values[name] for name in ("n", "p", "epsilon", "delta", "loss", "set", "radius", "neighbours")}
    place = ", ".join(f"{name}={value}" for name, value in asked.items() if name in ("n", "p", "epsilon", "delta"))
    lines = [f"{asked['loss']} loss, {values['set']} of radius {values['radius']}, {values['neighbours']}: {place}"]
    if answer["zero"] <= risk:
        return [*lines, f"Answer the data-free point: on ordinary data it loses {short(answer['zero'])}, "
                f"so that any {key} keeps to {risk:g}."]  # fmt: skip
    if found is None:
        lines.append(f"On ordinary data no {key} up to {end:g} is predicted to keep to a risk of {risk:g}.")
    elif found <= ENDS[key][0]:
        lines.append(f"On ordinary data {key}={found:.10g}, the least that is tried, keeps to a risk of {risk:g}, by "
                     f"{answer['typical_name']}.")  # fmt: skip
    else:
        lines.append(f"On ordinary data a risk of {risk:g} is predicted from {key}={found:.10g} on, by "
                     f"{answer['typical_name']}.")  # fmt: skip
    if sure is None:
        lines.append(f"On any data no explicit bound of a paper promises it up to {key}={end:g}.")
    else:
        lines.append(f"On any data an explicit bound promises it from {key}={sure:.10g} on, by "
                     f"{answer['certified_name']}.")  # fmt: skip
    if found is None:
        return [
            *lines,
            f"Next: ask for a larger risk, or {'more records' if key == 'epsilon' else 'a larger epsilon'}.",
        ]
    asked[key] = f"{found:.10g}"
    point = " ".join(f"{name}={value}" for name, value in asked.items())
    return [*lines, f"Next: see what else does there, with python -m dprepro advise {point} risk={risk:g}"]


def chosen_words(source: str, chosen: ChosenRelease, budget: Budget) -> list[str]:
    """A private choice: whose answer it is, what the choice spends and costs, what it would spend unpriced; the model.

    Args:
        source: the file. budget: of the choice as a whole.
    """
    asked, run, loss, many = chosen.asked, chosen.run, chosen.privacy_loss, len(chosen.among)
    names = "; ".join(spelled(choice) for choice in chosen.among)
    lines = [
        f"{source}: {title(replace(asked, budget=budget))}",
        f"Chosen by the records: {spelled(chosen.choice)}. Each of a random number of runs, {chosen.expected:g} in the "
        f"mean, took one of {many} algorithms at random ({names}); noisy scores on records held out named the best.",
        f"All of it, the name and the model below, spends epsilon={loss.epsilon:.4g} at delta={loss.delta:.2g}: each "
        f"run has epsilon={run.epsilon:.3g} and delta={run.delta:.2g}, and the best of them spends "
        f"{budget.epsilon / run.epsilon:.3g} times that epsilon (Liu and Talwar 2019; Papernot and Steinke 2022).",
    ]
    if chosen.alone is not None and chosen.shared is not None:
        lines.append(
            f"The price: on ordinary data of this size the best algorithm by public numbers, which needs no choice, is "
            f"predicted to lose {short(chosen.alone)} with all of epsilon={budget.epsilon:g}, and "
            f"{short(chosen.shared)} with that of a run."
        )
    lines.append(
        f"Unpriced, one run of each at epsilon={budget.epsilon:g} spends {many} times as much, "
        f"epsilon={many * budget.epsilon:g}, before any is named; named by errors on the raw records, the winner has "
        "no finite epsilon."
    )
    return [*lines, "", *str(chosen.model).splitlines()]


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
