"""Both sides of all statements, as functions of plain numbers, and false ones for controls.

``mu`` = L/sigma and ``curvature`` r = beta/lambda, as in `accounts`. Values are delta, unless said otherwise.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dprepro.adversary import search
from dprepro.errors import PremiseError
from dprepro.privacy.perturbed_minimisers import addition_delta, removal_delta, shift_delta
from dprepro_objective_perturbation import accounts, pairs
from dprepro_objective_perturbation.accounts import FloatArray
from dprepro_objective_perturbation.minima import Split, both_stages, first_stage, reached, seen_twice

PIECES = 5
"""Of the maps that the search looks at."""

# Accounts and the pairs that come near to them


def _asked(curvature: float, epsilon: float) -> None:
    if epsilon < math.log1p(curvature):
        raise PremiseError("the account asks for epsilon >= ln(1 + beta/lambda)")


def addition(mu: float, curvature: float, epsilon: float) -> float:
    """The exact account of a record that comes."""
    _asked(curvature, epsilon)
    return addition_delta(mu, curvature, epsilon)


def addition_pair(mu: float, curvature: float, epsilon: float) -> float:
    """What a record that comes loses whose loss bends and does not in turn: exact, from below."""
    _asked(curvature, epsilon)
    return pairs.largest_addition(mu, curvature, epsilon)


def addition_attained(mu: float, curvature: float, epsilon: float) -> float:
    """The account where the derivation says that it is attained."""
    if not accounts.addition_is_attained(mu, curvature, epsilon):
        raise PremiseError("the best place does not move fast enough")
    return addition_delta(mu, curvature, epsilon)


def addition_bent_at_once(mu: float, curvature: float, epsilon: float) -> float:
    """Control: the largest over shifts of a Huber loss, which bends all at once."""
    shifts = np.linspace(-8, 8, 161)
    return max(pairs.one_record(mu, curvature, float(shift)).addition(epsilon) for shift in shifts)


def no_determinant(mu: float, epsilon: float) -> float:
    """Control: addition without ln(1 + r), the Gaussian's delta."""
    return shift_delta(mu, epsilon)


def removal(mu: float, epsilon: float) -> float:
    """The account of a record that goes."""
    return removal_delta(mu, epsilon)


def removal_pair(mu: float, curvature: float, epsilon: float) -> float:
    """What a record that goes loses whose loss bends at once, about the minimiser without it: exact."""
    return pairs.largest_removal(mu, curvature, epsilon)


def removal_attained(mu: float, curvature: float, epsilon: float) -> float:
    """The account where it is attained."""
    if not accounts.removal_is_attained(mu, curvature, epsilon):
        raise PremiseError("the account is attained for r >= mu^2/(epsilon - mu^2/2)")
    return removal_delta(mu, epsilon)


def profile(mu: float, curvature: float, epsilon: float) -> float:
    """The larger of both accounts."""
    _asked(curvature, epsilon)
    return accounts.profile(mu, curvature, epsilon)


def profile_attained(mu: float, curvature: float, epsilon: float) -> float:
    """The profile where its larger part is attained."""
    _asked(curvature, epsilon)
    goes = removal_delta(mu, epsilon) >= addition_delta(mu, curvature, epsilon)
    attained = accounts.removal_is_attained if goes else accounts.addition_is_attained
    if not attained(mu, curvature, epsilon):
        raise PremiseError("the larger part is not attained")
    return accounts.profile(mu, curvature, epsilon)


def largest_pair(mu: float, curvature: float, epsilon: float) -> float:
    """The larger of both pairs."""
    _asked(curvature, epsilon)
    return pairs.largest(mu, curvature, epsilon)


def half_noise_pair(mu: float, curvature: float, epsilon: float) -> float:
    """Control: the pairs with half of the noise."""
    return largest_pair(2 * mu, curvature, epsilon)


def plain(mu: float, curvature: float, epsilon: float) -> float:
    """Determinant and one-sided shift, or a removal."""
    _asked(curvature, epsilon)
    return accounts.plain_profile(mu, curvature, epsilon)


