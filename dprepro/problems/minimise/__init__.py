"""Exact minimisers of a convex risk over a set, each with its certificate.

The certificate is a duality gap, computed afresh at the returned point from first principles (`duality_gap`): it bounds
the excess risk however the point was found. No view of the data takes a point whose gap exceeds its limit.

Quadratics have closed forms or an active-set method (`quadratic`), other smooth losses Newton's method with a quadratic
over the set in every step (`newton`), losses with kinks a conic programme (`pieces`, `conic`).
"""

from dprepro.problems.minimise.conic import minimise_norms
from dprepro.problems.minimise.newton import minimise_smooth
from dprepro.problems.minimise.pieces import Pieces, minimise_pieces
from dprepro.problems.minimise.quadratic import duality_gap, minimise_quadratic

__all__ = [
    "Pieces",
    "duality_gap",
    "minimise_norms",
    "minimise_pieces",
    "minimise_quadratic",
    "minimise_smooth",
]
