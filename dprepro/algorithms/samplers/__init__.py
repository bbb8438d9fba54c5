"""Draws from the density proportional to exp(-energy) on a convex set: exact where the law is known, and a walk."""
