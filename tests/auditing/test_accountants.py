"""Exact laws are enclosed from both sides, and accountants are held against them."""

from __future__ import annotations

import math
import multiprocessing
import os
from importlib import metadata
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from dprepro.auditing.accountants import Enclosed, KnownLaw, enclosed_epsilons, exact_delta
from dprepro.auditing.accountants.comparison import Case, ComparisonRow, cases, table
from dprepro.auditing.accountants.lattice import FloatArray, comes, composed, epsilons_between, goes, laplace
from dprepro.auditing.accountants.laws import least_root
from dprepro.auditing.accountants.subjects import Accountant, Unknown, accountants, by_name
from dprepro.errors import InputError


@pytest.mark.parametrize(
    ("law", "epsilon"),
    [
        (KnownLaw("gaussian", 1.0), 1.0),
        (KnownLaw("gaussian", 1e-3), 1e-3),
        (KnownLaw("laplace", 2.0), 0.5),
        (KnownLaw("sampled", 1.0, 1, 0.01), 0.1),
        (KnownLaw("sampled", 2.0, 1, 0.5), 0.3),
    ],
)
def test_closed_forms_are_what_quadrature_of_both_densities_says(law: KnownLaw, epsilon: float) -> None:
    mpmath.mp.dps = 30

    def normal(x: object, mean: float) -> object:
        return mpmath.npdf(x, mean)

    if law.kind == "laplace":
        scale = 1 / law.parameter
        first = lambda x: mpmath.exp(-abs(x - 1) / scale) / (2 * scale)  # noqa: E731
        second = lambda x: mpmath.exp(-abs(x) / scale) / (2 * scale)  # noqa: E731
    else:
        rate = law.rate if law.kind == "sampled" else 1.0
        first = lambda x: (1 - rate) * normal(x, 0) + rate * normal(x, law.parameter)  # noqa: E731
        second = lambda x: normal(x, 0)  # noqa: E731
    ratio = mpmath.exp(epsilon)
    found = []
    for one, other in ((first, second), (second, first)):
        apart = lambda x, candidate=one, other=other: candidate(x) - ratio * other(x)  # noqa: E731
        # where the sign changes: the integrand is smooth between these places
        grid = [mpmath.mpf(place) / 20 + mpmath.mpf(1) / 300 for place in range(-400, 401)]
        roots = [
            mpmath.findroot(apart, (a, b), solver="anderson") for a, b in pairwise(grid) if apart(a) * apart(b) < 0
        ]
        places = sorted({*roots, *(mpmath.mpf(place) for place in (-40, -20, -10, -5, 0, 1, 5, 10, 20, 40))})
        found.append(mpmath.quad(lambda x, apart=apart: max(apart(x), 0), places))
    assert float(max(found)) == pytest.approx(float(exact_delta(law, epsilon)), rel=1e-9)


def test_an_epsilon_that_is_enclosed_has_its_delta_between() -> None:
    for law, delta in (
        (KnownLaw("gaussian", 1e-8), 1e-300),
        (KnownLaw("gaussian", 130.0), 1e-6),
        (KnownLaw("sampled", 1, 1, 0.5), 1e-12),
    ):
        found = enclosed_epsilons(law, (delta,))[0]
        assert found.low <= found.high <= found.low * (1 + 1e-11)
        assert exact_delta(law, found.high) <= delta <= exact_delta(law, found.low)


@pytest.mark.parametrize(("mu", "uses", "delta"), [(0.5, 16, 1e-6), (0.1, 100, 1e-12), (1.0, 5, 1e-2)])
def test_a_lattice_encloses_compositions_of_gaussians_closely(mu: float, uses: int, delta: float) -> None:
    exact = enclosed_epsilons(KnownLaw("gaussian", mu, uses), (delta,))[0]
    low, high = epsilons_between("sampled", mu, 1.0, uses, (delta,))[0]
    assert (1 - 1e-4) * exact.high < low <= exact.low
    assert exact.high <= high < (1 + 1e-4) * exact.low


def fourier(lowest: int, step: float, masses: FloatArray, uses: int, delta: float, tilt: float) -> float:
    """Epsilon of a sum of losses step * (lowest + i), by a transform of tilted masses, near and on no known side."""
    cells = lowest + np.arange(masses.size)
    tilted = masses * np.exp(tilt * step * cells)
    scale = tilted.sum()
    mean = float(tilted @ cells) / scale
    deviation = math.sqrt(uses * (float(tilted @ cells**2) / scale - mean**2))
    size = 2 ** math.ceil(math.log2(4 * masses.size + 40 * deviation))
    sums = np.maximum(np.fft.irfft(np.fft.rfft(tilted / scale, size) ** uses, size), 0)
    first = round(uses * mean) - size // 2  # the transform knows places up to multiples of the size
    places = step * (first + (uses * lowest + np.arange(size) - first) % size)
    weights = sums * np.exp(np.minimum(uses * math.log(scale) - tilt * places, 700.0))

    def at(epsilon: float) -> float:
        some = places > epsilon
        return float(-(weights[some] * np.expm1(epsilon - places[some])).sum())

    return least_root(lambda epsilon: at(epsilon) <= delta, step * (first + size))[1]


