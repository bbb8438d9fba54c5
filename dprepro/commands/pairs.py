"""``python -m dprepro pairs``: which algorithm runs on which construction, or why not; nothing is built or measured."""

from __future__ import annotations

from dataclasses import dataclass

from dprepro.commands.ending import tell_error
from dprepro.commands.parser import config_dir, flag, key, number

NAMES = {"backend": "how"}
"""Keys of --json that differ from the names of fields."""

ABOUT = """\
Which algorithm runs on which construction, of those that may be named by
algorithm=NAME and construction=NAME: literally, by a reduction that is equal to
it in distribution, or not, and why. It is known from declarations: no data are
built and nothing is measured. What a family asks of the noise (data would leave
their bounds) shows only when it is measured, as cells that are skipped."""

NOTES = "exit codes: 0 answered, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The grid point, the relation, and the form of the answer."""

    n: float = key("2000", "records", number)
    p: float = key("16", "dimension", number)
    epsilon: float = key("1", "of the budget", number)
    norm: float = key("1", "of the parameter that generates data", number)
    delta: float = key("1e-6", "of the budget; a pair runs if this delta or 0 serves", number)
    neighbours: str = key("", "the relation that must serve; without it any of the three", shown="NAME")
    json: bool = flag("a list of {algorithm, construction, runs, how, reason}")
    config_dir: str | None = config_dir("add your own algorithm/, construction/")


def main(arguments: Arguments) -> int:
    """Print the matrix or the list; 0."""
    from dprepro.config.group_pairs import POINT, all_pairs
    from dprepro.support.folders import unused_files

    point = {axis: getattr(arguments, axis) for axis in POINT}
    pairs = all_pairs(point, arguments.neighbours, arguments.config_dir)
    for said in unused_files(arguments.config_dir):
        tell_error(f"not used: {said}")
    if arguments.json:
        import json
        from dataclasses import asdict

        lines = [{NAMES.get(name, name): value for name, value in asdict(pair).items()} for pair in pairs]
        print(json.dumps(lines, indent=1))
    else:
        from dprepro.dispatch.pair_table import table

        print(table(pairs))
    return 0
