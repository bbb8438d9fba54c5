"""Slips of print in Kifer, Smith and Thakurta (2012), each computed from the printed formula and from what holds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.errata_laws import least_estimation_risk
from scipy import stats


def noise_scale(epsilon: float, delta: float) -> float:
    """Algorithm 1's standard deviation at zeta = 1."""
    return math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 1.25])
def test_with_half_lambda_over_epsilon_the_determinant_alone_exceeds_e_to_the_epsilon(epsilon: float) -> None:
    """One dimension, one added record: where its gradient is zero both data sets need the same noise."""

    def ratio(regulariser: float) -> float:
        return (regulariser + 1) / regulariser  # |db/d alpha| with the record and without, lambda = 1

    assert math.log(ratio(1 / (2 * epsilon))) > epsilon
    assert math.log(ratio(2 / epsilon)) < epsilon / 2


def test_claim_13_fails_for_one_set_alone() -> None:
    """E = {0}: a mass at 1/i tends to one at 0, a mass at 5 stays."""
    epsilon, delta = 1.0, 0.5

    def holds(place: float, other: float) -> bool:
        return float(place == 0) <= math.exp(epsilon) * float(other == 0) + delta

    assert all(holds(1 / i, 5.0) for i in range(1, 100))
    assert not holds(0.0, 5.0)


def test_densities_that_differ_by_delta_at_each_point_tell_the_data() -> None:
    """Uniform on [0, 1/delta] and on [1/delta, 2/delta]: each density is delta where it is not 0."""
    epsilon, delta = 1.0, 1e-6
    laws = [stats.uniform(0, 1 / delta), stats.uniform(1 / delta, 1 / delta)]
    points = np.linspace(0.001, 1.999, 999) / delta
    for one, other in (laws, laws[::-1]):
        assert (one.pdf(points) <= math.exp(epsilon) * other.pdf(points) + delta * (1 + 1e-9)).all()
    told = laws[0].cdf(1 / delta) - math.exp(epsilon) * laws[1].cdf(1 / delta)
    assert told == pytest.approx(1)


def test_theorem_34_is_no_equality() -> None:
    """Losses that are all equal: whichever support is chosen, nothing is lost, and the printed number is positive."""
    scores = np.full(6, 3.0)
    assert np.ptp(scores) == 0
    assert 2 * 1.0 * 2 * math.log(6 / 0.05) / (1.0 * 10) > 0


def test_the_shift_of_lemma_14_depends_on_the_noise() -> None:
    """No records against one, (theta - c)^2/2: Gamma = b(alpha; D) - b(alpha; D') = alpha - c, and alpha = -b/Delta."""
    regulariser, centre = 2.0, 0.5
    noise = np.linspace(-1, 1, 5)
    alpha = -noise / regulariser
    shift = -regulariser * alpha - (-(alpha - centre) - regulariser * alpha)
    assert np.corrcoef(noise, shift)[0, 1] == pytest.approx(-1)


@pytest.mark.parametrize("delta", [1e-2, 1e-6])
def test_the_good_set_of_lemma_14_has_its_inequality_reversed(delta: float) -> None:
    """<b, Gamma> is N(0, zeta^2 beta^2) at the largest ||Gamma||; GOOD should have probability 1 - delta or more."""
    printed = float(stats.norm.sf(math.sqrt(2 * math.log(2 / delta))))
    assert printed < delta / 2
    assert 1 - printed > 1 - delta


def test_claim_22_lacks_a_square() -> None:
    """g(x) = x^2/2 is 1-strongly convex with minimum 0 at 0."""
    theta = 0.5
    assert theta**2 / 2 < abs(theta) / 2


def test_the_consequence_of_lemma_28_fails_for_gamma_near_1() -> None:
    """Pr(||X|| > sqrt(2 p log(1/gamma))) <= gamma for X ~ N(0, I_p)."""

    def exceeds(p: int, gamma: float) -> float:
        return float(stats.chi2.sf(2 * p * math.log(1 / gamma), p))

    assert all(exceeds(p, 0.99) > 0.99 for p in (3, 10, 1000))
    assert exceeds(10_000, 0.62) > 0.9  # the mean of ||X||^2 is p: the bound must exceed it, gamma < e^(-1/2)
    assert 0.606 < math.exp(-0.5) < 0.607
    for p, at in ((10, 0.7), (1_000, 0.611), (1_000_000, 0.607)):  # from there on, and not two hundredths below
        assert all(exceeds(p, gamma) > gamma for gamma in np.linspace(at, 0.999, 50))
        assert exceeds(p, at - 0.02) < at - 0.02
    assert all(exceeds(p, gamma) <= gamma for p in (1, 2, 3, 10, 10_000) for gamma in (0.5, 0.1, 1e-3, 1e-9))
    # Lemma 28 itself holds there.
    for p in (3, 10, 1000):
        assert all(stats.chi2.sf(phi * p, p) <= math.exp(-p / 2 * (phi - 1 - math.log(phi))) for phi in (1.0, 1.1, 2.0))


