"""The privacy that a composition really spends, and the noise that a budget really needs."""

from dprepro.privacy.accounting import Spent, compose, noise_factor, noise_for, spent
from dprepro.privacy.conversions import budget_under, converted

__all__ = ["Spent", "budget_under", "compose", "converted", "noise_factor", "noise_for", "spent"]
