"""The answer to a person's question, first: three sentences, then a short table; `--verbose` tells the rest.

An experiment asks such a question where its claim is a check of rule `attainment` along epsilon: which algorithm is
good enough, and from which epsilon on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any

from dprepro.analysis.attainment import Attainment
from dprepro.analysis.checks import build
from dprepro.report.text import aligned, number

if TYPE_CHECKING:
    import pandas as pd

LINES = 12
"""Of the table, with its heading."""

WIDTH = 100

ERRORS = {
    "holdout_rmse": "root mean square error on records held out, in the target's unit",
    "holdout_mae": "mean absolute error on records held out, in the target's unit",
    "error_rate": "share of the records held out that are predicted wrongly",
    "r_squared": "explained share of the variance on records held out",
    "accuracy": "share of the records held out that are predicted rightly",
    "auc": "area under the curve on records held out",
}
"""What a quantity is, in words."""


def question(config: Mapping[str, Any]) -> str:
    """The name of the check that asks which algorithm is good enough; empty where none does."""
    for name, check in config["checks"].items():
        along = check.get("rule") == Attainment.name and check.get("axis", "epsilon") == "epsilon"
        if along and check.get("role", "claim") == "claim":
            return str(name)
    return ""


def answer(config: Mapping[str, Any], frame: pd.DataFrame, verdict: Mapping[str, Any]) -> list[str]:
    """Sentences, table and notes, for a configuration that has a `question`."""
    name = question(config)
    rule = build(name, config["checks"][name])
    assert isinstance(rule, Attainment)
    check = verdict["checks"][name]
    details, rows = check.get("details") or {}, frame[~frame["series"].isin(config["figure"].get("hide", ()))]
    if "places" not in details:
        return [f"No answer: {check['reason']}."]
    answer = _Answer(rule, details, rule.errors(rows), config["figure"].get("labels") or {}, check)
    sentences = [answer.first(), answer.second(), answer.third(config, verdict)]
    lines = [fill(sentence, WIDTH, break_long_words=False, subsequent_indent="  ") for sentence in sentences]
    return [*lines, "", answer.table(), "", *answer.notes(config, verdict)]


class _Answer:
    """What is known of the curves, in words."""

    def __init__(
        self,
        rule: Attainment,
        details: Mapping[str, Any],
        errors: Mapping[str, tuple[str, Mapping[float, float]]],
        labels: Mapping[str, str],
        check: Mapping[str, Any],
    ) -> None:
        self.rule, self.details, self.check, self.labels = rule, details, check, labels
        along = {label: (name, means) for label, (name, means) in errors.items() if not name.endswith("_n")}
        self.errors = {label: means for label, (_, means) in along.items()}
        self.names = {label: name for label, (name, _) in along.items()}
        self.sign = 1 if rule.side == "at_most" else -1
        self.verdict = str(check["verdict"])
        self.places = {label: [math.inf if end is None else float(end) for end in ends]
                       for label, ends in details["places"].items()}  # fmt: skip
        self.asked = [label for label in self.places if label in self.errors]
        every = {value for label in self.asked for value in self.errors[label]}
        self.largest = max(every)
        self.label, self.at = self._best()
        self.epsilons = sorted(self.errors[self.label])
        self.left = 0  # of the algorithms that the table has no room for

    def _best(self) -> tuple[str, float]:
        """The curve that the answer is about, and the epsilon: that of the verdict, or the largest within reach."""
        which = {"confirmed": 2, "inconclusive": 1}.get(self.verdict)
        within = min(self.rule.within, self.largest)
        if which is not None:
            order = (which, 3 - which, 0)
            label = min(self.asked, key=lambda candidate: tuple(self.places[candidate][place] for place in order))
            if math.isfinite(self.places[label][which]):
                measured = [value for value in self.errors[label] if value >= self.places[label][which] * (1 - 1e-9)]
                return label, min(measured, default=max(self.errors[label]))
        usable = [label for label in self.asked if any(value <= within for value in self.errors[label])]
        at = {label: max(value for value in self.errors[label] if value <= within) for label in usable}
        label = min(usable, key=lambda candidate: self.sign * self.errors[candidate][at[candidate]])
        return label, at[label]

    def spelled(self, label: str) -> str:
        """The words of a curve: its series in full, and what tells it from the others of its series."""
        name, _, rest = label.partition(",")
        return self.labels.get(name, name.replace("_", " ")) + (f",{rest}" if rest else "")

    def goal(self) -> str:
        """The target in words."""
        target = f"{'at most' if self.sign > 0 else 'at least'} {number(self.details['target'])}"
        if self.rule.target is not None:
            return f"{target}, as asked"
        share = {0.5: "half", 0.25: "a quarter"}.get(self.rule.expected, f"{self.rule.expected:.3g}")
        return f"{target}: {share} of what the {self.spelled(self.rule.against)} leaves over no privacy"

    def first(self) -> str:
        """Which algorithm, from which epsilon on."""
        words, at = self.spelled(self.label), number(self.at)
        if self.verdict == "confirmed":
            since = self._since()
            return f"Take {words}: it is good enough from epsilon = {at} on ({since}), the target being {self.goal()}."
        if self.verdict == "refuted":
            most = f" up to {number(self.rule.within)}" if math.isfinite(self.rule.within) else " that was tried"
            said = f"No private algorithm is good enough at any epsilon{most}, the target being {self.goal()}"
            return f"{said}; the best is {words}."
        if not math.isfinite(self.places[self.label][1]):
            return f"It cannot be told whether one is good enough, the target being {self.goal()}; the best is {words}."
        return f"Perhaps {words}, from epsilon = {at} on: the target, {self.goal()}, is too near to be sure."

    def _since(self) -> str:
        """What is known of the place before, and where the mean crosses the target, by interpolation."""
        before = max((value for value in self.errors[self.label] if value < self.at), default=None)
        if before is None:
            return "the least that was tried"
        estimate = self.places[self.label][1]
        if estimate <= before:
            return f"at {number(before)} in the mean too, but too near to be sure"
        return f"at {number(before)} not yet; the mean meets it from about {estimate:.2g} on"

    def second(self) -> str:
        """What it loses there."""
        own = self.errors[self.label][self.at]
        said = [f"At epsilon = {number(self.at)} its error is {number(own)}"]
        for name, words in ((self.rule.best, "without privacy it would be"), (self.rule.against, "")):
            if (value := self._value(name)) is not None:
                apart = self.sign * (own - value)
                more = f"{number(abs(apart))} {'more' if (apart > 0) == (self.sign > 0) else 'less'}"
                if words:
                    said.append(f"{words} {number(value)} (privacy costs {number(max(apart, 0.0))})")
                else:
                    said.append(f"and it is {more} than that of the {self.spelled(name)}, {number(value)}")
        return f"{', '.join(said)}."

    def third(self, config: Mapping[str, Any], verdict: Mapping[str, Any]) -> str:
        """What to do next."""
        laws = [(check.get("details") or {}).get("words", "") for check in verdict["checks"].values()]
        if self.verdict == "confirmed":
            priced = next((label for label in self.errors if label.partition(",")[0] == "private_choice"), "")
            price = ""
            if priced and self.at in self.errors[priced]:
                price = (
                    f" (the private choice reaches {number(self.errors[priced][self.at])} at this epsilon, all paid)"
                )
            return (
                "Next: this comparison looked at the raw table, so naming its winner has no finite epsilon; settle "
                f"on an algorithm by public numbers (python -m dprepro advise) or choose privately{price}, "
                "and run it once (python -m dprepro release), with noise that nobody can draw again."
            )
        if self.verdict == "inconclusive":
            splits = len({*config["sweep"].get(self.rule.over[0], [0])}) if self.rule.over else 1
            more = f"{2 * splits} in the place of {splits} (sweep.split=[{','.join(map(str, range(2 * splits)))}])"
            return f"Next: ask again on more splits, {more}."
        more = next(
            (words.partition("; by the measured law ")[2] for words in laws if "; by the measured law" in words), ""
        )
        law = f"; by the measured law the target is reached {more} at epsilon = 1" if more else ""
        wider = self.largest <= self.rule.within
        ways = [f"publish the {self.spelled(self.rule.against)}, which costs little"] if self.rule.against else []
        ways += [f"allow more than epsilon = {number(self.largest)}" if wider else "allow a larger epsilon"]
        return f"Next: {', or '.join([*ways, 'collect more records'])}{law}."

    def _value(self, name: str) -> float | None:
        """The error of the series there, of its best curve; None where it was not measured."""
        found = []
        for label, means in self.errors.items():
            if self.names[label] == name and means:
                near = self.at if self.at in means else min(means, key=lambda value: abs(math.log(value / self.at)))
                found.append(means[near])
        return min(found, key=lambda value: self.sign * value) if found else None

    def table(self) -> str:
        """Errors by epsilon: the best first, those to compare with below."""
        beside = [label for label in self.errors if label not in self.asked and self._beside(label)]
        flat = sorted(beside, key=self._rank)[:5]
        most = LINES - 1 - len(flat)
        kept = [self.label, *(label for label in sorted(self.asked, key=self._rank) if label != self.label)][:most]
        self.left = len(self.asked) - len(kept)
        rows = [["error at epsilon =", *(number(value) for value in self.epsilons)]]
        for label in [*sorted(kept, key=self._rank), *flat]:
            means = self.errors[label]
            rows.append([self.spelled(label), *(number(means.get(value)) for value in self.epsilons)])
        return aligned(rows)

    def _beside(self, label: str) -> bool:
        """Whether a curve that is not judged has what the best one is compared with, at most of its places."""
        return 2 * len(set(self.errors[label]) & set(self.epsilons)) > len(self.epsilons)

    def _rank(self, label: str) -> tuple[float, float]:
        """By the error at the largest epsilon; a curve that ends before comes later."""
        largest = max(self.errors[label])
        return -largest, self.sign * self.errors[label][largest]

    def notes(self, config: Mapping[str, Any], verdict: Mapping[str, Any]) -> list[str]:
        """What the errors are; what is odd."""
        said = [f"error: {ERRORS.get(self.rule.quantity, self.rule.quantity.replace('_', ' '))}; means over splits"]
        for name, check in verdict["checks"].items():
            if check["as_expected"] or name == question(config):
                continue
            if check["rule"] == Attainment.name and check["role"] == "control":
                met = self.spelled(str(config["checks"][name].get("series", name)))
                said.append(f"the target asks for little: the {met} meets it too")
            elif check["rule"] != Attainment.name:
                said.append(f"{name} ({check['role']}): {check['verdict']}; {check['reason']}")
        said.append(f"--verbose tells the rest{f', {self.left} more algorithms too' if self.left else ''}")
        return said
