"""A user's question: I publish only the final model; what does it leak?"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

from dprepro.errors import PremiseError
from dprepro_last_iterate.pairs import plateau_time, worst_linear_at
from dprepro_last_iterate.published import (
    composition_mu,
    contraction,
    convex_mu_least,
    gaussian_epsilon,
    geometric_mu,
    ratio_b,
)


@dataclass(frozen=True)
class Leak:
    """What is known of epsilon at delta.

    Attributes:
        all_steps: where every iterate is published: exact for linear losses.
        proved: the least bound that is proved for the last iterate.
        seen: the largest exact epsilon of a pair of linear losses with the same numbers, on an interval.
        strongly: whether losses are promised to be strongly convex, as linear ones are not.
    """

    all_steps: float
    proved: float
    seen: float
    strongly: bool = False

    def __str__(self) -> str:
        apart = ", which are not strongly convex" if self.strongly else ""
        return (
            f"epsilon of all iterates {self.all_steps:.4g}; of the last one at most {self.proved:.4g} (proved), "
            f"at least {self.seen:.4g} for some linear losses (exact law){apart}"
        )


def final_model(
    steps: int,
    sensitivity: float,
    step_size: float,
    noise: float,
    delta: float,
    diameter: float = 1.0,
    convexity: float = 0.0,
    smoothness: float = 0.0,
) -> Leak:
    """What the last of T full-batch steps leaks.

    Premise: convex losses, eta <= 2/M, and a start that is the same for all data.

    Args:
        sensitivity: s, the largest change of the gradient of the mean loss when one record is replaced: 2C/n for
            C-Lipschitz losses.
        noise: sigma, of every coordinate of the gradient of the mean loss.
        diameter: of the convex set on which steps are projected.
        convexity, smoothness: m and M where losses are strongly convex, eta < 2/M; M alone is held against eta <= 2/M.

    Raises:
        PremiseError: m > M, or a step size that is too large for M.
    """
    largest = 2 / smoothness if smoothness > 0 else math.inf
    if convexity > smoothness or step_size > largest or (convexity > 0 and step_size == largest):
        raise PremiseError("the bounds ask for convexity <= smoothness and step-size <= 2/smoothness (< if strongly)")
    mu = convex_mu_least(steps, sensitivity, step_size, noise, diameter)
    if convexity > 0:
        mu = min(mu, geometric_mu(steps, sensitivity / noise, contraction(step_size, convexity, smoothness)))
    # lengths in units of the diameter
    seen = worst_linear_at(steps, sensitivity / noise, step_size * noise / diameter, 1.0, delta).epsilon
    everything = gaussian_epsilon(composition_mu(steps, sensitivity, noise), delta)
    return Leak(everything, gaussian_epsilon(mu, delta), seen, convexity > 0)


def main() -> None:
    """``python -m dprepro_last_iterate.final_model --steps 3000 --sensitivity .1 --step-size .05 --noise 1``."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--steps", type=int, required=True)
    for name in ("sensitivity", "step-size", "noise"):
        parser.add_argument(f"--{name}", type=float, required=True)
    for name, usual in (("delta", 1e-5), ("diameter", 1.0), ("convexity", 0.0), ("smoothness", 0.0)):
        parser.add_argument(f"--{name}", type=float, default=usual)
    given = parser.parse_args()
    if not (given.steps >= 1 and min(given.sensitivity, given.step_size, given.noise, given.diameter) > 0):
        parser.error("steps must be at least 1; sensitivity, step-size, noise and diameter positive")
    if not 0 < given.delta < 1:
        parser.error(f"delta must lie in (0, 1), got {given.delta:g}")
    try:
        print(final_model(**vars(given)))
    except PremiseError as error:
        parser.error(str(error))
    unit = ratio_b(given.sensitivity, given.step_size, given.noise, given.diameter)
    late = plateau_time(given.sensitivity / given.diameter, given.step_size)
    print(f"B = {unit:.4g}; composition is no better than the convex bound from T* = {late:.0f} steps on")


if __name__ == "__main__":
    main()
