"""Binary codes whose words are unit vectors: many points of the sphere that are far apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dprepro.errors import InputError
from dprepro.problems.problem_data import FloatArray

FIRST_ROWS = {
    4: 1, 6: 3, 8: 7, 10: 7, 12: 7, 14: 7, 16: 23, 18: 79, 20: 47, 22: 183, 24: 379, 26: 427, 28: 471, 30: 1143, 32: 367
}  # fmt: skip
"""First rows of circulants by length p, bit k of the number being entry k: the least distances are 2, 3, 4, 4, 4, 4, 5,
6, 6, 7, 8, 7, 8, 8, 8, the largest that a linear code of that length and p/2 dimensions can have where p is 8, 16, 24
or 32."""


@dataclass(frozen=True, eq=False)
class Code:
    """K = 2^(p/2) words over {-1, 1}^p / sqrt p, with their least Hamming distance.

    Attributes:
        words: shape (K, p), all of norm 1.
        distance: least number of coordinates in which two words differ.
    """

    words: FloatArray
    distance: int

    @property
    def size(self) -> int:
        """K."""
        return len(self.words)

    @property
    def share(self) -> float:
        """distance / p, so that two words are at least 2 sqrt(share) apart in l2."""
        return self.distance / int(self.words.shape[1])

    def nearest(self, theta: FloatArray) -> int:
        """Number of the word nearest to theta; as all have norm 1, the same for every positive multiple of theta."""
        return int(np.argmax(self.words @ theta))

    def rival(self, number: int) -> FloatArray:
        """The word nearest to the one of that number, among the others."""
        alike = self.words @ self.words[number]
        alike[number] = -np.inf
        return np.asarray(self.words[int(alike.argmax())])

    def find(self, record: FloatArray) -> int | None:
        """Number of the word that the record is, or None."""
        number = self.nearest(record)
        return number if np.abs(self.words[number] - record).max() < 1e-9 else None


@lru_cache(maxsize=16)
def double_circulant_code(p: int) -> Code:
    """The words (u, u A) for u in {0, 1}^(p/2), A the circulant whose first row `FIRST_ROWS` has.

    A linear code's least distance is its least weight, found by listing all words.

    Raises:
        InputError: a p without such a code.
    """
    check_length(p)
    half = p // 2
    first = (FIRST_ROWS[p] >> np.arange(half)) & 1
    messages = (np.arange(2**half)[:, None] >> np.arange(half)) & 1
    bits = np.hstack([messages, messages @ np.array([np.roll(first, place) for place in range(half)]) % 2])
    words = np.ascontiguousarray((1.0 - 2.0 * bits) / np.sqrt(p))
    words.setflags(write=False)  # one array for all who ask
    return Code(words, int(bits[1:].sum(axis=1).min()))


def check_length(p: float) -> None:
    """Raise InputError unless there is a code of this length."""
    if p not in FIRST_ROWS:
        least, most = min(FIRST_ROWS), max(FIRST_ROWS)
        raise InputError(f"codes of 2^(p/2) words are known here for even p from {least} to {most}, got p={p:g}")