def redberg(mu: float, curvature: float, epsilon: float) -> float:
    """T(epsilon + ln(1 - r)), after Redberg, Koskela and Wang."""
    return accounts.redberg(mu, curvature, epsilon)


def plane_pair(mu: float, curvature: float, epsilon: float, stiffness: float, angle: float, shift: float) -> float:
    """A record in two dimensions beside another one, by quadrature."""
    _asked(curvature, epsilon)
    return pairs.in_the_plane(mu, curvature, epsilon, stiffness, angle, shift)


@lru_cache(maxsize=256)
def _searched(mu: float, curvature: float, epsilon: float, tries: int, draw: int, comes: bool) -> float:
    def value(place: FloatArray) -> float:
        found = pairs.knotted(place, mu, curvature)
        return found.addition(epsilon) if comes else found.removal(epsilon)

    return search(value, 2 + 2 * PIECES, [], tries, np.random.default_rng(draw)).value


def searched_addition(mu: float, curvature: float, epsilon: float, tries: float, draw: float) -> float:
    """The largest that a search over piecewise linear maps finds, from random starts."""
    return _searched(mu, curvature, epsilon, int(tries), int(draw), True)


def searched_removal(mu: float, curvature: float, epsilon: float, tries: float, draw: float) -> float:
    """The same where the record goes."""
    return _searched(mu, curvature, epsilon, int(tries), int(draw), False)


def some_addition(
    mu: float, curvature: float, epsilon: float, begin: float, level: float, gap: float, first: float, second: float
) -> float:
    """A map of four pieces, bent on two of them: from the place where it begins, v - u being ``level`` mu there."""
    return _some(mu, curvature, begin, level, gap, first, second).addition(epsilon)


def some_removal(
    mu: float, curvature: float, epsilon: float, begin: float, level: float, gap: float, first: float, second: float
) -> float:
    """The same where the record goes."""
    return _some(mu, curvature, begin, level, gap, first, second).removal(epsilon)


def _some(
    mu: float, curvature: float, begin: float, level: float, gap: float, first: float, second: float
) -> pairs.Map:
    lengths = np.sqrt((np.array([first, gap, second, 1.0]) - 0.01).clip(0) / 4)
    place = np.array([(begin + 6) / 12, (level + 1) / 2, *np.column_stack([lengths, [1.0, 0.0, 1.0, 0.0]]).ravel()])
    return pairs.knotted(place, mu, curvature)


# Renyi divergences


def renyi_pair(order: float, mu: float, curvature: float, shift: float) -> float:
    """D_alpha of a Huber loss that comes or goes, the larger."""
    return max(pairs.renyi(order, mu, curvature, shift, comes) for comes in (True, False))


def renyi(order: float, mu: float, curvature: float) -> float:
    """D_alpha by the losses that bound those of addition and removal."""
    return max(accounts.renyi_removal(order, mu), accounts.renyi_addition(order, mu, curvature))


def renyi_redberg(order: float, mu: float, curvature: float) -> float:
    """D_alpha after Redberg, Koskela and Wang."""
    return accounts.renyi_redberg(order, mu, curvature)


def renyi_gaussian(order: float, mu: float) -> float:
    """Control: the Gaussian's alpha mu^2/2, without determinant and second tail."""
    return order * mu**2 / 2


# The least noise: values are sigma/L


def least_noise(curvature: float, epsilon: float, delta: float) -> float:
    """By the exact profile."""
    _asked(curvature, epsilon)
    return accounts.noise(accounts.profile, curvature, epsilon, delta)


def needed_noise(curvature: float, epsilon: float, delta: float) -> float:
    """With less than this a pair of losses loses more: exact, from below."""
    _asked(curvature, epsilon)
    return accounts.noise(pairs.largest, curvature, epsilon, delta)


def plain_noise(curvature: float, epsilon: float, delta: float) -> float:
    """By determinant and one-sided shift."""
    return accounts.noise(accounts.plain_profile, curvature, epsilon, delta)


