"""``python -m dprepro advise``: which private algorithm to take, and what risk to expect; no data are read."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from dprepro.commands.ending import tell_error
from dprepro.commands.parser import config_dir, flag, key
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    from dprepro.practice.advice import Advice, Candidate, Choice
    from dprepro.practice.ordinary import AdviceQuestion

ABOUT = """\
Says which private algorithm to take, by public numbers alone; no data are read.
  expected      mean excess risk (mean over n) on ordinary data, predicted
                without a clock: the same on any machine. Ordinary data are 500
                records in [-1, 1]^p, independent, correlated, or of labels that
                are noise, repeated up to n; the largest of the three
  nine in ten   the range that held in nine of ten cases that were tested
  of zero       its share of what answering zero loses there
risk=.01 with epsilon=? or n=? finds the least that will do.
schema=FILE.yaml asks for a table, by its public schema alone. With table=FILE
and --private-choice the table is read: its records choose among the first
algorithms, the choice is paid from epsilon, and the model is printed."""

NOTES = "exit codes: 0 answered, 2 bad input"
ASKED = "?"
DRAWN = 6
"""Curves of the figure."""

LARGEST_P = 1000
"""Coordinates up to which risks are predicted in seconds."""

LARGEST = {"n": 1e15, "epsilon": 1e6}
"""Up to which risks are predicted: beyond, counts of steps are no whole numbers of the machine."""

SIMULATED, RUNS = 3, 16
"""Choices that are run on request, and runs on each kind of data: counts, no seconds."""

BEGIN = {"n": 1e5, "epsilon": 1.0}
"""Where a search for n or epsilon begins."""

QUICK = ("release", "objective", "moments", "descent", "vertices", "expansion")
"""Sources of predictions that are made at many places; private choices among answers lose more than these answers."""

CLOSE, ROUNDS = 30.0, 4
"""How many times the least risk an algorithm may be predicted to lose to be asked again nearby, and how often."""


@dataclass(frozen=True)
class Arguments:
    """The point, as texts: one of n and epsilon may be ``?``."""

    n: str = key("1e5", "records")
    p: str = key("100", "coordinates")
    epsilon: str = key("1", "of the budget")
    delta: str = key("1e-6", "of the budget")
    loss: str = key("", "squared, absolute, huber, logistic, hinge, ...", shown="squared")
    set: str = key("l2", "what is minimised over: l1, l2, simplex, box")
    radius: str = key("1", "of that set")
    neighbours: str = key("replace_one", "or zero_out, add_or_remove_one")
    schema: str = key("", "of a table, which tells p and the loss", shown="FILE.yaml")
    table: str = key("", "the table, for --private-choice", shown="FILE")
    seed: str = key("", "of the private choice, to be kept secret; drawn anew without it", shown="NUMBER")
    risk: str = key("", "the risk that will do, also with epsilon=? or n=?", shown="NUMBER")
    figure: str = key("", "risks over n, drawn there", shown="FILE.png")
    results_dir: str = key("results", "where --renew finds what +experiment=advice has measured")
    verbose: bool = flag("bounds, sources and tested errors, who is refused and why")
    simulate: bool = flag("run the first choices too, 16 times on each kind of data")
    private_choice: bool = flag("let the records of table= choose, at a price that is told")
    json: bool = flag("all of it as JSON")
    renew: bool = flag("fit the constants of the predictions to what +experiment=advice has measured")
    config_dir: str | None = config_dir("add your own algorithm/")


def main(arguments: Arguments) -> int:
    """Answer; 0."""
    from dprepro.config.group_pairs import within_floats
    from dprepro.support.folders import unused_files

    if arguments.renew:
        return renew(arguments.results_dir)
    for said in unused_files(arguments.config_dir):
        tell_error(f"not used: {said}")
    with within_floats(), _one_thread():
        return _answered(arguments)


def _one_thread() -> Any:
    """More would only wait for each other on such small products."""
    import numpy as np  # noqa: F401, it brings the BLAS
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def _answered(arguments: Arguments) -> int:
    from dprepro.config.group_pairs import blocks

    values: dict[str, str] = {name: value for name, value in vars(arguments).items() if isinstance(value, str)}
    unknowns = [key for key in ("epsilon", "n") if values[key] == ASKED]
    if len(unknowns) > 1 or (unknowns and not values["risk"]):
        raise InputError("give a point, or risk=NUMBER with one of epsilon=? and n=?")
    if unknowns and values["figure"]:
        raise InputError("a figure is drawn over n at a point; leave epsilon=? and n=? away")
    _check_table(arguments, unknowns)
    algorithms = blocks("algorithm", arguments.config_dir)
    if values["schema"]:
        values |= _of_schema(values)
    values["loss"] = values["loss"] or "squared"
    if arguments.private_choice:
        answer, lines = _chosen(values, algorithms)
    elif unknowns:
        from dprepro.practice.answer import solved_words

        answer = solved(values, unknowns[0], algorithms)
        lines = solved_words(values, unknowns[0], answer)
    else:
        answer, lines = at_a_point(values, algorithms, arguments.simulate, arguments.verbose, arguments.json)
    if arguments.json:
        import json

        print(json.dumps(answer, indent=1))
    else:
        print("\n".join(lines))
    if values["figure"]:
        draw(point_of(values), algorithms, values["figure"])
    return 0


def at_a_point(
    values: Mapping[str, str],
    algorithms: Mapping[str, Any],
    run: bool = False,
    verbose: bool = False,
    full: bool = True,
) -> tuple[dict[str, Any], list[str]]:
    """The answer at a point, as it is written in JSON and in words."""
    from dprepro.practice.advice import advise, candidates
    from dprepro.practice.answer import ENOUGH, check_target, enough, rest, sentences, table, title

    asked, known = point_of(values), list(candidates(algorithms))
    advice = _with_left_out(advise(asked, known, account=verbose or full), algorithms)
    target = check_target(values["risk"]) if values["risk"] else ENOUGH * advice.zero
    best = advice.best
    reached = None
    if best is not None:
        own = next(candidate for candidate in known if (candidate[0], candidate[1]) == (best.name, best.changes))
        assert best.typical is not None
        reached = enough(asked, own, target, best.typical)
    command = _next(asked, best, values) if best else ""
    words = sentences(asked, advice, target, bool(values["risk"]), reached, command)
    lines = [title(asked), *words, "", *table(asked, advice, verbose)]
    answer: dict[str, Any] = {
        "point": asked.point, "sentences": words, "best": best.label if best else None, "target": target,
        "epsilon_for_target": reached,
        "choices": [{"label": choice.label, **asdict(choice)} for choice in advice.choices],
        "refused": {why: [*names] for why, names in advice.refused.items()}, "zero_typical": advice.zero,
        "largest_risk": advice.most, "verify": _verify(asked, best) if best else None,
    }  # fmt: skip
    if run:
        answer["simulated"] = _simulated(asked, advice, known)
        lines += ["", *(f"simulated, {RUNS} runs on each kind of data: {label}: {risk:.3g} +- {error:.2g}"
                        for label, (risk, error) in answer["simulated"].items())]  # fmt: skip
    if verbose:
        lines += ["", *rest(advice)]
    else:
        without = sum(choice.typical is None for choice in advice.choices) + sum(map(len, advice.refused.values()))
        lines.append(f"{without} more have no prediction or cannot run here: --verbose says why.")
    return answer, lines


def _check_table(arguments: Arguments, unknowns: Sequence[str]) -> None:
    """Raise InputError unless the keys of a table are given together."""
    if not arguments.private_choice:
        if arguments.table or arguments.seed:
            raise InputError("table= and seed= are for --private-choice; schema= asks by public numbers alone")
        return
    if not (arguments.table and arguments.schema):
        raise InputError("--private-choice needs table=FILE and schema=FILE.yaml")
    if unknowns or arguments.risk or arguments.figure or arguments.simulate:
        raise InputError("--private-choice answers at a point; leave risk=, figure=, ? and --simulate away")


def _of_schema(values: Mapping[str, str]) -> dict[str, str]:
    """p and the loss of a table, by its public schema."""
    from dprepro.practice.schema import load_schema

    public = load_schema(values["schema"])
    return {"p": str(public.p), "loss": values["loss"] or ("logistic" if public.classification else "squared")}


def _chosen(values: Mapping[str, str], algorithms: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The private choice on a table, as JSON and in words."""
    import numpy as np

    from dprepro.practice.advice import candidates
    from dprepro.practice.answer import chosen_words, spelled
    from dprepro.practice.chosen_release import choose
    from dprepro.practice.table import File

    asked, seed = point_of(values), values["seed"]
    if seed and not (seed.isascii() and seed.isdigit()):
        raise InputError(f"seed must be a whole number of at least 0, got seed={seed}")
    within: Any = asked.constraint_set
    table = File(
        path=values["table"], schema=values["schema"], loss=asked.loss, constraint_set=within, radius=asked.radius
    )
    rng = np.random.default_rng(int(seed) if seed else None)
    found = choose(table, list(candidates(algorithms)), asked.budget, rng)
    lines = chosen_words(values["table"], found, asked.budget)
    public = table.public
    if not public.classification:
        low, high = public.columns[public.target].range
        lines.append(f"A prediction is {(low + high) / 2:g}, the middle of the target's range, the intercept, and each "
                     "coefficient times the distance of its column from the middle of that one's range.")  # fmt: skip
    lines.append("n is public here, as under replacement; the seed has to stay secret"
                 + ("." if seed else ", and is not kept."))  # fmt: skip
    answer = {
        "chosen": found.choice.label, "name": spelled(found.choice), "among": [choice.label for choice in found.among],
        "epsilon": found.privacy_loss.epsilon, "delta": found.privacy_loss.delta, "run_epsilon": found.run.epsilon,
        "run_delta": found.run.delta, "unpriced_epsilon": len(found.among) * asked.budget.epsilon,
        "predicted_alone": found.alone, "predicted_run": found.shared,
        "coefficients": dict(zip(found.model.names, map(float, found.model.coefficients), strict=True)),
    }  # fmt: skip
    return answer, lines


