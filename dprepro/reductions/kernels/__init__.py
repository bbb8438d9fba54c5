"""Compiled inner loops; all randomness comes from a `numpy.random.Generator`, and numba is imported here only."""
