"""Every interval of a verdict beside the textbook's: quantiles of scipy, and least squares written out here.

Nothing of `dprepro.analysis.fits` is used to compute what is expected. Golden values hold to 1e-9, so that a degree of
freedom more, a level shared by one test fewer, or one side in the place of two fails.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from helpers.analysis_frames import decades, make_frame
from scipy.stats import binomtest, chi2, friedmanchisquare, sem, t

from dprepro.analysis.checks import build
from dprepro.analysis.fits import fit_bend, fit_mean, fit_slope, fit_step
from dprepro.analysis.independence import friedman
from dprepro.analysis.learning_curve import learning_curve
from dprepro.analysis.points import grid_points
from dprepro.analysis.rivals import POWERS_OF_LOG, rivals
from dprepro.analysis.rule import CheckResult
from dprepro.privacy.audit import lower_limit

X = np.log(np.array([1e3, 1e4, 1e5, 1e6, 1e7, 1e8]))
NOISE = np.array([0.02, -0.05, 0.01, 0.04, -0.03, 0.005])
CLOSE = {"rel": 1e-9, "abs": 1e-12}


def student(freedom: float, level: float = 0.99) -> float:
    return float(t.ppf(0.5 + level / 2, freedom))


def squares(design: np.ndarray, y: np.ndarray, weights: np.ndarray, level: float = 0.99) -> tuple[float, float, float]:
    """weights @ coefficients, and half widths by the usual formula and by HC3, of ordinary least squares."""
    inverse = np.linalg.inv(design.T @ design)
    fit = inverse @ design.T @ y
    away = y - design @ fit
    leverage = np.diag(design @ inverse @ design.T)
    freedom = len(y) - design.shape[1]
    usual = math.sqrt(away @ away / freedom * (weights @ inverse @ weights))
    meat = design.T @ np.diag((away / (1 - leverage)) ** 2) @ design
    hc3 = math.sqrt(weights @ inverse @ meat @ inverse @ weights)
    return float(weights @ fit), student(freedom, level) * usual, student(freedom, level) * hc3


def by_replicates(weights: np.ndarray, error: np.ndarray, count: np.ndarray) -> float:
    """Half width of a linear functional of independent means: Satterthwaite's degrees of freedom."""
    parts = (weights * error) ** 2
    return math.sqrt(parts.sum()) * student(parts.sum() ** 2 / float(np.sum(parts**2 / (count - 1))))


LINE = np.column_stack([X, np.ones(6)])
ONE = np.array([1.0, 0.0])


@pytest.mark.parametrize(("noise", "wider"), [(np.array([0.001, -0.01, 0.05, -0.05, 0.01, -0.001]), 0), (NOISE, 1)])
def test_without_replicates_a_slope_has_the_wider_of_the_usual_interval_and_hc3(noise: np.ndarray, wider: int) -> None:
    found = fit_slope(X, 1 - 0.5 * X + noise)
    estimate, *halves = squares(LINE, 1 - 0.5 * X + noise, ONE)
    assert int(np.argmax(halves)) == wider
    assert found.drift == 0
    assert (found.estimate, found.high - found.estimate) == pytest.approx((estimate, max(halves)), **CLOSE)
    assert found.estimate - found.low == pytest.approx(max(halves), **CLOSE)


def test_replicates_give_the_slope_of_a_straight_line_satterthwaites_interval() -> None:
    error, count = np.array([0.1, 0.02, 0.05, 0.05, 0.03, 0.2]), np.array([3.0, 2, 5, 4, 3, 6])
    found = fit_slope(X, 1 - 0.5 * X, error, count)
    half = by_replicates((X - X.mean()) / np.sum((X - X.mean()) ** 2), error, count)
    assert (found.estimate, found.high - found.estimate) == pytest.approx((-0.5, half), **CLOSE)


