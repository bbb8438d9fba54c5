"""From YAML and command-line overrides to a checked experiment; the only place that knows Hydra.

`compose` asks Hydra, `experiment` checks and builds. Nothing is imported here, so that the listing loads no numpy.
"""
