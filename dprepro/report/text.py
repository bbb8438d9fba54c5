"""The printed table and the verdict lines of a run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro.analysis import points
from dprepro.analysis.checks import said as in_words
from dprepro.analysis.checks import worded
from dprepro.analysis.rule import VERDICTS
from dprepro.axes import AXES
from dprepro.report.standing import OVERRIDDEN
from dprepro.statements.papers import citation

if TYPE_CHECKING:
    import pandas as pd

REASONS_SHOWN = 6
PLACES_SHOWN = 3
SIDES = {"at_most": "at most", "at_least": "at least"}

RAW = (
    "not private: risks, counts, minimisers, the store and the figure are computed from the raw table, and the noise "
    "can be computed again from seed and configuration; of all this only the algorithm's answer is private"
)
"""The warning that a run on a person's own table prints."""


def number(value: float | None) -> str:
    """A short spelling of a number; a hyphen for nothing."""
    return "-" if value is None or value != value else points.number(value)


def position(value: float) -> str:
    """A value on an axis: whole numbers in full where four digits would change them; a hyphen for none."""
    if value != value:
        return "-"
    short = number(value)
    return f"{value:.0f}" if float(short) != value and value == int(value) and value < 1e9 else short


def table(
    frame: pd.DataFrame,
    axis: str,
    envelope: Sequence[str] = (),
    further: Sequence[str] = (),
    quantity: str = "excess_risk",
) -> str:
    """Mean risk, or another quantity, bound and their ratio for every series along the axis.

    The last column names the reduction by which a line was measured, or ``literal``, if the frame has it. Other axes
    that vary have columns too. Of points that differ in the axes of ``envelope`` only, the table shows the one with the
    largest mean risk. ``further`` are the sweep's axes beyond the main ones: an axis that varies has a column, so that
    no mean is taken over it.
    """
    envelope = [name for name in envelope if name in frame.columns]
    main = ["role", "series", *AXES, *envelope, *([axis] if axis not in (*AXES, *envelope) else [])]
    chosen = (frame["quantity"] == quantity) & (frame["status"] == "ok")
    shown = dict.fromkeys([*main, *further, "value", "bound", "reduction"])  # not all columns: a copy is made
    good = frame.loc[chosen, [name for name in shown if name in frame.columns]]
    if good.empty and frame["quantity"].isin(["audited_epsilon", "violating_epsilon"]).any():
        return audits(frame)
    if good.empty:
        return "no cell was measured" if (frame["status"] != "ok").all() else "no risk is measured here"
    points = good.groupby(main, dropna=False)
    others = [a for a in AXES if a != axis and good[a].nunique() > 1]
    others += [a for a in further if a not in main and (points[a].nunique(dropna=False) > 1).any()]
    keys = ["role", "series", axis, *others]
    with_reduction = "reduction" in good.columns
    measured = good.groupby([*keys, *envelope], sort=False, dropna=False)
    means = measured[["value", "bound"]].mean()
    means = (means.assign(reduction=measured["reduction"].agg(_each_once)) if with_reduction else means).reset_index()
    means = means.loc[means.groupby(keys, sort=False, dropna=False)["value"].idxmax()] if envelope else means
    means["order"] = means["role"].map({"claim": 0, "context": 1, "control": 2})
    means = means.sort_values(["order", "series", axis, *others], kind="stable")
    lines = [[*("series", axis), *others, "risk" if quantity == "excess_risk" else quantity, "bound", "ratio"]]
    lines[0] += ["reduction"] if with_reduction else []
    for row in means.to_dict("records"):
        ratio = row["value"] / row["bound"] if row["bound"] else None
        lines.append(
            [
                str(row["series"]),
                *(position(row[a]) for a in (axis, *others)),
                number(row["value"]),
                number(row["bound"]),
                number(ratio),
                *([row["reduction"]] if with_reduction else []),
            ]
        )
    return aligned(lines)


def _each_once(names: pd.Series[str]) -> str:
    return "/".join(sorted(map(str, names.dropna().unique()))) or "-"


