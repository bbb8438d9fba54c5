"""`dprepro.run` of objects: verdict and figure as for a shipped experiment, and what is wrong in one line."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.private_mirror import MirrorDescent, records, release

import dprepro
from dprepro.errors import InputError
from dprepro.own.experiment import Asked, Described, described
from dprepro.problems.problem_data import FloatArray
from dprepro.report.outcome import Outcome

pytestmark = pytest.mark.usefixtures("undrawn")

N = [1000, 1600, 2500, 4000, 6300, 10000, 16000, 25000, 40000]
FAST: dict[str, Any] = {"rate": "(p/(n*epsilon))**2", "replicates": 40, "progress": False, "workers": 1}


def measured(tmp_path: Path, **given: Any) -> Outcome:
    usual: dict[str, Any] = {"algorithm": release, "construction": records, "sweep": {"n": N, "p": 16, "epsilon": 16}}
    return dprepro.run(**{**FAST, "results_dir": tmp_path / "results", **usual, **given})


def test_a_function_fit_has_verdict_figure_and_folder(tmp_path: Path) -> None:
    """The slope's 99% interval misses a true claim of one side in fewer than 1 of 100 seeds; the seed is fixed."""
    outcome = measured(tmp_path)
    assert outcome.verdict["verdict"] == "confirmed"
    assert outcome.verdict["as_expected"]
    assert {name: value["role"] for name, value in outcome.verdict["checks"].items()} == {
        "exponent_n": "claim", "wrong_rate": "control"
    }  # fmt: skip
    assert outcome.folder == tmp_path / "results" / "release"
    assert {path.name for path in outcome.folder.iterdir()} == {
        "config.yaml", "figure.pdf", "figure.png", "figure_all.pdf", "figure_all.png", "measurements.parquet",
        "run.log", "verdict.json",
    }  # fmt: skip
    assert (
        (outcome.folder / "run.log")
        .read_text(encoding="utf-8")
        .rpartition("run as: ")[2]
        .startswith("python -m dprepro rate algorithm=")
    )


def test_a_rate_that_falls_too_fast_is_refuted(tmp_path: Path) -> None:
    outcome = measured(tmp_path, rate=lambda n, p, epsilon: (p / (n * epsilon)) ** 2.5)
    assert outcome.verdict["verdict"] == "refuted"


def test_a_rate_from_above_is_no_rate_from_below(tmp_path: Path) -> None:
    slow = "p/(n*epsilon)"
    assert measured(tmp_path, rate=slow).verdict["verdict"] == "confirmed"
    assert measured(tmp_path, rate=slow, direction="at_least").verdict["verdict"] == "refuted"
    assert measured(tmp_path, rate=slow, direction="equals").verdict["verdict"] == "refuted"


def test_each_swept_axis_has_a_series_a_check_and_a_panel(tmp_path: Path) -> None:
    outcome = measured(tmp_path, sweep={"n": N, "p": [2, 4, 8, 16, 64], "epsilon": [1, 3, 30]}, replicates=2)
    assert set(outcome.frame["series"]) == {"in_n", "in_p", "in_epsilon"}
    assert {"exponent_n", "exponent_p", "exponent_epsilon"} <= set(outcome.verdict["checks"])
    assert len(outcome.figure.axes) == 3


@pytest.mark.parametrize(
    ("sweep", "said"),
    [
        ({"n": [100, 200, 500, 1500, 4000], "p": 16, "epsilon": 1}, [
            "saturated by a few runs and the rate: 5 of 5 values of n; above a risk of 0.0016, a tenth of what",
                "no rate shows; type sweep.n=[", ]),
        ({"n": [*N, 100, 200, 300], "p": 16, "epsilon": 16}, ["2 of 12 values of n; ", "; the others are enough"]),
        ({"n": N, "p": [4, 8, 16, 64, 256], "epsilon": 16}, ["1 of 5 values of p", "; type sweep.n=["]),
    ],
    ids=["all", "some", "p"],
)  # fmt: skip
def test_what_is_saturated_is_told_before_it_is_measured(sweep: dict[str, Any], said: list[str]) -> None:
    found = asked(sweep=sweep, rate=FAST["rate"]).said
    (line,) = [line for line in found if line.startswith("saturated")]
    assert not [words for words in said if words not in line], line
    for _ in range(2):  # of a saturated run the first answer is the least that could do
        if "; type " in line:
            sweep = {**sweep, "n": json.loads(line.rpartition("=")[2])}
            line = "".join(one for one in asked(sweep=sweep, rate=FAST["rate"]).said if one.startswith("saturated"))
    assert "; type" not in line


