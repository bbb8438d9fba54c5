"""Judging what was measured: exponent fits, intervals, rules and verdicts.

`checks` has the rules by name, `points` the grid points of a frame, `fits` the pure functions on arrays. Nothing is
imported here, so that listing the experiments loads no pandas.
"""