def audits(frame: pd.DataFrame) -> str:
    """The claimed epsilon of every series, the certified one, and lower values of the true one by law and by audit.

    The slack is the certified epsilon over the largest lower value. `notices` is the planted excess of epsilon that
    the audit noticed, `from` is about the least that it would notice (see `_least`). The relation of the two data sets
    has a column where there are several.
    """
    good = frame[frame["status"] == "ok"]
    named = good["relation"].nunique() > 1 if "relation" in good else False
    lines = [["series", *(["neighbours"] if named else []), "n", "p", "claimed", "delta", "certified", "by_law",
              "audited", "slack", "notices", "from"]]  # fmt: skip
    keys = ["role", "series", "n", "p", "epsilon", "delta"]
    for (_, name, n, p, epsilon, delta), rows in good.groupby(keys, sort=True):
        value = rows.groupby("quantity")["value"].mean()
        noticed = rows[(rows["quantity"] == "violating_epsilon") & (rows["value"] > rows["bound"])]
        factor = f"x{number(float(noticed['epsilon_factor'].max()))}" if len(noticed) else "-"
        certified, *shown = (value.get(f"{text}_epsilon", math.nan) for text in ("certified", "lower", "audited"))
        most = max((evidence for evidence in shown if evidence > 0), default=math.nan)
        bounds = rows.loc[rows["quantity"].isin(["certified_epsilon", "lower_epsilon", "audited_epsilon"]), "bound"]
        slack = certified / most if bounds.nunique() == 1 else math.nan  # none where a pair sees only a part
        columns = (certified, *shown, slack)
        numbers = ("-" if math.isnan(column) else number(float(f"{column:.3g}")) for column in columns)
        axes = (position(float(str(key))) for key in (n, p, epsilon, delta))
        relation = [str(rows["relation"].dropna().iloc[0])] if named else []
        lines.append([str(name), *relation, *axes, *numbers, factor, _least(rows) if len(noticed) else "-"])
    return aligned(lines)


def _least(rows: pd.DataFrame) -> str:
    """The factor of epsilon from which on the audit would notice that the guarantee is violated.

    Linear interpolation between the honest run and the one with a planted factor, by draws, else by law; "-" where the
    honest run already exceeds the claim. More planted factors (`+study.epsilon_factors=[...]`) would measure it.
    """
    shares = {q: float((part["value"] / part["bound"]).mean()) for q, part in rows.groupby("quantity")}
    factor = float(rows["epsilon_factor"].max())
    honest = shares.get("audited_epsilon", shares.get("lower_epsilon", math.nan))
    if not honest <= 1 < shares["violating_epsilon"]:
        return "-"
    return f"x{1 + (factor - 1) * (1 - honest) / (shares['violating_epsilon'] - honest):.2f}"


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Cells in columns, the first to the left and the others to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = []
    for line in lines:
        cells = [
            line[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
        ]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)


def further(frame: pd.DataFrame) -> list[str]:
    """One line for each quantity besides the risk: its range and largest ratio over all cells, controls too."""
    chosen = (frame["status"] == "ok") & (frame["quantity"] != "excess_risk")
    good = frame.loc[chosen, ["quantity", "value", "bound"]]
    lines = []
    for quantity, rows in good.groupby("quantity", sort=True):
        low, high = rows["value"].min(), rows["value"].max()
        line = f"{quantity}: {number(low)}" + (f" to {number(high)}" if high > low else "")
        bounded = rows[rows["bound"] > 0]
        if len(bounded):
            line += f"; largest ratio to its bound {number((bounded['value'] / bounded['bound']).max())}"
        lines.append(line)
    return lines


def reads_a_table(config: Mapping[str, Any]) -> bool:
    """Whether a construction that some series uses reads a file: one has a path."""
    series = config.get("study", {}).get("series", {})
    blocks = [entry.get("construction") for entry in series.values() if isinstance(entry, Mapping)]
    return any(isinstance(block, Mapping) and bool(block.get("path")) for block in blocks)