def test_arrays_without_more_records_are_told_a_larger_epsilon() -> None:
    made = records(1000, 4, np.random.default_rng(1))
    found = asked(construction=made, sweep={"n": [20, 50, 100, 300, 1000], "epsilon": 1}, rate=FAST["rate"]).said
    assert any("; type sweep.epsilon=[" in line for line in found), found


def test_an_algorithm_with_mechanisms_is_accounted_for(tmp_path: Path) -> None:
    outcome = measured(tmp_path, algorithm=MirrorDescent(steps=5), replicates=2)
    assert outcome.verdict["checks"]["within_budget"]["verdict"] == "confirmed"


@dataclass
class Ridge:
    """An estimator as scikit-learn has them, of nobody's package."""

    epsilon: float = 1.0
    alpha: float = 0.0
    random_state: int | None = None

    def fit(self, X: FloatArray, y: FloatArray) -> Ridge:  # noqa: N803
        n, p = X.shape
        noise = np.random.default_rng(self.random_state).standard_normal(p) * 10 / (n * self.epsilon)
        self.coef_ = np.linalg.solve(X.T @ X / n + self.alpha * np.eye(p), X.T @ y / n + noise)
        return self


@pytest.mark.parametrize("given", [Ridge(alpha=1e-9), Ridge], ids=["object", "class"])
def test_an_estimator_is_given_the_epsilon_of_each_point(tmp_path: Path, given: object) -> None:
    outcome = measured(
        tmp_path,
        algorithm=given,
        margin=0.2,
        sweep={"n": 10000, "p": 16, "epsilon": [1, 1.6, 2.5, 4, 6.3, 10, 16, 25, 40]},
    )
    assert outcome.verdict["checks"]["exponent_epsilon"]["verdict"] == "confirmed", str(outcome)


def test_arrays_are_data_and_their_bounds_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = records(40000, 16, np.random.default_rng(1))
    outcome = measured(tmp_path, construction=made, sweep={"n": N, "epsilon": 16})
    assert outcome.verdict["verdict"] == "confirmed"
    assert set(outcome.frame["p"]) == {16}
    assert "loss=squared, constraint_set=l2_ball, radius=1.0, feature_bound=1.0" in capsys.readouterr().out


def test_a_run_is_not_measured_twice_and_an_edit_is(tmp_path: Path) -> None:
    def scaled(factor: float) -> Any:
        def fit(X: FloatArray, y: FloatArray, epsilon: float, rng: np.random.Generator) -> FloatArray:  # noqa: N803
            noise = rng.standard_normal(X.shape[1]) * factor / (len(X) * epsilon)
            return np.asarray(np.linalg.solve(X.T @ X / len(X), X.T @ y / len(X) + noise))

        return fit

    first = measured(tmp_path, algorithm=scaled(3.0), replicates=1)
    assert (first.measured, first.reused) == (9, 0)
    assert measured(tmp_path, algorithm=scaled(3.0), replicates=1).reused == 9
    assert measured(tmp_path, algorithm=scaled(4.0), replicates=1).measured == 9


def test_an_object_serves_in_a_shipped_experiment(tmp_path: Path) -> None:
    outcome = dprepro.run(
        "pair", algorithm=MirrorDescent(steps=3), construction="planted_design", sweep={"n": [2000, 4000], "p": [5]},
        replicates=1, results_dir=tmp_path / "results", progress=False, workers=1,
    )  # fmt: skip
    assert outcome.verdict["checks"]["within_budget"]["verdict"] == "confirmed"
    assert len(outcome.frame[outcome.frame["series"] == "pair"]) > 0