def test_the_wider_of_own_errors_and_the_pooled_deviation_counts_and_one_replicate_has_the_latter() -> None:
    error, count = np.array([0.1, 0.02, np.nan, 0.05, 0.03, np.nan]), np.array([3.0, 2, 1, 4, 3, 1])
    several = count > 1
    deviations = error[several] ** 2 * count[several]  # of one draw
    pooled = math.sqrt(np.sum((count[several] - 1) * deviations) / np.sum(count[several] - 1))
    filled = np.where(several, error, pooled)
    freedom = np.where(several, count - 1, np.sum(count[several] - 1))
    own = by_replicates(np.full(6, 1 / 6), filled, freedom + 1)
    every = student(float(np.sum(count[several] - 1))) * pooled / 6 * math.sqrt(float(np.sum(1 / count)))
    found = fit_mean(np.full(6, 2.0), error, count)
    assert found.high - 2 == pytest.approx(max(own, every), **CLOSE)
    assert every > own
    steady = fit_mean(np.full(6, 2.0), np.where(several, error, 0.0), np.where(several, count, 1e9))
    assert steady.high - 2 < found.high - 2


def test_the_wider_of_misfit_and_replicates_counts() -> None:
    y, error, count = 2 + NOISE, np.full(6, 0.01), np.full(6, 4.0)
    by_misfit = student(5) * y.std(ddof=1) / math.sqrt(6)
    _, usual, hc3 = squares(np.ones((6, 1)), y, np.ones(1))
    assert usual == pytest.approx(by_misfit, **CLOSE)
    assert fit_mean(y, error, count).high - y.mean() == pytest.approx(max(usual, hc3), **CLOSE)
    wide = fit_mean(y, 10 * error, count)
    assert wide.high - y.mean() == pytest.approx(by_replicates(np.full(6, 1 / 6), 10 * error, count), **CLOSE)


def test_curves_with_constants_of_their_own_cost_a_degree_of_freedom_each() -> None:
    x, group = np.concatenate([X, X]), np.repeat([0.0, 1.0], 6)
    y = -0.5 * x + 3 * group + np.concatenate([NOISE, NOISE[::-1]])
    design = np.column_stack([x, group == 0, group == 1]).astype(float)
    estimate, *halves = squares(design, y, np.array([1.0, 0, 0]))
    found = fit_slope(x, y, group=group)
    assert found.drift == 0
    assert (found.estimate, found.high - found.estimate) == pytest.approx((estimate, max(halves)), **CLOSE)


def test_a_curvature_beyond_its_90_percent_interval_is_followed_to_twice_the_half_length() -> None:
    """y = u + q u^2 on u in [-1, 1] has the slope 1 + 4 q at u = 2."""
    u = (X - X.mean()) / (X[-1] - X.mean())
    exact = fit_slope(u, u + 0.3 * u**2)
    away = np.column_stack([u, np.ones(6)])
    _, *halves = squares(away, u + 0.3 * u**2, ONE)
    assert exact.drift == pytest.approx(4 * 0.3, **CLOSE)
    assert exact.high - exact.estimate == pytest.approx(max(halves) + 1.2, **CLOSE)
    noisy = u + 0.3 * u**2 + NOISE
    curved = np.column_stack([u, np.ones(6), u**2])
    bend, *halves = squares(curved, noisy, np.array([0.0, 0, 1]), level=0.90)
    assert fit_slope(u, noisy).drift == pytest.approx(4 * (bend - max(halves)), **CLOSE)
    assert fit_slope(10 * u, noisy).drift == pytest.approx(0.4 * (bend - max(halves)), **CLOSE)


def test_the_step_between_curves_has_the_interval_of_least_squares() -> None:
    step, group = np.tile([0.0, 1.0], 3), np.repeat([0.0, 1, 2], 2)
    y = 0.7 * step + group + NOISE
    design = np.column_stack([step, *(group == number for number in range(3))]).astype(float)
    estimate, *halves = squares(design, y, np.array([1.0, 0, 0, 0]))
    nothing = np.full(6, np.nan)
    found = fit_step(y, step, group, nothing, np.ones(6))
    assert (found.estimate, found.high - found.estimate) == pytest.approx((estimate, max(halves)), **CLOSE)


