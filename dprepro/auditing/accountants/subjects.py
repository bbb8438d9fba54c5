"""Accountants as subjects: each is asked for epsilon at delta of a known law, by its public doors, as a user would.

What an accountant calls its upper bound is taken where it gives several numbers. A law that it has no form for is
`Unknown`, and a library that is not installed is left out by name (`absent`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from dprepro.auditing.accountants.laws import KnownLaw
from dprepro.errors import unknown

ABSENT = "not installed"


SEARCH = "looks for e^epsilon with scipy's minimize_scalar within [0, 1], which new versions of scipy keep to"
"""With the search that is meant the answer for a Gaussian of mu = 1 at delta = 1e-6 is 4.885, not -.005."""


class Unknown(Exception):
    """The accountant has no form for the law."""


@dataclass(frozen=True)
class Accountant:
    """A way of a library to account for privacy.

    Attributes:
        name: library and method.
        package: as it is installed.
        epsilon: of a law, at delta.
        warns: what has to be said of all its answers, by the library or for it; empty where there is nothing.
    """

    name: str
    package: str
    epsilon: Callable[[KnownLaw, float], float]
    warns: str = ""

    @property
    def version(self) -> str:
        """Of the library, or `ABSENT`."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return ABSENT


def accountants() -> Iterator[Accountant]:
    """All that are known, installed or not."""
    yield Accountant("dprepro", "dprepro", _own)
    yield Accountant("dp-accounting RDP", "dp-accounting", _rdp)
    yield Accountant("dp-accounting PLD", "dp-accounting", _pld)
    yield Accountant("autodp", "autodp", _autodp)
    yield Accountant("autodp Fourier", "autodp", _autodp_fourier, SEARCH)
    yield Accountant("prv-accountant", "prv-accountant", _prv)
    yield Accountant("opacus RDP", "opacus", _opacus("RDPAccountant"))
    yield Accountant("opacus PRV", "opacus", _opacus("PRVAccountant"))
    yield Accountant("opacus GDP", "opacus", _opacus("GaussianAccountant"), "warns that it is an approximation")


def by_name(name: str) -> Accountant:
    """The one of that name.

    Raises:
        InputError: there is none.
    """
    known = {accountant.name: accountant for accountant in accountants()}
    if name not in known:
        raise unknown("accountant", name, list(known))
    return known[name]


def _own(law: KnownLaw, delta: float) -> float:
    from dprepro.mechanisms import GaussianShift, PureLoss, SampledGaussianShift
    from dprepro.privacy.accounting import privacy_loss

    if law.kind == "gaussian":
        return privacy_loss(GaussianShift(law.parameter), law.uses, delta).epsilon
    if law.kind in ("laplace", "response"):
        return privacy_loss(PureLoss(law.parameter), law.uses, delta).epsilon
    # one record of a public number of them is drawn for each use; 0 and mu are answers, as the law's are
    return privacy_loss(SampledGaussianShift(law.parameter, 1 / law.rate), law.uses, delta).epsilon


def _event(law: KnownLaw) -> Any:
    import dp_accounting.dp_event as events

    theirs: Any
    if law.kind == "laplace":
        theirs = events.LaplaceDpEvent(1 / law.parameter)
    elif law.kind == "response":
        odds = math.exp(-law.parameter)
        theirs = events.RandomizedResponseDpEvent(2 * odds / (1 + odds), 2)
    else:
        theirs = events.GaussianDpEvent(1 / law.parameter)
        theirs = events.PoissonSampledDpEvent(law.rate, theirs) if law.kind == "sampled" else theirs
    return events.SelfComposedDpEvent(theirs, law.uses) if law.uses > 1 else theirs


def _relation(law: KnownLaw) -> Any:
    from dp_accounting import NeighboringRelation

    return NeighboringRelation.REPLACE_ONE if law.kind == "response" else NeighboringRelation.ADD_OR_REMOVE_ONE


