"""Fits by other libraries, refereed like any algorithm: diffprivlib's regressions, opacus's DP-SGD (extra ``peers``).

What they spend is what they claim; whether it holds is for an audit to say. Their answers are projected on the
constraint set, which costs no privacy and can only help them.
"""

from __future__ import annotations

import logging
import math
import warnings
from abc import abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import metadata
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, Schedule, Solution
from dprepro.algorithms.premises import Assumption
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError, MissingDependency
from dprepro.privacy import PrivacyLoss
from dprepro.problems import Domain, Problem, Records
from dprepro.problems.losses import LogisticLoss, SquaredLoss
from dprepro.problems.problem_data import FloatArray

if TYPE_CHECKING:
    from collections.abc import Iterator

ABSENT = "not installed"


class MissingLibrary(InputError, MissingDependency):
    """A fit whose library is not installed: a series that is left out, or an experiment that is skipped."""


@dataclass(frozen=True)
class Peer(Algorithm):
    """A library's fit of the records.

    Attributes:
        project: whether its answer is projected on the constraint set.
    """

    project: bool = True

    representations: ClassVar[tuple[str, ...]] = ("records",)
    relations: ClassVar[tuple[Neighbours, ...]] = (Neighbours.REPLACE_ONE,)
    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.PRIVATE,)
    package: ClassVar[str] = ""
    losses: ClassVar[tuple[type, ...]] = ()

    @cached_property
    def library(self) -> str:
        """Name and version."""
        return f"{self.package} {installed(self.package)}"

    def fingerprint(self) -> dict[str, str]:
        """A cell of another version of the library is another cell."""
        return {"library": self.library}

    def premise(self, domain: Domain, budget: Budget) -> str:
        """The library, and a loss that it has.

        Raises:
            MissingLibrary: the library is not installed.
        """
        if self.library.endswith(ABSENT):
            raise MissingLibrary(f"{type(self).__name__} needs {self.package}: pip install 'dprepro[peers]'")
        if not isinstance(domain.loss, self.losses):
            known = " or ".join(loss.__name__ for loss in self.losses)
            return f"fits {known}, got {type(domain.loss).__name__}"
        return ""

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        domain = problem.domain
        self.admit(domain, budget)
        with quiet():
            theta = self.fit(problem.records.records, domain, budget, int(rng.integers(2**31)))
        if self.project:
            theta = domain.constraint_set.project(theta)
        return Solution(theta, self.schedule(domain, budget), self.privacy_loss(domain, budget))

    def privacy_loss(self, domain: Domain, budget: Budget) -> PrivacyLoss:
        """What the library claims."""
        return PrivacyLoss(budget.epsilon, budget.delta, f"as {self.package} claims")

    @abstractmethod
    def fit(self, records: Records, domain: Domain, budget: Budget, seed: int) -> FloatArray:
        """The library's answer, shape (p,)."""


@dataclass(frozen=True)
class DiffprivlibLinear(Peer):
    """``diffprivlib.models.LinearRegression``: the functional mechanism (Zhang et al. 2012), Laplace noise, delta 0.

    The library is told that features lie in [-X, X]. In [0, X] version 0.6.6 takes the diagonal of X^T X for
    insensitive, and releases it as it is.
    """

    package: ClassVar[str] = "diffprivlib"
    losses: ClassVar[tuple[type, ...]] = (SquaredLoss,)

    def fit(self, records: Records, domain: Domain, budget: Budget, seed: int) -> FloatArray:
        from diffprivlib.models import LinearRegression

        x, y = dense(records)
        bound, label = domain.feature_bound, domain.label_bound
        model = LinearRegression(
            epsilon=budget.epsilon, bounds_X=(-bound, bound), bounds_y=(-label, label), fit_intercept=False,
            random_state=seed,
        )  # fmt: skip
        return np.asarray(model.fit(x, y).coef_, dtype=np.float64).ravel()


@dataclass(frozen=True)
class DiffprivlibLogistic(Peer):
    """``diffprivlib.models.LogisticRegression``: objective perturbation (Chaudhuri et al. 2011), delta 0.

    Attributes:
        inverse_regulariser: C of the library, whose default is 1.
    """

    inverse_regulariser: float = 1.0

    package: ClassVar[str] = "diffprivlib"
    losses: ClassVar[tuple[type, ...]] = (LogisticLoss,)

    def fit(self, records: Records, domain: Domain, budget: Budget, seed: int) -> FloatArray:
        from diffprivlib.models import LogisticRegression

        x, y = dense(records)
        model = LogisticRegression(
            epsilon=budget.epsilon, data_norm=domain.feature_length, C=self.inverse_regulariser,
            fit_intercept=False, random_state=seed,
        )  # fmt: skip
        found = model.fit(x, np.where(y > 0, 1, -1)).coef_
        return np.asarray(found, dtype=np.float64).ravel()