def test_a_bend_is_the_ratio_of_two_coefficients_with_the_interval_of_the_delta_method() -> None:
    u = np.linspace(-1, 1, 6)
    y = (10 + 3 * u + 0.5 * u**2) * (1 + 0.02 * NOISE)
    design = np.column_stack([np.ones(6), u, u**2]) / y[:, None]
    _, b, c = np.linalg.lstsq(design, np.ones(6), rcond=None)[0]
    weights = np.array([0.0, -c / b**2, 1 / b])
    _, *halves = squares(design, np.ones(6), weights)
    found = fit_bend(5 + 2 * u, y, np.full(6, np.nan), np.ones(6))
    assert (found.estimate, found.high - found.estimate) == pytest.approx((c / b, max(halves)), rel=1e-6)
    error, count = np.full(6, 0.5), np.full(6, 3.0)
    flat = 10 + 3 * u + 0.5 * u**2
    design = np.column_stack([np.ones(6), u, u**2]) / flat[:, None]
    weights = np.array([0.0, -0.5 / 9, 1 / 3]) @ np.linalg.pinv(design)
    wide = fit_bend(u, flat, error, count)
    assert wide.high - wide.estimate == pytest.approx(by_replicates(weights, error / flat, count), rel=1e-6)


def judged(frame: pd.DataFrame, rule: str, **fields: object) -> CheckResult:
    return build("one", {"rule": rule, "role": "claim", "series": "hard", **fields}).judge(frame)


def limits(found: CheckResult) -> tuple[float, float, float]:
    assert found.estimate is not None
    assert found.low is not None
    assert found.high is not None
    return found.estimate, found.low, found.high


GRID = decades("n", 3, 6, 5)


def table(frame: pd.DataFrame) -> np.ndarray:
    """Values of shape (points, replicates)."""
    return np.asarray(frame.pivot_table(index="n", columns="replicate", values="value"))


def test_a_points_error_is_its_standard_error() -> None:
    frame = make_frame(GRID, lambda at: 3 / at["n"] ** 0.5, noise=0.2, replicates=4)
    points = grid_points(frame, "hard", "excess_risk")
    np.testing.assert_allclose(points["error"], sem(table(frame), axis=1))
    assert list(points["count"]) == [4] * 5


def test_the_interval_of_a_ratio_to_its_rate_is_that_of_a_mean_of_logarithms() -> None:
    frame = make_frame(GRID, lambda at: 3 / at["n"] ** 0.5, noise=0.2, rate=lambda at: at["n"] ** -0.5)
    ratio = table(frame) * np.array([point["n"] ** 0.5 for point in GRID])[:, None]
    mean, relative = ratio.mean(axis=1), sem(ratio, axis=1) / ratio.mean(axis=1)
    centre, *halves = squares(np.ones((5, 1)), np.log(mean), np.ones(1))
    half = max(*halves, by_replicates(np.full(5, 0.2), relative, np.full(5, 3.0)))
    found = limits(judged(frame, "ratio", divide="rate", expected=3))
    assert found == pytest.approx(tuple(np.exp([centre, centre - half, centre + half])), rel=1e-9)


def test_the_interval_of_an_exponent_uses_relative_errors_and_its_constant_too() -> None:
    frame = make_frame(
        GRID,
        lambda at: 3 * at["n"] ** -0.5 * (1 + 1e-3 * math.sin(at["n"])),
        noise=0.01,
        rate=lambda at: at["n"] ** -0.5,
    )
    mean, error = table(frame).mean(axis=1), sem(table(frame), axis=1)
    x = np.log([point["n"] for point in GRID])
    design = np.column_stack([x, np.ones(5)])
    estimate, *halves = squares(design, np.log(mean), ONE)
    half = max(*halves, by_replicates((x - x.mean()) / np.sum((x - x.mean()) ** 2), error / mean, np.full(5, 3.0)))
    found = judged(frame, "exponent", axis="n", expected=-0.5)
    drift = float(found.details["drift"])
    assert limits(found)[0] == pytest.approx(estimate, rel=1e-9)
    assert limits(found)[2] - limits(found)[0] == pytest.approx(half + drift, rel=1e-9)
    centre, *halves = squares(np.ones((5, 1)), np.log(mean) + 0.5 * x, np.ones(1))
    half = max(*halves, by_replicates(np.full(5, 0.2), error / mean, np.full(5, 3.0)))
    assert found.constant_high == pytest.approx(math.exp(centre + half), rel=1e-9)


