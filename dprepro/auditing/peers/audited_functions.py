"""Functions of other libraries, audited: does the epsilon that each promises hold, under its own relation?

Faults that were reported in public are found again: in the library where the version at hand has them, else in a
function that rebuilds them. A warning that a library gives of its own privacy is part of its guarantee.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from dprepro.auditing.data import DataDomain
from dprepro.auditing.peers.found import MissingPeer, peer, warned
from dprepro.auditing.search import audit


@dataclass(frozen=True)
class AuditedCall:
    """What is audited.

    Attributes:
        name: of the function, see `peer`.
        relation, domain: as the command ``audit`` takes them.
        delta: at epsilon = 1.
        report: the public thread in which a fault was told; empty where none is known.
        draws: calls in all.
    """

    name: str
    relation: str
    domain: str
    delta: float = 0.0
    report: str = ""
    draws: int = 20_000


REPLACED, COMES = "replace_one", "add_or_remove_one"
ROWS = "n=3 p=1 x=-1..1 y=-1..1"

SUBJECTS = (
    AuditedCall("diffprivlib:mean", REPLACED, "n=5 x=0..1"),
    AuditedCall(
        "diffprivlib:mean_without_bounds", REPLACED, "n=5 x=0..1", report="IBM/differential-privacy-library 20"
    ),
    AuditedCall("diffprivlib:var", REPLACED, "n=5 x=0..1"),
    AuditedCall("diffprivlib:histogram", COMES, "n=5 x=0..1"),
    AuditedCall("diffprivlib:histogram", REPLACED, "n=5 x=0..1", report="not its relation: two bins change"),
    AuditedCall("diffprivlib:quantile", REPLACED, "n=5 x=0..1"),
    AuditedCall("diffprivlib:linear", REPLACED, ROWS),
    AuditedCall(
        "diffprivlib:linear", REPLACED, "n=3 p=1 x=0..1 y=-1..1", report="IBM/differential-privacy-library 105",
        draws=6000,
    ),
    AuditedCall(
        "diffprivlib:logistic", REPLACED, "n=3 p=1 x=-1..1 norm=1 y=-1|1", report="an error where all have one label",
        draws=6000,
    ),
    AuditedCall("diffprivlib:logistic_of_both", REPLACED, "n=3 p=1 x=-1..1 norm=1 y=-1|1", draws=40_000),
    AuditedCall("opendp:laplace_mean", REPLACED, "n=5 x=0..1"),
    AuditedCall("opendp:gaussian_mean", REPLACED, "n=5 x=0..1", 0.01),
    AuditedCall("opendp:laplace_count", COMES, "n=5 x=0..1"),
    AuditedCall("opendp:quantile", COMES, "n=5 x=0..1"),
    AuditedCall("opendp:theil_sen", COMES, "n=9 p=1 x=-1..1 y=-1..1", report="opendp/opendp 2950", draws=40_000),
    AuditedCall("opacus:sgd", REPLACED, "n=3 p=1 x=-1..1 norm=1 y=-1|1", 0.05, draws=24_000),
    AuditedCall(
        "estimator:diffprivlib.models.LinearRegression", REPLACED, "n=3 p=1 x=0..1 y=-1..1",
        report="IBM/differential-privacy-library 105", draws=6000,
    ),
    AuditedCall("fault:one_sided_sensitivity", REPLACED, "n=3 x=0..1", report="IBM/differential-privacy-library 105"),
    AuditedCall("fault:bounds_from_data", REPLACED, "n=3 x=0..1", report="IBM/differential-privacy-library 20"),
    AuditedCall("fault:even_length", COMES, "n=3 x=0..1", report="opendp/opendp 2950", draws=60_000),
    AuditedCall("fault:group_changes", REPLACED, "n=3 x=-1..1", report="opendp/opendp 2945"),
    AuditedCall("fault:halved_down", REPLACED, "n=3 x=0..1", report="opendp/opendp 314", draws=40_000),
    AuditedCall("fault:mean_of_private_n", COMES, "n=3 x=0..1", report="opendp/smartnoise-core 356", draws=60_000),
)  # fmt: skip


@dataclass(frozen=True)
class AuditedResult:
    """The verdict on a subject.

    Attributes:
        subject: what was audited.
        version: the library and its version.
        verdict: of the audit.
        epsilon: the lower limit of what is spent, of a promised 1.
        noticed: the least multiple of it that would have been noticed, NaN where there is none.
        pair: of neighbours that shows it.
        warns: what the library warns of.
        error: why there is no verdict.
    """

    subject: AuditedCall
    version: str
    verdict: str
    epsilon: float
    noticed: float
    pair: str
    warns: tuple[str, ...]
    error: str = ""

    @property
    def words(self) -> str:
        """The verdict, fair to a library that warns."""
        if self.error:
            return f"no verdict: {self.error}"
        return f"{self.verdict}, as the library warns" if self.warns and "violates" in self.verdict else self.verdict


def audited(subject: AuditedCall, draws: int | None = None, seed: int = 0) -> AuditedResult:
    """One audit at epsilon = 1.

    Raises:
        MissingPeer: the library is not installed.
    """
    found, domain = peer(subject.name), DataDomain.parse(subject.domain)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warns = warned(found, domain, 1.0, subject.delta)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            verdict = audit(
                found.function, 1.0, subject.delta, neighbours=subject.relation, domain=domain,
                draws=draws or subject.draws, seed=seed, parameters=found.parameters(domain), target=found.target,
            )  # fmt: skip
    except Exception as error:  # whatever a library raises is told, and the others go on
        return AuditedResult(
            subject, found.version, "", math.nan, math.nan, "", warns, f"{type(error).__name__}: {error}"
        )
    shown = verdict.shown.pair.name if verdict.shown and verdict.epsilon > 0 else ""
    noticed = math.nan if verdict.noticed is None else verdict.noticed
    return AuditedResult(subject, found.version, verdict.verdict, verdict.epsilon, noticed, shown, warns)


def table(draws: int | None = None, progress: Callable[[str], None] | None = None) -> list[AuditedResult]:
    """All subjects whose libraries are installed; what is not is told by name."""
    results = []
    for subject in SUBJECTS:
        try:
            results.append(audited(subject, draws))
        except MissingPeer as error:
            if progress:
                progress(f"{subject.name}: skipped, {error}")
            continue
        if progress:
            progress(f"{subject.name} {subject.relation}: {results[-1].words}, at least {results[-1].epsilon:.4g}")
    return results
