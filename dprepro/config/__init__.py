"""From YAML and command-line overrides to a checked experiment; the only place that knows Hydra."""

from dprepro.config.compose import Composed, compose, experiment_names, expand_sweeps, headers
from dprepro.config.experiment import Experiment, build_experiment

__all__ = ["Composed", "Experiment", "build_experiment", "compose", "expand_sweeps", "experiment_names", "headers"]
