"""Faster ways to run an algorithm on a structured problem, equal to it in distribution."""

from __future__ import annotations

from dprepro.algorithms import Algorithm
from dprepro.errors import Incompatible, unknown
from dprepro.reductions.base import Reduction
from dprepro.reductions.few_steps import FewSteps, IsotropicTail
from dprepro.reductions.gaussian_frank_wolfe import GaussianGroups, GaussianSubspace
from dprepro.reductions.grouped_vertices import GroupedVertices
from dprepro.reductions.incremental_gradients import IncrementalGradients
from dprepro.reductions.invariant_noise import InvariantNoise
from dprepro.reductions.noisy_descent import AxisDescent, CompiledDescent
from dprepro.reductions.sketched_steps import BidiagonalSketch, SketchedFewSteps

#: By name, the cheapest first: `automatic` takes the first that serves.
REDUCTIONS: dict[str, type[Reduction]] = {
    "grouped_vertices": GroupedVertices,
    "gaussian_groups": GaussianGroups,
    "gaussian_subspace": GaussianSubspace,
    "incremental_gradients": IncrementalGradients,
    "invariant_noise": InvariantNoise,
    "few_steps": FewSteps,
    "isotropic_tail": IsotropicTail,
    "sketched_few_steps": SketchedFewSteps,
    "bidiagonal_sketch": BidiagonalSketch,
    "axis_descent": AxisDescent,
    "compiled_descent": CompiledDescent,
}
LITERAL = "literal"
AUTOMATIC = "automatic"


def choose(name: str, algorithm: Algorithm, capabilities: frozenset[str], where: str) -> str:
    """The reduction to use, by name: the one asked for, or for ``automatic`` the cheapest that serves.

    Raises:
        InputError: an unknown name. Incompatible: neither the algorithm nor a reduction can run on the problem, which
            ``where`` names.
    """
    if name == LITERAL:
        algorithm.check(capabilities, where)
        return LITERAL
    if name == AUTOMATIC:
        for candidate, kind in REDUCTIONS.items():
            if not kind.obstacle(algorithm, capabilities):
                return candidate
        algorithm.check(capabilities, where)
        return LITERAL
    if name not in REDUCTIONS:
        raise unknown("reduction", name, [AUTOMATIC, LITERAL, *REDUCTIONS])
    if obstacle := REDUCTIONS[name].obstacle(algorithm, capabilities):
        raise Incompatible(f"{where}: {obstacle}")
    return name


def solver(name: str, algorithm: Algorithm) -> Algorithm | Reduction:
    """What to call ``solve`` on, for a name that `choose` has returned."""
    return algorithm if name == LITERAL else REDUCTIONS[name](algorithm)


__all__ = [
    "AUTOMATIC",
    "LITERAL",
    "REDUCTIONS",
    "AxisDescent",
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
    "SketchedFewSteps",
    "choose",
    "solver",
]
