"""Falsehoods planted in the code, one line each, and the verdicts that must notice them: ``python -m mutants``."""
