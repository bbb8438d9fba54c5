"""The privacy that a composition really spends, and the noise that a budget really needs."""

from dprepro.privacy.accounting import Spent, noise_for, spent

__all__ = ["Spent", "noise_for", "spent"]
