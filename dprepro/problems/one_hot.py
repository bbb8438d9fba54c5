"""One-hot generalised linear models: a population that is known in full, and samples of any size held as counts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dprepro.errors import InputError
from dprepro.problems.constants import Constants
from dprepro.problems.data import FloatArray, GroupPoint, Minimum, Point
from dprepro.problems.losses import AbsoluteLoss, LogisticLoss, Loss, SquaredLoss
from dprepro.problems.problem import Problem
from dprepro.problems.sets import L2Ball


class OneHot(Problem):
    """Records x = X e_j with probability p_j, x = 0 otherwise; label +a_j with probability (1 + b_j)/2, else -a_j.

    The risk is the **population** risk E phi(<x, w>; y), known in closed form. ``gradient`` is that of the mean loss
    over the n records of the sample, which is all that an algorithm may see; `sample` draws one. A sample is held as
    its sufficient statistics: for each coordinate the number of records and of positive labels, multinomial and
    binomial, so n costs nothing (up to 1e15).

    Arrays list the m "touched" coordinates, the first m of p; the other p - m are zero in every record. A theta may
    have shape (p,) or (m,).

    Args:
        n: records in a sample.
        ball: the l2 ball over which algorithms optimise; it must hold the population minimiser.
        loss: phi.
        probability: p_j, shape (m,), of sum at most 1.
        label: a_j >= 0, shape (m,).
        bias: b_j in [-1, 1], shape (m,).
        feature_bound: X. label_bound: ||Y||, the root of a bound on phi at zero.
        balanced: number of coordinates, the last ones, that appear exactly n p_j times in every sample (a fixed
            design) instead of multinomially; their labels must be zero.

    Raises:
        InputError: shapes or values outside these ranges.
    """

    def __init__(
        self,
        n: float,
        ball: L2Ball,
        loss: Loss,
        probability: ArrayLike,
        label: ArrayLike,
        bias: ArrayLike,
        feature_bound: float = 1.0,
        label_bound: float = 1.0,
        balanced: int = 0,
    ) -> None:
        self.n, self._ball, self.loss, self.balanced = n, ball, loss, balanced
        self.probability = np.asarray(probability, dtype=np.float64)
        self.label, self.bias = np.asarray(label, dtype=np.float64), np.asarray(bias, dtype=np.float64)
        self.feature_bound, self.label_bound = feature_bound, label_bound
        size = self.probability.size
        if not 1 <= size <= ball.p or self.label.shape != (size,) or self.bias.shape != (size,):
            raise InputError(f"probability, label and bias must share a length of at most p={ball.p}, got {size}")
        if (self.probability < 0).any() or self.probability.sum() > 1 + 1e-9:
            raise InputError(f"probability must be at least 0 and sum to at most 1, got {self.probability.sum():g}")
        if (np.abs(self.bias) > 1).any() or (self.label < 0).any():
            raise InputError("bias must lie in [-1, 1] and label must not be negative")
        if balanced and self.label[size - balanced :].any():
            raise InputError("balanced coordinates must have label 0")
        self.count: FloatArray = np.zeros(0)
        self.positive: FloatArray = np.zeros(0)

    @property
    def touched(self) -> int:
        """m, the number of coordinates that occur in records."""
        return self.probability.size

    @property
    def constants(self) -> Constants:
        """Public constants: G of Lemma 2 for a smooth loss, G X for a Lipschitz one."""
        return glm_constants(self.n, self._ball.p, self._ball.radius, self.loss, self.feature_bound, self.label_bound)

    @property
    def constraint_set(self) -> L2Ball:
        return self._ball

    @property
    def capabilities(self) -> frozenset[str]:
        return frozenset({"population"})

    @property
    def start(self) -> FloatArray:
        return np.zeros(self.touched)

    def sample(self, rng: np.random.Generator) -> OneHot:
        """n records, drawn independently: the same population with counts."""
        drawn = OneHot(
            self.n, self._ball, self.loss, self.probability, self.label, self.bias, self.feature_bound,
            self.label_bound, self.balanced,
        )  # fmt: skip
        free = self.touched - self.balanced
        fixed = self.n * self.probability[free:]
        rest = max(0.0, 1 - float(self.probability[free:].sum()))
        chances = self.probability[:free] / rest if rest > 0 else np.zeros(free)
        chances = np.append(chances, max(0.0, 1 - chances.sum()))
        counts = rng.multinomial(round(self.n * rest), chances / chances.sum())[:-1]
        positive = rng.binomial(counts, (1 + self.bias[:free]) / 2)
        drawn.count = np.concatenate([counts, fixed]).astype(np.float64)
        drawn.positive = np.concatenate([positive, fixed / 2]).astype(np.float64)
        return drawn

    def risk(self, theta: Point) -> float:
        """Population risk up to the part of records with x = 0, which no theta changes."""
        z = self.feature_bound * self._array(theta)
        return float(self.probability @ self._conditional(z))

    def excess_risk(self, theta: Point) -> float:
        """Population risk above its minimum over all of R^p; exact to rounding for the squared loss."""
        w, best = self._array(theta), self._array(self.minimum.theta)
        if isinstance(self.loss, SquaredLoss):
            return float(self.probability @ (self.feature_bound * (w - best)) ** 2)
        difference = self._conditional(self.feature_bound * w) - self._conditional(self.feature_bound * best)
        return float(self.probability @ difference)

    def gradient(self, theta: Point) -> FloatArray:
        """Gradient of the mean loss over the sample's n records, shape (m,) or (p,) as theta."""
        self._drawn()
        w = self._array(theta)
        z = self.feature_bound * w
        negative = self.count - self.positive
        slope = self.positive * self.loss.derivative(z, self.label)
        slope = slope + negative * self.loss.derivative(z, -self.label)
        assert not isinstance(theta, GroupPoint)
        result = np.zeros(theta.shape[0])
        result[: self.touched] = self.feature_bound * slope / self.n
        return result

    def regularised_minimum(self, weight: float) -> FloatArray:
        """argmin over the ball of (mean loss over the sample) + weight/2 ||w||^2, shape (m,).

        Coordinates are independent given the multiplier of the ball, which is found by bisection; the idle coordinates
        are zero. Raises InputError unless weight > 0.
        """
        if not weight > 0:
            raise InputError(f"weight must be positive, got weight={weight:g}")
        self._drawn()
        w = self._shrunk(weight)
        if np.linalg.norm(w) <= self._ball.radius:
            return w
        low, high = weight, 2 * weight
        while np.linalg.norm(self._shrunk(high)) > self._ball.radius:
            low, high = high, 2 * high
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if np.linalg.norm(self._shrunk(middle)) > self._ball.radius else (low, middle)
        return self._shrunk(high)

    def _shrunk(self, weight: float) -> FloatArray:
        """The coordinate-wise minimisers of the mean loss plus weight/2 w_j^2, unconstrained."""
        share, x = self.count / self.n, self.feature_bound
        lean = (2 * self.positive - self.count) / self.n
        if isinstance(self.loss, SquaredLoss):
            return np.asarray(2 * x * lean * self.label / (2 * x * x * share + weight), dtype=np.float64)
        # The derivative of a convex function of one variable, zero where bisection says: |w_j| <= slope at zero/weight.
        reach = np.maximum(self.loss.lipschitz * x * share / weight, 1e-300)
        low, high = -reach, reach.copy()
        for _ in range(80):
            middle = (low + high) / 2
            z = x * middle
            slope = (share + lean) / 2 * self.loss.derivative(z, self.label)
            slope = slope + (share - lean) / 2 * self.loss.derivative(z, -self.label)
            above = x * slope + weight * middle > 0
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return np.asarray((low + high) / 2, dtype=np.float64)

    def _conditional(self, z: FloatArray) -> FloatArray:
        """E[phi(z_j; y) | x = X e_j], shape (m,)."""
        up = (1 + self.bias) / 2 * self.loss.value(z, self.label)
        return np.asarray(up + (1 - self.bias) / 2 * self.loss.value(z, -self.label), dtype=np.float64)

    def _find_minimum(self) -> Minimum:
        """The population minimiser in closed form; its gap is that of the gradient there, over a ball of radius B."""
        if isinstance(self.loss, SquaredLoss):
            z = self.bias * self.label
        elif isinstance(self.loss, AbsoluteLoss):
            z = np.sign(self.bias) * self.label
        elif isinstance(self.loss, LogisticLoss):
            if (np.abs(self.bias) == 1).any():
                raise InputError("logistic loss has no minimiser where all labels agree; bias must be inside (-1, 1)")
            z = np.where(self.label > 0, np.log((1 + self.bias) / (1 - self.bias)) / np.maximum(self.label, 1e-300), 0)
        else:
            raise InputError(f"OneHot knows no minimiser for {type(self.loss).__name__}")
        w = z / self.feature_bound
        if np.linalg.norm(w) > self._ball.radius * (1 + 1e-9):
            raise InputError(f"the minimiser has norm {np.linalg.norm(w):.4g}, above the ball's {self._ball.radius:g}")
        gap = 0.0
        if not isinstance(self.loss, AbsoluteLoss):  # at a kink of the absolute loss zero is a subgradient
            slope = (1 + self.bias) / 2 * self.loss.derivative(z, self.label)
            slope = slope + (1 - self.bias) / 2 * self.loss.derivative(z, -self.label)
            slope = np.where(self.label == 0, 0.0, slope) if isinstance(self.loss, LogisticLoss) else slope
            gap = 2 * self._ball.radius * float(np.linalg.norm(self.feature_bound * self.probability * slope))
        return Minimum(w, self.risk(w), gap)

    def _array(self, theta: Point) -> FloatArray:
        if isinstance(theta, GroupPoint) or theta.shape[0] not in (self.touched, self._ball.p):
            raise InputError(f"theta must have shape ({self._ball.p},) or ({self.touched},)")
        return theta[: self.touched]

    def _drawn(self) -> None:
        if not self.count.size:
            raise InputError("this is a population; draw a sample first")


