"""dprepro: measure what theorems on differentially private convex optimisation claim, and say which hold.

``run("lasso_rate")`` does what ``python -m dprepro +experiment=lasso_rate`` does, and returns frame, verdict, figure.
"""

from __future__ import annotations

from dprepro import supervisor

if supervisor.is_start():  # signals come from the first moment on
    supervisor.first()

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dprepro.session import Outcome

__version__ = "0.2.0"


def run(experiment: str, **changes: Any) -> Outcome:
    """Run an experiment by name; see :func:`dprepro.session.run`."""
    from dprepro.session import run as run_session

    return run_session(experiment, **changes)


__all__ = ["__version__", "run"]