@dataclass(frozen=True)
class OpacusDescent(Peer):
    """DP-SGD by ``opacus``: Poisson batches, every record's gradient clipped at L_2, projected steps, the last answer.

    The library's relation is that a record comes or goes. A replacement is one and the other, so it is told
    epsilon/2 and delta/(1 + exp(epsilon/2)).

    Attributes:
        steps, rate: how many, and the chance of a record to be in a step's batch.
    """

    steps: int = 200
    rate: float = 0.05

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.DELTA,)
    package: ClassVar[str] = "opacus"
    losses: ClassVar[tuple[type, ...]] = (SquaredLoss, LogisticLoss)

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        """Steps, and the noise of a step's mean gradient."""
        self.admit(domain, budget)
        half = budget.epsilon / 2
        multiplier = noise_multiplier(half, budget.delta / (1 + math.exp(half)), self.rate, self.steps)
        return Schedule(self.steps, multiplier * domain.lipschitz / (self.rate * domain.n))

    def fit(self, records: Records, domain: Domain, budget: Budget, seed: int) -> FloatArray:
        import torch
        from opacus import PrivacyEngine

        x, y = (torch.tensor(vector, dtype=torch.float32) for vector in dense(records))
        noise, clip = self.schedule(domain, budget).noise_scale, domain.lipschitz
        step = domain.diameter / math.sqrt(self.steps * (clip**2 + domain.p * noise**2))
        torch.manual_seed(seed)
        model = torch.nn.Linear(x.shape[1], 1, bias=False)
        torch.nn.init.zeros_(model.weight)
        data = torch.utils.data.TensorDataset(x, y)
        model, descent, batches = PrivacyEngine().make_private(
            module=model, optimizer=torch.optim.SGD(model.parameters(), lr=step),
            data_loader=torch.utils.data.DataLoader(data, batch_size=max(1, round(self.rate * len(y)))),
            noise_multiplier=noise * self.rate * domain.n / clip, max_grad_norm=clip,
        )  # fmt: skip
        weight, squared = next(iter(model.parameters())), isinstance(domain.loss, SquaredLoss)
        for features, labels in endless(batches, self.steps):
            descent.zero_grad()
            seen = model(features).squeeze(1)
            losses = (seen - labels) ** 2 if squared else torch.nn.functional.softplus(-labels * seen)
            losses.mean().backward()
            descent.step()
            if self.project:
                kept = domain.constraint_set.project(weight.detach().numpy().ravel().astype(np.float64))
                weight.data = torch.tensor(kept[None], dtype=torch.float32)
        return np.asarray(weight.detach().numpy(), dtype=np.float64).ravel()


def installed(package: str) -> str:
    """The library's version, or `ABSENT`."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ABSENT


def dense(records: Records) -> tuple[FloatArray, FloatArray]:
    """Features, shape (n, p), and labels, every record as often as it stands."""
    times = np.round(records.copies).astype(int)
    return np.repeat(records.features, times, axis=0), np.repeat(records.targets, times)


def endless(batches: Any, steps: int) -> Iterator[Any]:
    """So many batches, however often the loader starts anew."""
    taken = 0
    while taken < steps:
        for batch in batches:
            yield batch
            taken += 1
            if taken == steps:
                return


@lru_cache(maxsize=256)
def noise_multiplier(epsilon: float, delta: float, rate: float, steps: int) -> float:
    """Of the clipping norm, by opacus's own accountants, within 1% of epsilon."""
    from opacus.accountants.utils import get_noise_multiplier

    asked = {"target_epsilon": epsilon, "target_delta": delta, "sample_rate": rate, "steps": steps}
    with quiet():
        try:
            return float(get_noise_multiplier(**asked, accountant="prv", epsilon_tolerance=epsilon / 100))
        except ValueError:  # its numerical error is larger than a small epsilon
            return float(get_noise_multiplier(**asked, accountant="rdp", epsilon_tolerance=epsilon / 100))


@contextmanager
def quiet() -> Iterator[None]:
    """What the libraries warn of (hooks, insecure noise, convergence) is not for the user of this one."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
