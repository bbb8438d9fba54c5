"""Tardos' fingerprinting code, padded with consensus columns, and the test by which it traces.

A column is *consensus* for a set of users if all of them have the same entry in it. Whoever agrees with most consensus
columns of a set of users, without knowing which columns are padding, has used what those users have in common, and the
score of some user shows it (Theorem 3.2 of Talwar, Thakurta and Zhang; the code is that of Tardos 2003, the score its
symmetric form by Skoric, Katzenbeisser and Celik 2008).

A code column has a bias b = sin(r)^2, r uniform: the arcsine density, cut off at 1/(300 w) and its mirror as Tardos
has it. Every user draws 1 with probability b and -1 otherwise. For an answer f in {-1, 0, 1}^d

    Z_i = sum_j f_j phi_j(x_ij),  phi_j(1) = sqrt((1 - b_j)/b_j),  phi_j(-1) = -sqrt(b_j/(1 - b_j)).

*Innocents.* The entries of somebody whose record was not used are independent of f given the biases; phi has mean 0
and variance 1, so Z has mean 0 and variance ||f||^2. The normal approximation gives the threshold
sqrt(2 d ln(1/fa)), but phi is skew and unbounded as b falls to 0 or 1: Hoeffding's inequality gives that constant at
b = 1/2 only, and at small b it is false. `threshold` takes Chernoff's bound of this very sum, which always holds.

*Users.* With g(b) = E[f | b], E[f sum_i phi(x_i)] = sqrt(b (1 - b)) g'(b), which the density turns into
(g(1 - t) - g(t))/(pi - 4 r_0) >= 2/pi for an answer that agrees with all consensus columns (up to the cutoff t). The
mean score of w users is 2 d/(pi w), above sqrt(2 d ln(1/fa)) where d > (pi^2/2) w^2 ln(1/fa): `required_length`.
Whoever agrees with fewer columns, or not always, has less: `agreement_chance` says how often a private answer may.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dprepro.errors import PremiseError

FAILURE = 1e-6  # probability that a drawn code has fewer consensus columns than promised
CUTOFF = 300.0  # Tardos' own


def required_length(users: int, false_accusation: float) -> float:
    """(pi^2/2) w^2 ln(1/fa): beyond it the mean score of the users of an agreeing answer is above the threshold."""
    return 0.5 * math.pi**2 * users**2 * math.log(1 / false_accusation)


def lowest_angle(users: int) -> float:
    """r_0 with sin(r_0)^2 = 1/(300 w)."""
    return math.asin(math.sqrt(1 / (CUTOFF * users)))


@lru_cache(maxsize=64)
def column_law(users: int) -> NDArray[np.float64]:
    """Probabilities that k of ``users`` users have a 1 in a code column, k = 0, ..., w."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    low = lowest_angle(users)
    bias = np.sin(low + (0.5 * math.pi - 2 * low) * 0.5 * (nodes + 1)) ** 2
    ones = np.arange(users + 1)[:, None]
    choices = np.array([[math.comb(users, k)] for k in range(users + 1)])
    return np.asarray((choices * bias**ones * (1 - bias) ** (users - ones)) @ (0.5 * weights))


def mixed_share(users: int) -> float:
    """Probability that a code column is not consensus for ``users`` users: 1 - E[b^w + (1 - b)^w]."""
    law = column_law(users)
    return 1 - float(law[0] + law[-1])


@lru_cache(maxsize=64)
def longest_code(users: int, columns: int, tau: float) -> int:
    """The longest code of w + 1 users that leaves each w of them (1 - tau) * columns consensus columns.

    Up to a probability of `FAILURE`, by the binomial tail of each of the w + 1 sets and a union bound.
    """
    from scipy.special import bdtrc

    share, room = mixed_share(users), math.floor(tau * columns)
    low, high = room, columns + 1  # a code as long as the room fits for certain
    while high - low > 1:
        middle = (low + high) // 2
        fits = (users + 1) * bdtrc(room, middle, share) <= FAILURE
        low, high = (middle, high) if fits else (low, middle)
    return low


@lru_cache(maxsize=256)
def score_slope(users: int, columns: int, tau: float, agreement: float) -> float:
    """The least of E[A Z] over P(A): A is that an answer agrees with a p consensus columns, Z the mean user's score.

    For a code column E[A f sum_i phi(x_i)] = (h(1 - t) - h(t))/(pi - 4 r_0), h(b) = E[A f | b] being a mixture over the
    number k of ones. *All alike:* given the rows, code columns are as likely as padding to be among the C consensus
    columns, of which at least a p agree. So the d - M that are code have sum_j A f_j s_j >= A (d - M) (2 a p/C - 1), in
    the mean, s_j being the consensus; M <= tau p is their promise, and C = p - M is above p - d E M/d by
    sqrt(d ln(1/failure)/2) with probability `FAILURE` at most. *Mixed columns* are tau p at most and count for what
    their k weighs at the ends of the arcsine law, over its probability.
    """
    d, law, low = longest_code(users, columns, tau), column_law(users), lowest_angle(users)
    b, k = math.sin(low) ** 2, np.arange(users + 1)
    choices = np.array([math.comb(users, int(index)) for index in k])
    ends = choices * ((1 - b) ** k * b ** (users - k) - b**k * (1 - b) ** (users - k))
    alike = float(law[0] + law[-1])
    most = columns - d * (1 - alike) + math.sqrt(d * math.log(1 / FAILURE) / 2)
    agreeing = 2 * float(ends[-1]) * (d - tau * columns) * (2 * agreement * columns / most - 1) / alike
    mixed = float((np.abs(ends[1:-1]) / law[1:-1]).max()) * tau * columns
    return (agreeing - mixed) / (users * (math.pi - 4 * low))


