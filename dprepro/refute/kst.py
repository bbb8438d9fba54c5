"""Attacks on X."""