def _with_left_out(advice: Advice, algorithms: Mapping[str, Any]) -> Advice:
    from dprepro.practice.advice import LEFT_OUT

    refused = {why: [*names] for why, names in advice.refused.items()}
    for name, why in LEFT_OUT.items():
        if why and name in algorithms:
            refused.setdefault(why, []).append(name)
    return replace(advice, refused=refused)


def _simulated(asked: AdviceQuestion, advice: Advice, known: Sequence[Any]) -> dict[str, tuple[float, float]]:
    """Mean risks of the first choices, literally run, with standard errors: of the kind of data where it is most."""
    from dprepro.practice.advice import Choice
    from dprepro.practice.simulation import simulated

    found = {}
    for choice in [choice for choice in advice.choices if choice.typical is not None][:SIMULATED]:
        algorithm = next(item for name, changes, item in known if Choice(name, changes).label == choice.label)
        risks = simulated(algorithm, asked, RUNS, 0)
        worst = risks[int(risks.mean(axis=1).argmax())]
        found[choice.label] = float(worst.mean()), float(worst.std(ddof=1) / math.sqrt(RUNS))
    return found


def point_of(values: Mapping[str, str]) -> AdviceQuestion:
    """What is asked for; raises InputError for the first key that cannot be."""
    from dprepro.axes import check_axis
    from dprepro.budget import Budget, Neighbours
    from dprepro.practice.ordinary import SETS, AdviceQuestion
    from dprepro.support import typed

    numbers = {key: _number(key, values[key]) for key in ("n", "p", "epsilon", "delta", "radius")}
    for axis in ("n", "p", "epsilon", "delta"):
        check_axis(axis, numbers[axis])
    if not math.isfinite(numbers["epsilon"]):
        raise InputError("epsilon=inf is no privacy; give a finite epsilon")
    if values["set"] not in SETS:
        raise unknown("set", values["set"], SETS)
    budget = Budget(numbers["epsilon"], numbers["delta"], typed.build(Neighbours, values["neighbours"], "neighbours"))
    asked = AdviceQuestion(numbers["n"], numbers["p"], budget, values["loss"], SETS[values["set"]], numbers["radius"])
    for axis, most in LARGEST.items():
        if numbers[axis] > most:
            raise InputError(f"{axis}={numbers[axis]:g} is too large to predict risks at; give {axis}={most:g} at most")
    if asked.p > LARGEST_P:
        raise InputError(f"p={asked.p:g} is too large to predict risks in seconds; give at most {LARGEST_P}")
    _ = asked.domain  # which refuses a loss, a radius
    return asked


