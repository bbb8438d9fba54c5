"""From one neighbouring relation to another, explicitly: the result names the conversion.

* A replacement is at most two zero-outs (the record is silenced, then another speaks), and at most a removal and an
  addition. Group privacy of two: P(D) <= e^e P(D0) + d <= e^e (e^e P(D') + d) + d, so an algorithm that is
  (e, d)-private under the smaller relation is (2 e, (1 + e^e) d)-private under replacement.
* A record that says nothing lies in the domain, so a zero-out is a replacement.
* An algorithm that reads its data through sums only, and n nowhere, cannot tell a record that says nothing from none:
  for it a zero-out is a removal. For any other algorithm it is a removal and an addition.
* Nothing implies privacy under adding or removing a record where n is public.

A mechanism whose sensitivity is known under the relation that is asked needs none of this.
"""

from __future__ import annotations

import math

from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.privacy.accounting import PrivacyLoss


def budget_under(native: Neighbours, budget: Budget, *, sums_only: bool = False) -> Budget:
    """Budget with which an algorithm that is certified under ``native`` must run for ``budget`` to hold.

    Inverse of `converted`. ``sums_only``: the algorithm reads its data through sums over the records, and n nowhere.

    Raises:
        InputError: no conversion exists.
    """
    steps, _ = _conversion(native, budget.neighbours, sums_only)
    if steps == 1 or not budget.is_private:
        return Budget(budget.epsilon, budget.delta, native)
    epsilon = budget.epsilon / 2
    return Budget(epsilon, budget.delta / (1 + math.exp(min(epsilon, 700.0))), native)


def converted(certified: PrivacyLoss, native: Neighbours, asked: Neighbours, *, sums_only: bool = False) -> PrivacyLoss:
    """What ``certified`` under ``native`` means under the relation ``asked``; the conversion is named in the answer.

    ``sums_only`` as in `budget_under`. A delta of 1 says that nothing is promised.

    Raises:
        InputError: no conversion exists.
    """
    steps, name = _conversion(native, asked, sums_only)
    if not name:
        return certified
    epsilon, delta = certified.epsilon, certified.delta
    if steps == 2:
        delta = min(1.0, delta * (1 + math.exp(min(epsilon, 700.0))))
        epsilon *= 2
    return PrivacyLoss(epsilon, delta, f"{certified.conversion}; {native} to {asked}: {name}")


def _conversion(native: Neighbours, asked: Neighbours, sums_only: bool) -> tuple[int, str]:
    """How many steps under ``native`` one under ``asked`` takes, and why."""
    if native is asked:
        return 1, ""
    if asked is Neighbours.ADD_OR_REMOVE_ONE:
        raise InputError(f"privacy under {native} says nothing under neighbours={asked}, where n is private")
    if native is Neighbours.REPLACE_ONE:
        return 1, "a record that says nothing lies in the domain"
    if asked is Neighbours.ZERO_OUT and sums_only:
        return 1, "a record that says nothing adds nothing to a sum"
    pair = "two zero-outs" if native is Neighbours.ZERO_OUT else "a removal and an addition"
    return 2, f"at most {pair}, (2 epsilon, (1 + exp(epsilon)) delta)"
