"""``python -m dprepro privacy steps=... noise=...``: I publish only the final model; what does it leak?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dprepro.commands.parser import Kind, flag, key, number, number_that, text
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    from dprepro.practice.final_model import FinalModelPrivacy, NoisyTraining

ABOUT = """\
Epsilon of noisy gradient descent where every iterate is published, and where only
the last one is: T steps x <- P(x - eta (gradient + N(0, sigma^2 I))), P the
projection on a convex set, from a start that does not depend on the data.

  python -m dprepro privacy steps=2000 sensitivity=.1 step_size=.05 noise=1 \\
      delta=1e-6 diameter=1 smoothness=20

What packs prove of the last iterate holds under premises that you state and
nobody checks: the losses must be as convexity= and smoothness= say."""

NOTES = """\
All numbers are of the loss on which the steps descend, be it a mean or a sum over
records: the mean of C-Lipschitz losses of n records has sensitivity 2C/n where a
record is replaced, C/n where one is zeroed out; the sum has 2C, and C where a
record is added or removed. lipschitz=C computes it. Clipped gradients are in
general not the gradients of a convex loss.

exit codes: 0 answered, 2 bad input"""

WIDTH = 100
ORDERS = ("sampled", "cyclic")
OBJECTIVES = ("mean", "sum")


def _positive() -> Kind:
    return number_that("positive and finite", lambda value: 0 < value < math.inf)


MOST = 1e15
"""Beyond, a count is no whole number of the machine."""


def _count(name: str, given: str) -> int:
    """A whole number, which may be written as 1e5."""
    value = number(name, given)
    if not 1 <= value <= MOST or value % 1:
        raise InputError(f"{name} must be a whole number of at least 1 and at most {MOST:g}, got {name}={given}")
    return int(value)


@dataclass(frozen=True)
class Arguments:
    """The training, and how its sensitivity is told."""

    steps: int | None = key(None, "T, their number", _count, shown="NUMBER")
    sensitivity: float | None = key(
        None, "largest l2 distance of the gradient between neighbours; of a sampled batch, with any two records in one "
        "place", _positive(), shown="NUMBER",
    )  # fmt: skip
    noise: float | None = key(None, "sigma, of each coordinate of that gradient", _positive(), shown="NUMBER")
    step_size: float | None = key(None, "eta, the same at every step", _positive(), shown="NUMBER")
    delta: float = key("1e-6", "of the guarantee", number_that("in (0, 1)", lambda value: 0 < value < 1))
    diameter: float | None = key(None, "of the set; without it there is no constraint", _positive(), shown="NUMBER")
    smoothness: float | None = key(None, "largest curvature of every loss, at any data", _positive(), shown="NUMBER")
    convexity: float = key("0", "least curvature: 0 is convex, below 0 is not", number)
    batch: int | None = key(None, "records of a batch; without it all of them", _count, shown="NUMBER")
    n: int | None = key(None, "records, for batch= and lipschitz=", _count, shown="NUMBER")
    order: str = key("sampled", "batches: sampled anew at each step, or cyclic, in a fixed order")
    lipschitz: float | None = key(None, "of each record's loss, instead of sensitivity=", _positive(), shown="NUMBER")
    objective: str = key("mean", "of the losses, or sum, for lipschitz=")
    neighbours: str = key("replace_one", "for lipschitz=: or zero_out, add_or_remove_one", text)
    json: bool = flag("all of it as JSON")


def main(arguments: Arguments) -> int:
    """Answer; 0."""
    from dprepro.practice.final_model import final_model

    training = described(arguments)
    found = final_model(training, arguments.delta)
    if arguments.json:
        import json
        from dataclasses import asdict

        answer = {"training": _finite(asdict(training)), **_finite(asdict(found))}
        print(json.dumps(answer, indent=1, allow_nan=False))
    else:
        print("\n".join(words_of(arguments, training, found)))
    return 0


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    """What JSON has: null where there is no limit, and no set."""
    return {name: None if value == math.inf else value for name, value in values.items()}


def described(arguments: Arguments) -> NoisyTraining:
    """The training that is asked about; raises InputError for what is missing, doubled or contradicts."""
    from dprepro.budget import Neighbours
    from dprepro.practice.final_model import NoisyTraining, gradient_distance

    for name, value, choices in (
        ("order", arguments.order, ORDERS),
        ("objective", arguments.objective, OBJECTIVES),
        ("neighbours", arguments.neighbours, [*Neighbours]),
    ):
        if value not in choices:
            raise unknown(name, value, choices)
    if arguments.steps is None or arguments.noise is None:
        given = {"steps=": arguments.steps, "noise=": arguments.noise}
        lacking = [name for name, value in given.items() if value is None]
        lacking += ["sensitivity="] if arguments.sensitivity is None and arguments.lipschitz is None else []
        raise InputError(f"privacy lacks {', '.join(lacking)}; {_EXAMPLE}")
    if (arguments.sensitivity is None) == (arguments.lipschitz is None):
        raise InputError(f"give one of sensitivity= and lipschitz=; {_EXAMPLE}")
    n, batch = arguments.n, arguments.batch
    if batch is not None and (n is None or batch > n):
        got = "nothing" if n is None else f"n={n:g}"
        raise InputError(f"batch={batch:g} needs n=NUMBER, the number of all records, at least as many; got {got}")
    batch = None if batch == n else batch
    neighbours = Neighbours(arguments.neighbours)
    if arguments.lipschitz is not None:
        mean = arguments.objective == "mean"
        if mean and n is None:
            raise InputError("lipschitz= needs n=, by which the mean divides, or objective=sum")
        sensitivity, apart = gradient_distance(arguments.lipschitz, n or 1.0, neighbours, batch, mean)
    else:
        assert arguments.sensitivity is not None
        if not neighbours.n_is_public and batch is not None:
            raise InputError(f"batch= reads n, which is private under neighbours={neighbours}")
        sensitivity = apart = arguments.sensitivity
    return NoisyTraining(
        steps=arguments.steps, sensitivity=sensitivity, noise=arguments.noise, step_size=arguments.step_size,
        diameter=arguments.diameter or math.inf, convexity=arguments.convexity, smoothness=arguments.smoothness,
        batches="full" if batch is None else "cyclic" if arguments.order == "cyclic" else "sampled",
        rounds=1.0 if batch is None else (n or batch) / batch, apart=apart,
    )  # fmt: skip


_EXAMPLE = "such as python -m dprepro privacy steps=2000 sensitivity=.1 step_size=.05 noise=1 diameter=1 smoothness=20"


def words_of(arguments: Arguments, training: NoisyTraining, found: FinalModelPrivacy) -> list[str]:
    """A table of three lines, then by which theorem, under which premise, and what other theorems lack."""
    from textwrap import wrap

    from dprepro.practice.final_model import KNOWN

    batches = (
        "full batches" if training.batches == "full" else f"{training.batches} batches, {training.rounds:g} rounds"
    )
    rows = [
        ["published", "epsilon", "at any T", "reached at T", "account"],
        ["every iterate", f"{found.every:.4g}", "no limit", "", f"composition: {found.every_by}"],
        ["the last one alone", f"{found.last:.4g}", f"{found.limit:.4g}" if math.isfinite(found.limit) else "no limit",
         "" if found.saturation is None else f"{found.saturation:.4g}" if found.saturation >= 1e6
         else f"{found.saturation}", "as every iterate" if found.by is None else found.by.theorem],
    ]  # fmt: skip
    if found.at_least is not None:
        rows.append(["of it at least", f"{found.at_least.epsilon:.4g}", "", "", found.at_least.theorem])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]) - 1)]
    lines = [f"T={training.steps} steps, {batches}, {_neighbours(arguments, training)}: epsilon at "
             f"delta={found.delta:g}", ""]  # fmt: skip
    for row in rows:
        cells = [f"{row[0]:<{widths[0]}}", *(f"{row[place]:>{widths[place]}}" for place in range(1, len(widths)))]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    lines.append("")
    for account in found.accounts:
        if account.at_least:
            continue
        said = f"{account.theorem}: "
        if account.epsilon is None:
            said += f"does not apply, as {account.lacks}."
        elif account is found.by:
            said += f"{account.formula}. Premise, promised and not checked: {account.premise}."
        else:
            said += f"{account.epsilon:.4g}, no better than what stands above."
        lines += wrap(said, WIDTH, subsequent_indent="  ")
    if not found.packs:
        lines += wrap(f"Nothing here proves that hiding the other iterates gains anything; the pack {KNOWN} knows "
                      f"theorems that do: pip install ./packs/{KNOWN}", WIDTH)  # fmt: skip
    return lines


def _neighbours(arguments: Arguments, training: NoisyTraining) -> str:
    """Between which data sets, and how far their gradients are apart."""
    if arguments.lipschitz is None:
        return f"between data sets whose gradients differ by {training.sensitivity:g}"
    return f"neighbours={arguments.neighbours} (gradients differ by {training.sensitivity:g})"