def _number(key: str, text: str) -> float:
    from dprepro.support import expressions

    try:
        return float(expressions.evaluate(text))
    except ValueError as error:
        raise InputError(f"{key} must be a number, got {key}={text}") from error


def _next(asked: AdviceQuestion, best: Choice, values: Mapping[str, str]) -> str:
    """What to do with the choice: release it on the table whose schema was given, else look at it on ordinary data."""
    from dprepro.budget import Neighbours

    if not values["schema"] or asked.budget.neighbours is not Neighbours.REPLACE_ONE:
        return f"check with {_verify(asked, best)}"
    chosen = {
        "schema": values["schema"], "algorithm": best.label, "epsilon": f"{asked.budget.epsilon:.12g}",
        "delta": f"{asked.budget.delta:.12g}", "loss": asked.loss, "set": values["set"],
        "radius": f"{asked.radius:.12g}",
    }  # fmt: skip
    words = [shlex.quote(f"{key}={value}") for key, value in chosen.items()]
    return " ".join(["publish its answer on your table with python -m dprepro release TABLE.csv", *words])


def _verify(asked: AdviceQuestion, best: Choice) -> str:
    data = {"constraint_set": asked.constraint_set, "loss": asked.loss, "radius": f"{asked.radius:g}"}
    words = ["python -m dprepro +experiment=pair", f"algorithm={best.name}", "construction=iid_design"]
    words += [f"++algorithm.{key}={value}" for key, value in best.changes.items()]
    words += [f"++construction.{key}={value}" for key, value in {**data, "rows": f"{asked.rows}"}.items()]
    axes = {key: asked.point[key] for key in ("n", "p", "epsilon", "delta")}
    words += [f"'sweep.{key}=[{value:.12g}]'" for key, value in axes.items()]
    return " ".join([*words, f"neighbours={asked.budget.neighbours}"])