def _rdp(law: KnownLaw, delta: float) -> float:
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant(neighboring_relation=_relation(law))
    if not accountant.supports(_event(law)):
        raise Unknown
    return float(accountant.compose(_event(law)).get_epsilon(delta))


def _pld(law: KnownLaw, delta: float) -> float:
    from dp_accounting.pld import PLDAccountant

    accountant = PLDAccountant(_relation(law))
    if not accountant.supports(_event(law)):
        raise Unknown
    return float(accountant.compose(_event(law)).get_epsilon(delta))


def _autodp(law: KnownLaw, delta: float) -> float:
    from autodp import mechanism_zoo, transformer_zoo

    if law.kind == "gaussian":
        theirs = mechanism_zoo.ExactGaussianMechanism(1 / law.parameter)
        if law.uses > 1:
            return float(transformer_zoo.ComposeGaussian()([theirs], [law.uses]).get_approxDP(delta))
    elif law.kind == "laplace":
        theirs = mechanism_zoo.LaplaceMechanism(1 / law.parameter)
    elif law.kind == "response":
        theirs = mechanism_zoo.RandresponseMechanism(1 / (1 + math.exp(-law.parameter)))
    else:
        gaussian = mechanism_zoo.GaussianMechanism(1 / law.parameter)
        theirs = transformer_zoo.AmplificationBySampling()(gaussian, law.rate, improved_bound_flag=True)
    whole = transformer_zoo.Composition()([theirs], [law.uses]) if law.uses > 1 else theirs
    return float(whole.get_approxDP(delta))


def _autodp_fourier(law: KnownLaw, delta: float) -> float:
    from autodp import mechanism_zoo, transformer_zoo

    if law.kind == "sampled":
        known = {"prob": law.rate, "sigma": 1 / law.parameter, "coeff": law.uses}
        both = [
            mechanism_zoo.SubsampleGaussianMechanism(known, phi_off=False, RDP_off=True, neighboring=neighbours)
            for neighbours in ("add_only", "remove_only")
        ]
        return max(float(item.get_approxDP(delta)) for item in both)
    if law.kind == "gaussian":
        theirs = mechanism_zoo.GaussianMechanism(1 / law.parameter, phi_off=False, RDP_off=True, approxDP_off=True)
    elif law.kind == "laplace":
        theirs = mechanism_zoo.LaplaceMechanism(1 / law.parameter, phi_off=False, RDP_off=True)
    else:
        odds = 1 / (1 + math.exp(-law.parameter))
        theirs = mechanism_zoo.RandresponseMechanism(odds, phi_off=False, RDP_off=True)
    return float(transformer_zoo.ComposeAFA()([theirs], [law.uses]).get_approxDP(delta))


def _prv(law: KnownLaw, delta: float) -> float:
    import prv_accountant as prv

    if law.kind == "gaussian":
        theirs = prv.GaussianMechanism(1 / law.parameter)
    elif law.kind == "laplace":
        theirs = prv.LaplaceMechanism(law.parameter)
    elif law.kind == "response":
        from prv_accountant.privacy_random_variables.pure_dp_mechanism import PureDPMechanism

        theirs = PureDPMechanism(law.parameter)
    else:
        theirs = prv.PoissonSubsampledGaussianMechanism(
            sampling_probability=law.rate, noise_multiplier=1 / law.parameter
        )
    # what the library recommends for its errors
    accountant = prv.PRVAccountant(
        prvs=[theirs], max_self_compositions=[law.uses], eps_error=0.1, delta_error=delta / 1e3
    )
    return float(accountant.compute_epsilon(delta=delta, num_self_compositions=[law.uses])[2])


def _opacus(name: str) -> Callable[[KnownLaw, float], float]:
    def epsilon(law: KnownLaw, delta: float) -> float:
        if law.kind not in ("gaussian", "sampled"):
            raise Unknown
        from opacus import accountants as known

        accountant = getattr(known, name)()
        accountant.history = [(1 / law.parameter, law.rate, law.uses)]
        return float(accountant.get_epsilon(delta=delta))

    return epsilon