def agreement_chance(users: int, columns: int, tau: float, agreement: float, epsilon: float, delta: float) -> float:
    """The largest P(A) of an (epsilon, delta)-private answer to the padded code; see `score_slope`.

    Put a fresh user in the place of one: the answer no longer knows that user's entries, whose score Z has variance d
    at most. Privacy and Cauchy-Schwarz give E[A Z] <= e^epsilon sqrt((e^epsilon P(A) + delta) d) + delta max |Z|, with
    |Z| <= d sqrt(300 w). Left out so far are events of probability `FAILURE`, worth d each.
    """
    d, slope = longest_code(users, columns, tau), score_slope(users, columns, tau, agreement)
    if epsilon > 50 or slope <= 0:
        return 1.0
    grown, rare, chance = math.exp(epsilon), d * (delta * math.sqrt(CUTOFF * users) + 2 * FAILURE), 1.0
    for _ in range(100):  # from above: every step is a bound
        chance = min(chance, (grown * math.sqrt((grown * chance + delta) * d) + rare) / slope)
    return chance


@dataclass(frozen=True)
class PaddedCode:
    """A drawn code with its padding, permutation and signs.

    Attributes:
        rows: X, shape (users + 1, columns), entries +-1.
        biases: b of the code columns, shape (d,).
        places: where they stand among the columns, shape (d,).
        signs: what they were multiplied with, shape (d,).
    """

    rows: NDArray[np.float64]
    biases: NDArray[np.float64]
    places: NDArray[np.intp]
    signs: NDArray[np.float64]

    def consensus(self, left_out: int) -> NDArray[np.float64]:
        """Sign of every column that is consensus without one row, 0 for the others, shape (columns,)."""
        total = self.rows.sum(axis=0) - self.rows[left_out]
        return np.where(np.abs(total) == len(self.rows) - 1, np.sign(total), 0.0)

    def answer(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """f: the signs of theta on the code columns, as the code had them before it was hidden."""
        return np.sign(theta[self.places]) * self.signs

    def entries(self, row: int) -> NDArray[np.float64]:
        """The code word of a row, shape (d,)."""
        return np.asarray(self.rows[row, self.places] * self.signs)

    def fresh(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Code words of users who were never there, shape (count, d)."""
        return np.where(rng.random((count, self.biases.size)) < self.biases, 1.0, -1.0)

    def scores(self, words: NDArray[np.float64], answer: NDArray[np.float64]) -> NDArray[np.float64]:
        """Z of every code word, shape (count,)."""
        vector = np.sqrt((1 - self.biases) / self.biases)
        return np.asarray(np.where(words > 0, vector, -1 / vector) @ answer)

    def threshold(self, answer: NDArray[np.float64], false_accusation: float) -> float:
        """z with P(Z >= z) <= fa for every innocent, given biases and answer.

        Chernoff: P(Z >= z) <= exp(sum_j psi_j(h) - h z) for every h > 0, psi_j the logarithm of E exp(h f_j phi_j).
        Each h of a grid gives a valid z; biases and answer alone choose among them, so the least one is valid too.
        """
        used = answer != 0
        if not used.any():
            return 0.0
        b = self.biases[used]
        likely = np.where(answer[used] > 0, b, 1 - b)  # probability of the entry that raises the score
        up, down = np.sqrt((1 - likely) / likely), np.sqrt(likely / (1 - likely))
        normal = math.sqrt(2 * math.log(1 / false_accusation) / b.size)  # the best h, were phi normal
        h = normal * np.geomspace(0.1, 2.0, 40)[:, None]
        cumulants = np.logaddexp(np.log(likely) + h * up, np.log1p(-likely) - h * down).sum(axis=1)
        return float(((cumulants + math.log(1 / false_accusation)) / h[:, 0]).min())


def draw_code(users: int, columns: int, tau: float, rng: np.random.Generator) -> PaddedCode:
    """A code of ``users`` + 1 rows, padded to ``columns``, its columns in random order and with random signs.

    Raises:
        PremiseError: without some row fewer than (1 - tau) * columns columns are consensus (chance `FAILURE`).
    """
    length = longest_code(users, columns, tau)
    low = lowest_angle(users)
    biases = np.sin(rng.uniform(low, 0.5 * math.pi - low, length)) ** 2
    rows = np.ones((users + 1, columns))
    rows[:, :length] = np.where(rng.random((users + 1, length)) < biases, 1.0, -1.0)
    order, signs = rng.permutation(columns), rng.choice([-1.0, 1.0], columns)
    places = np.empty(columns, dtype=np.intp)
    places[order] = np.arange(columns)
    # rows in C order: products of the rows are slow otherwise
    code = PaddedCode(np.take(rows, order, axis=1) * signs[order], biases, places[:length], signs[:length])
    fewest = min(int(np.count_nonzero(code.consensus(row))) for row in range(users + 1))
    if fewest < (1 - tau) * columns:
        raise PremiseError(f"Theorem 3.2 promises {(1 - tau) * columns:.0f} consensus columns, this code has {fewest}")
    return code
