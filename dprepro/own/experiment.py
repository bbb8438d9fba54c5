"""An experiment made of what a call gives: an algorithm, data, a sweep and a rate, in the place of a YAML.

The rate becomes a statement, and its checks follow as those of a paper's statements do (`config.statement_forms`): the
slope on every swept axis, against the rate's own slope there; the certified epsilon where the algorithm promises any;
and one control, the rate with twice its slope, which must be refuted. Each axis is swept by itself, with the others at
the middle of their values.
"""

from __future__ import annotations

import ast
import math
import re
import shlex
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from dprepro import bounds
from dprepro.algorithms import Algorithm, Solution
from dprepro.axes import AXES, DEFAULTS, at
from dprepro.budget import Budget, Neighbours
from dprepro.config.compose import Composed, group_block
from dprepro.config.overrides import literal
from dprepro.config.templates import expand, resolve
from dprepro.constructions import Construction
from dprepro.dispatch import Numbers, dispatch
from dprepro.errors import DpreproError, InputError, PremiseError, checked_name, printable, shortened, unknown
from dprepro.own.adapters import Arrays, Fitted
from dprepro.own.capture import captured
from dprepro.own.chosen import Chosen, block, bounded, chosen, plain
from dprepro.reductions import solver
from dprepro.statements.statement import WORDS, Says, Statement
from dprepro.support import expressions, typed
from dprepro.support.folders import experiment_files
from dprepro.support.user_files import is_dotted, is_own_file, is_target, path_of, trust

PAPER, ITEM = "own", "Rate"
DIRECTIONS = tuple(WORDS)
FEWEST = 3
"""Values of an axis from which on a slope is asked for."""
USUAL = {"epsilon": 1.0, "delta": 1e-6}
"""Of a budget that nobody names."""
LEAST_CHANGE = 0.5
"""By how much the control's slope differs from the rate's, where that is flat."""

NEEDED = 5
"""Values of an axis that a slope needs."""
SPAN = 1.5
"""Decades of an axis that a slope needs."""
SATURATED = 10
"""The risk of the answer without data over the largest risk that a fit uses."""
TRIES = 5
"""Runs before all others."""
CHEAP = 1e6
"""Numbers of the features that more runs before all others may have."""
SAFE = 1.5
"""How much larger a sweep is told than a few runs say."""
REPLICATES = 100
MARGIN = 0.1
"""Of slopes: finite sizes bend an honest curve by so much, and random numbers move it by so much at 100 replicates."""

