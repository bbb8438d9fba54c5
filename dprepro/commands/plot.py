"""``python -m dprepro plot RUN RUN ...``: the curves of several runs in one figure, rebuilt from their stores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dprepro.commands.parser import config_dir, key, results_dir, words
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    from dprepro.report.outcome import Outcome

ABOUT = """Lays the curves of runs over one another in one figure: means with their 99%
intervals, explicit bounds, and rates times the constants that were fitted. The
legend calls a run by its label, else by its overrides, else by its experiment.
Nothing is measured: what is drawn is in the stores."""

NOTES = """RUN is an experiment's name (lasso_rate), the folder of a run with overrides
(lasso_rate/overridden/LABEL), or the path of such a folder in any results
folder (colleague/results/lasso_rate).

exit codes: 0 drawn, 2 bad input"""

KINDS = (".pdf", ".png")
SIZE = 5.0, 3.6
"""Inches."""


@dataclass(frozen=True)
class Arguments:
    """See `dprepro.commands.parser`."""

    runs: tuple[str, ...] = words("RUN ...", least=1, needed="plot needs a run, such as plot lasso_rate")
    axis: str = key("", "the abscissa, one that the runs sweep; default that of the first one's figure", shown="AXIS")
    series: str = key("", "what to draw of each run, separated by commas; default its claims", shown="NAME,NAME")
    quantity: str = key("", "what to draw; default the risk", shown="NAME")
    output: str = key("plot.png", "the figure, a .png or .pdf")
    results_dir: str = results_dir("where names of runs are looked for")
    config_dir: str | None = config_dir("the folder of experiments of your own, to see what has changed since")


def main(arguments: Arguments) -> int:
    """The exit code."""
    output = Path(arguments.output)
    if output.suffix.lower() not in KINDS:
        raise unknown("ending of output", output.suffix or arguments.output, KINDS)
    from dprepro.config.sources import changes
    from dprepro.report.outcome import load

    since = partial(changes, config_dir=arguments.config_dir)
    outcomes = [load(run, arguments.results_dir, since) for run in arguments.runs]
    content = drawn(outcomes, arguments)[output.suffix.lower().removeprefix(".")]
    from dprepro.support.regular_files import replace_file

    try:
        replace_file(output, content)
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror or error}; choose another output=") from error
    print(f"written: {output}")
    return 0


def drawn(outcomes: list[Outcome], arguments: Arguments) -> dict[str, bytes]:
    """The figure as the bytes of a file of each kind."""
    from dprepro.figures.style import rendered, styled
    from dprepro.report.overlay import labels, overlay

    runs = [outcome.published for outcome in outcomes]
    named = dict(zip(labels(runs, arguments.runs), runs, strict=True))
    with styled() as figure_class:
        figure = figure_class(figsize=SIZE, layout="constrained")
        series = [name for name in arguments.series.split(",") if name]
        overlay(named, arguments.axis, series, arguments.quantity, figure.subplots())
    return rendered(figure)
