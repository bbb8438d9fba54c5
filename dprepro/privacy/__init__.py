"""The privacy loss of a composition, and the noise that a budget needs."""

from dprepro.privacy.accounting import PrivacyLoss, compose, noise_factor, noise_for, privacy_loss
from dprepro.privacy.conversions import budget_under, converted

__all__ = ["PrivacyLoss", "budget_under", "compose", "converted", "noise_factor", "noise_for", "privacy_loss"]
