"""What a figure says of the verdict: the headline, and the comparison that each claim was judged by."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dprepro.analysis.checks import said, up_to_logarithms, worded
from dprepro.analysis.points import number

AXES = {
    "n": "records n",
    "p": "dimension p",
    "epsilon": "privacy ε",
    "delta": "ln(1/δ)",
    "norm": "norm of the target",
    "steps": "steps T",
    "smoothing": "smoothing h",
    "m": "parameter m",
    "tau": "share τ of columns that are not consensus",
    "index": "index i of the smoothing",
}
"""What an axis is called; of delta the figures show ln(1/delta)."""

SYMBOLS = {"epsilon": "ε", "delta": "δ"}

QUANTITIES = {
    "excess_risk": "excess risk (mean)",
    "sum_risk": "excess risk (sum over n)",
    "exact_delta": "δ at least, by output distribution",
    "exact_delta_zeroed_out": "δ at least, by output distribution, beside a zeroed-out record",
    "lower_epsilon": "ε at least, by output distribution",
    "largest_gap": "largest gap",
    "ratio": "left side over right side",
    "holdout_rmse": "hold-out RMSE (unit of the column)",
    "holdout_mae": "hold-out mean error (unit of the column)",
    "r_squared": "hold-out R²",
    "accuracy": "hold-out accuracy",
    "error_rate": "hold-out error rate",
    "auc": "hold-out AUC",
    "caught": "rate of a user caught",
    "sign_recovered": "sign found",
    "risk_over_zero": "risk over the trivial predictor's",
    "times_versus": "risk over the other's",
}

BY = {
    "exponent": "slope",
    "below": "bound",
    "proportion": "rate",
    "ratio": "constant",
    "affine": "bend",
    "attainment": "target",
}
"""What a rule judges a series by."""

MOST = 6
"""How many of the confirmed claims that are not drawn are named."""

OF_THE_SCHEDULE = ("noise", "scheduled")
"""Rules about what was run, which no panel shows."""

COLUMNS = {"bound": "the bound's", "rate": "the rate's", "law": "the law's"}

SCHEDULED = {"total_steps": "steps T"}
"""What a column of the schedule is called."""


NUMBERED = (
    "theorem",
    "lemma",
    "claim",
    "corollary",
    "definition",
    "fact",
    "proposition",
    "equation",
    "section",
    "appendix",
)


ACRONYMS = ("erm", "sgd")


def item(name: str) -> str:
    """An item of a paper by its key: Theorem 2.4.1 of ``theorem_2_4_1``, Lemma A.3 of ``lemma_a_3``."""
    kind, *parts = name.split("_")
    numbered = kind in NUMBERED
    place = 0
    if numbered:
        while place < len(parts) and (parts[place].isdigit() or (place == 0 and len(parts[0]) == 1)):
            place += 1
    number = ".".join(parts[:place]).upper()
    words = [part.upper() if part in ACRONYMS else part for part in parts[place:]]
    return " ".join(filter(None, (kind.capitalize(), number, *words)))


def axis_label(axis: str) -> str:
    """What stands below a panel."""
    return AXES.get(axis, axis.replace("_", " "))


def quantity_label(quantity: str, envelope: Collection[str] = ()) -> str:
    """What stands beside a panel; of a family the worst is shown, and the label says so."""
    label = QUANTITIES.get(quantity, quantity.replace("_", " "))
    if not envelope:
        return label
    worst = f"worst {', '.join(envelope)}"
    return f"{label[:-1]}, {worst})" if label.endswith(")") else f"{label} ({worst})"


@dataclass(frozen=True)
class JudgedCheck:
    """A check: its ``name``, ``result`` as in verdict.json, and ``options`` as in the run's configuration."""

    name: str
    result: Mapping[str, Any]
    options: Mapping[str, Any]

    @property
    def rule(self) -> str:
        """The rule that judged."""
        return str(self.result["rule"])

    @property
    def quantity(self) -> str:
        """What was judged."""
        return str(self.options.get("quantity", "excess_risk"))

    def series(self, known: Iterable[str]) -> list[str]:
        """The known series that the check is about; a check that names none is about all."""
        named = self.options.get("series") or "*"
        wanted = {named} if isinstance(named, str) else set(named)
        return [name for name in known if name in wanted or wanted == {"*"}]