def solved(values: Mapping[str, str], key: str, algorithms: Mapping[str, Any]) -> dict[str, Any]:
    """The least ``key`` at which the risk will do: predicted, and certified on any data; None beyond its ends."""
    from dprepro.practice.advice import best_bound, candidates
    from dprepro.practice.answer import ENDS, check_target, crossing, rounded_up, spelled
    from dprepro.practice.ordinary import ROWS
    from dprepro.practice.prediction import trivial

    risk, known = check_target(values["risk"]), list(candidates(algorithms))

    def at(place: float) -> AdviceQuestion:
        """At the place, or the next larger one that ordinary data can have."""
        rows = ROWS if place > ROWS else 1
        return point_of({**values, key: repr(float(math.ceil(place / rows - 1e-9)) * rows if key == "n" else place)})

    def said(place: float | None) -> float | None:
        return None if place is None else (at(rounded_up(place)).n if key == "n" else rounded_up(place))

    answer: dict[str, Any] = {"risk": risk, "unknown": key, "zero": float(trivial(at(BEGIN[key])).max())}
    if answer["zero"] <= risk:
        return answer | {"typical": ENDS[key][0], "typical_by": "answering zero", "certified": None, "certified_by": ""}
    found, choice = _predicted(at, known, key, risk)
    answer["typical"], answer["typical_by"] = said(found), choice.label if choice else ""
    answer["typical_name"] = spelled(choice) if choice else ""
    sure = crossing(lambda place: best_bound(at(place), known)[0], ENDS[key], risk, BEGIN[key])
    by = None if sure is None else best_bound(at(sure), known)[1]
    answer["certified"], answer["certified_by"] = said(sure), by.label if by else ""
    answer["certified_name"] = spelled(by) if by else ""
    return answer


