"""Publication figures, drawn from stored measurements: ``python -m paper_figures``. No algorithm is imported here."""