def unmeasured(frame: pd.DataFrame) -> list[str]:
    """One line for each way in which cells failed or were skipped, the most frequent first."""
    # Series may share cells, which are measured once.
    cells = frame[frame["status"] != "ok"].drop_duplicates("key")
    counts = cells["status"].value_counts()
    lines = [
        f"{count} cell{'s' if count > 1 else ''} {status}{_where(cells[cells['status'] == status])}"
        for status, count in counts[:REASONS_SHOWN].items()
    ]
    if rest := counts[REASONS_SHOWN:].sum():
        lines.append(f"{rest} more cells failed or were skipped, for {len(counts) - REASONS_SHOWN} further reasons")
    return lines


def _where(cells: pd.DataFrame) -> str:
    """`` (needle at n=1000)`` of cells that a premise leaves out, which another sweep would have; empty of failures."""
    if not str(cells["status"].iloc[0]).startswith("skipped"):
        return ""
    series, sizes = list(dict.fromkeys(cells["series"])), sorted(set(cells["n"]))
    named = ", ".join(map(str, series)) if len(series) <= PLACES_SHOWN else f"{len(series)} series"
    if len(sizes) > PLACES_SHOWN:
        return f" ({named} at n={position(sizes[0])} to {position(sizes[-1])})"
    return f" ({named} at n={', '.join(map(position, sizes))})"


def verdict_lines(verdict: Mapping[str, Any], verbose: bool = False) -> str:
    """One line for each check and a last one for the experiment; ``verbose`` has all that verdict.json says in words.

    Else a check's line has verdict, estimate, interval and expectation, and the first words of the reason where it has
    no conclusion or another than expected.
    """
    lines = []
    width = max(len(name) for name in verdict["checks"])
    for name, check in verdict["checks"].items():
        said = _all_said(check) if verbose else _shortly_said(check)
        mark = "" if check["as_expected"] else f"  <- expected to be {check['expect']}"
        lines.append(f"  {name:<{width}}  {check['role']:<8} {said}{mark}")
    if verdict["overrides"]:
        lines.append(f"  overridden: {' '.join(verdict['overrides'])}")
    tail = "all checks came out as expected" if verdict["as_expected"] else "NOT all checks came out as expected"
    said = f"verdict: {verdict['experiment']} ({verdict['paper']}, {verdict['claim']}): {worded(verdict)}; {tail}"
    lines.append(said)
    return "\n".join(lines)


def _estimated(check: Mapping[str, Any]) -> str:
    """`-0.666 in [-0.667, -0.664], expected -0.667 +- 0.03`; empty where there is no estimate."""
    if check["estimate"] is None or check["rule"] == "attainment":
        return ""
    interval = f"{number(check['estimate'])} in [{number(check['low'])}, {number(check['high'])}]"
    return f" {interval}, {wanted(check, '+-')}{_beside(check)}"


def _beside(check: Mapping[str, Any]) -> str:
    """Of an exponent that is held against a column's own slope: both, as their difference alone tells little."""
    details = check.get("details") or {}
    own, measured = details.get(f"{details.get('divide')}_slope"), details.get("measured_slope")
    return f"; slope {number(measured)}, the rate's {number(own)}" if own is not None and measured is not None else ""


def _all_said(check: Mapping[str, Any]) -> str:
    constant = f"constant {number(check['constant'])}" if check["constant"] is not None else ""
    return "; ".join(filter(None, (f"{in_words(check):<12}{_estimated(check)}", constant, check["reason"])))


def _shortly_said(check: Mapping[str, Any]) -> str:
    _, up_to, logarithms = in_words(check).partition(" up to ")  # the margin says within what
    unclear = check["verdict"] == "inconclusive" or not check["as_expected"] or not _estimated(check)
    reason = first_words(str(check["reason"])) if unclear else ""
    return "; ".join(filter(None, (f"{check['verdict']:<12}{_estimated(check)}", (up_to + logarithms).strip(), reason)))