def shrunk(X: FloatArray, y: FloatArray, epsilon: float, rng: np.random.Generator, factor: float) -> FloatArray:  # noqa: N803
    return np.asarray(factor * (X.T @ y / len(y) + rng.standard_normal(X.shape[1]) / (len(y) * epsilon)))


@dataclass
class Means:
    """What answers by a call, by a method, or by a method of its class."""

    factor: float = 1.0

    def __call__(self, X: FloatArray, y: FloatArray) -> FloatArray:  # noqa: N803
        return np.asarray(self.factor * X.T @ y / len(y))

    def release(self, features: FloatArray, labels: FloatArray) -> FloatArray:
        return self(features, labels)

    @classmethod
    def plain(cls, X: FloatArray, y: FloatArray) -> FloatArray:  # noqa: N803
        return cls()(X, y)


class Halves:
    """No dataclass; it keeps its constructor's argument."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, X: FloatArray, y: FloatArray) -> FloatArray:  # noqa: N803
        return np.asarray(self.factor * X.T @ y / len(y))

    def draw(self, n: int, p: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        features, labels = records(n, p, rng)
        return features, self.factor * labels


class Forgets:
    """It does not keep it."""

    def __init__(self, factor: float) -> None:
        self._half = factor / 2

    def __call__(self, X: FloatArray, y: FloatArray) -> FloatArray:  # noqa: N803
        return np.asarray(self._half * X.T @ y / len(y))


def asked(**given: Any) -> Described:
    usual: dict[str, Any] = {"algorithm": release, "construction": records, "sweep": {"n": [200, 400, 800], "p": 4}}
    return described(Asked(**{"rate": "p/n", **usual, **given}))


HALF = 0.5


@pytest.mark.parametrize(
    ("given", "title", "parameters"),
    [
        (functools.partial(shrunk, factor=0.5), "shrunk", {"factor": 0.5}),
        (functools.partial(shrunk, factor=np.float64(0.5)), "shrunk", {"factor": 0.5}),
        (functools.partial(Ridge, alpha=1e-3), "Ridge", {"alpha": 1e-3}),
        (functools.partial(MirrorDescent, steps=3), "MirrorDescent", None),
        (functools.partial(lambda scale, x, y: scale() * x.T @ y / len(y), lambda: HALF), "function", {}),
        (lambda x, y, epsilon, rng: x.T @ y / len(y) + rng.laplace(size=x.shape[1]) / epsilon, "function", {}),
        (Ridge(alpha=1e-3).fit, "Ridge", {"alpha": 1e-3, "epsilon": 1.0}),
        (Means(0.5), "Means", {}),
        (Means(0.5).release, "release", {}),
        (Means.plain, "plain", {}),
        (Halves(0.5), "Halves", {}),
        (Halves(0.5).__call__, "Halves", {}),
    ],
)  # fmt: skip
def test_what_can_be_called_is_an_algorithm(given: object, title: str, parameters: dict[str, Any] | None) -> None:
    config = asked(algorithm=given).composed.config
    assert config["claim"].startswith(f"{title} on records: ")
    if parameters is not None:
        assert config["study"]["series"]["in_n"]["algorithm"].get("parameters", {}) == parameters


@pytest.mark.parametrize("given", [functools.partial(records), Halves(0.5).draw], ids=["partial", "method"])
def test_what_can_be_called_gives_data(given: object) -> None:
    assert described(Asked(algorithm=release, construction=given, rate="p/n", sweep={"n": [200, 400, 800], "p": 4}))


def wants_more(X: FloatArray, y: FloatArray, step: float) -> FloatArray:  # noqa: N803
    return np.asarray(step * X[0])


def answers_short(X: FloatArray, y: FloatArray) -> FloatArray:  # noqa: N803
    return np.asarray(X[0, :-1])


def raises(X: FloatArray, y: FloatArray) -> FloatArray:  # noqa: N803
    return np.asarray([1, 2][3])


def minus(n: float) -> float:
    return -n


_LARGE = np.zeros(100_000)


def uses_much(X: FloatArray, y: FloatArray) -> FloatArray:  # noqa: N803
    return _LARGE


_TYPED: dict[str, Any] = {}
exec("def typed(X, y):\n    return X[0]", _TYPED)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"algorithm": None}, "algorithm is missing: give the name of an experiment, or algorithm"),
        ({"algorithm": 3}, r"algorithm=3 is none: give a name of the configuration, 'FILE.py:NAME', an object"),
        ({"algorithm": "noisy_g"}, r"unknown algorithm 'noisy_g' \(did you mean noisy_gd\?\)"),
        ({"algorithm": wants_more}, "wants_more asks for step, which nobody has; give it a default, or ask for"),
        ({"algorithm": answers_short}, r"at n=1000, .*: answers_short returned an array of shape \(15,\)"),
        ({"algorithm": raises}, r"at n=1000, .*, line \d+ of .*own_raises_\w+.py: IndexError: list index"),
        ({"algorithm": Forgets(1.0)}, "an object of Forgets keeps no attribute factor of its constructor's argument"),
        ({"algorithm": functools.partial(release, epsilon=2)}, "epsilon is set by functools.partial, and each grid"),
        ({"algorithm": functools.partial(wants_more, stap=2)}, "wants_more asks for step|takes no stap"),
        ({"algorithm": functools.partial(raises, step=_LARGE)}, "_LARGE|an array of 100000 numbers"),
        ({"algorithm": uses_much}, "uses_much: it uses _LARGE, an array of 100000 numbers, .* 'FILE.py:uses_much'"),
        ({"algorithm": _TYPED["typed"]}, "typed: its source cannot be found: .* put it into a file of its own"),
        ({"construction": "planted"}, "unknown construction 'planted'"),
        ({"construction": (np.ones((3, 2)),)}, r"construction is a tuple of 1; arrays are two: \(X, y\)"),
        ({"construction": (np.ones((3, 2)), [1, 1])}, "one row and one label for each record"),
        ({"rate": "p/(n*epsilom)"}, "rate p/.* asks for epsilom; choices: n, p, epsilon"),
        ({"rate": "nonsense"}, "unknown bound 'nonsense'"),
        ({"rate": minus}, "rate -n is -1000 at n=1000, .*; it must be positive"),
        ({"direction": "below"}, "unknown direction 'below'"),
        ({"budget": "1"}, "budget is '1'; it must be epsilon"),
        ({"budget": 2}, "epsilon is swept, and budget names another"),
        ({"sweep": {"p": 3}}, "sweep names no n"),
        ({"sweep": {"n": 300}}, "no axis of the sweep has several values; a rate needs 5 over 1.5 decades"),
        ({"sweep": {"n": N, "q": 3}}, "sweep.q is neither a main axis nor a parameter"),
        ({"name": "lasso_rate"}, "lasso_rate is the name of an experiment; give another by name="),
        ({"experiment": "pair"}, "rate belongs to a run that has no experiment's name"),
        ({"colour": 3}, "unknown key 'colour'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_before_anything_is_stored(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as raised:
        measured(tmp_path, **given)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "results").exists()


def test_help_tells_all_parameters() -> None:
    told = dprepro.run.__doc__ or ""
    for name in ("algorithm", "construction", "sweep", "rate", "direction", "budget", "replicates", "seed", "workers"):
        assert f"{name}: " in told


def test_an_algorithm_that_returns_no_solution_is_told_what_to_return() -> None:
    @dataclass(frozen=True)
    class Bare(MirrorDescent):  # type: ignore[misc]
        def solve(self, problem: Any, budget: Any, rng: np.random.Generator) -> Any:
            return super().solve(problem, budget, rng).theta

    with pytest.raises(InputError, match=r"Bare\.solve returned ndarray; it must return dprepro\.algorithms\.Solution"):
        dprepro.run(algorithm=Bare(), construction="planted_design", sweep={"n": [2000, 6000, 20000]}, rate="1/n")
