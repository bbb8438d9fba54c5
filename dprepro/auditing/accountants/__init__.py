"""Accountants of other libraries and of this one, held against laws whose privacy is known exactly."""

from dprepro.auditing.accountants.laws import Enclosed, KnownLaw, enclosed_epsilons, exact_delta

__all__ = ["Enclosed", "KnownLaw", "enclosed_epsilons", "exact_delta"]
