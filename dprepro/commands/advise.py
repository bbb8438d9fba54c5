"""``python -m dprepro advise``: which private algorithm to take, and what risk to expect; no data are read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from dprepro.commands.ending import tell_error
from dprepro.commands.parser import config_dir, flag, key
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    from dprepro.plans.advice import Asked, Choice

ABOUT = """\
Ranks the private algorithms at a point, by public numbers alone:
  typical    mean excess risk (mean over n) on ordinary data, simulated now: 500
             records in [-1, 1]^p, independent, correlated, or of labels that
             are noise, repeated up to n; the largest of the three
  of zero    its share of what answering zero loses there
  regret     how many times what the best choice loses, in the family where
             that is most; the least comes first
  certified  the explicit bound of the algorithm's paper, on any data; - where
             there is none
risk=.01 with epsilon=? or n=? finds the least that will do."""

NOTES = "exit codes: 0 answered, 2 bad input"

WORDS = {"l1": "l1_ball", "l2": "l2_ball", "simplex": "simplex", "box": "box"}
ASKED = "?"
DRAWN = 6
"""Curves of the figure."""

ALONE, DRAWING, EACH_PLACE = 2.0, 1.1, 0.2
"""Seconds of the processor for simulations at a point: alone, before a figure is drawn, and at its other n."""

LARGEST, LARGEST_JUMPING = 1e6, 5e4
"""Entries of the ordinary data whose minimisers are found in seconds: smooth losses, and others."""

GRIDS = {"epsilon": [10 ** (k / 2) for k in range(-6, 5)], "n": [10 ** (k / 2) for k in range(4, 21)]}
"""Where a solution is looked for; between two of these values it is interpolated."""


@dataclass(frozen=True)
class Arguments:
    """The point, as texts: one of n and epsilon may be ``?``."""

    n: str = key("1e5", "records")
    p: str = key("100", "coordinates")
    epsilon: str = key("1", "of the budget")
    delta: str = key("1e-6", "of the budget")
    loss: str = key("squared", "or absolute, huber, logistic, hinge, ...")
    set: str = key("l2", "what is minimised over: l1, l2, simplex, box")
    radius: str = key("1", "of that set")
    neighbours: str = key("replace_one", "or zero_out, add_or_remove_one")
    risk: str = key("", "the risk that will do, with epsilon=? or n=?", shown="NUMBER")
    figure: str = key("", "risks over n, drawn there", shown="FILE.png")
    json: bool = flag("the same as JSON")
    config_dir: str | None = config_dir("add your own algorithm/")


def main(arguments: Arguments) -> int:
    """Answer; 0."""
    from dprepro.config.pairs import within_floats
    from dprepro.folders import unused_files

    for said in unused_files(arguments.config_dir):
        tell_error(f"not used: {said}")
    with within_floats():
        return _answered(arguments)


def _answered(arguments: Arguments) -> int:
    from dprepro.config.pairs import blocks

    values: dict[str, str] = {name: value for name, value in vars(arguments).items() if isinstance(value, str)}
    unknowns = [key for key in GRIDS if values[key] == ASKED]
    if len(unknowns) > 1 or bool(unknowns) != bool(values["risk"]):
        raise InputError("give a point, or risk=NUMBER with one of epsilon=? and n=?")
    algorithms = blocks("algorithm", arguments.config_dir)
    if unknowns:
        answer = solved(values, unknowns[0], algorithms)
        lines = told(values, unknowns[0], answer)
    else:
        answer = ranked(point_of(values), algorithms, DRAWING if values["figure"] else ALONE)
        lines = [title(point_of(values)), *table(answer), *advice(point_of(values), answer)]
    if arguments.json:
        import json

        print(json.dumps(answer, indent=1, default=_plain))
    else:
        print("\n".join(lines))
    if values["figure"]:
        if unknowns:
            raise InputError("a figure is drawn over n at a point; leave risk away")
        draw(point_of(values), algorithms, answer, values["figure"])
    return 0


def point_of(values: Mapping[str, str]) -> Asked:
    """What is asked for; raises InputError for the first key that cannot be."""
    from dprepro import typed
    from dprepro.axes import check_axis
    from dprepro.budget import Budget, Neighbours
    from dprepro.plans.advice import Asked

    numbers = {key: _number(key, values[key]) for key in ("n", "p", "epsilon", "delta", "radius")}
    for axis in ("n", "p", "epsilon", "delta"):
        check_axis(axis, numbers[axis])
    if not math.isfinite(numbers["epsilon"]):
        raise InputError("epsilon=inf is no privacy; give a finite epsilon")
    if values["set"] not in WORDS:
        raise unknown("set", values["set"], WORDS)
    budget = Budget(numbers["epsilon"], numbers["delta"], typed.build(Neighbours, values["neighbours"], "neighbours"))
    asked = Asked(numbers["n"], numbers["p"], budget, values["loss"], WORDS[values["set"]], numbers["radius"])
    domain = asked.family("iid").domain(asked.point)  # which refuses a loss, a radius
    smooth = math.isfinite(domain.smoothness)
    most = (LARGEST if smooth else LARGEST_JUMPING) / asked.rows
    if asked.p > most:
        words = "" if smooth else f" with the {asked.loss} loss, whose gradients jump"
        raise InputError(f"p={asked.p:g} is too large to simulate in seconds{words}; give at most {most:g}")
    return asked


def _number(key: str, text: str) -> float:
    from dprepro import expressions

    try:
        return float(expressions.evaluate(text))
    except ValueError as error:
        raise InputError(f"{key} must be a number, got {key}={text}") from error


def ranked(
    asked: Asked, algorithms: Mapping[str, Any], seconds: float = ALONE, only: Sequence[str] = ()
) -> dict[str, Any]:
    """The answer at a point, as it is written in JSON; of the labels in ``only``, or of all."""
    from dprepro.plans.advice import LEFT_OUT, Choice, advise, candidates

    known = [one for one in candidates(algorithms) if not only or Choice(one[0], one[1]).label in only]
    found = advise(asked, known, seconds, each=seconds / 2)
    refused = {why: [*names] for why, names in found.refused.items()}
    for name, why in LEFT_OUT.items():
        if why and name in algorithms:
            refused.setdefault(why, []).append(name)
    return {
        "point": asked.point,
        "choices": found.choices,
        "refused": refused,
        "zero_typical": found.zero,
        "zero_regret": found.zero_regret,
        "largest_risk": found.most,
        "best": found.best.label if found.best else None,
        "verify": _verify(asked, found.best) if found.best else None,
    }


def _plain(one: Any) -> dict[str, Any]:
    return {"label": one.label, **asdict(one)}


def _short(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def title(asked: Asked) -> str:
    """What is asked for, in a line."""
    point = ", ".join(f"{key}={asked.point[key]:.10g}" for key in ("n", "p", "epsilon", "delta"))
    return f"{asked.loss} loss, {asked.constraint_set} of radius {asked.radius:g}, {asked.budget.neighbours}: {point}"


def _row(cells: Sequence[str], width: int) -> str:
    first, *others = cells
    sizes = (9, 7, 7, 9, 6)
    return "  ".join([f"{first:<{width}}", *(f"{one:>{size}}" for one, size in zip(others, sizes, strict=True))])


def table(answer: Mapping[str, Any]) -> list[str]:
    """The choices with their risks, and who was refused."""
    width = max([len(one.label) for one in answer["choices"]] + [len("algorithm")])
    lines = [_row(["algorithm", "typical", "of zero", "regret", "certified", "spends"], width)]
    for one in answer["choices"]:
        share = "-" if one.share is None else f"{100 * one.share:.3g}%"
        spent = "-" if one.spent is None else f"{one.spent:.3g}"
        cells = [one.label, _short(one.typical), share, _short(one.regret), _short(one.bound), spent]
        lines.append(f"{_row(cells, width)}  {one.note}".rstrip())
    zero = [_short(answer[key]) for key in ("zero_typical", "zero_regret", "largest_risk")]
    cells = ["answering zero", zero[0], "100%", zero[1], zero[2], "0"]
    lines.append(f"{_row(cells, width)}  at most, on any data")
    return [*lines, *(f"not here: {', '.join(names)}: {why}" for why, names in answer["refused"].items())]


def advice(asked: Asked, answer: Mapping[str, Any]) -> list[str]:
    """The answer in words, with the command that checks it."""
    bounds = [one for one in answer["choices"] if one.bound is not None and one.bound < answer["largest_risk"]]
    if all(one.typical is None for one in answer["choices"]):
        lines = ["advice: none; no algorithm here is quick enough to be simulated in seconds"]
    elif answer["best"] is None:
        lines = ["advice: no private algorithm here beats answering zero on ordinary data"]
    else:
        best = next(one for one in answer["choices"] if one.label == answer["best"])
        lines = [f"advice: {best.label}: {_short(best.typical)} on ordinary data, {100 * best.share:.3g}% of zero's"]
    if bounds:
        least = min(bounds, key=lambda one: one.bound)
        lines.append(
            f"on any data: {least.label} loses at most {_short(least.bound)} in the mean, by its paper's bound"
        )
    else:
        lines.append("on any data: no explicit bound here is below what answering zero loses at most")
    return lines + ([f"to verify: {answer['verify']}"] if answer["verify"] else [])


def _verify(asked: Asked, best: Choice) -> str:
    data = {"constraint_set": asked.constraint_set, "loss": asked.loss, "radius": f"{asked.radius:g}"}
    words = ["python -m dprepro +experiment=pair", f"algorithm={best.name}", "construction=iid_design"]
    words += [f"++algorithm.{key}={value}" for key, value in best.changes.items()]
    words += [f"++construction.{key}={value}" for key, value in {**data, "rows": f"{asked.rows}"}.items()]
    axes = {key: asked.point[key] for key in ("n", "p", "epsilon", "delta")}
    words += [f"'sweep.{key}=[{value:.12g}]'" for key, value in axes.items()]
    return " ".join([*words, f"neighbours={asked.budget.neighbours}"])


def solved(values: Mapping[str, str], key: str, algorithms: Mapping[str, Any]) -> dict[str, Any]:
    """The least ``key`` at which the risk will do: typically, and certified on any data; None beyond the grid."""
    from dprepro.plans.advice import best_bound, candidates

    risk = _number("risk", values["risk"])
    if not risk > 0:
        raise InputError(f"risk must be positive, got risk={values['risk']}")

    def at(place: float) -> Asked:
        return point_of({**values, key: repr(float(round(place)) if key == "n" else place)})

    def typical(place: float) -> tuple[float, str]:
        answer = ranked(at(place), algorithms, seconds=0.4)
        if answer["choices"] and all(one.typical is None for one in answer["choices"]):
            raise InputError(
                f"p={values['p']} is too large to solve for {key} in seconds; ask for a point, or a smaller p"
            )
        return min(
            [(one.typical, one.label) for one in answer["choices"] if one.typical is not None] or [(math.inf, "")]
        )

    answer: dict[str, Any] = {"risk": risk, "unknown": key}
    for name, function in (
        ("typical", typical),
        ("certified", lambda place: best_bound(at(place), candidates(algorithms))),
    ):
        answer[name], answer[f"{name}_by"] = _least(function, GRIDS[key], risk)
    return answer


def _least(
    risk: Callable[[float], tuple[float, str]], grid: Sequence[float], target: float
) -> tuple[float | None, str]:
    """The place from which a falling risk is below the target, and whose it is: bisection, then interpolation.

    Between two values of the grid logarithms are interpolated.
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


