"""Binary codes whose words are unit vectors: many points of the sphere that are far apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dprepro.errors import InputError
from dprepro.problems.data import FloatArray

LARGEST = 32  # 2^16 words, enough to list and to decode by looking at each
DRAWS = 16


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

    def find(self, record: FloatArray) -> int | None:
        """Number of the word that the record is, or None."""
        number = self.nearest(record)
        return number if np.abs(self.words[number] - record).max() < 1e-9 else None


@lru_cache(maxsize=8)
def random_linear_code(p: int) -> Code:
    """The code of Lemma 5.1's proof (Bassily, Smith and Thakurta 2014): random, linear, of rate 1/2; always the same.

    A linear code's least distance is its least weight, found by listing all words. Of 16 fixed draws the best is
    taken: a single one has the Gilbert-Varshamov distance with a fair chance only.

    Raises:
        InputError: an odd p, or one at which the words cannot be listed.
    """
    check_length(p)
    half = p // 2
    messages = (np.arange(2**half)[:, None] >> np.arange(half)) & 1
    rng = np.random.default_rng(p)
    best, least = messages, -1
    for _ in range(DRAWS):
        bits = messages @ rng.integers(0, 2, (half, p)) % 2
        weight = int(bits[1:].sum(axis=1).min())
        if weight > least:
            best, least = bits, weight
    words = np.ascontiguousarray((1.0 - 2.0 * best) / np.sqrt(p))
    words.setflags(write=False)  # one array for all who ask
    return Code(words, least)


def check_length(p: float) -> None:
    """Raise InputError unless a code of this length can be listed."""
    if p % 2 or not 4 <= p <= LARGEST:
        raise InputError(f"a code of 2^(p/2) words needs an even p from 4 to {LARGEST}, got p={p:g}")