@pytest.mark.parametrize("p", [1, 2, 3, 10, 100, 10_000])
def test_one_more_than_the_logarithm_repairs_the_norm_of_the_noise(p: int) -> None:
    """Pr(||X||^2 > 2 p (1 + log(1/gamma))) <= gamma."""
    assert all(
        stats.chi2.sf(2 * p * (1 + math.log(1 / gamma)), p) <= gamma for gamma in (1.0, 0.99, 0.7, 0.1, 1e-3, 1e-9)
    )


def test_the_line_before_the_consequence_of_lemma_28_fails_for_small_gamma() -> None:
    """Pr(||X||^2 > 2 p + 2 log(1/gamma)) <= gamma: Lemma 28's phi has to exceed 2 + 4 log(1/gamma)/p."""
    p, log = 100, 50.0
    assert stats.chi2.logsf(2 * p + 2 * log, p) > -log + 1
    assert stats.chi2.logsf(2 * p + 4 * log, p) < -log


@pytest.mark.parametrize(("p", "gamma"), [(3, 0.99999), (10, 0.993), (100, 0.978), (1000, 0.975)])
def test_theorem_26_fails_for_gamma_near_1(p: int, gamma: float) -> None:
    """A mean loss eta/(2n) ||theta||^2 at eta = Delta, whose minimiser is 0: theta^priv = -b/(2 Delta).

    Its risk ||b||^2/(8 n Delta) exceeds 4 p s^2 log(1/gamma)/(n Delta), s being the deviation of b, where ||b||^2/s^2 >
    32 p log(1/gamma).
    """
    assert stats.chi2.sf(32 * p * math.log(1 / gamma), p) > gamma
    assert stats.chi2.sf(32 * p * (1 + math.log(1 / gamma)), p) < 1e-6


@pytest.mark.parametrize(("p", "gamma"), [(3, 0.95), (10, 0.7), (100, 0.63)])
def test_theorem_30_fails_for_gamma_near_1(p: int, gamma: float) -> None:
    """On a quadratic of curvature eta the distance is ||b||/(Delta + eta), printed with sqrt(2 p log(1/gamma)) s."""
    assert stats.chi2.sf(2 * p * math.log(1 / gamma), p) > gamma


def test_theorem_31_fails_for_gamma_near_1_whatever_its_constant() -> None:
    """As for Theorem 26, with any constant K in the place of its 32: log(1/gamma) tends to 0, ||b|| does not."""
    p, constant, rest = 10, 1e4, 1e-8  # gamma = 1 - rest
    assert stats.chi2.cdf(constant * p * -math.log1p(-rest), p) < rest / 100


def test_the_matrix_e_of_lemma_14_lacks_the_sign_of_a() -> None:
    """One dimension, Delta = lambda = 1, no record and one of (theta - c)^2/2: db/d alpha is -1 and -2."""
    ridge, curvature = 1.0, 1.0
    a, e = -ridge, curvature
    assert abs(a + e) == 0.0
    assert abs(a - e) == abs(-(ridge + curvature)) == 2.0


HUBER = {"epsilon": 1.0, "delta": 1e-6}


def huber_risks(n: float, radius: float, draws: int = 200_000) -> np.ndarray:
    """Risks of n Huber records of curvature 1 up to that radius around 0, Delta = 2/epsilon, on all of the line."""
    b = np.random.default_rng(3).normal(0.0, noise_scale(**HUBER), draws)
    ridge = 2 / HUBER["epsilon"]
    inside = np.abs(b) <= (ridge + n) * radius
    theta = np.where(inside, np.abs(b) / (ridge + n), (np.abs(b) - n * radius) / ridge)
    return np.where(theta <= radius, theta**2 / 2, radius * (theta - radius / 2))


