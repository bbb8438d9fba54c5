"""Proofs in words: what tells a result of this project from a statement of a paper.

A module of statements that has a table ``PROOFS`` beside its ``STATEMENTS`` holds results that are derived here. Their
rows are told apart from the papers' rows wherever rows are shown, and each has its proof with it.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from dprepro.errors import DpreproError
from dprepro.statements.papers import SHIPPED, Paper


def proofs_of(paper: str, described: Paper) -> Mapping[str, str]:
    """The proofs of a paper's statements by item; none of a paper that others have written.

    Raises:
        DpreproError: a result without its proof, or a proof of nothing.
    """
    try:
        module = importlib.import_module(described.statements or f"{SHIPPED}.{paper}")
    except ModuleNotFoundError:
        return {}
    proofs: Mapping[str, str] = getattr(module, "PROOFS", {})
    items = {claim.item for claim in described.claims}
    if proofs and (strange := sorted(items ^ proofs.keys())):
        raise DpreproError(f"{module.__name__}: STATEMENTS and PROOFS differ in {', '.join(strange)}")
    return proofs