@pytest.mark.parametrize("side", ["at_most", "at_least"])
def test_limits_of_a_bound_share_one_percent_over_all_points_of_all_series_with_pooled_degrees_of_freedom(
    side: str,
) -> None:
    """Each at 1%/9 of two sides; 2 (3 - 1) 5 and 3 (4 - 1) degrees of freedom belong to their own series."""
    first = make_frame(GRID, lambda at: 0.5, noise=0.1, bound=lambda at: 1.0)
    second = make_frame(GRID[:4], lambda at: 0.4, noise=0.3, replicates=4, bound=lambda at: 1.0, series="soft", seed=1)
    frame, halves, means = pd.concat([first, second]), [], []
    for one in (first, second):
        values = table(one)
        points, count = values.shape
        mean, own = values.mean(axis=1), sem(values, axis=1)
        pooled = math.sqrt(float(np.mean((own / mean) ** 2)))
        quantile = float(t.ppf(1 - 0.005 / 9, points * (count - 1)))
        halves += list(quantile * np.maximum(own, pooled * mean))
        means += list(mean)
    mean, half = np.array(means), np.array(halves)
    worst = np.max if side == "at_most" else np.min
    found = limits(judged(frame, "below", series=["hard", "soft"], expected=1, side=side))
    assert found == pytest.approx((worst(mean), worst(mean - half), worst(mean + half)), rel=1e-9)


def test_a_point_of_one_replicate_has_the_pooled_error_of_its_series() -> None:
    frame = make_frame(GRID, lambda at: 0.5, noise=0.1, bound=lambda at: 1.0)
    frame = frame[(frame["n"] < 2e3) | (frame["replicate"] == 0)]
    first = frame[frame["n"] < 2e3]["value"].to_numpy(dtype=float)
    relative = first.std(ddof=1) / first.mean()
    quantile = float(t.ppf(1 - 0.005 / 5, 2))
    single = frame[frame["n"] > 2e3]["value"].to_numpy(dtype=float)
    high = max(*(single * (1 + quantile * relative)), first.mean() * (1 + quantile * relative / math.sqrt(3)))
    assert limits(judged(frame, "below", expected=1))[2] == pytest.approx(high, rel=1e-9)


def test_limits_of_drawn_noise_share_one_percent_over_all_series_and_the_pool_of_few_draws() -> None:
    """Three series and their pool: 1%/4 of two sides each. A pool that is too small itself takes the next series in."""
    rng, tables = np.random.default_rng(3), []
    for name, freedom, rows in (("large", 4e6, 5), ("few", 800.0, 4), ("fewer", 900.0, 3)):
        frame = make_frame(
            decades("n", 3, 6, rows), lambda at: 1.0, replicates=1, quantity="noise_moments", series=name
        )
        freedoms = freedom * np.arange(1, rows + 1)
        tables.append(frame.assign(value=rng.chisquare(freedoms) / freedoms, freedom=freedoms))
    pool = pd.concat(tables[1:])
    freedom, total = pool["freedom"].sum(), float((pool["freedom"] * pool["value"]).sum())
    assert pool.groupby("series")["freedom"].sum().max() < 1e4 < freedom
    found = limits(judged(pd.concat(tables), "noise", series="*"))
    low, high = chi2.ppf([0.01 / 8, 1 - 0.01 / 8], freedom)
    assert found == pytest.approx((total / freedom, total / high, total / low), rel=1e-9)
    taken = pd.concat([tables[0], tables[1]])
    freedom, total = taken["freedom"].sum(), float((taken["freedom"] * taken["value"]).sum())
    low, high = chi2.ppf([0.01 / 6, 1 - 0.01 / 6], freedom)
    with_next = limits(judged(taken, "noise", series="*"))
    assert with_next == pytest.approx((total / freedom, total / high, total / low), rel=1e-9)
    alone = judged(tables[0], "noise", series="large")
    freedom, total = tables[0]["freedom"].sum(), float((tables[0]["freedom"] * tables[0]["value"]).sum())
    low, high = chi2.ppf([0.01 / 4, 1 - 0.01 / 4], freedom)
    assert limits(alone) == pytest.approx((total / freedom, total / high, total / low), rel=1e-9)


