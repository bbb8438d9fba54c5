"""What a check stands on, in words for a stranger: families, grid, replicates, constants, neighbours, findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprepro.analysis.points import number
from dprepro.axes import AXES
from dprepro.report import measured_grid
from dprepro.report.formulas import plain, with_symbols
from dprepro.report.premise_words import spelled
from dprepro.report.text import wanted

if TYPE_CHECKING:
    import pandas as pd

    from dprepro.report.publish import Published

WORDS = {
    "exact": "Computed exactly",
    "certified": "Certified for every private algorithm",
    "attained": "Attained",
    "holds": "Holds",
    "audited": "Audited from draws",
    "not contradicted": "Not contradicted",
}
RELATIONS = {
    "replace_one": "neighbours replace a record",
    "zero_out": "neighbours silence a record",
    "add_or_remove_one": "neighbours add or remove a record",
}
CONSTANTS = {"printed": "constants as printed", "exact": "constants as small as an accountant certifies"}
NOT_FAMILIES = {"seed", "size", "mass", "view", "listed"}
"""Parameters of a construction that make no other family: they number its members."""
FAMILY_NUMBERS = {"coordinates"}
"""Numbers that do make one: on how many coordinates the signal lies."""


def series_of(published: Published, check: str, algorithms: Collection[str] = ()) -> list[str]:
    """The series that a check is about, of those that were measured, and that run one of these ``algorithms``.

    A check may hold several algorithms against their bounds at once, and is evidence of a statement about one of them:
    on the data of its own series, and not of the others. Where none of them runs it, the check is about all.
    """
    settings = published.config["checks"].get(check, {})
    named: list[str] = []
    for key in ("series", "against"):
        value = settings.get(key) or []
        named += [value] if isinstance(value, str) else list(value)
    if not named or named == ["*"]:
        quantity = settings.get("quantity", "excess_risk")
        named = [
            series for series, role, what in published.bounded if what == quantity and role in ("claim", "context")
        ]
    found = [name for name in named if name in published.series]
    own = [name for name in found if _algorithm(published, name) in ("", *algorithms)]
    return own if algorithms and any(_algorithm(published, name) for name in own) else found


def families(published: Published, check: str, algorithms: Collection[str] = ()) -> set[str]:
    """The families of data on which a check was judged: constructions, and the parameters that make them other ones."""
    named = (_named(published.config, name, "construction") for name in series_of(published, check, algorithms))
    return {family for family in named if family}


def sizes(published: Published, check: str, algorithms: Collection[str] = ()) -> int:
    """The largest number of values that an axis has among a check's measurements."""
    rows = _rows(published, [check], algorithms)
    return max((int(rows[axis].nunique()) for axis in _axes(rows)), default=0)


def sizes_of(published: Published, check: str) -> str:
    """The grid that a check was judged on: `n from 1e5 to 1e8 (9 values), p = 1000`."""
    return plain(measured_grid.spans(measured_grid.grid(_rows(published, [check]), published.config)))


def evidence_entry(
    kind: str, experiment: str, published: Published, checks: Sequence[str], algorithms: Collection[str] = ()
) -> dict[str, Any]:
    """What these checks of an experiment are evidence of: where it was measured, under what, and what was found.

    ``families``, ``range``, ``under`` and ``findings`` are the parts of ``text``, which is one sentence of all.
    Of a statement about ``algorithms`` it is what these were measured on, see `series_of`.
    """
    rows = _rows(published, checks, algorithms)
    of_check = {name: sorted(map(_plain, families(published, name, algorithms))) for name in checks}
    known = sorted({family for several in of_check.values() for family in several})
    on = f" on {_listed(known)}" if known else ""
    by = _tried(published, checks) if kind == "not contradicted" else ""
    relation = RELATIONS.get(published.verdict["neighbours"], published.verdict["neighbours"])
    grid = measured_grid.spans(measured_grid.grid(rows, published.config))
    under = ", ".join(filter(None, [_replicates(rows), _constants(published, checks), relation]))
    words = "Certified by an accountant" if kind == "certified" and _accounted(published, checks) else WORDS[kind]
    settings = published.config["checks"]
    findings = [
        _finding(name, published.verdict["checks"][name], settings.get(name, {}), of_check[name])
        | _judged_on(published, name, settings.get(name, {}), algorithms)
        for name in checks
    ]
    where = ", ".join(filter(None, (f"{words}{by}{on}", grid, under)))
    return {
        "kind": kind,
        "experiment": experiment,
        "checks": list(checks),
        "words": words + by,
        "families": known,
        "range": grid,
        "under": with_symbols(under),
        "findings": findings,
        "text": with_symbols(f"{where}. Found: ") + "; ".join(finding["text"] for finding in findings) + ".",
    }


