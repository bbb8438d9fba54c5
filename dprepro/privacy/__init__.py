"""The privacy that a composition really spends, and the noise that a budget really needs."""

from dprepro.privacy.accounting import CONSTANTS, Spent, largest_guarantee, noise_for, spent

__all__ = ["CONSTANTS", "Spent", "largest_guarantee", "noise_for", "spent"]
