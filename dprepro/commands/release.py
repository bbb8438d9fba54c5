"""``python -m dprepro release TABLE``: one private answer on a person's own table, to be published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dprepro.commands.parser import config_dir, flag, key, number, words
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    from dprepro.practice.model import Model

ABOUT = """\
Runs one private algorithm once on all records of a table and prints its
coefficients, in the columns' own units, with intervals where the law of the
noise is known: how far noise has moved them, not how records vary. Each call
spends its epsilon: what is printed may be published, and calls add up. Numbers
of the noise come from the system's entropy and are kept nowhere. The promise
is one of real numbers: publish few digits, of places that you chose before, as
the last bits of floats tell more. Choose the algorithm before looking at the
data (python -m dprepro advise)."""

NOTES = "exit codes: 0 answered, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The table with its schema, the algorithm, and the budget that is spent."""

    table: tuple[str, ...] = words("TABLE.csv", 1, 1, "give one table: python -m dprepro release TABLE.csv schema=...")
    schema: str = key("", "the public schema (python -m dprepro schema drafts one)", shown="SCHEMA.yaml")
    algorithm: str = key("", "its name, and changed parameters after spaces", shown="NAME")
    epsilon: float | None = key(None, "that is spent", number, shown="NUMBER")
    delta: float = key("1e-6", "of the budget", number)
    loss: str = key("", "squared, absolute, huber, logistic or hinge; default by the target", shown="LOSS")
    set: str = key("l2", "what is minimised over: l1, l2, simplex, box")
    radius: float = key("1", "of that set", number)
    json: bool = flag("as JSON")
    config_dir: str | None = config_dir("add your own algorithm/")


def main(arguments: Arguments) -> int:
    """Print the model; 0."""
    if not arguments.schema:
        raise InputError(
            "schema is not given; draft one, fill it in, and add schema=SCHEMA.yaml: "
            f"python -m dprepro schema {arguments.table[0]} target=COLUMN > SCHEMA.yaml"
        )
    if not arguments.algorithm:
        raise InputError(
            "algorithm is not given; add algorithm=sufficient_statistics or another that python -m dprepro advise "
            f"schema={arguments.schema} n=NUMBER epsilon=NUMBER names"
        )
    if arguments.epsilon is None:
        raise InputError("epsilon is not given; it is what the answer spends, for example epsilon=1")
    from dprepro.config.group_pairs import within_floats

    with within_floats():
        found = released(arguments, arguments.epsilon)
    if arguments.json:
        import json

        print(json.dumps(found.to_dict(), indent=1))
    else:
        print(found)
    return 0


def released(arguments: Arguments, epsilon: float) -> Model:
    """The answer; raises InputError, before any noise is drawn, for what does not fit."""
    import numpy as np

    from dprepro.budget import Budget, Neighbours
    from dprepro.config.group_pairs import blocks
    from dprepro.practice.model import fit, named
    from dprepro.practice.ordinary import SETS
    from dprepro.practice.table import File
    from dprepro.support import typed

    if arguments.set not in SETS:
        raise unknown("set", arguments.set, SETS)
    block = {"path": arguments.table[0], "schema": arguments.schema, "loss": arguments.loss,
             "constraint_set": SETS[arguments.set], "radius": arguments.radius}  # fmt: skip
    budget = Budget(epsilon, arguments.delta, Neighbours.REPLACE_ONE)
    if not budget.is_private:
        raise InputError("epsilon=inf is no privacy; give a finite epsilon")
    algorithm = named(arguments.algorithm, blocks("algorithm", arguments.config_dir))
    return fit(typed.build(File, block), algorithm, budget, np.random.default_rng())
