"""Attacks on Talwar, Thakurta and Zhang (2015)."""