def test_limits_of_proportions_are_exact_and_share_one_percent_over_the_points() -> None:
    """Trials of replicates are pooled: 3 times 40, of which the rate of the point."""
    rates, trials = {1e3: 0.1, 1e4: 0.25, 1e5: 0.5}, 40
    points = decades("n", 3, 5, 3)
    frame = make_frame(points, lambda at: rates[round(at["n"])], quantity="hit", trials=lambda at: trials)
    exact = [binomtest(round(rate * 120), 120).proportion_ci(1 - 0.01 / 3, "exact") for rate in rates.values()]
    found = limits(judged(frame, "proportion", quantity="hit", expected=1))
    assert found == pytest.approx((0.5, exact[2].low, exact[2].high), rel=1e-9)
    found = limits(judged(frame, "proportion", quantity="hit", expected=0, side="at_least"))
    assert found == pytest.approx((0.1, exact[0].low, exact[0].high), rel=1e-9)
    fewer = frame[(frame["n"] < 5e4) | (frame["replicate"] == 0)]  # 40 trials of the last point
    exact_of_fewer = binomtest(20, 40).proportion_ci(1 - 0.01 / 3, "exact")
    assert limits(judged(fewer, "proportion", quantity="hit", expected=1))[1:] == pytest.approx(
        (exact_of_fewer.low, exact_of_fewer.high), rel=1e-9
    )
    bounded = frame.assign(bound=frame["n"].astype(float) / 2e5)  # .005, .05 and .5
    found = limits(judged(bounded, "proportion", quantity="hit", expected=1))
    assert found == pytest.approx((20, exact[0].low / 0.005, exact[0].high / 0.005), rel=1e-9)


def test_limits_of_what_is_good_enough_are_students_and_share_one_percent_over_the_curves() -> None:
    """Two curves: 99.5% each. The distance is set between the limits of a level of 99%, of 99.5% and of one side."""
    units = np.array([0.1, -0.2, 0.05, 0.3, -0.1, 0.02])
    spread = units.std(ddof=1) / math.sqrt(6)
    half = float(t.ppf(1 - 0.005 / 2, 5)) * spread

    def answer(distance: float) -> CheckResult:
        rows = []
        for name, value in (("one", distance + units - units.mean()), ("two", 5 + units)):
            for split, single in enumerate(value):
                at = {"n": 1e3, "p": 2.0, "epsilon": 1.0, "delta": 0.0, "norm": 1.0, "split": float(split)}
                rows.append({**at, "series": name, "role": "claim", "replicate": 0, "quantity": "error",
                             "value": 10 + single, "bound": np.nan, "status": "ok"})  # fmt: skip
        check = {"rule": "attainment", "role": "claim", "quantity": "error", "target": 10, "over": ["split"]}
        return build("one", check).judge(pd.DataFrame(rows))

    assert answer(-half * 1.0001).verdict == "confirmed"
    assert answer(-half * 0.9999).verdict == "inconclusive"
    assert answer(half * 0.9999).verdict == "inconclusive"
    assert answer(half * 1.0001).verdict == "refuted"