class OneHotData(OneHot):
    """A fixed data set of one-hot records: the population is the data set itself, so the risk is the empirical mean.

    Args:
        copies: records X e_j, shape (m,); the other n - sum are x = 0.
        label: a_j. positive: how many of the copies have the label a_j, shape (m,); the others have -a_j.
        n, ball, loss, feature_bound, label_bound: as in :class:`OneHot`.

    Raises:
        InputError: as there; copies or positive that are not whole numbers, or more than there are.
    """

    def __init__(
        self,
        n: float,
        ball: L2Ball,
        loss: Loss,
        copies: FloatArray,
        label: FloatArray,
        positive: FloatArray,
        feature_bound: float = 1.0,
        label_bound: float = 1.0,
    ) -> None:
        counts = np.concatenate([copies, positive])
        if (counts != np.round(counts)).any() or (positive < 0).any() or (positive > copies).any() or copies.sum() > n:
            raise InputError("copies and positive must be whole numbers, positive <= copies, and at most n in all")
        # a coordinate without records has no bias either
        bias = 2 * positive / np.maximum(copies, 1.0) - (copies > 0)
        super().__init__(n, ball, loss, copies / n, label, bias, feature_bound, label_bound)
        self.count, self.positive = copies, positive

    def sample(self, rng: np.random.Generator) -> OneHotData:
        """The data set itself."""
        return self


