"""Private stochastic convex optimisation in phases, as a pack for `dprepro`."""
