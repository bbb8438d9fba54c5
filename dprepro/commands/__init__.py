"""The commands beside the runner of experiments, one thin module each."""