def _predicted(
    at: Callable[[float], AdviceQuestion], known: Sequence[Candidate], key: str, risk: float
) -> tuple[float | None, Choice | None]:
    """The least place at which some algorithm is predicted to keep to the risk, and which.

    The best algorithm at a place is followed to where it keeps to the risk; who is better there is followed on.
    """
    from dprepro.practice.advice import advise
    from dprepro.practice.answer import ENDS, crossing, predicted_risk

    def ranked(place: float, some: Sequence[Candidate]) -> list[tuple[float, Choice, Candidate]]:
        own = {(item[0], repr(item[1])): item for item in some}
        return [(choice.typical, choice, own[choice.name, repr(choice.changes)])
                for choice in advise(at(place), some, QUICK).choices if choice.typical is not None]  # fmt: skip

    place, some = BEGIN[key], list(known)
    found: tuple[float | None, Choice | None] = None, None
    for _ in range(ROUNDS):
        here = ranked(place, some)
        if not here:
            break
        there, choice, own = here[0]
        if found[1] is not None and choice.label == found[1].label:
            break
        some = [item for value, _, item in here if value <= CLOSE * there]
        reached = crossing(lambda where, own=own: predicted_risk(own, at(where)), ENDS[key], risk, place, there)  # type: ignore[misc]
        if reached is None:
            if found[0] is None and place < ENDS[key][1]:
                place, some = ENDS[key][1], list(known)  # perhaps another one does
                continue
            break
        found, place = (reached, choice), reached
    return found


def draw(asked: AdviceQuestion, algorithms: Mapping[str, Any], path: str) -> None:
    """Over n, predicted risks: the first choices at the point named, all others grey; into a PNG file."""
    import io
    from pathlib import Path

    from dprepro.figures.style import looks, styled
    from dprepro.practice.advice import advise, candidates
    from dprepro.practice.answer import spelled, title, trivial_name
    from dprepro.support.regular_files import replace_file

    known = list(candidates(algorithms))
    places = [asked.n * 10 ** (k / 2) for k in range(-2, 3) if asked.n * 10 ** (k / 2) >= 10]
    answers = {place: advise(replace(asked, n=float(round(place))), known, QUICK) for place in places}
    here = answers.get(asked.n) or next(iter(answers.values()))
    ranked = [choice for choice in here.choices if choice.typical is not None]
    styles = looks(dict.fromkeys((choice.label for choice in ranked[:DRAWN]), "claim"))
    with styled() as figure_class:
        figure = figure_class(figsize=(4.5, 3.4), layout="constrained")
        panel = figure.subplots()
        for choice in reversed(ranked):
            several = {
                n: item for n, advice in answers.items() for item in advice.choices if item.label == choice.label
            }
            line = [(n, value.typical) for n, value in several.items() if value.typical]
            look = styles.get(choice.label, {"color": "0.8", "linewidth": 0.6, "zorder": 1})
            if line:
                panel.plot(*zip(*line, strict=True), **look, label=spelled(choice) if choice.label in styles else None)
        zeros = [advice.zero for advice in answers.values()]
        panel.plot(list(answers), zeros, color="0.4", linestyle=":", label=trivial_name(asked.constraint_set)[0])
        panel.set(xscale="log", yscale="log", xlabel="records n", ylabel="predicted excess risk (mean)")
        panel.set_title(title(asked).replace(": ", ":\n"), fontsize=7)
        figure.legend(loc="outside lower center", ncols=1, frameon=False)
        content = io.BytesIO()
        try:
            figure.savefig(content, format=Path(path).suffix.removeprefix(".") or "png")
            replace_file(Path(path), content.getvalue())
        except (OSError, ValueError) as error:
            raise InputError(f"cannot write {path}: {error}") from error


def renew(results_dir: str) -> int:
    """Fit the constants of the predictions to what experiment `advice` measured, and write them where they ship."""
    from pathlib import Path

    from dprepro.practice.constants import SHIPPED, fit, measured_cases, written
    from dprepro.support.regular_files import replace_file

    path = Path(results_dir) / "advice" / "measurements.parquet"
    if not path.is_file():
        raise InputError(f"{path} is not there; run python -m dprepro +experiment=advice results_dir={results_dir}")
    table = fit(measured_cases(path))
    replace_file(SHIPPED, written(table).encode())
    for law, constant in table.items():
        print(f"{law}: constant {constant.constant:.3g} ({constant.low:.3g} to {constant.high:.3g}) of "
              f"{constant.cases} cases; "
              f"{constant.tested} held out, half within {100 * constant.median:.2g}%, nine of ten within "
              f"{100 * constant.nine_of_ten:.2g}%")  # fmt: skip
    return 0