@pytest.mark.parametrize("delta", [1e-2, 1e-12])
def test_many_uses_of_laplace_noise_are_enclosed_as_a_fourier_transform_says(delta: float) -> None:
    """The loss is epsilon with chance 1/2, -epsilon with e^-epsilon/2, and between them has density e^(l/2)."""
    epsilon, uses, cells = 3.0 / 32, 1024, 400
    step = epsilon / cells
    ends = np.clip(step * (np.arange(-cells, cells + 2) - 0.5), -epsilon, epsilon)
    masses = np.diff(np.exp((ends - epsilon) / 2) / 2)
    masses[[0, -1]] += math.exp(-epsilon) / 2, 0.5
    low, high = epsilons_between("laplace", epsilon, 1.0, uses, (delta,))[0]
    assert low < fourier(-cells, step, masses, uses, delta, 2.0 if delta < 1e-6 else 0.5) < high
    assert high < (1 + 2e-5) * low


@pytest.mark.parametrize("delta", [1e-2, 1e-12])
def test_many_uses_of_sampled_gaussian_noise_are_enclosed_as_a_fourier_transform_says(delta: float) -> None:
    mu, rate, uses, step = 1.0, 0.01, 1024, 1e-4
    places = np.linspace(-10, 10 + mu, 1_000_001)
    density = (1 - rate) * np.exp(-(places**2) / 2) + rate * np.exp(-((places - mu) ** 2) / 2)
    cells = np.log1p(rate * np.expm1(mu * places - mu * mu / 2)) / step
    lowest = int(np.floor(cells.min()))
    down = np.floor(cells).astype(int) - lowest
    part = cells - lowest - down
    size = int(down.max()) + 2
    masses = np.bincount(down, density * (1 - part), size) + np.bincount(down + 1, density * part, size)
    low, high = epsilons_between("sampled", mu, rate, uses, (delta,))[0]
    assert low < fourier(lowest, step, masses / masses.sum(), uses, delta, 4.0 if delta < 1e-6 else 1.0) < high
    assert high < (1 + 5e-4) * low


def test_a_lattice_encloses_one_laplace_and_one_sampled_gaussian() -> None:
    for law in (KnownLaw("laplace", 1.0), KnownLaw("sampled", 1.0, 1, 0.01)):
        exact = enclosed_epsilons(law, (1e-6,))[0]
        low, high = epsilons_between(law.kind, law.parameter, law.rate, 1, (1e-6,))[0]
        assert low <= exact.low
        assert exact.high <= high
        assert high - low < 0.01 * high


def test_masses_of_a_lattice_are_no_more_from_below_and_no_less_from_above_than_one() -> None:
    for pair in (laplace(0.5), comes(1.0, 0.1, 9.0), goes(1.0, 0.1, 9.0)):
        below, above = (composed(pair, 6, 1e-6, side) for side in (False, True))
        assert 0.999 < below.masses.sum() + below.infinite <= 1
        assert 1 <= above.masses.sum() + above.infinite < 1.001
        assert below.infinite == 0


def test_randomised_responses_are_enclosed_by_the_sum_over_all_their_answers() -> None:
    epsilon, uses, delta = 0.3, 5, 1e-3
    odds = 1 / (1 + math.exp(-epsilon))
    found = enclosed_epsilons(KnownLaw("response", epsilon, uses), (delta,))[0]

    def at(x: float) -> float:
        return sum(
            math.comb(uses, true) * odds**true * (1 - odds) ** (uses - true)
            * max(0.0, -math.expm1(x - epsilon * (2 * true - uses)))
            for true in range(uses + 1)
        )  # fmt: skip

    assert at(found.high) <= delta <= at(found.low)
    assert found.high - found.low < 1e-5


def test_no_law_has_a_delta_of_none_or_of_all() -> None:
    for delta in (0.0, 1.0):
        with pytest.raises(InputError, match="delta must be in"):
            enclosed_epsilons(KnownLaw("gaussian", 1.0), (delta,))[0]
    with pytest.raises(InputError, match="kind must be"):
        KnownLaw("cauchy", 1.0)
    with pytest.raises(InputError, match="accountant"):
        by_name("an accountant that is none")


def test_our_accountant_is_nowhere_below_and_tight_where_it_is_exact() -> None:
    own = by_name("dprepro")
    quick = [case for case in cases() if case.law.uses == 1 or case.law.kind == "gaussian"]
    assert len(quick) > 50
    for case in quick:
        row = ComparisonRow(
            "dprepro", "", case, enclosed_epsilons(case.law, (case.delta,))[0], own.epsilon(case.law, case.delta)
        )
        assert row.verdict in ("tight", "above"), row
        if case.law.kind in ("gaussian", "response"):
            assert row.verdict == "tight", row


