"""Whatever stands in the ledger is text on its page, never markup."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pytest
from jinja2 import UndefinedError

from dprepro.config.asked import asked
from dprepro.report import entries, ledger_words
from dprepro.report import page as pages
from dprepro.report.measured import MeasuredStore
from dprepro.report.page import page
from dprepro.report.pictures import Picture
from dprepro.report.publish import Published
from dprepro.statements.papers import papers

HARMLESS, HOSTILE = "harmless:", "</p><script>alert('\"')</script>&amp;"
#: Mappings whose keys are names that somebody chose.
NAMED = ("checks", "controls", "versions")

Pages = tuple[dict[str, Any], list[Published]]


def check(role: str, verdict: str, **more: Any) -> dict[str, Any]:
    """A check that is expected to be confirmed, with numbers unless `more` takes them away."""
    numbers = {"estimate": 0.5, "low": 0.4, "high": 0.6, "expected": 0.5, "margin": 0.2, "rule": "exponent"}
    constants = dict.fromkeys(("constant", "constant_low", "constant_high"))
    said = {"role": role, "verdict": verdict, "expect": "confirmed", "as_expected": verdict == "confirmed"}
    return said | {"reason": "too few points"} | numbers | constants | more


@pytest.fixture
def measured(tmp_path: Path) -> Pages:
    """A ledger where every second experiment was measured, and one more, with all checks."""
    wanted: dict[str, set[str]] = {"own": {"mine"}}
    configurations = asked(())
    for name, (_, configured) in configurations.items():
        wanted[name] = {key for key, value in configured.items() if value.get("about")}
    for described in papers().values():
        for one in [evidence for erratum in described.errata for evidence in erratum.shown_by if evidence.experiment]:
            wanted.setdefault(one.experiment, set()).add(one.check)
    provenance = {"versions": {"numpy": "2.0"}, "commit": "c0ffee", "seed": 0, "platform": "Linux", "cells": 3}
    provenance |= {"seconds": 1.0, "date": "2026-01-01"}
    published = {}
    for name, names in list(wanted.items())[::2]:
        checks = {name: check("claim", "confirmed") for name in sorted(names)}
        checks["silent"] = check("claim", "inconclusive", estimate=None)
        checks |= {"refuted": check("control", "refuted"), "standing": check("control", "confirmed")}
        verdict = {"experiment": name, "paper": "lasso", "claim": "Theorem 1", "statement": "It holds."}
        verdict |= {"neighbours": "replace_one", "verdict": "inconclusive", "as_expected": False, "checks": checks}
        line = {"key": "a", "seconds": 1.0, "series": "one", "role": "claim", "quantity": "excess_risk", "bound": 1.0}
        line |= {"n": 1, "p": 1, "epsilon": 1.0, "delta": 0.0, "norm": 1.0, "replicate": 0, "status": "ok"}
        paper, configured = configurations.get(name, ("lasso", {}))
        config = {
            "paper": paper,
            "checks": configured,
            "study": {"series": {"one": {"construction": {"_target_": "a.Family", "kind": "b"}}}},
        }
        folded = verdict | {"provenance": provenance}
        published[name] = Published(tmp_path, pd.DataFrame([line]), config, folded, "", Mock(), "")
    store = MeasuredStore(
        published, dict.fromkeys(published, "a later run had overrides"), dict.fromkeys(published, "lasso")
    )
    rows = {"claims": [*entries.claims(store), *entries.further(store)], "errata": list(entries.errata_rows(store))}
    rows["causes"] = entries.causes(rows["claims"], store)  # type: ignore[assignment]
    return rows, list(published.values())


def marked(thing: Any, mark: str, key: str = "") -> Any:
    """The same with the mark before every string and every chosen name, but for words that sort entries and LaTeX."""
    if isinstance(thing, dict):
        return {mark * (key in NAMED) + name: marked(value, mark, name) for name, value in thing.items()}
    if isinstance(thing, list):
        return [marked(one, mark, key) for one in thing]
    sorts = key in ("role", "formula") or thing == "further"
    return mark + thing if isinstance(thing, str) and thing and not sorts else thing


class Reader(HTMLParser):
    """What a browser would take from a page: tags, the names and values of their attributes, and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts += [f"<{tag}", *(part or "" for pair in attrs for part in pair)]

    def handle_endtag(self, tag: str) -> None:
        self.parts.append(f"</{tag}")

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def read(measured: Pages, mark: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The parts of the page on which every string bears the mark, verdicts and states too."""
    rows, published = measured
    order, reader = [mark + word for word in ledger_words.ORDER], Reader()
    with monkeypatch.context() as patch:
        patch.setattr(ledger_words, "ORDER", order)
        patch.setattr(pages, "ORDER", order)
        shown = [(replace(one, verdict=marked(one.verdict, mark)), Picture("a.png", 2, 2)) for one in published]
        reader.feed(page(marked(rows, mark), shown))
        reader.close()
    return reader.parts


def strings(thing: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string with the key under which it stands, chosen names included."""
    if isinstance(thing, dict):
        for name, value in thing.items():
            if key in NAMED:
                yield key, name
            yield from strings(value, name)
    elif isinstance(thing, list):
        for one in thing:
            yield from strings(one, key)
    elif isinstance(thing, str) and thing:
        yield key, thing


def test_hostile_text_in_any_field_of_the_ledger_is_shown_as_it_is_and_adds_no_tag(
    measured: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    harmless, hostile = (read(measured, mark, monkeypatch) for mark in (HARMLESS, HOSTILE))
    assert [part.replace(HOSTILE, HARMLESS) for part in hostile] == harmless
    everything, fields = "\n".join(hostile), [*strings(measured[0])]
    for one in measured[1]:
        fields += strings(one.verdict)
    shown: set[str] = set()
    for key, value in fields:
        if key not in shown and HOSTILE + value in everything:  # one of a kind is enough, and a page is long
            shown.add(key)
    assert shown >= {
        "paper", "item", "kind", "statement", "verdict", "note", "experiment", "experiments", "errata", "checks",
        "controls", "expect", "reason", "printed", "holds", "severity", "state", "test", "check", "claim", "neighbours",
        "date", "commit", "platform", "versions",
    }  # fmt: skip


def test_a_field_that_the_page_shows_and_the_ledger_lacks_is_an_error(measured: Pages) -> None:
    rows, published = measured
    del rows["errata"][0]["holds"]
    with pytest.raises(UndefinedError, match="holds"):
        page(rows, [(one, Picture("a.png", 2, 2)) for one in published])
