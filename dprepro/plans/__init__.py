"""What runs on what and how, known from declarations: plans, the matrix of all pairs, and advice by public numbers."""

from dprepro.plans.plan import Numbers, Plan, plan

__all__ = ["Numbers", "Plan", "plan"]