def _finding(name: str, check: Mapping[str, Any], settings: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    """A check as an entry of the ledger has it: what was compared, on which families, and what came out."""
    kept = ("rule", "verdict", "estimate", "low", "high", "expected", "margin")
    axis = settings.get("axis", "n")
    return {
        "check": name,
        **{key: check[key] for key in kept},
        "quantity": str(settings.get("quantity", "excess_risk")),
        "axis": f"ln({axis})" if settings.get("transform", "log") != "log" else axis,
        "over": str(settings.get("divide") or ""),
        "families": list(known),
        "side": str((check.get("details") or {}).get("side") or settings.get("side") or ""),
        "text": with_symbols(finding_in_words(name, check, settings)),
    }


def _judged_on(
    published: Published, name: str, settings: Mapping[str, Any], algorithms: Collection[str]
) -> dict[str, Any]:
    """The grid of one check, its points by series, and the axes of which the worst member alone was judged."""
    rows, envelope = (
        measured_grid.judged_rows(published, name, series_of(published, name, algorithms)),
        settings.get("envelope"),
    )
    members = [envelope] if isinstance(envelope, str) else list(envelope or ())
    return {
        "grid": measured_grid.grid(rows, published.config),
        "points": measured_grid.points(rows, published.config, members),
        "envelope": members,
    }


def finding_in_words(name: str, check: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """What a check measured, its estimate with the 99% interval, what was expected, and where that was not found."""
    doubt = "" if check["verdict"] == "confirmed" else f" ({check['verdict']}: {check['reason']})".replace(": )", ")")
    label = name.replace("_", " ")
    if check["estimate"] is None or check["rule"] == "attainment":
        return f"{label}: {check['reason'] or 'nothing'}"
    if check["low"] == check["high"]:
        found = number(check["estimate"])
    else:
        found = f"{number(check['estimate'])} [{number(check['low'])}, {number(check['high'])}]"
    what = _measured(check["rule"], settings)
    if name != f"exponent_{settings.get('axis', 'n')}":  # which the words say
        what = f"{label}, {what}"
    return f"{what}: {found}, {wanted(check)}{doubt}"


def _measured(rule: str, settings: Mapping[str, Any]) -> str:
    """The number that a rule takes from the measurements, in words."""
    quantity = str(settings.get("quantity", "excess_risk")).replace("_", " ")
    axis, over = settings.get("axis", "n"), settings.get("divide", "")
    if settings.get("transform", "log") != "log":
        axis = f"the logarithm of {axis}"
    extreme = "the smallest" if settings.get("side") == "at_least" else "the largest"
    words = {
        "exponent": f"the exponent of {axis} in the {quantity}{' over its ' * bool(over)}{over}",
        "below": f"{extreme} {quantity.removeprefix('largest ')} over its bound",
        "ratio": f"the {quantity} over the other curve's",
        "affine": f"the departure of the {quantity} from a line",
        "crossing": "the exponent of the place where the curves cross",
        "proportion": f"the share of {quantity} over its line",
        "audit": "the epsilon that was shown over the claimed one",
        "noise": "second moments drawn over scheduled ones",
        "scheduled": f"the {str(settings.get('column', '')).replace('_', ' ')} over the printed formula",
        "coverage": "the share of intervals that miss",
        "share": f"the share of cases with a {quantity} of at most {settings.get('limit')}",
    }
    if settings.get("side") == "equals":
        return f"the {quantity} over its bound, where it is farthest from it"
    return words.get(rule, f"the {quantity}")


def _plain(name: str) -> str:
    """A class with its parameters as words: `OneHotFamily (coordinates 1)` as `one hot family (coordinates 1)`."""
    first, space, rest = name.partition(" (")
    return spelled(first) + space + rest.replace("_", " ")


def _accounted(published: Published, checks: Iterable[str]) -> bool:
    """Whether what was certified is the budget of the algorithms that were run."""
    settings = (published.config["checks"].get(check, {}) for check in checks)
    return all(each.get("quantity") == "certified_epsilon" for each in settings)


def _rows(published: Published, checks: Iterable[str], algorithms: Collection[str] = ()) -> pd.DataFrame:
    series = {name for check in checks for name in series_of(published, check, algorithms)}
    good = published.frame[(published.frame["status"] == "ok")]
    return good[good["series"].isin(series)] if series else good


def _axes(rows: pd.DataFrame) -> list[str]:
    return [axis for axis in AXES if rows[axis].nunique() > 1]


def _replicates(rows: pd.DataFrame) -> str:
    if rows.empty:
        return ""
    low, high = int(rows["replicate"].max()) + 1, rows.groupby(list(AXES), dropna=False)["replicate"].nunique().max()
    return f"{max(low, int(high))} replicate{'s' if low > 1 else ''}"


def _constants(published: Published, checks: Iterable[str]) -> str:
    """The algorithms' constants, printed or exact."""
    said = set()
    for check in checks:
        for name in series_of(published, check):
            algorithm = _block(published.config, name, "algorithm")
            if algorithm and "_target_" in algorithm:
                said.add(str(algorithm.get("constants", "")) or "default")
    said.discard("default")
    return " and ".join(CONSTANTS.get(text, f"{text} constants") for text in sorted(said))


def _algorithm(published: Published, series: str) -> str:
    """The name of the class that a series runs; empty for one without."""
    return str(_block(published.config, series, "algorithm").get("_target_", "")).rpartition(".")[2]


def _tried(published: Published, checks: Iterable[str]) -> str:
    """` by 2 algorithms (A; B)`: those that the checks are about."""
    series = {name for check in checks for name in series_of(published, check)}
    tried = sorted({said for name in series if (said := _named(published.config, name, "algorithm"))})
    names = "; ".join(map(_plain, tried))
    return f" by {len(tried)} algorithm{'s' if len(tried) > 1 else ''} ({names})" if tried else ""


def _named(config: Mapping[str, Any], series: str, part: str) -> str:
    """A construction or an algorithm, with the words among its parameters, which make it another one."""
    block = _block(config, series, part)
    if not block:
        return ""
    name = str(block.get("_target_", "")).rpartition(".")[2]
    further = [f"{key} {block[key]}" for key in sorted(block) if key != "_target_" and _distinguishes(key, block[key])]
    return f"{name} ({', '.join(further)})" if further else name


def _distinguishes(key: str, value: object) -> bool:
    return key in FAMILY_NUMBERS or (key not in NOT_FAMILIES and isinstance(value, str))


def _block(config: Mapping[str, Any], series: str, part: str) -> Mapping[str, Any]:
    found = config["study"].get("series", {}).get(series, {})
    block = found.get(part) if isinstance(found, Mapping) else None
    return block if isinstance(block, Mapping) else {}


def _listed(names: Sequence[str], most: int = 6) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more families" if len(names) > most else shown