def judged(verdict: Mapping[str, Any], config: Mapping[str, Any], role: str = "claim") -> list[JudgedCheck]:
    """The checks of a role, in the order of the configuration."""
    known = config.get("checks", {})
    return [
        JudgedCheck(name, value, known.get(name, {}))
        for name, value in verdict["checks"].items()
        if value["role"] == role
    ]


def controls(verdict: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, str]:
    """For each series that is judged as a control or an erratum: what came out, and by what."""
    found: dict[str, str] = {}
    for check in (*judged(verdict, config, "control"), *judged(verdict, config, "erratum")):
        named = check.options.get("series")
        how = "budget" if check.quantity == "certified_epsilon" else BY.get(check.rule, check.rule)
        for name in [named] if isinstance(named, str) else named or ():
            found.setdefault(name, f"{check.result['verdict']} by {'its' if isinstance(named, str) else 'their'} {how}")
    return found


_CLASS = re.compile(r"\b[a-z]\w*(?:\.\w+)*\.([A-Z]\w*)")
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def labelled(name: str, labels: Mapping[str, str]) -> str:
    """A series' label, or its name in words.

    A label may name a class in full, by interpolation of the ``_target_`` that a command line may change: of it the
    words of its name are said.
    """
    return _CLASS.sub(lambda at: _WORDS.sub(" ", at[1]), labels.get(name, name.replace("_", " ")))


def entry(label: str, name: str, role: str, came_out: Mapping[str, str]) -> str:
    """What a short legend calls a series: its label, after its role, and what came out of one judged as such."""
    ending = f" ({came_out[name].split()[0]})" if role != "claim" and name in came_out else ""
    return f"{f'{role}: ' if role != 'context' else ''}{label}{ending}"


def headline(verdict: Mapping[str, Any], heading: str = "") -> str:
    """Claim and verdict; where it is not confirmed, which checks it is for."""
    text = f"{heading or verdict['claim']}: {worded(verdict)}"
    if verdict["verdict"] == "confirmed":
        return text
    names = [
        name for name, value in verdict["checks"].items()
        if value["role"] == "claim" and value["verdict"] == verdict["verdict"]
    ]  # fmt: skip
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f"{text} ({', '.join(names[:2])}{more})" if names else text


def headlines(verdict: Mapping[str, Any], heading: str = "") -> tuple[str, list[str]]:
    """What the claim is called, and the verdict in words: as in the headline, then ever shorter."""
    name = heading or str(verdict["claim"])
    full = headline(verdict, heading).removeprefix(f"{name}: ")
    short = re.sub(r" up to .*", " up to logarithms", worded(verdict))
    return name, list(dict.fromkeys([full, short, str(verdict["verdict"])]))


def undrawn(claims: Iterable[JudgedCheck], said: Collection[str]) -> str:
    """The claims that are not among the ``said``, which the panels speak of; with numbers where not confirmed."""
    left = [claim for claim in claims if claim.name not in said]
    held = [check.name for check in left if check.result["verdict"] == "confirmed"]
    others = [f"{check.name}: {comparison(check)}" for check in left if check.result["verdict"] != "confirmed"]
    more = f" and {len(held) - MOST} more" if len(held) > MOST else ""
    words = [*others, *([f"{', '.join(held[:MOST])}{more} (confirmed)"] if held else [])]
    return f"Judged, not drawn: {'; '.join(words)}." if words else ""


def comparison(judged: JudgedCheck, axis: str = "", bounded: bool = True) -> str:
    """What was compared with what: the estimate, with half its 99% interval, and what is claimed.

    ``axis`` is that of the panel, which an exponent need not repeat; ``bounded`` says whether an inequality is about
    the share of a bound. Words where there is no estimate.
    """
    check = judged.result
    if judged.rule == "attainment":
        return str((check.get("details") or {}).get("goal", check["reason"]))
    if check["estimate"] is None:
        return f"{judged.name}: {check['verdict']}, {check['reason']}"
    one_sided = judged.rule in ("below", "proportion") and judged.options.get("side") != "equals"
    text = _inequality(judged, bounded) if one_sided else _equality(judged, axis)
    if up_to_logarithms(check):
        return f"{text}; {kept('up to' + said(check).rpartition('up to')[2])}"
    return text if check["verdict"] == "confirmed" else f"{text}: {check['verdict']}"


