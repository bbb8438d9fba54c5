"""``python -m dprepro rate algorithm=... construction=... sweep.n=[...] rate=...``: `dprepro.run` without a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dprepro.commands.parser import config_dir, flag, words
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    from dprepro.own.experiment import Asked

ABOUT = """\
Holds the risk of an algorithm against a rate: n, p, epsilon and whatever is swept
have a check and a panel each, and a wrong rate as a control. Algorithm and data
are names of the configuration or classes and functions of files of your own, which
are run because you name them.

  python -m dprepro rate algorithm=mirror.py:MirrorDescent \\
      construction=planted_design sweep.n=[2e3,6e3,2e4,6e4,2e5] \\
      sweep.p=[5,10,30,80,200] 'rate=sqrt(p)/(n*epsilon)'"""

NOTES = """\
keys
  algorithm=                 a class of dprepro.algorithms.Algorithm, a class
                             with fit(X, y, ...), or a function fit(X, y,
                             epsilon, delta, rng) -> theta: FILE.py:NAME; or a
                             name
  construction=              a class of dprepro.constructions.Construction, or a
                             function of n, p and rng that returns X and y:
                             FILE.py:NAME; or a name
  algorithm.KEY= construction.KEY=
                             their parameters
  sweep.AXIS=[...]           n, p, epsilon, delta, norm, and parameters by name;
                             a slope needs 5 values over 1.5 decades
  rate=                      an expression in these and in public constants, up
                             to a constant, or FILE.py:NAME
  direction=                 at_most (the usual), at_least or equals
  epsilon= delta=            where they are not swept [1, 1e-6]
  loss= constraint_set= radius= feature_bound= feature_norm= label_bound=
                             what is public about data of your own
  name= replicates= seed= workers= results_dir= neighbours= margin=
                             as in every experiment; name is that of the folder

exit codes: 0 measured, whatever the verdict; 1 some cells failed, 2 bad input"""

PARTS = ("algorithm", "construction")
TEXTS = (*PARTS, "rate", "name", "results_dir")
"""Keys whose value is a text as it stands: no grammar reads it."""
DATA = ("loss", "constraint_set", "radius", "feature_bound", "feature_norm", "label_bound")
SETTINGS = ("neighbours", "replicates", "seed", "workers", "reuse")
CHANGES = ("checks", "figure", "study", "claim", "statement")
BUDGET = ("epsilon", "delta")


@dataclass(frozen=True)
class Arguments:
    """The series, the sweep and the claimed rate to measure."""

    overrides: tuple[str, ...] = words(
        "key=value ...", least=1, needed="rate needs algorithm=, construction=, sweep.n=[...] and rate="
    )
    config_dir: str | None = config_dir()
    trust: bool = flag("run what lies in algorithms/*.py and constructions/*.py of that folder")
    verbose: bool = flag("tell all that is known of each check")


def main(arguments: Arguments) -> int:
    """Measure; the exit code."""
    from dprepro.commands.jobs import run_built
    from dprepro.config.checked_experiment import build_experiment
    from dprepro.own.experiment import described
    from dprepro.support.user_files import trust_folder

    if arguments.trust and arguments.config_dir:
        trust_folder(arguments.config_dir)
    made = described(asked(arguments.overrides, arguments.config_dir))
    return run_built(build_experiment(made.composed), made.said, arguments.verbose)


def asked(overrides: Sequence[str], config_dir: str | None) -> Asked:
    """What the words of a command line ask for; raises InputError for a key that does not exist or is missing."""
    from dprepro.axes import AXES
    from dprepro.config.compose import values_of
    from dprepro.config.overrides import OF_OTHERS, axis_to_type
    from dprepro.own.experiment import Asked

    texts: dict[str, str] = {}
    rest = []
    for word in overrides:
        key, equals, value = word.partition("=")
        if key in TEXTS and equals:
            texts[key] = value.strip("'\"")
        else:
            rest.append(word)
    values = values_of(rest)
    for key in values:
        if key not in (*PARTS, "sweep", "direction", "margin", *DATA, *SETTINGS, *CHANGES, *BUDGET):
            if (meant := OF_OTHERS.get(key, key)) in AXES and meant not in BUDGET:
                raise InputError(axis_to_type(key, str(values[key]), meant))
            every = [*TEXTS, "sweep", "direction", "margin", *DATA, *SETTINGS, *CHANGES, *BUDGET]
            raise unknown("key", key, every)
    for key in (*PARTS, "rate"):
        if not texts.get(key):
            raise InputError(f"{key} is missing: rate needs algorithm=, construction=, sweep.n=[...] and rate=")
    sweep = values.get("sweep")
    if not isinstance(sweep, dict):
        raise InputError("sweep names no axis; give at least sweep.n=[...], 5 values over 1.5 decades")
    settings: dict[str, Any] = {key: values[key] for key in SETTINGS if key in values}
    settings |= {"results_dir": texts["results_dir"]} if "results_dir" in texts else {}
    return Asked(
        algorithm=texts["algorithm"], construction=texts["construction"], rate=texts["rate"],
        parameters={group: values[group] for group in PARTS if group in values},
        sweep={**{axis: values[axis] for axis in BUDGET if axis in values}, **sweep},
        direction=str(values.get("direction", "at_most")), margin=values.get("margin"), name=texts.get("name", ""),
        data={key: values[key] for key in DATA if key in values}, settings=settings,
        changes={key: values[key] for key in CHANGES if key in values}, config_dir=config_dir,
    )  # fmt: skip