def first_words(reason: str, most: int = 150) -> str:
    """The first parts of a reason that fit into a line; of a first one that does not, its beginning."""
    parts = reason.split("; ")
    kept = parts[0] if len(parts[0]) <= most else f"{parts[0][:most].rpartition(' ')[0]} ..."
    for part in parts[1:]:
        if len(kept) + len(part) + 2 > most:
            break
        kept += f"; {part}"
    return kept


def wanted(check: Mapping[str, Any], plus_minus: str = "±") -> str:
    """What an estimate is held against: `at most 1 (margin 0.1)`, on the side that can refute; `expected 1 ± 0.1`."""
    side = SIDES.get(str((check.get("details") or check).get("side", "")), "")
    limit = f"{side or 'expected'} {number(check['expected'])}"
    if not check["margin"]:
        return limit
    return f"{limit} (margin {number(check['margin'])})" if side else f"{limit} {plus_minus} {number(check['margin'])}"


def finding(check: Mapping[str, Any]) -> str:
    """Estimate and interval against expectation, with the measured constant."""
    if check["estimate"] is None or check["rule"] == "attainment":
        return str(check["reason"])
    said = f"{number(check['estimate'])} [{number(check['low'])}, {number(check['high'])}], {wanted(check)}"
    return said + (f"; constant {number(check['constant'])}" if check.get("constant") is not None else "")


AT_A_CORNER = "refuted at a corner"
"""The words of a row whose statement fails at a degenerate corner of its range, and nowhere else."""

READING = (
    "The sentences of an entry are made of its checks: ± ends the 99% interval of an exponent, at most and at least "
    "hold at all points by 99% limits, and stated is the exponent of the statement. The range of each axis is told for "
    "itself; values of several axes were seldom all combined."
)
"""How the sentences of a row are to be read; see `in_short`."""

#: From what asks for attention to what does not.
ORDER = (
    "refuted", "inconclusive", "not contradicted", "confirmed", "not measured", "nothing to measure",
    "not as expected", "shown", "by a test", "not in this store",
)  # fmt: skip

SEVERITIES = ("privacy failure", "false", "constant", "proof gap", "typo", "corner")
"""Of errata, from the gravest."""


def several(severity: str, count: int) -> str:
    """The severity of so many errata: ``10 privacy failures``, ``6 false``."""
    return severity if count == 1 or severity == "false" else f"{severity}s"


def gravity(severity: str) -> int:
    """The place of a severity among all, from the gravest; an unknown one comes last."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def claim(said: Mapping[str, Any]) -> str:
    """Of a ledger's row, or of what holds instead: on which side the formula bounds, and for what; sentences."""
    from dprepro.report.premise_words import in_words

    bounds = {"at_most": "An upper bound.", "at_least": "A lower bound.", "equals": "An equality."}
    premise = "; ".join(dict.fromkeys(map(in_words, said.get("premise", ()))))
    return " ".join(
        filter(None, (bounds.get(said.get("direction", ""), ""), f"Premise: {premise}." if premise else ""))
    )


def counts(rows: Iterable[Mapping[str, Any]], key: str = "verdict") -> str:
    """How many rows have each verdict, in words; of the refuted how many fail at a corner of their range alone."""
    tally: Counter[str] = Counter()
    corners = 0
    for row in rows:
        tally[row[key]] += 1
        corners += row.get("words") == AT_A_CORNER
    among = {"refuted": f" ({corners} at a corner alone)"} if corners else {}
    return ", ".join(f"{tally[name]} {name}{among.get(name, '')}" for name in sorted(tally, key=ORDER.index)) or "none"


def causes_in_words(causes: Mapping[str, int]) -> str:
    """Rows that are refuted as printed, by their causes."""
    words = f"{causes['rows']} rows are refuted as printed, for {causes['causes']} causes"
    return f"{words}; {causes['corners']} more at a corner alone" if causes["corners"] else words


