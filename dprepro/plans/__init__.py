"""What runs on what and how, known from declarations: plans, and the matrix of all pairs."""

from dprepro.plans.plan import Numbers, Plan, plan

__all__ = ["Numbers", "Plan", "plan"]
