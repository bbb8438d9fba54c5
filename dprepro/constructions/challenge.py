"""Hard instances with a secret: what an attack tries to recover from an algorithm's answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from dprepro.constructions.base import Construction, Point
from dprepro.problems import Problem


@dataclass(frozen=True)
class Finding:
    """One thing that an attack finds out.

    Attributes:
        quantity: its name in the frame (``traced``, ``decoded``, ``accused``, ...).
        value: the share of successes among ``trials``, or any number where ``trials`` is 0.
        bound: the line that the theorem draws, if any.
        trials: independent 0/1 trials behind the value. Users judged by one answer share its noise and are not
            independent: judge one fresh user an answer where an exact interval is wanted.
        columns: the study's further columns.
    """

    quantity: str
    value: float
    bound: float | None = None
    trials: int = 1
    columns: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Challenge(ABC):
    """One drawn instance together with its secret.

    Attributes:
        problem: what the algorithm is given.
        certificates: proved properties of this instance by name (duality gaps, distances), stored with the rows.
    """

    problem: Problem
    certificates: Mapping[str, float] = field(default_factory=dict, kw_only=True)

    @abstractmethod
    def attack(self, theta: Any, rng: np.random.Generator) -> Sequence[Finding]:
        """What the answer ``theta`` gives away; fresh bystanders are drawn from ``rng``."""

    @property
    def mean_level(self) -> float:
        """What no private algorithm's mean risk is below, averaged over instances; 0 where nothing is proved."""
        return 0.0


@dataclass(frozen=True)
class Attackable(Construction):
    """A family of hard instances of which each has a secret.

    Class attributes:
        findings: quantities that the attack may find; a name that ends in a star stands for all that begin so.
        certificates: names of the certificates of its instances, likewise.
    """

    findings: ClassVar[tuple[str, ...]] = ("*",)
    certificates: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def challenge(self, point: Point, noise_scale: float, rng: np.random.Generator) -> Challenge:
        """A fresh instance at a grid point, drawn from ``rng``.

        Raises:
            PremiseError: the point lies outside the premise, or the drawn instance lacks a promised property.
        """

    @property
    def proves(self) -> str:
        """The rate, a function of `dprepro.bounds` by name, whose lower bound the family proves; empty for none."""
        return ""

    def build(self, point: Point, noise_scale: float) -> Problem:
        """One fixed instance: what a study sees that does not attack."""
        return self.challenge(point, noise_scale, np.random.default_rng(0)).problem

    def draw(self, point: Point, noise_scale: float, rng: np.random.Generator) -> Problem:
        """A fresh instance, without its secret."""
        return self.challenge(point, noise_scale, rng).problem