def two_sided_noise(curvature: float, epsilon: float, delta: float) -> float:
    """By determinant and two-sided shift, after the proof of Kifer, Smith and Thakurta."""
    return accounts.noise(accounts.two_sided, curvature, epsilon, delta)


def redberg_noise(curvature: float, epsilon: float, delta: float) -> float:
    """After Redberg, Koskela and Wang; r < 1 - e^-epsilon."""
    return accounts.noise(accounts.redberg, curvature, epsilon, delta)


def printed_noise(epsilon: float, delta: float) -> float:
    """As Kifer, Smith and Thakurta print it, for r <= epsilon/2."""
    return accounts.printed_noise(epsilon, delta)


def linear_noise(epsilon: float, delta: float) -> float:
    """Control: of linear losses, for which a Gaussian's noise suffices."""
    return accounts.noise(lambda mu, curvature, epsilon: shift_delta(mu, epsilon), 0.0, epsilon, delta)


# Approximate minima


def first_stage_loss(epsilon: float, delta: float, out_share: float, noise_share: float) -> float:
    """delta of the first stage at its epsilon, a record being replaced, over its share of delta."""
    split = Split(epsilon, delta, out_share, noise_share)
    return first_stage(split.mu_first, split.curvature, split.epsilon_first) / split.delta_first


def first_stage_half_noise(epsilon: float, delta: float, out_share: float, noise_share: float) -> float:
    """Control: linear losses with half of the noise, exactly."""
    split = Split(epsilon, delta, out_share, noise_share)
    return shift_delta(2 * split.mu_first, split.epsilon_first) / split.delta_first


def output_printed(epsilon: float, delta: float) -> float:
    """delta of the second stage at its own (epsilon, delta), over delta: two minima that each err by n gamma/Lambda."""
    return shift_delta(2 * _output_mu(epsilon, delta), epsilon) / delta


def output_repaired(epsilon: float, delta: float) -> float:
    """The same with noise for 2 n gamma/Lambda."""
    return shift_delta(_output_mu(epsilon, delta), epsilon) / delta


def output_repaired_half(epsilon: float, delta: float) -> float:
    """Control: that with half of the noise."""
    return shift_delta(2 * _output_mu(epsilon, delta), epsilon) / delta


def _output_mu(epsilon: float, delta: float) -> float:
    return epsilon / (1 + math.sqrt(2 * math.log(1 / delta)))


def whole_printed(epsilon: float, delta: float, out_share: float, noise_share: float) -> float:
    """delta over what is claimed of linear losses whose solver errs by n gamma/Lambda towards the record, as printed.

    Exact: both noises are Gaussian, and so is their sum. gamma is the one at which the answer tells most.
    """
    split = Split(epsilon, delta, out_share, noise_share)
    return shift_delta(math.hypot(split.mu_first, 2 * split.mu_output), epsilon) / delta


def whole_repaired(epsilon: float, delta: float, out_share: float, noise_share: float) -> float:
    """delta over what is claimed, of both stages together with the output noise for 2 n gamma/Lambda: an account."""
    split = Split(epsilon, delta, out_share, noise_share)
    return both_stages(split.mu_first, split.curvature, split.mu_output, epsilon) / delta


def whole_repaired_half(epsilon: float, delta: float, out_share: float, noise_share: float) -> float:
    """Control: linear losses with half of that output noise, exactly."""
    return whole_printed(epsilon, delta, out_share, noise_share)


def composed(mu: float, curvature: float, epsilon: float, mu_output: float) -> float:
    """The account of minima that err by tau/lambda at most, with output noise of deviation 2 tau/(lambda mu_output)."""
    return reached(mu, curvature, epsilon, mu_output)


def composed_pair(mu: float, curvature: float, epsilon: float, mu_output: float) -> float:
    """Both stages of the worst pairs, where the exact minimiser is seen besides: more than anybody sees."""
    return seen_twice(mu, curvature, epsilon, mu_output)


def composed_half(mu: float, curvature: float, epsilon: float, mu_output: float) -> float:
    """Control: the factor 2 of the minima's distance left out."""
    return reached(mu, curvature, epsilon, mu_output / 2)


def one() -> float:
    """1."""
    return 1.0
