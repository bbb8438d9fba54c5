"""Which algorithm runs on which construction, and by which backend, known from declarations alone."""

from dprepro.dispatch.backend import Dispatch, Numbers, dispatch

__all__ = ["Dispatch", "Numbers", "dispatch"]