@pytest.mark.parametrize("n", [1e3, 1e4])
def test_theorem_31_fails_with_its_own_radius(n: float) -> None:
    """gamma = .01, theta_hat = 0; a share of .01 of 200,000 draws has a standard error of 2.2e-4."""
    epsilon, gamma, steep = HUBER["epsilon"], 0.01, n + 2 / HUBER["epsilon"]
    logs = math.log(1e6) * math.log(1 / gamma)
    radius = math.sqrt(logs) / (epsilon * steep)
    assert n * radius <= n  # no record's slope exceeds zeta = 1
    exceeds = np.mean(huber_risks(n, radius) > 100 * logs / (n * epsilon**2 * steep))
    assert exceeds == pytest.approx({1e3: 0.38, 1e4: 0.46}[n], abs=0.005)
    for level in (0.9, 0.5, 1e-4):
        logs_of = math.log(1e6) * math.log(1 / level)
        risks = huber_risks(n, math.sqrt(logs_of) / (epsilon * steep))
        assert np.mean(risks > 4 * logs_of / (n * epsilon**2 * steep)) > level + 0.005  # 7 standard errors
    enough = 4 * math.sqrt(2 * (1 + math.log(1 / gamma))) * noise_scale(**HUBER) / steep
    assert np.mean(huber_risks(n, enough) > 100 * logs / (n * epsilon**2 * steep)) < gamma


def test_theorem_5_fails_with_any_multiple_of_its_radius() -> None:
    """The mean over the rate log(1/delta)/(n epsilon)^2, as a draw of 200,000 and as derived."""
    from dprepro.bounds.kst_perturbed import theorem_5_risk

    rate = math.log(1e6) / 1e4**2
    radius = math.sqrt(math.log(1e6)) / 1e4
    drawn = huber_risks(1e4, radius)
    assert theorem_5_risk(1e4, **HUBER, reach=1) == pytest.approx(drawn.mean(), abs=5 * drawn.std() / 447)
    assert drawn.mean() / rate == pytest.approx(7430, rel=0.02)
    assert theorem_5_risk(1e3, **HUBER, reach=1) / (math.log(1e6) / 1e3**2) == pytest.approx(743, rel=0.001)
    small = {"epsilon": 0.1, "delta": 1e-6}
    assert theorem_5_risk(1e6, **small, reach=1) / (math.log(1e6) / 1e5**2) > 200
    over = [theorem_5_risk(n, **HUBER, reach=16) / (math.log(1e6) / n**2) for n in (1e8, 1e10, 1e12)]
    assert over[0] == pytest.approx(27.7, rel=0.01)
    assert over[2] / over[1] == pytest.approx(100, rel=0.01)


def test_theorem_44_fails_for_gamma_near_1() -> None:
    """s = 3, theta* = 0, Psi = 1, n = 1e9: chi-square over its limit, gamma = 1 - 1e-40, p exp(-sqrt(n)/24) = 0.

    The risk ||b||^2/(2 n eta) is chi sigma^2/(2 n^2), and the printed bound 4 s sigma^2 log(1/gamma)/(n (Delta + 1)).
    """
    n, s, rest, ridge = 1e9, 3, 1e-40, 12.0
    most = 8 * s * rest * n / (ridge + 1)
    assert stats.chi2.cdf(most, s) < rest / 2
    assert 10 * math.exp(-math.sqrt(n) / (8 * s)) < rest / 2
    # with n Psi it fails from gamma = .999 on, and not with 1 + log(1/gamma)
    assert stats.chi2.cdf(8 * s * 5e-4, s) < 5e-4
    assert stats.chi2.sf(8 * s, s) < 1e-3


def test_equation_18_has_twice_the_noise_that_theorem_30_a_has() -> None:
    """2 ||b||/(Delta + eta) with ||b|| <= sqrt(2 p log(1/gamma)) s; the distance is half of it at most, for every draw.

    J#, too, is (Delta + eta)/n-strongly convex, which (15) leaves out. Here eta/2 theta^2 + |theta|, one dimension.
    """
    p, gamma, scale, curvature = 9, 0.1, 3.0, 5.0
    from_18 = 2 * math.sqrt(2 * p * math.log(1 / gamma)) * scale / curvature
    assert from_18 == pytest.approx(2 * math.sqrt(2 * p) * scale * math.sqrt(math.log(1 / gamma)) / curvature)
    for noise in np.linspace(-20, 20, 401):
        moved = -math.copysign(max(abs(noise) - 1, 0), noise) / curvature  # the minimiser without noise is 0
        assert abs(moved) <= abs(noise) / curvature


