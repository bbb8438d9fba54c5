"""Stored runs measured once more: their own cells, and on grids that no YAML holds."""