def glm_constants(
    n: float, p: float, radius: float, loss: Loss, feature_bound: float = 1.0, label_bound: float = 1.0
) -> Constants:
    """Constants of a generalised linear model over the l2 ball.

    For an H-smooth non-negative loss G = 2 Y sqrt(H) X + 2 H B X^2 as printed in Lemma 2 (for the squared loss, whose
    gradient is at most 2 X (B X + Y), it is loose by 1.4 to 2); for a Lipschitz loss G X.
    """
    smoothness = loss.smoothness * feature_bound**2
    if math.isfinite(loss.lipschitz):
        lipschitz = loss.lipschitz * feature_bound
    else:
        lipschitz = 2 * label_bound * math.sqrt(smoothness) + 2 * smoothness * radius
    return Constants(
        n=n, p=p, radius=radius, lipschitz=lipschitz, curvature=0.0, vertices=0, diameter=2 * radius,
        smoothness=smoothness if math.isfinite(smoothness) else 0.0, label_bound=label_bound,
    )  # fmt: skip


class SketchedOneHot(Problem):
    """A one-hot sample with embedded features: coordinate j's records have Phi_j X, clipped to ``clip`` X in norm.

    Args:
        sample: the sample in p dimensions.
        phi: the columns of Phi for the touched coordinates, shape (k, m).
        clip: largest norm of a column.
        constants: public constants in k dimensions.
    """

    def __init__(self, sample: OneHot, phi: FloatArray, clip: float, constants: Constants) -> None:
        self.original, self._constants = sample, constants
        size = np.linalg.norm(phi, axis=0)
        self.phi = phi
        self.clipped: FloatArray = phi * np.minimum(1.0, clip / np.maximum(size, 1e-300))

    @property
    def constants(self) -> Constants:
        return self._constants

    @property
    def constraint_set(self) -> L2Ball:
        return L2Ball(int(self._constants.p), self._constants.radius)

    @property
    def capabilities(self) -> frozenset[str]:
        return frozenset({"population"})

    @property
    def start(self) -> FloatArray:
        return np.zeros(int(self._constants.p))

    def lift(self, theta: Point) -> FloatArray:
        """Phi^T theta on the touched coordinates, shape (m,)."""
        assert not isinstance(theta, GroupPoint)
        return np.asarray(self.phi.T @ theta, dtype=np.float64)

    def risk(self, theta: Point) -> float:
        """Population risk of Phi^T theta."""
        return self.original.risk(self.lift(theta))

    def gradient(self, theta: Point) -> FloatArray:
        """Gradient of the sample's mean loss in k dimensions."""
        one = self.original
        assert not isinstance(theta, GroupPoint)
        return np.asarray(self.clipped @ one.gradient(self.clipped.T @ theta), dtype=np.float64)

    def quadratic(self) -> tuple[FloatArray, FloatArray]:
        """(H, b) with gradient(w) = H w - b, for the squared loss."""
        one = self.original
        x = one.feature_bound
        hessian = (self.clipped * (2 * x**2 * one.count / one.n)) @ self.clipped.T
        linear = self.clipped @ (2 * x * one.label * (2 * one.positive - one.count) / one.n)
        return np.asarray(hessian), np.asarray(linear)

    def _find_minimum(self) -> Minimum:
        """That of the population before the projection: the risk of theta is that of Phi^T theta."""
        return self.original.minimum