def test_what_an_enclosure_is_too_wide_for_is_undecided_and_not_called_tight() -> None:
    case, wide = Case(KnownLaw("gaussian", 1.0), 1e-6, True), Enclosed(4.5, 5.0)
    told = {4.4: "below", 4.54: "tight", 4.6: "undecided", 5.04: "undecided", 5.06: "above"}
    for answer, verdict in told.items():
        assert ComparisonRow("some", "1", case, wide, answer).verdict == verdict


def test_what_takes_too_much_time_or_memory_is_costly_and_what_ends_its_process_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each in a process of its own; the stand-in goes by the law's parameter."""
    monkeypatch.setattr("multiprocessing.get_context", lambda kind, fork=multiprocessing.get_context: fork("fork"))
    monkeypatch.setattr("dprepro.auditing.accountants.comparison.by_name", lambda name: Accountant(name, "numpy", odd))
    some = tuple(Case(KnownLaw("gaussian", mu), 1e-6, True) for mu in (1.0, 2.0, 3.0, 4.0, 5.0))
    rows = table(("an odd one",), some, seconds=1)
    assert [row.verdict for row in rows] == ["above", "costly", "costly", "costly", "fails"]
    assert [row.error for row in rows[1:]] == [
        "more than 1 s of a processor", "more than 1 s of a processor", "more than 4 GiB of memory",
        "the process ended or stood still",
    ]  # fmt: skip
    assert rows[0].seconds < 1


def odd(law: KnownLaw, delta: float) -> float:
    """An accountant that loops, loops in C, takes memory, or ends its process."""
    if law.parameter == 2:
        while True:
            pass
    if law.parameter == 3:
        sum(range(10**10))
    if law.parameter == 4:
        np.ones(10**9)
    if law.parameter == 5:
        os._exit(3)
    return 100.0


def test_an_answer_that_is_too_small_is_below_and_one_without_a_number_fails() -> None:
    case, exact = Case(KnownLaw("gaussian", 1.0), 1e-6, True), Enclosed(4.8, 4.81)
    told = {4.7: "below", 4.8: "tight", 4.84: "tight", 5.5: "above", math.inf: "fails", math.nan: "fails"}
    for answer, verdict in told.items():
        assert ComparisonRow("some", "1", case, exact, answer).verdict == verdict
    assert ComparisonRow("some", "1", case, exact, math.nan, "unknown").verdict == "unknown"
    assert ComparisonRow("some", "1", case, exact, 4.7).ratio == pytest.approx(4.7 / 4.8)


def test_the_table_asks_in_a_process_of_its_own_and_skips_by_name() -> None:
    some = (Case(KnownLaw("gaussian", 1.0), 1e-6, True), Case(KnownLaw("laplace", 1.0), 1e-6, True))
    said: list[str] = []
    rows = table(("dprepro", "prv-accountant"), some, said.append)
    assert [row.verdict for row in rows[:2]] == ["tight", "tight"]
    installed = any(line.startswith("prv-accountant") and "skipped" not in line for line in said)
    assert installed or "prv-accountant: skipped, prv-accountant is not installed" in said
    assert not multiprocessing.active_children()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what libraries warn of is their own affair
@pytest.mark.parametrize(
    "accountant",
    [accountant for accountant in accountants() if accountant.package != "dprepro"],
    ids=lambda candidate: candidate.name,
)
def test_an_ordinary_gaussian_is_not_below_by_any_library_that_does_not_say_so(accountant: Accountant) -> None:
    try:
        metadata.version(accountant.package)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{accountant.package} is not installed")
    law = KnownLaw("gaussian", 0.5, 4)
    exact = enclosed_epsilons(law, (1e-5,))[0]
    try:
        answer = accountant.epsilon(law, 1e-5)
    except Unknown:
        pytest.skip("no form for the law")
    assert accountant.warns or answer >= exact.low * (1 - 1e-9)
    assert np.isfinite(answer)


@pytest.mark.slow
def test_balls_of_another_library_hold_the_closed_form() -> None:
    flint = pytest.importorskip("flint", reason="python-flint is not installed")
    flint.ctx.prec = 300
    for mu, epsilon in ((1.0, 4.0), (1e-3, 1e-3), (100.0, 8000.0)):
        a, b, two = (
            flint.arb(epsilon) / mu - flint.arb(mu) / 2,
            flint.arb(epsilon) / mu + flint.arb(mu) / 2,
            flint.arb(2),
        )
        ball = ((a / two.sqrt()).erfc() - flint.arb(epsilon).exp() * (b / two.sqrt()).erfc()) / 2
        exact = exact_delta(KnownLaw("gaussian", mu), epsilon)
        assert abs(float(ball.mid()) / float(exact) - 1) < 1e-12 or float(exact) == float(ball.mid())