def test_no_algorithm_has_the_population_risk_of_theorem_29() -> None:
    """R L sqrt(p log(1/delta)) ||theta||/(epsilon n) at R = L = ||theta|| = p = 1 falls faster than estimation can."""
    for epsilon, delta in ((1.0, 1e-6), (0.1, 1e-6)):
        over = [
            least_estimation_risk(n) / (math.sqrt(math.log(1 / delta)) / (epsilon * n)) for n in (10**4, 10**6, 10**8)
        ]
        assert over[1] / over[0] == pytest.approx(10, rel=0.01)
        assert over[2] / over[1] == pytest.approx(10, rel=0.01)
        assert over[2] > 90
    assert least_estimation_risk(10**4) * 100 > 0.338
    assert least_estimation_risk(10**8) * 1e4 > 0.338
    over = [least_estimation_risk(n) / (math.sqrt(math.log(1e6)) / n) for n in (10**4, 10**8)]
    assert over == pytest.approx([9, 900], rel=0.02)


def test_gaussian_rows_are_not_well_behaved() -> None:
    """N(0, Sigma) with Sigma = I/2: norm of the s largest entries <= sqrt s needs fewer than s entries beyond +-1."""
    p, s = 1000, 3
    beyond = 2 * float(stats.norm.sf(math.sqrt(2)))
    assert stats.binom.cdf(s - 1, p, beyond) < 1e-60  # the chance that one row is as Definition 2 asks
    # Entries of deviation 1/sqrt(2 ln p), smaller with p, are within +-1 but for a tenth of the rows at s = 1.
    assert p * 2 * stats.norm.sf(math.sqrt(2 * math.log(p))) < 0.25


def difference_of_laplace(x: float, scale: float) -> float:
    """Pr(A - B > x) for x > 0 and two Laplace draws of that scale."""
    return (0.5 + x / (4 * scale)) * math.exp(-x / scale)