def test_the_band_of_a_surplus_is_the_wider_of_jackknife_and_prediction() -> None:
    sizes = np.array([500.0, 1000, 2000, 4000, 8000])
    rng, x, units = np.random.default_rng(1), np.log(sizes), 6
    for noise, misfit in ((0.3, 0.0), (0.001, 0.2)):
        bend = misfit * np.array([1, -1, 1, -1, 1])
        level = noise * rng.standard_normal(units) + 0.001 * rng.standard_normal((5, units))
        over = 2000 / sizes[:, None] * np.exp(level + bend[:, None])
        law = learning_curve(
            {float(n): np.sqrt(9 + one) for n, one in zip(sizes, over, strict=True)}, np.full(units, 3.0), 3.02, 2
        )
        assert law is not None
        design = np.column_stack([np.ones(5), x])

        def line(values: np.ndarray, design: np.ndarray = design) -> np.ndarray:
            return np.asarray(np.linalg.lstsq(design, np.log(values), rcond=None)[0])

        fit = line(over.mean(axis=1))
        others = np.array([line(np.delete(over, number, axis=1).mean(axis=1)) for number in range(units)])
        place = np.array([1.0, math.log(law.places[-1])])
        error = math.sqrt((units - 1) / units * float(np.sum((others @ place - (others @ place).mean()) ** 2)))
        away = np.log(over.mean(axis=1)) - design @ fit
        scatter = float(away @ away) / 3
        leverage = float(place @ np.linalg.inv(design.T @ design) @ place)
        by_units, by_misfit = student(units - 1) * error, student(3) * math.sqrt(scatter * (1 + leverage))
        half = max(by_units, by_misfit)
        assert (half == by_units) == (misfit == 0)
        assert law.exponent == pytest.approx(fit[1], rel=1e-9)
        assert law.high[-1] == pytest.approx(math.sqrt(9 + math.exp(place @ fit + half)), rel=1e-9)
        assert law.low[-1] == pytest.approx(math.sqrt(9 + math.exp(place @ fit - half)), rel=1e-9)
        slopes = others[:, 1]
        slope_error = math.sqrt((units - 1) / units * float(np.sum((slopes - slopes.mean()) ** 2)))
        by_slope = student(3) * math.sqrt(scatter / float(np.sum((x - x.mean()) ** 2)))
        assert law.half == pytest.approx(max(student(units - 1) * slope_error, by_slope), rel=1e-9)


def test_the_error_of_a_crossing_is_that_of_the_log_ratio_over_its_slope() -> None:
    """ratio p/8 at p = 2, 4, 8, 16, so that curves cross at 8 n^0; both errors enter, and the larger neighbour's."""
    ns = [1e3, 1e4, 1e5, 1e6, 1e7]
    points = [{"n": n, "p": p} for n in ns for p in (2.0, 4.0, 8.0, 16.0)]
    frames = [
        make_frame(points, lambda at: at["p"] / 8 * 1.001, series="hard"),
        make_frame(points, lambda at: 1.0, series="flat", replicates=5),
    ]
    # replicates that scatter about exact means, so that their errors and no misfit make the interval
    for frame, middle, scatter in ((frames[0], 1, 0.05), (frames[1], 2, 0.04)):
        scale = scatter * (1 + np.log10(frame["n"].astype(float)) / 9)
        frame["value"] = frame["value"] * (1 + scale * (frame["replicate"] - middle))
    found = judged(pd.concat(frames), "crossing", against="flat", axis="p", along="n", expected=0.0)
    values = [np.asarray(frame.pivot_table(index="n", columns=["p", "replicate"], values="value")) for frame in frames]
    first, second = values[0].reshape(5, 4, 3), values[1].reshape(5, 4, 5)
    log_ratio = np.log(first.mean(axis=2) / second.mean(axis=2))
    relative = np.hypot(sem(first, axis=2) / first.mean(axis=2), sem(second, axis=2) / second.mean(axis=2))
    places, errors = [], []
    for ratio, error in zip(log_ratio, relative, strict=True):
        i = int(np.flatnonzero((ratio[:-1] < 0) & (ratio[1:] >= 0))[-1])
        slope = (ratio[i + 1] - ratio[i]) / math.log(2)
        places.append(math.log(2.0 ** (i + 1)) - ratio[i] / slope)
        errors.append(max(error[i], error[i + 1]) / slope)
    x, error = np.log(ns), np.array(errors)
    weights = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    estimate, *halves = squares(np.column_stack([x, np.ones(5)]), np.array(places), ONE)
    drift = fit_slope(x, places, error, np.full(5, 3.0)).drift
    half = max(*halves, by_replicates(weights, error, np.full(5, 3.0))) + drift
    assert limits(found)[0] == pytest.approx(estimate, abs=1e-9)
    assert limits(found)[2] - limits(found)[0] == pytest.approx(half, rel=1e-9)


