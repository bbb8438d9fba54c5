"""The exact output distributions in words, a line for each law of ``dprepro.laws``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dprepro.laws import LAWS

IN_WORDS = {
    "ReleaseLaw": (r"a minimiser or a mean plus Laplace or normal noise, projected", "one dimension"),
    "ObjectivePerturbationLaw": (
        r"$\Pr(\theta \le t) = \Pr(-b \le \psi(t))$, $\psi$ being the slope of the objective without its noise $b$; "
        "atoms where $\\psi$ jumps and at the ends of the set",
        "one dimension",
    ),
    "HuberisedLaw": ("the same for the smoothed loss", "one dimension, positive part"),
    "ExponentialLaw": (r"density in proportion to $\exp(-R(\theta)/s)$", "one dimension, risk of affine pieces"),
    "HighProbabilityLaw": (
        r"of two runs of density $f$ the density $2 f(x) \mathbb{E}[1/(1 + e^{(R(x) - R(Y))/s})]$, $Y$ of density $f$",
        "one dimension, two runs",
    ),
    "LocalizationLaw": ("the exponential mechanism around a noisy point, over the law of this point", "one dimension"),
    "DescentLaw": (r"$\theta_t$ from step to step, over cells of equal width and both ends", "one dimension"),
    "SamplerLaw": ("the walk on a grid over all its steps, and what is rejected", "linear losses"),
    "ExponentialSupportLaw": (r"$\exp(-n q/s)$ over all supports, normalised", "finitely many supports"),
    "VotesLaw": ("the noisy votes, over all ways to put records into blocks", "two coordinates, one in the support"),
    "SparseRegressionLaw": ("a support and the fit on it, jointly", "two coordinates, one in the support"),
}
"""By law what the answer's distribution is, $R$ being the risk and $s$ a scale, and where it is known."""


def table() -> Iterator[tuple[str, str, str]]:
    """Algorithms, the law of their answers, and where it is known."""
    for law, (words, where) in IN_WORDS.items():
        yield ", ".join(_plain(name) for name, its in LAWS.items() if its == law), words, where


def _plain(name: str) -> str:
    """``NoisySGD`` as ``noisy SGD``."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", name)
    return " ".join(part if part.isupper() else part.lower() for part in parts)