def of_papers(claims: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows without those of results that are derived here."""
    return [row for row in claims if "proof" not in row]


def derived(claims: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows of results that are derived here, which no paper states."""
    return [row for row in claims if "proof" in row]


def rows_in_words(claims: Sequence[Mapping[str, Any]]) -> str:
    """How many rows have each verdict; those that are derived here, and experiments of no statement, apart."""
    own = derived(claims)
    others = [row for row in of_papers(claims) if row["kind"] != "further"]
    further = [row for row in claims if row["kind"] == "further"]
    words = [f"{len(others)} numbered statement{'s' * (len(others) != 1)}: {counts(others)}."]
    if own:
        words.append(f"Besides, {len(own)} derived here, which no paper states: {counts(own)}.")
    if further:
        words.append(f"Of no statement: {len(further)} experiment{'s' * (len(further) != 1)}, {counts(further)}.")
    return " ".join(words)


def by_paper(claims: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """The rows of each paper's statements; further experiments are about none."""
    papers: dict[str, list[Mapping[str, Any]]] = {}
    for row in claims:
        if row["kind"] != "further":
            papers.setdefault(row["paper"], []).append(row)
    return papers


def ledger_lines(ledger: Mapping[str, Any], experiments: Mapping[str, tuple[str, str]]) -> str:
    """Each experiment with its verdict and claim, and how many statements of each paper have which verdict."""
    width = max(map(len, experiments), default=0)
    lines = [f"{name:<{width}}  {verdict:<12}  {said}" for name, (verdict, said) in sorted(experiments.items())]
    papers = ledger.get("papers", {})
    for paper, rows in by_paper(ledger["claims"]).items():
        lines.append(f"{citation(paper, papers)}: {len(rows)} statements, {counts(rows)}")
    lines.append(f"errata: {counts(ledger['errata'], 'state')}")
    unmeasured_rows = [row for row in ledger["claims"] if row["verdict"] == "not measured"]
    if waiting := sum(not experiments.keys() >= set(row["experiments"]) for row in unmeasured_rows):
        lines.append(f"{waiting} not measured here: python -m dprepro -m '+experiment=glob(*)' runs all experiments")
    return "\n".join(lines)


@dataclass(frozen=True)
class Ending:
    """How one of several runs ended: ``verdict`` may also be ``sharded``, ``detached``, ``skipped`` or ``failed``."""

    job: Sequence[str]
    code: int
    verdict: str
    as_expected: bool | None = None
    note: str = ""
    folder: str = ""


def short(jobs: Sequence[Sequence[str]]) -> list[str]:
    """A name for each job: its experiment, and what tells it from the other jobs."""
    common = set(jobs[0]).intersection(*jobs) if len(jobs) > 1 else set()
    labels = []
    for job in jobs:
        name = next((word.partition("=")[2] for word in job if word.startswith("+experiment=")), "")
        labels.append(" ".join([name, *(word for word in job if word not in common and "experiment=" not in word)]))
    return labels


def endings(ends: Sequence[Ending]) -> str:
    """One line for each run: experiment with what tells it from the others, verdict, whether all checks came out."""
    labels = short([end.job for end in ends])
    width = max(map(len, [*labels, "experiment"]))
    lines = [f"{'experiment':<{width}}  verdict       as expected"]
    for label, end in zip(labels, ends, strict=True):
        expected = {True: "yes", False: "NO", None: "-"}[end.as_expected]
        note = " ".join(end.note.split()) or (end.folder if OVERRIDDEN in Path(end.folder).parts else "")
        lines.append(f"{label:<{width}}  {end.verdict:<12}  {expected:<11}  {note}".rstrip())
    tally = Counter(end.verdict for end in ends)
    said = ", ".join(
        f"{tally[word]} {word}"
        for word in (*reversed(VERDICTS), "sharded", "detached", "skipped", "failed")
        if tally[word]
    )
    odd = sum(end.as_expected is False for end in ends)
    lines.append(f"{len(ends)} runs: {said}" + (f"; {odd} not as expected" if odd else ""))
    return "\n".join(lines)