def test_a_power_of_the_logarithm_is_excluded_beyond_its_99_percent_interval() -> None:
    x = np.log(np.logspace(3, 8, 9))
    y = -x + 1e-3 * np.sin(7.0 * np.arange(9))
    design = np.column_stack([x, np.ones(9), np.log(x)])
    estimate, *halves = squares(design, y, np.array([0.0, 0, 1]))
    for scale in (1.0, 3.0, 10.0, 30.0, 60.0):
        y = -x + scale * 1e-3 * np.sin(7.0 * np.arange(9))
        estimate, *halves = squares(design, y, np.array([0.0, 0, 1]))
        found = rivals("n", x, y, np.full(9, np.nan), np.ones(9), np.zeros(9), -1.0, -1.01, -0.99)
        said = {one.log_power: one.excluded for one in found if one.log_power}
        assert said == {b: abs(b - estimate) > max(halves) for b in POWERS_OF_LOG}


def test_the_power_against_a_rival_is_how_often_draws_of_the_claim_exclude_it() -> None:
    """With replicates: 200 draws each here and there, 4.5 standard errors of a difference of shares."""
    x, rng = np.log(np.logspace(3, 8, 9)), np.random.default_rng(11)
    error, count = np.full(9, 0.01), np.full(9, 4.0)
    found = rivals("n", x, -x, error, count, np.zeros(9), -1.0, -1.01, -0.99)
    design = np.column_stack([x, np.ones(9), np.log(x)])
    weights = np.linalg.pinv(design)[2]
    drawn = []
    for _ in range(200):
        y = -x + error * rng.standard_normal(9)
        estimate, *halves = squares(design, y, np.array([0.0, 0, 1]))
        drawn.append((estimate, max(*halves, by_replicates(weights, error, count))))
    for one in found:
        if one.log_power:
            share = np.mean([abs(one.log_power - estimate) > half for estimate, half in drawn])
            assert abs(one.power - share) < 4.5 * math.sqrt(0.5 / 200)


def test_limits_of_an_audit_share_one_percent_over_two_limits_of_two_directions() -> None:
    for likely, rare, draws, delta in ((300, 100, 400, 0.0), (80, 3, 200, 0.1), (400, 0, 400, 0.0)):
        low = binomtest(likely, draws).proportion_ci(0.995, "exact").low
        high = binomtest(rare, draws).proportion_ci(0.995, "exact").high
        found = float(lower_limit(np.array([likely]), np.array([rare]), draws, delta)[0])
        assert found == pytest.approx(math.log((low - delta) / high), rel=1e-9)


def test_friedmans_statistic_is_scipys() -> None:
    values = np.random.default_rng(12).standard_normal((8, 5))
    statistic, freedom = friedman(values)
    assert (statistic, freedom) == (pytest.approx(float(friedmanchisquare(*values.T)[0])), 4)


def test_a_coverage_has_the_exact_limits_of_the_share_of_batches_that_miss() -> None:
    """Twelve batches of four replicates in their order: one lies 60% above the mean of all, three 20% below it."""
    frame = make_frame(decades("n", 3, 6, 4), lambda at: 1 / at["n"], replicates=48, rate=lambda at: 1 / at["n"])
    batch = frame["replicate"] // 4
    factor = np.select([batch == 4, batch.isin([1, 6, 11])], [1.6, 0.8], 1.0)
    noise = np.exp(0.02 * np.random.default_rng(13).standard_normal(len(frame)))
    found = judged(frame.assign(value=frame["value"] * factor * noise), "coverage", divide="rate")
    exact = binomtest(4, 12).proportion_ci(0.99, "exact")
    assert limits(found) == pytest.approx((4 / 12, exact.low, exact.high))
    few = judged(frame[frame["replicate"] < 40], "coverage", divide="rate")
    assert (few.estimate, few.verdict) == (0.0, "inconclusive")
    assert judged(frame[frame["replicate"] < 39], "coverage", divide="rate").estimate is None