def briefly(check: JudgedCheck, axis: str = "", bounded: bool = True) -> list[str]:
    """The same in few words, then in ever fewer: without margins, without errors.

    A verdict that is no confirmation stays.
    """
    verdict = str(check.result["verdict"])
    ending = "" if verdict == "confirmed" else f": {verdict}"
    if check.rule == "attainment" or check.result["estimate"] is None:
        return [comparison(check, axis, bounded), f"{check.name.replace('_', ' ')}: {verdict}"]
    first = comparison(check, axis, bounded).partition("; ")[0].removesuffix(ending).replace("exponent", "slope", 1)
    found = [first, first := _MARGIN.sub(r"\1", first), _ERROR.sub("", first)]
    return [f"{text}{ending}" for text in dict.fromkeys(found)]


_MARGIN = re.compile(r"(claimed\s[^±]*?)(?:,\smargin\s\S+|\s±\s\S+)$")
_ERROR = re.compile(r"\s(?:\(99%: [^)]*\)|±\s<?[\d.]+)".replace(": ", r":\s"))


def kept(text: str) -> str:
    """The same on one line, by spaces that do not break."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def estimated(check: Mapping[str, Any]) -> str:
    """An estimate with half its 99% interval."""
    low, high = (check["estimate"] if check[key] is None else check[key] for key in ("low", "high"))
    return kept(f"{_decimal(check['estimate'])} ± {_decimal((high - low) / 2, '<0.001')}")


def _equality(judged: JudgedCheck, axis: str) -> str:
    """Rules whose estimate is compared with a number, from two sides or from one."""
    check, details = judged.result, judged.result.get("details") or {}
    side = {"at_most": "at most ", "at_least": "at least "}.get(str(details.get("side", "")), "")
    claimed = f"claimed {side}{_short(check['expected'])}{_margin(check, ', margin ' if side else ' ± ')}"
    text = f"{_subject(judged, axis)} {estimated(check)}, {kept(claimed)}"
    bare = details.get("measured_slope") if judged.options.get("divide") else None
    return text if bare is None else f"{text}; {kept(f'log-log slope {_decimal(bare)}')}"


def _subject(check: JudgedCheck, axis: str) -> str:
    own = str(check.options.get("axis", "n"))
    where = "" if own == axis else f" of {AXES.get(own, own).split()[-1]}"
    divide = str(check.options.get("divide", ""))
    owner = COLUMNS.get(divide, f"{divide.replace('_', ' ')}'s")
    if check.rule == "exponent":
        return f"exponent{where}" + (f" less {owner}" if divide else "")
    if check.rule == "crossing":
        along = str(check.options.get("along", "n"))
        where = "" if along == "n" else f" in {along}"
        return f"exponent of the crossing{where}" + (
            " less the bounds'" if check.options.get("versus") == "bound" else ""
        )
    if check.rule == "below":
        return "share of the bound, where it is farthest from it"
    if check.rule == "affine":
        return "curvature over slope"
    if check.rule == "ratio":
        against = str(check.options.get("against", "")).replace("_", " ")
        return f"ratio to {against or owner.removesuffix(chr(39) + 's')}"
    if check.rule == "noise":
        return "noise drawn, over the schedule's"
    if check.rule == "scheduled":
        column = str(check.options.get("column", check.name))
        return f"{SCHEDULED.get(column, column.replace('_', ' '))}, over the formula"
    return check.name.replace("_", " ")


def _inequality(judged: JudgedCheck, bounded: bool) -> str:
    """Rules whose estimate is the share of a bound that comes nearest to it."""
    check = judged.result
    least = (check.get("details") or {}).get("side") == "at_least"
    word, limit = ("least", check["low"]) if least else ("most", check["high"])
    text = f"at {word} {number(check['estimate'])}" + (" of the bound" if bounded else "")
    if limit is not None and limit != check["estimate"]:
        text += " " + kept(f"(99%: {number(limit)})")
    claimed = f"claimed at {word} {number(check['expected'])}{_margin(check, ', margin ')}"
    text += f", {kept(claimed)}"
    vacuous = judged.quantity == "excess_risk" and (check.get("details") or {}).get("vacuous")
    return f"{text}; vacuous" if vacuous else text


def _margin(check: Mapping[str, Any], word: str) -> str:
    return f"{word}{number(check['margin'])}" if check["margin"] else ""


def _decimal(value: float, least: str = "") -> str:
    """Three decimals, of larger numbers fewer, with a true minus sign; ``least`` for what they cannot show."""
    if least and 0 < value < 0.0005:
        return least
    places = 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", "−")


def _short(value: float) -> str:
    """`_decimal` without zeros at its end."""
    text = _decimal(value)
    return text.rstrip("0").rstrip(".") if "." in text else text
