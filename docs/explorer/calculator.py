"""Rates of the papers' main theorems as expressions that Python and JavaScript read alike, for the calculator.

Each is the shape of a function in `dprepro.bounds` on the problem that ``problem`` names; a test holds one against the
other. Constants come from the ledger.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rates:
    """An upper and, where there is one, a lower bound on the excess risk of one problem.

    ``upper`` and ``lower`` are identities in the ledger; the expressions use n, p, epsilon, delta, s (nonzero entries),
    ``log``, ``sqrt`` and ``min``. Radius, Lipschitz constant, smoothness, strong convexity and labels of the problem
    are 1 where it does not say otherwise.
    """

    problem: str
    upper: str
    upper_rate: str
    lower: str = ""
    lower_rate: str = ""


RATES = (
    Rates(
        "LASSO: squared loss over the l1 ball, |x_j| <= 1",
        "lasso-theorem-2-5",
        "8**(1/3) * 4**(2/3) * log(2*p) * sqrt(log(1/delta)) * (n*epsilon)**(-2/3)",
        "lasso-theorem-3-1",
        "(n*log(n))**(-2/3)",
    ),
    Rates(
        "smooth Lipschitz losses over the l2 ball (Gaussian width sqrt(p)), Frank-Wolfe",
        "lasso-theorem-2-6",
        "p**(1/3) * sqrt(log(1/delta)) * (n*epsilon)**(-2/3)",
    ),
    Rates(
        "Lipschitz losses over the l2 ball (diameter 2)",
        "bst-theorem-2-4-1",
        "2 * log(n/delta)**1.5 * sqrt(log(1/delta)) * sqrt(p) / (n*epsilon)",
        "bst-theorem-5-3",
        "min(1, sqrt(p)/(n*epsilon))",
    ),
    Rates(
        "Lipschitz losses over the l2 ball (diameter 2), delta = 0",
        "bst-theorem-3-2",
        "(p + 1) * 2 / (n*epsilon)",
        "bst-theorem-5-2",
        "min(1, p/(n*epsilon))",
    ),
    Rates(
        "strongly convex Lipschitz losses",
        "bst-theorem-2-4-2",
        "log(n/delta)**2 * log(1/delta) * p / (n*epsilon)**2",
        "bst-theorem-5-5",
        "min(1, sqrt(p)/(n*epsilon))**2",
    ),
    Rates(
        "strongly convex Lipschitz losses, delta = 0",
        "bst-theorem-4-3",
        "p**2 * log(n) / (n*epsilon)**2",
        "bst-theorem-5-4",
        "min(1, p/(n*epsilon))**2",
    ),
    Rates(
        "strongly convex Lipschitz losses, localisation",
        "bst-theorem-b-2",
        "p**1.5 * sqrt(log(1/delta) * log(n)) / (n*epsilon)**2",
        "bst-theorem-5-5",
        "min(1, sqrt(p)/(n*epsilon))**2",
    ),
    Rates(
        "strongly convex, smooth and Lipschitz losses, noise on the objective",
        "bst-theorem-e-2",
        "p * log(1/delta) / (n*epsilon)**2",
        "bst-theorem-5-5",
        "min(1, sqrt(p)/(n*epsilon))**2",
    ),
    Rates(
        "smooth losses with a Hessian of rank one, objective perturbation",
        "kst-theorem-4",
        "sqrt(p*log(1/delta)) / (n*epsilon)",
    ),
    Rates("selection of s of p features", "kst-theorem-6", "s*log(p) / (n*epsilon)"),
    Rates(
        "sparse regression with s features",
        "kst-theorem-9",
        "(s**4 * log(1/delta)/(n*epsilon) + s**2) / (n*epsilon)",
    ),
    Rates(
        "smooth generalised linear losses (population), noisy gradient descent",
        "glm-theorem-1",
        "1/sqrt(n) + 4*sqrt(p*log(1/delta)) / (n*epsilon)",
        "glm-theorem-4",
        "min(1, 1/(n*epsilon)**(2/3), sqrt(p)/(n*epsilon))",
    ),
    Rates(
        "Lipschitz generalised linear losses (population), output perturbation",
        "glm-theorem-5",
        "1/sqrt(n) + log(1/delta)**(1/4) / sqrt(n*epsilon)",
        "glm-theorem-6",
        "min(1, 1/sqrt(n*epsilon), sqrt(p)/(n*epsilon))",
    ),
)