def test_one_added_record_turns_all_votes_of_contiguous_blocks() -> None:
    """Algorithm 5 with blocks of consecutive records, p = 2 and s = 1.

    The block algorithm names feature 0 where all records of the block are alike, feature 1 elsewhere. In aa bb aa bb
    all blocks name feature 0; with one more b at the front they are ba ab ba ab, and all name feature 1.
    """
    blocks, epsilon = 20, 1.0
    records = "aabb" * (blocks // 2)

    def votes(data: str) -> float:
        """The share of blocks that name feature 0."""
        size = len(data) // blocks
        return sum(len(set(data[i * size : (i + 1) * size])) == 1 for i in range(blocks)) / blocks

    assert (votes(records), votes("b" + records)) == (1, 0)
    scale = 2 / (blocks * epsilon)
    wrong = difference_of_laplace(1.0, scale)  # the chance of the feature that no block named
    assert (1 - wrong) - math.exp(epsilon) * wrong > 0.99  # delta(epsilon)
    assert math.log((1 - wrong) / wrong) > 8 * epsilon
    # One record in one block moves a share by 1/k at most, as the proof has it.
    share = 1 / blocks
    near, far = difference_of_laplace(1.0, scale), difference_of_laplace(1 - 2 * share, scale)
    assert abs(math.log(far / near)) < epsilon


def test_one_record_more_turns_every_vote_where_the_number_of_blocks_is_root_n() -> None:
    """Records all alike, x = (c, 1), c < 1, and the label 1: a fit of m of them is 0 where m <= Lambda.

    What is penalised is |theta_1| + |theta_2| on one direction, which takes the second coordinate alone. With fits of
    zero the first coordinate is named. Lambda = k + 1/2 lies between the sizes of blocks, k and k + 1.
    """
    epsilon = 1.0

    def named(k: int, size: int) -> int:
        return 1 if size > k + 0.5 else 0

    for k, told in ((20, 0.95), (50, 0.9999)):
        sizes = (k * k) // k, (k * k - 1) // (k - 1)
        assert sizes == (k, k + 1)
        assert [named(k, size) for size in sizes] == [0, 1]
        wrong = difference_of_laplace(1.0, 4 / (k * epsilon))
        right = 1 - difference_of_laplace(1.0, 4 / ((k - 1) * epsilon))
        assert right - math.exp(epsilon) * wrong == pytest.approx(told, abs=0.004 if k == 20 else 5e-5)


def test_correlated_columns_enter_a_block_as_its_noise_wants() -> None:
    """A signal and three columns, of correlation .6 with it and .5 among themselves, in units of Lambda/n.

    The noise has the largest correlations that Definition 2 allows: -1/2 with the signal and the column that is left
    out, 1/2 with both others. The optimality conditions G e = g - z hold with z = 1 on the signal and the two columns
    that enter.
    """
    gram = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    gram[0, 1:] = gram[1:, 0] = 0.6
    assert np.linalg.eigvalsh(gram).min() > 0.2  # RSC, for every set of coordinates
    for left_out in (1, 2, 3):
        noise = np.full(4, 0.5)
        noise[[0, left_out]] = -0.5
        active = [j for j in range(4) if j != left_out]
        errors = np.zeros(4)
        errors[active] = np.linalg.solve(gram[np.ix_(active, active)], noise[active] - 1)
        assert all(errors[j] > 0 for j in active if j > 0)  # beside the signal, which is large
        assert abs((noise - gram @ errors)[left_out]) < 1


def test_blocks_that_name_others_beside_one_signal_miss_it() -> None:
    """s = 3, p = 4: three columns in two thirds of the blocks each, the signal in all; all three exceed it in draws."""
    from dprepro.bounds.kst_selection import (
        rotating_votes_missed,
        rotating_votes_missed_at_table_2,
        theorem_9_missed,
    )

    s, k, draws = 3, 60, 400_000
    noise = np.random.default_rng(1).laplace(0.0, 4 * s / k, (draws, s + 1))
    missed = np.mean(1 + noise[:, 0] < 1 - 1 / s + noise[:, 1:].min(axis=1))
    error = math.sqrt(missed / draws)
    assert rotating_votes_missed(k**2, s, 1.0, 1) == pytest.approx(missed, abs=5 * error)
    assert rotating_votes_missed(1e5, 3, 1.0, 1) > 5 * theorem_9_missed(1e5, 4, 3, 1.0)
    assert rotating_votes_missed(1e6, 3, 1.0, 1) > 1e4 * theorem_9_missed(1e6, 4, 3, 1.0)
    assert rotating_votes_missed_at_table_2(1e5, 1e4, 1.0, 5e3) > 0.3


def test_lemma_39_is_attained() -> None:
    """s = 1, x = 1, y = 1, theta = -1: the gradient (y - x theta) x is 2 = 2 s^(3/2), not less."""
    x, y, theta = 1.0, 1.0, -1.0
    assert abs((y - x * theta) * x) == 2


def test_line_4_of_algorithm_6_shrinks_rows_by_the_norm_of_all_their_entries() -> None:
    """A row of 1000 entries 1 has ||v||_2 = sqrt s already; it is divided by sqrt(1000/s)."""
    s, row = 3, np.ones(1000)
    largest = np.sort(np.abs(row))[-s:]
    assert np.linalg.norm(largest) == pytest.approx(math.sqrt(s))
    printed, meant = (math.sqrt(s) * row / np.linalg.norm(of) for of in (row, largest))
    assert row[0] / printed[0] == pytest.approx(18.3, abs=0.1)
    assert np.allclose(meant, row)


def test_the_quotient_in_the_proof_of_theorem_32_is_1_as_printed() -> None:
    """D' stands in all four places; D over D' in the first factor and D' over D in the second are meant."""
    epsilon, alpha = 0.5, 2.0
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores = rng.uniform(0, 9, 50)
        added = scores + rng.uniform(0, alpha, 50)
        before, after = (np.exp(-epsilon / (2 * alpha) * one) for one in (scores, added))
        printed = after / after * after.sum() / after.sum()
        meant = before / after * after.sum() / before.sum()
        assert np.allclose(printed, 1)
        assert np.abs(np.log(meant)).max() < epsilon
        assert np.abs(np.log(meant)).max() > 0.05


def test_assumption_1_has_one_epsilon_too_many() -> None:
    """Theorem 31's radius sqrt(p) zeta sqrt(log 1/delta)/(epsilon (Delta + eta)) at eta = lambda n/p, n >> p^2."""
    p, n, curvature = 10, 1e12, 2.0
    for epsilon in (0.01, 0.1):
        eta, regulariser, log = curvature * n / p, 2 * curvature / epsilon, math.log(1e6)
        theorem = math.sqrt(p * log) / (epsilon * (regulariser + eta))
        printed = p**1.5 * math.sqrt(log) / (curvature * n * epsilon**2)
        assert printed * epsilon == pytest.approx(theorem, rel=1e-6)
        second = math.sqrt(regulariser / (regulariser + eta))  # of theta_hat
        assert math.sqrt(p / n) == pytest.approx(second * math.sqrt(epsilon / 2), rel=1e-6)


def test_the_law_of_section_3_2_spends_alpha_squared_times_the_budget() -> None:
    """One support's score rises by alpha with an added record, the other supports' scores do not."""
    epsilon, alpha, supports = 0.5, 4.0, 1e6

    def loss(exponent: float) -> float:
        weight = math.exp(-exponent * alpha)
        return math.log((1 / supports) / (weight / (weight + supports - 1)))

    assert loss(epsilon * alpha) == pytest.approx(alpha**2 * epsilon, rel=1e-4)
    assert loss(epsilon / (2 * alpha)) < epsilon  # Algorithm 4


def theorem_35_first_term(s: float, n: float) -> float:
    """16 s zeta^2 (8 log(2/delta) + 2 epsilon) log(2/gamma)/(n epsilon^2 (Delta + n Psi)), with Algorithm 6's zeta."""
    epsilon, zeta = 1.0, 2 * s**1.5
    noise = (8 * math.log(2e6) + 2 * epsilon) * math.log(20)
    return 16 * s * zeta**2 * noise / (n * epsilon**2 * (s / epsilon + n))


def test_theorem_7_should_have_the_fourth_power_of_s() -> None:
    power = math.log(theorem_35_first_term(16, 1e12) / theorem_35_first_term(4, 1e12)) / math.log(4)
    assert power == pytest.approx(4, abs=1e-6)


def test_the_laplace_tail_in_the_proof_of_theorem_8() -> None:
    """Pr(Lap(2 s/(k epsilon)) >= psi), printed first as exp(-psi epsilon k/(4 s))/2 and then with 2 s."""
    s, k, epsilon, psi = 3, 40, 1.0, 0.5
    tail = float(stats.laplace.sf(psi, scale=2 * s / (k * epsilon)))
    assert tail == pytest.approx(math.exp(-psi * epsilon * k / (2 * s)) / 2)
    assert tail < 0.2 * math.exp(-psi * epsilon * k / (4 * s)) / 2


def test_theorem_44_lacks_n_before_psi() -> None:
    """Theorem 43 is its special case and falls as 1/n^2, as Theorem 31 does at eta = n Psi."""

    def power(with_n: bool) -> float:
        risks = []
        for n in (1e8, 1e12):
            strong_convexity = n if with_n else 1.0
            risks.append(64 * 3**4 * (8 * math.log(2e6) + 2) * math.log(10) / (n * (3 + strong_convexity)))
        return math.log(risks[1] / risks[0]) / math.log(1e4)

    assert power(with_n=False) == pytest.approx(-1, abs=1e-6)
    assert power(with_n=True) == pytest.approx(-2, abs=1e-6)


def test_the_right_side_in_the_proof_of_theorem_32_is_1_as_printed() -> None:
    """Two supports with scores (0, 0), and (alpha, 0) with one record more; q(D')/q(D') and its sum cancel."""
    epsilon, alpha = 1.0, 2.0

    def weight(score: float) -> float:
        return math.exp(-epsilon * score / (2 * alpha))

    before, after = [0.0, 0.0], [alpha, 0.0]
    laws = [[weight(q) / sum(map(weight, scores)) for q in scores] for scores in (before, after)]
    printed = weight(after[0]) / weight(after[0]) * sum(map(weight, after)) / sum(map(weight, after))
    meant = weight(before[0]) / weight(after[0]) * sum(map(weight, after)) / sum(map(weight, before))
    assert laws[0][0] / laws[1][0] > printed == 1.0
    assert laws[0][0] / laws[1][0] == pytest.approx(meant)
    assert meant < math.exp(epsilon)
