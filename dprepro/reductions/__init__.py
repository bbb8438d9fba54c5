"""Faster ways to run an algorithm on a structured problem, equal to it in distribution."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.algorithms import Algorithm
from dprepro.errors import Incompatible, InputError, unknown
from dprepro.problems import Domain
from dprepro.reductions.base import Reduction
from dprepro.reductions.descent_reductions import AxisDescent, CompiledDescent
from dprepro.reductions.few_steps_reductions import BidiagonalSketch, FewSteps, IsotropicTail, SketchedFewSteps
from dprepro.reductions.frank_wolfe_reductions import GroupedVertices, IncrementalGradients
from dprepro.reductions.gaussian_reductions import GaussianGroups, GaussianSubspace, InvariantNoise
from dprepro.reductions.perturbation_reductions import BatchedPerturbation
from dprepro.reductions.support_reductions import SeparableSupports

#: By name, the cheapest first: `automatic` takes the first that serves, after those that an algorithm brings.
REDUCTIONS: dict[str, type[Reduction]] = {
    "grouped_vertices": GroupedVertices,
    "gaussian_groups": GaussianGroups,
    "gaussian_subspace": GaussianSubspace,
    "incremental_gradients": IncrementalGradients,
    "invariant_noise": InvariantNoise,
    "batched_perturbation": BatchedPerturbation,
    "separable_supports": SeparableSupports,
    "isotropic_tail": IsotropicTail,
    "few_steps": FewSteps,
    "sketched_few_steps": SketchedFewSteps,
    "bidiagonal_sketch": BidiagonalSketch,  # cheaper, but it skips tails that are shorter than k
    "axis_descent": AxisDescent,
    "compiled_descent": CompiledDescent,
}
LITERAL = "literal"
AUTOMATIC = "automatic"


def reductions_of(algorithm: Algorithm) -> Mapping[str, type[Reduction]]:
    """Those that it brings, and ours, by name.

    Raises:
        InputError: it brings one under a name of ours.
    """
    own = algorithm.reductions()
    if taken := sorted(own.keys() & {*REDUCTIONS, LITERAL, AUTOMATIC}):
        raise InputError(f"{type(algorithm).__name__} brings a reduction called {taken[0]}, which there is already")
    return {**own, **REDUCTIONS} if own else REDUCTIONS


def choose(name: str, algorithm: Algorithm, domain: Domain, representations: frozenset[str], where: str) -> str:
    """The reduction to use, by name: the one asked for, or for ``automatic`` the cheapest that serves.

    All is known before any data are built: the domain, and the names of `Construction.representations`.

    Raises:
        InputError: an unknown name. Incompatible: neither the algorithm nor a reduction can run on the problem, which
            ``where`` names.
    """
    known = reductions_of(algorithm)
    if name == AUTOMATIC:
        name = next(
            (key for key, kind in known.items() if not kind.obstacle(algorithm, domain, representations)), LITERAL
        )
    if name not in (LITERAL, *known):
        raise unknown("reduction", name, [AUTOMATIC, LITERAL, *known])
    if (
        obstacle := algorithm.needs(representations)
        if name == LITERAL
        else known[name].obstacle(algorithm, domain, representations)
    ):
        raise Incompatible(f"{where}: {obstacle}")
    return name


def solver(name: str, algorithm: Algorithm) -> Algorithm | Reduction:
    """What to call ``solve`` on, for a name that `choose` has returned."""
    return algorithm if name == LITERAL else reductions_of(algorithm)[name](algorithm)


__all__ = [
    "AUTOMATIC",
    "LITERAL",
    "REDUCTIONS",
    "AxisDescent",
    "BatchedPerturbation",
    "BidiagonalSketch",
    "CompiledDescent",
    "FewSteps",
    "GaussianGroups",
    "GaussianSubspace",
    "GroupedVertices",
    "IncrementalGradients",
    "InvariantNoise",
    "IsotropicTail",
    "Reduction",
    "SeparableSupports",
    "SketchedFewSteps",
    "choose",
    "reductions_of",
    "solver",
]