def told(values: Mapping[str, str], key: str, answer: Mapping[str, Any]) -> list[str]:
    """The solution in words."""
    end = GRIDS[key][-1]
    lines = [f"risk {answer['risk']:g}, {values['loss']} loss over {values['set']} of radius {values['radius']}:"]
    for name, where in (("typical", "on ordinary data"), ("certified", "on any data, by an explicit bound")):
        found = answer[name]
        said = f"no {key} up to {end:g}" if found is None else f"{key} ~ {found:.3g} ({answer[f'{name}_by']})"
        lines.append(f"  {where}: {said}")
    return lines


def draw(asked: Asked, algorithms: Mapping[str, Any], answer: Mapping[str, Any], path: str) -> None:
    """Over n, of the first choices: typical risks, drawn through, and bounds, dashed; into a PNG file."""
    import io
    from pathlib import Path

    from dprepro.figures.style import looks, styled
    from dprepro.regular_files import replace_file

    names = [one.label for one in answer["choices"] if one.typical is not None][:DRAWN]
    places = [asked.n * 10 ** (k / 2) for k in range(-2, 3) if asked.n * 10 ** (k / 2) >= 10]
    answers = [
        answer if place == asked.n
        else ranked(replace(asked, n=float(round(place))), algorithms, EACH_PLACE, only=names or ["-"])
        for place in places
    ]  # fmt: skip
    styles = looks(dict.fromkeys(names, "claim"))
    with styled() as figure_class:
        figure = figure_class(figsize=(4.5, 3.4), layout="constrained")
        panel = figure.subplots()
        for name in names:
            several = {a["point"]["n"]: one for a in answers for one in a["choices"] if one.label == name}
            for kind, look in (("typical", styles[name]), ("bound", {**styles[name], "linestyle": "--", "marker": ""})):
                line = [(n, getattr(one, kind)) for n, one in several.items() if getattr(one, kind) is not None]
                if line:
                    panel.plot(*zip(*line, strict=True), **look, label=name if kind == "typical" else None)
        zeros = [answer["zero_typical"] for answer in answers]
        panel.plot([a["point"]["n"] for a in answers], zeros, color="0.4", linestyle=":", label="answering zero")
        panel.set(xscale="log", yscale="log", xlabel="records n", ylabel="excess risk (mean)")
        panel.set_title(title(asked).replace(": ", ":\n"), fontsize=7)
        figure.legend(
            loc="outside lower center", ncols=1, frameon=False, title="typical; dashed: certified on any data"
        )
        content = io.BytesIO()
        try:
            figure.savefig(content, format=Path(path).suffix.removeprefix(".") or "png")
            replace_file(Path(path), content.getvalue())
        except (OSError, ValueError) as error:
            raise InputError(f"cannot write {path}: {error}") from error
