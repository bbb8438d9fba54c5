"""The public numbers of a problem: what may be known before any private record is seen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Constants:
    """Data-independent constants from which schedules, sensitivities and bounds are computed.

    Attributes:
        n: number of records (public).
        p: dimension of the parameter.
        radius: size of the constraint set in its own norm (||C||_1 = max_s ||s||_1 for an l1 ball).
        lipschitz: Lipschitz constant of one record's loss over the set; for l1 geometry the bound on the sup norm of
            a record's gradient (L_1 of Talwar, Thakurta and Zhang).
        curvature: Gamma of their Definition 2.1, over all data sets of the domain.
        vertices: number of vertices of the constraint set (|S|); 0 where it is not a polytope.
        diameter: l2 diameter of the constraint set; 0 where nobody needs it.
        smoothness: Lipschitz constant of one record's gradient, in l2; 0 where the loss is not smooth.
        strong_convexity: of one record's loss, in l2; 0 for losses that are only convex.
        label_bound: ||Y|| of generalised linear models, the root of a bound on one record's loss at zero; else 0.
        width: Gaussian width E sup_w |<b, w>| of the constraint set; 0 where nobody needs it.
        euclidean_lipschitz: bound on the l2 norm of a record's gradient, where `lipschitz` is another norm's; 0 where
            nobody needs it.
    """

    n: float
    p: float
    radius: float
    lipschitz: float
    curvature: float
    vertices: float
    diameter: float = 0.0
    smoothness: float = 0.0
    strong_convexity: float = 0.0
    width: float = 0.0
    euclidean_lipschitz: float = 0.0
    label_bound: float = 0.0
