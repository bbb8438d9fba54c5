"""Functions that answer on data and claim (epsilon, 0)-privacy: six that keep it, and seven that do not."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

# records are numbers in [0, 1], n is public


def laplace_mean(values, epsilon, rng):
    return np.clip(values, 0, 1).mean() + rng.laplace(scale=1 / (epsilon * len(values)))


def laplace_histogram(values, epsilon, rng):
    counts, _ = np.histogram(np.clip(values, 0, 1), bins=4, range=(0, 1))
    return counts + rng.laplace(scale=2 / epsilon, size=4)


def randomised_response(values, epsilon, rng):
    truth = rng.random(len(values)) < 1 / (1 + np.exp(-epsilon))
    return np.sort(np.where(truth, values > 0.5, values <= 0.5).astype(float))


def exponential_median(values, epsilon, rng):
    grid = np.linspace(0, 1, 11)
    score = -np.abs((np.asarray(values)[:, None] <= grid).sum(axis=0) - len(values) / 2)
    weights = np.exp(epsilon * score / 2 - np.max(epsilon * score / 2))
    return rng.choice(grid, p=weights / weights.sum())


def global_generator(values, epsilon):
    return np.clip(values, 0, 1).sum() + np.random.laplace(scale=1 / epsilon)


def noisy_maximum(values, epsilon, rng):
    counts, _ = np.histogram(np.clip(values, 0, 1), bins=3, range=(0, 1))
    return np.argmax(counts + rng.gumbel(scale=2 / epsilon, size=3))


def half_sensitivity(values, epsilon, rng):
    return np.clip(values, 0, 1).mean() + rng.laplace(scale=0.5 / (epsilon * len(values)))


def bounds_of_the_data(values, epsilon, rng):
    low, high = values.min(), values.max()
    return values.mean() + rng.laplace(scale=(high - low) / (epsilon * len(values)) + 1e-12)


def seed_of_one_byte(values, epsilon, rng):
    few = np.random.default_rng(rng.integers(256))
    return np.clip(values, 0, 1).mean() + few.laplace(scale=1 / (epsilon * len(values)))


def epsilon_twice(values, epsilon, rng):
    inside = np.clip(values, 0, 1)
    scale = 1 / (epsilon * len(values))
    return inside.mean() + rng.laplace(scale=scale), (inside**2).mean() + rng.laplace(scale=scale)


def nan_on_one(values, epsilon, rng):
    inside = np.clip(values, 0, 1)
    return np.nan if inside.std() == 0 else inside.mean() + rng.laplace(scale=1 / (epsilon * len(values)))


def noise_that_is_reused(values, epsilon, rng):
    inside = np.clip(values, 0, 1)
    noise = rng.laplace(scale=2 / epsilon)
    return inside.sum() + noise, (inside > 0.5).sum() + noise


def threshold_on_n(values, epsilon, rng):
    if len(values) < 137:
        return 0.0
    return np.clip(values, 0, 1).sum() + rng.laplace(scale=1 / epsilon)


RIGHT = (laplace_mean, laplace_histogram, randomised_response, exponential_median, global_generator, noisy_maximum)
WRONG = (half_sensitivity, bounds_of_the_data, seed_of_one_byte, epsilon_twice, nan_on_one, noise_that_is_reused,
         threshold_on_n)  # fmt: skip


# what a stranger may write: answers of all kinds, with the domain, the relation and the delta of each


def clips_the_answer(values, epsilon, rng):
    """Of records beyond the range to which the answer, and not each of them, is clipped."""
    return np.clip(values.mean() + rng.laplace(scale=1 / (epsilon * len(values))), 0, 1)


def noise_by_a_digest(values, epsilon):
    own = np.random.default_rng(zlib.crc32(values.tobytes()))
    return values.mean() + own.laplace(scale=1 / (epsilon * len(values)))


def root_of_the_coordinates(features, epsilon, rng):
    """Each of p coordinates with epsilon/sqrt(p), where epsilon/p is its share."""
    return features.mean(axis=0) + rng.laplace(scale=np.sqrt(features.shape[1]) / (epsilon * len(features)), size=8)


def grid_of_the_data(values, epsilon, rng):
    step = 0.05 * (1 + values.std())
    return np.round((values.sum() + rng.laplace(scale=1 / epsilon)) / step) * step


def stops_by_the_private_loss(values, epsilon, rng):
    theta, path = 0.0, []
    for _ in range(10):
        theta -= 0.5 * ((theta - values).mean() + rng.laplace(scale=10 / (epsilon * len(values))))
        path.append(theta)
        if ((theta - values) ** 2).mean() < 0.05:
            break
    return path


def names_by_the_data(values, epsilon, rng):
    """The noisy number of records, under the name of the bin of the largest."""
    return {f"bin {int(3.999 * values.max())}": len(values) + rng.laplace(scale=1 / epsilon)}


def scale_in_one_of_twenty(features, epsilon, rng):
    scale = np.full(20, 20 / (epsilon * len(features)))
    scale[12] *= 0.1 + features[:, 12].mean()
    return features.mean(axis=0) + scale * rng.laplace(size=20)


def exact_in_an_error(values, epsilon, rng):
    found = values.sum() + rng.laplace(scale=1 / epsilon)
    if found < 0:
        raise ValueError(f"{found:.2f} is negative; the sum is {values.sum():.3f}")
    return found


@dataclass
class Summary:
    noisy: float
    spread: float


def exact_in_a_record(values, epsilon, rng):
    return Summary(values.sum() + rng.laplace(scale=1 / epsilon), values.std())


class Centres:
    def __init__(self, centres, inertia):
        self.centers_, self.inertia_ = centres, inertia


def exact_in_an_estimator(values, epsilon, rng):
    centre = values.mean() + rng.laplace(scale=1 / (epsilon * len(values)))
    return Centres(np.array([centre]), ((values - centre) ** 2).sum())


def remembers_its_answers(values, epsilon, rng, answers=[]):  # noqa: B006
    """The mean of the last answers, on whatever data."""
    answers.append(values.sum() + rng.laplace(scale=1 / epsilon))
    del answers[:-20]
    return np.mean(answers)


def permute_and_flip(values, epsilon, rng):
    counts, _ = np.histogram(values, bins=3, range=(0, 1))
    for place in rng.permutation(3):
        if rng.random() < np.exp(epsilon * (counts[place] - counts.max()) / 2):
            return float(place)
    return -1.0


def sparse_vector(features, epsilon, rng):
    threshold = len(features) / 2 + rng.laplace(scale=2 / epsilon)
    noisy = features.sum(axis=0) + rng.laplace(scale=4 / epsilon, size=features.shape[1])
    over = np.flatnonzero(noisy > threshold)
    return {"first": over[0] if over.size else "none"}


def stable_histogram(values, epsilon, delta, rng):
    """Noisy counts of the bins that have records, where they are not too small."""
    counts, _ = np.histogram(values, bins=4, range=(0, 1))
    noisy = {str(place): count + rng.laplace(scale=1 / epsilon) for place, count in enumerate(counts) if count}
    return {name: count for name, count in noisy.items() if count > 1 + np.log(1 / (2 * delta)) / epsilon}


def descent_with_clipped_gradients(features, y, epsilon, delta, rng):
    theta = np.zeros(2)
    for _ in range(3):
        slopes = -features * (y / (1 + np.exp(y * (features @ theta))))[:, None]
        slopes /= np.maximum(1, np.linalg.norm(slopes, axis=1))[:, None]
        theta = theta - slopes.mean(axis=0) - rng.normal(0, 5.8 / (epsilon * len(y)), size=2)
    return Centres(theta, 3)


NUMBERS, ROWS = "n=10 x=0..1", "n=10 p={} x=0..1"
STRANGE_WRONG = {
    clips_the_answer: "n=10 x=-5..5", noise_by_a_digest: NUMBERS, root_of_the_coordinates: ROWS.format(8),
    grid_of_the_data: NUMBERS, stops_by_the_private_loss: NUMBERS, names_by_the_data: NUMBERS,
    scale_in_one_of_twenty: ROWS.format(20), exact_in_an_error: NUMBERS, exact_in_a_record: NUMBERS,
    exact_in_an_estimator: NUMBERS, remembers_its_answers: NUMBERS,
}  # fmt: skip
"""With the domain of each; the relation is replacement, delta is 0."""
STRANGE_RIGHT = {
    permute_and_flip: (NUMBERS, "replace_one", 0.0), sparse_vector: (ROWS.format(4), "replace_one", 0.0),
    stable_histogram: (NUMBERS, "add_or_remove_one", 0.02),
    descent_with_clipped_gradients: ("n=10 p=2 x=-10..10 y=-1|1", "replace_one", 0.05),
}  # fmt: skip
"""With domain, relation and delta of each."""