Rate = str | Callable[..., float]
Swept = Mapping[str, float | Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a run without the name of an experiment asks for; `dprepro.run` describes its meaning."""

    algorithm: object
    construction: object
    sweep: Swept
    rate: Rate
    direction: str = "at_most"
    budget: object = None
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    margin: float | None = None
    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)
    config_dir: str | None = None


@dataclass(frozen=True)
class Described:
    """An experiment that is made, and what is to be said of it before it is measured."""

    composed: Composed
    said: tuple[str, ...]


def described(asked: Asked) -> Described:
    """The experiment; what it is made of has been tried at its smallest point.

    Raises:
        InputError: what cannot be, in one line.
    """
    if asked.direction not in DIRECTIONS:
        raise unknown("direction", asked.direction, DIRECTIONS)
    parts = {}
    for group in ("algorithm", "construction"):
        part = chosen(group, getattr(asked, group))
        parts[group] = replace(part, parameters={**part.parameters, **asked.parameters.get(group, {})})
    said: list[str] = []
    blocks = {group: _block(group, part, asked.config_dir) for group, part in parts.items()}
    blocks["construction"] |= _data(blocks["construction"], asked.data, said)
    # `Algorithm` and `Construction` are abstract: the block's _target_ chooses.
    algorithm: Algorithm = typed.build(Algorithm, blocks["algorithm"], "algorithm")  # type: ignore[type-abstract]
    construction: Construction = typed.build(Construction, blocks["construction"], "construction")  # type: ignore[type-abstract]
    grid = _Grid.of(asked, algorithm, construction, said)
    rate = _Named.of(asked.rate)
    values = {axis: _along(rate, grid, axis, algorithm, construction) for axis in grid.swept}
    neighbours = grid.neighbours
    point = grid.smallest(construction)
    tried = _try(algorithm, construction, point, neighbours)
    if tried.risk > tried.trivial / SATURATED and (easiest := grid.easiest(construction)) != point:
        point, tried = easiest, _try(algorithm, construction, easiest, neighbours)
    said += _saturated(tried, rate, grid, point, construction)
    name = asked.name or _word(parts["algorithm"].title)
    if name in experiment_files(asked.config_dir):
        raise InputError(f"{name} is the name of an experiment; give another by name=")
    checked_name("experiment", name)
    title = f"{parts['algorithm'].title} on {parts['construction'].title}"
    series = {
        f"in_{axis}": {"role": "claim", **blocks, "sweep": grid.sweep_of(axis)} for axis in grid.swept
    }  # fmt: skip
    config: dict[str, Any] = {
        "paper": PAPER,
        "claim": f"{title}: {WORDS[asked.direction]} {rate.text}",
        "statement": f"The excess risk of {title} is {WORDS[asked.direction]} a constant times {rate.text}.",
        "neighbours": str(neighbours),
        "study": {"_target_": "dprepro.studies.RateStudy", "series": series},
        "sweep": {axis: [value] for axis, value in grid.base.items()},
        "replicates": REPLICATES,
        "statements": {ITEM: {"attains": list(series), **_margin(asked.margin)}},
        "checks": _checks(asked.direction, grid, values, algorithm, tried.counted, list(series)),
        "figure": {"name": "rate", "axis": list(grid.swept) if len(grid.swept) > 1 else grid.swept[0],
                   "labels": dict.fromkeys(series, parts["algorithm"].title)},
        **{key: plain(value, key) for key, value in asked.settings.items()},
        "own": _modules(blocks, rate),
        "run_as": _command(asked, parts, rate, grid, name),
    }  # fmt: skip
    says = Says(
        text=config["statement"], direction=asked.direction, rate=rate.name,  # type: ignore[arg-type]
        upper_only=asked.direction != "equals", quantifiers=["in expectation"],
    )  # fmt: skip
    statement = Statement(item=ITEM, kind="rate", says=says)
    full = expand(config, lambda group, text: group_block(group, text, asked.config_dir), lambda paper: (statement,))
    _merge(full, asked.changes, "")
    return Described(Composed(name, resolve(full), (), asked.config_dir), tuple(said))


def _margin(given: float | None) -> dict[str, Any]:
    if given is not None and not 0 < given < math.inf:
        raise InputError(f"margin must be positive, got margin={given:g}")
    why = "of an algorithm of one's own: finite sizes and random numbers bend a curve by so much"
    return {"margin": MARGIN if given is None else given, "margin_reason": why}


def _block(group: str, part: Chosen, config_dir: str | None) -> dict[str, Any]:
    if is_dotted(part.name):
        return block(group, part)
    return {**group_block(group, part.name, config_dir), **part.parameters}


def _data(target: Mapping[str, Any], given: Mapping[str, Any], said: list[str]) -> dict[str, Any]:
    """Loss, set and bounds that a call gives; what is taken where it gives none is said of data without any."""
    found = {key: plain(value, key) for key, value in given.items() if value is not None}
    kind = bounded(target)
    if kind is not None:
        usual = {named_field.name: named_field.default for named_field in fields(kind) if named_field.name in BOUNDS}
        own = {**usual, **{key: target[key] for key in usual if key in target}, **found}
        missing = [f"{key}={own[key]}" for key in usual if key not in found and key not in target]
        if missing:
            said.append(f"taken as public, as nothing else was said: {', '.join(missing)}")
    return found


BOUNDS = ("loss", "constraint_set", "radius", "feature_bound", "feature_norm", "label_bound")


@dataclass(frozen=True)
class _Grid:
    """Axes with the values that are swept, and what all axes are where they are not."""

    axes: Mapping[str, Sequence[float]]
    base: Mapping[str, float]
    swept: tuple[str, ...]
    neighbours: Neighbours

    @classmethod
    def of(cls, asked: Asked, algorithm: Algorithm, construction: Construction, said: list[str]) -> _Grid:
        axes = {str(axis): _values(str(axis), values) for axis, values in asked.sweep.items()}
        budget = _budget(asked.budget)
        neighbours = typed.build(Neighbours, asked.settings.get("neighbours", "replace_one"), "neighbours")
        if isinstance(asked.budget, Budget):
            neighbours = asked.budget.neighbours
        for axis, value in budget.items():
            if axis in axes:
                raise InputError(f"{axis} is swept, and budget names another: leave one of the two out")
            axes[axis] = [value]
        usual = {axis: value for axis, value in USUAL.items() if axis not in axes}
        axes |= {axis: [value] for axis, value in usual.items()}
        if isinstance(construction, Arrays):
            records, p = construction.arrays[0].shape
            if (given := axes.get("p", [p])) != [p]:
                raise InputError(f"sweep.p is {list(given)}, and X has p={p} columns; leave p out")
            if (most := max(axes.get("n", [1]))) > records:
                raise InputError(f"sweep.n goes to {most:g}, and X has {records} records")
            axes["p"] = [p]
        if "n" not in axes:
            raise InputError("sweep names no n; give its values, as in sweep={'n': [1000, 3000, 10000, 30000, 100000]}")
        if "p" not in axes:
            said.append("p=1, as the sweep does not name it")
        swept = tuple(axis for axis, values in axes.items() if len(values) > 1)
        if not swept:
            raise InputError(
                "no axis of the sweep has several values; a rate needs 5 over 1.5 decades: "
                "'sweep.n=[1e4,3e4,1e5,3e5,1e6]'"
            )
        if usual:
            said.append(f"{', '.join(f'{axis}={value:g}' for axis, value in usual.items())}, as nothing else was said")
        base = {axis: values[len(values) // 2] for axis, values in axes.items()}
        for axis in swept:
            if len(axes[axis]) < FEWEST:
                said.append(
                    f"{axis} has {len(axes[axis])} values, of which no slope is judged: it needs 5 over 1.5 decades"
                )
        if isinstance(algorithm, Fitted):
            for axis in ("epsilon", "delta"):
                if axis in swept and not algorithm.takes(axis):
                    raise InputError(
                        f"{algorithm.name} takes no {axis}, so that nothing depends on it; leave sweep.{axis} out"
                    )
        if len(swept) > 1:
            rest = ", ".join(f"{axis}={base[axis]:g}" for axis in swept)
            said.append(f"each of {', '.join(swept)} is swept by itself, the others at {rest}")
        return cls(axes, base, swept, neighbours)

    def sweep_of(self, axis: str) -> dict[str, list[float]]:
        """The sweep of the series along an axis."""
        return {axis: list(self.axes[axis])}

    def points(self, axis: str, construction: Construction) -> list[dict[str, float]]:
        """The grid points along an axis, as the construction resolves them."""
        full = {**DEFAULTS, **self.base}
        found = [{**full, axis: value} for value in self.axes[axis]]
        return [at(construction, point).resolve(point) for point in found]

    def smallest(self, construction: Construction) -> dict[str, float]:
        """The point that costs least."""
        every = [point for axis in self.swept for point in self.points(axis, construction)]
        return min(every, key=lambda point: point["n"] * point["p"])

    def easiest(self, construction: Construction) -> dict[str, float]:
        """That with most records for each parameter, among those that cost little."""
        every = [point for axis in self.swept for point in self.points(axis, construction)]
        cheap = [point for point in every if point["n"] * point["p"] <= CHEAP] or [self.smallest(construction)]
        return max(cheap, key=lambda point: point["n"] / point["p"])


def _values(axis: str, given: Any) -> list[float]:
    """The values of an axis, ascending, each once; a number alone is one value."""
    given = given.tolist() if hasattr(given, "tolist") else given
    listed = list(given) if isinstance(given, list | tuple | range) else [given]
    values = typed.build(tuple[float, ...], listed, f"sweep.{axis}")
    if not values:
        raise InputError(f"sweep.{axis} is empty; give it at least one number")
    return sorted(set(values))


def _budget(given: object) -> dict[str, float]:
    """Epsilon and delta of a budget: an object, epsilon alone, or both as a pair or by name."""
    if given is None:
        return {}
    if isinstance(given, Budget):
        return {"epsilon": given.epsilon, "delta": given.delta}
    if isinstance(given, Mapping) and set(given) <= set(USUAL):
        return {key: _values(key, given[key])[0] for key in given}
    if isinstance(given, int | float) and not isinstance(given, bool):
        return {"epsilon": float(given)}
    if isinstance(given, tuple | list) and len(given) == 2:
        return {"epsilon": float(given[0]), "delta": float(given[1])}
    raise InputError(f"budget is {shortened(given)}; it must be epsilon, (epsilon, delta), or a Budget")


@dataclass(frozen=True)
class _Named:
    """A rate: its name for `bounds.find`, as text, and as an argument of a command."""

    name: str
    text: str
    said: str

    @classmethod
    def of(cls, rate: object) -> _Named:
        if isinstance(rate, str):
            if is_target(rate):
                name = trust(rate)
                return cls(name, _body(name), rate)
            fault = expressions.fault(rate) or ("" if expressions.asked(rate) else "it names no axis")
            if fault and not re.fullmatch(r"\w+(\.\w+)*", rate):
                raise InputError(f"rate {rate!r} is no formula: {fault}; type, for example, 'sqrt(p)/(n*epsilon)'")
            bounds.find(rate)
            return cls(rate, rate, rate)
        if not callable(rate):
            raise InputError(
                f"rate is {shortened(rate)}; it must be a function or a text such as 'sqrt(p)/(n*epsilon)'"
            )
        own = getattr(rate, "__name__", "rate").replace("<lambda>", "rate")
        try:
            name = captured(rate, own)
        except InputError as error:
            raise InputError(f"{error}; or give the rate as a text, such as 'sqrt(p)/(n*epsilon)'") from None
        return cls(name, _body(name), f"{path_of(name)}:{name.rpartition('.')[2]}")


def _body(name: str) -> str:
    """What a function of one line returns; the name of another."""
    path, own = path_of(name), name.rpartition(".")[2]
    for node in ast.parse(path.read_bytes()).body if path else ():
        if isinstance(node, ast.FunctionDef) and node.name == own:
            lines = [statement for statement in node.body if not isinstance(statement, ast.Expr)]
            if len(lines) == 1 and isinstance(lines[0], ast.Return) and lines[0].value:
                return _short(lines[0].value, own)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and ast.unparse(node.targets[0]) == own:
            return _short(node.value.body, own)
    return own


def _short(node: ast.expr, own: str) -> str:
    text = re.sub(r"\b(?:math|np|numpy)\.", "", ast.unparse(node)).replace(" ", "")
    return text if len(text) <= 60 else own


def _along(
    rate: _Named, grid: _Grid, axis: str, algorithm: Algorithm, construction: Construction
) -> list[tuple[float, float]]:
    """The rate at the points of an axis that the construction has; raises InputError where it is no positive number."""
    found = []
    for point in grid.points(axis, construction):
        try:
            domain = at(construction, point).domain(point)
        except PremiseError:
            continue
        numbers = Numbers(domain, {}, point)
        if lacks := numbers.lacks(rate.name):
            raise InputError(f"rate {rate.text} asks for {lacks}; choices: {', '.join(dict.fromkeys([*AXES, *point]))}")
        where = ", ".join(f"{name}={value:g}" for name, value in point.items())
        try:
            value = numbers.evaluate(rate.name)
        except (ArithmeticError, ValueError, TypeError) as error:
            raise InputError(f"rate {rate.text} has no value at {where}: {type(error).__name__}: {error}") from error
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"rate {rate.text} is {value:g} at {where}; it must be positive")
        found.append((point[axis], value))
    return found


def _checks(
    direction: str,
    grid: _Grid,
    values: Mapping[str, Sequence[tuple[float, float]]],
    algorithm: Algorithm,
    counted: bool,
    series: list[str],
) -> dict[str, Any]:
    """What the statement does not say: privacy, noise that nobody counts, and the control."""
    claims: dict[str, Any] = {} if counted else {"noise_as_scheduled": "none"}
    if algorithm.promises():
        claims["within_budget"] = series
    judged = [axis for axis in grid.swept if len(grid.axes[axis]) >= FEWEST]
    slopes = {axis: _slope(axis, values[axis]) for axis in judged}
    if not slopes:
        raise InputError(
            "no axis of the sweep has 3 values; a slope needs 5 over 1.5 decades: 'sweep.n=[1e4,3e4,1e5,3e5,1e6]'"
        )
    steepest = max(slopes, key=lambda axis: abs(slopes[axis]))
    change = max(abs(slopes[steepest]), LEAST_CHANGE) * (1 if direction == "at_least" else -1)
    control = {"like": f"exponent_{steepest}", "expected": change}
    return {"claims": claims, "controls": {"wrong_rate": control}}


def _slope(axis: str, values: Sequence[tuple[float, float]]) -> float:
    """The rate's slope between the ends of an axis, in what its exponent is of."""
    inner = [(-math.log(x) if axis == "delta" else x, y) for x, y in values if x > 0 and math.isfinite(x)]
    if len(inner) < 2 or inner[0][0] == inner[-1][0]:
        return 0.0
    return math.log(inner[-1][1] / inner[0][1]) / math.log(inner[-1][0] / inner[0][0])


@dataclass(frozen=True)
class _Tried:
    """What a few runs gave: their excess risk and that of the answer without data, and whether noise is counted."""

    risk: float
    trivial: float
    counted: bool


def _try(algorithm: Algorithm, construction: Construction, point: dict[str, float], neighbours: Neighbours) -> _Tried:
    """A few runs at a point, so that what is wrong is said before anything is stored.

    Raises:
        InputError: what the code raises, with the line; an answer that is none; what the algorithm refuses.
    """
    where = ", ".join(f"{axis}={value:g}" for axis, value in point.items() if axis != "norm")
    rng = np.random.default_rng(0)
    algorithm, construction = at(algorithm, point), at(construction, point)
    budget = Budget(point["epsilon"], point["delta"], neighbours)
    try:
        found = dispatch(algorithm, construction, point, budget)
        problem = construction.draw(point, algorithm.schedule(found.domain, budget).noise_scale, rng)
        backend = solver(found.backend, algorithm)
        solutions = [backend.solve(problem, budget, rng) for _ in range(TRIES)]
        for answer in solutions:
            if not isinstance(answer, Solution):
                raise InputError(
                    f"at {where}: {type(algorithm).__name__}.solve returned {type(answer).__name__}; it must return "
                    "dprepro.algorithms.Solution(theta, schedule, privacy_loss)"
                )
        risks = [problem.judge(solution.theta).excess(solution.theta) for solution in solutions]
        excess, gap = min(risks), problem.trivial_risk
    except InputError:
        raise
    except PremiseError as error:
        raise InputError(f"at {where}: {error}") from error
    except Exception as error:
        said = printable(str(error) if isinstance(error, DpreproError) else f"{type(error).__name__}: {error}", 500)
        raise InputError(f"at {where}{_line(error)}: {said}") from error
    if not math.isfinite(excess) or excess < -1e-6 * max(abs(gap), found.domain.largest_risk):
        within = found.domain.constraint_set.title
        raise InputError(
            f"at {where}: the risk of the answer lies {-excess:.3g} below the minimum over {within}: it is outside of "
            "that set; project it, as by problem.constraint_set.project(theta)"
        )
    return _Tried(math.fsum(risks) / TRIES, gap, solutions[0].noise is not None)


def _saturated(tried: _Tried, rate: _Named, grid: _Grid, at_point: dict[str, float], data: Construction) -> list[str]:
    """What is said where, by a few runs and the rate, values of an axis are saturated, with a sweep that would do.

    The runs may be saturated themselves: the sweep is the least that could do.
    """
    limits: dict[float, float] = {}

    def limit(point: Mapping[str, float]) -> float:
        """The risk from which on a point is saturated, by data of its p and few records."""
        if point["p"] not in limits:
            few = at(data, point).resolve({**point, "n": at_point["n"]})
            limits[point["p"]] = at(data, few).draw(few, 0.0, np.random.default_rng(0)).trivial_risk / SATURATED
        return limits[point["p"]]

    def below(axis: str, scaled: str = "n", factor: float = 1.0) -> list[float]:
        """The values of an axis where the risk is below, with another axis scaled by a factor."""
        points = [{**point, scaled: point[scaled] * factor} for point in grid.points(axis, data)]
        there = [Numbers(at(data, point).domain(point), {}, point).evaluate(rate.name) for point in points]
        return [
            point[axis] for point, value in zip(points, there, strict=True) if tried.risk * value / here <= limit(point)
        ]

    def enough(axis: str, left: Sequence[float]) -> bool:
        span = math.log(_ratio(left) / min(_ratio(grid.axes[axis]), 10**SPAN))
        return len(left) >= min(NEEDED, len(grid.axes[axis])) and (axis == "delta" or span > -1e-6)

    said: list[str] = []
    with suppress(DpreproError, ArithmeticError, ValueError):
        here = Numbers(at(data, at_point).domain(at_point), {}, at_point).evaluate(rate.name)
        judged = [axis for axis in grid.swept if len(grid.axes[axis]) >= FEWEST]
        lost = {axis: len(grid.axes[axis]) - len(below(axis)) for axis in judged}
        for axis in judged:
            if lost[axis]:
                most = limit(grid.points(axis, data)[0])
                said.append(
                    f"saturated by a few runs and the rate: {lost[axis]} of {len(grid.axes[axis])} values of {axis}; "
                    f"above a risk of {most:.2g}, a tenth of what answering without data loses, no rate shows"
                )
        if all(enough(axis, below(axis)) for axis in judged):
            said = [f"{line}; the others are enough" for line in said]
        elif typed := _larger(grid, judged, data, below, enough):
            said[-1] += f"; type {typed}"
    return said


def _larger(
    grid: _Grid,
    judged: Sequence[str],
    data: Construction,
    below: Callable[[str, str, float], list[float]],
    enough: Callable[[str, Sequence[float]], bool],
) -> str:
    """The sweep with all n, or all epsilon where there are no more records, so large that slopes can be judged."""
    for scaled in ("n", "epsilon"):
        for factor in (2 ** (half / 2) for half in range(1, 60)):
            values = [float(f"{value * SAFE * factor:.1e}") for value in grid.axes[scaled]]
            if scaled == "n" and isinstance(data, Arrays) and values[-1] > len(data.arrays[0]):
                break
            if all(enough(axis, below(axis, scaled, factor)) for axis in judged):
                return f"sweep.{scaled}=[{','.join(map(_exactly, values))}]"
    return ""


def _ratio(values: Sequence[float]) -> float:
    """The largest over the smallest value; 1 where there is none."""
    return max(values) / min(values) if values and min(values) > 0 else 1.0


def _line(error: Exception) -> str:
    """Where in the user's own code something was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/own_" in frame.filename.replace("\\", "/") or is_own_file(frame.filename)]
    return f", line {own[-1].lineno} of {own[-1].filename}" if own else ""


def _modules(blocks: Mapping[str, Any], rate: _Named) -> dict[str, str]:
    """The modules of one's own that an experiment names, with the files that they are."""
    found: dict[str, str] = {}

    def look(value: object) -> None:
        if isinstance(value, Mapping):
            for inner in value.values():
                look(inner)
        elif isinstance(value, list | tuple):
            for inner in value:
                look(inner)
        elif is_dotted(value):
            module = str(value).partition(".")[0]
            found[module] = str(path_of(module))

    look([*blocks.values(), rate.name])
    return found


def _command(asked: Asked, parts: Mapping[str, Chosen], rate: _Named, grid: _Grid, name: str) -> str:
    """The command that repeats the run."""
    words = ["python", "-m", "dprepro", "rate"]
    for group, part in parts.items():
        said = part.said or f"{path_of(part.name)}:{part.name.rpartition('.')[2]}"
        words.append(f"{group}={said}")
        words += [f"{group}.{key}={_typed(value)}" for key, value in part.parameters.items()]
    words += [f"sweep.{axis}=[{','.join(map(_exactly, values))}]" for axis, values in grid.axes.items()]
    words += [f"rate={rate.said}", f"direction={asked.direction}"]
    words += [f"{key}={_typed(plain(value, key))}" for key, value in asked.data.items() if value is not None]
    words += [f"margin={asked.margin!r}"] if asked.margin is not None else []
    if grid.neighbours is not Neighbours.REPLACE_ONE and "neighbours" not in asked.settings:
        words.append(f"neighbours={grid.neighbours}")
    for key, value in (*asked.settings.items(), *asked.changes.items()):
        words.append(f"{key}={value if key == 'results_dir' else _typed(plain(value, key))}")
    return shlex.join([*words, f"name={name}"])


def _typed(value: object) -> str:
    """A value as a person types it: a plain word without quotes."""
    word = isinstance(value, str) and re.fullmatch(r"[A-Za-z_]\w*", value, re.ASCII)
    return str(value) if word and str(value).lower() not in ("true", "false", "null", "nan", "inf") else literal(value)


def _exactly(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def _merge(config: dict[str, Any], changes: Mapping[str, Any], where: str) -> None:
    """Replace keys, mappings key by key."""
    for key, value in changes.items():
        place = f"{where}.{key}" if where else str(key)
        if isinstance(value, Mapping) and isinstance(config.get(key), dict):
            _merge(config[key], value, place)
        else:
            config[str(key)] = plain(value, place)


def _word(title: str) -> str:
    """The name of an experiment: ``mirror_descent`` of ``MirrorDescent``."""
    word = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", title).lower()
    return re.sub(r"\W+", "_", word).strip("_") or "own"
