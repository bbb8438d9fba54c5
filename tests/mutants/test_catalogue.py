"""The falsehoods of `mutants` can still be planted, and what is said of them follows from the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.shipped import composed

from dprepro.config.checked_experiment import check
from dprepro.config.compose import compose
from dprepro.errors import InputError
from dprepro.support.regular_files import packed
from mutants.__main__ import judged, main
from mutants.catalogue import ROOT, Grid, Mutant, grids, mutants
from mutants.running import Verdicts
from mutants.table import as_json, line, read, renewed, summary

EVERY = mutants()


def test_every_expression_is_found_exactly_once_and_replaced() -> None:
    for mutant in EVERY:
        source = (ROOT / mutant.file).read_text(encoding="utf-8")
        assert mutant.planted(source) != source, mutant.name  # it raises unless the tree is the one that is wanted


def test_there_are_at_least_sixty_falsehoods_in_every_room_of_science_and_some_harmless_changes() -> None:
    planted = [mutant for mutant in EVERY if not mutant.harmless]
    assert len(planted) >= 60
    assert len(EVERY) - len(planted) >= 3
    rooms = {mutant.file.split("/")[1] for mutant in planted}
    assert rooms >= {"algorithms", "analysis", "bounds", "constructions", "engine", "laws", "mechanisms", "privacy",
                     "problems", "reductions", "studies"}  # fmt: skip


EXPERIMENTS = sorted({mutant.experiment for mutant in EVERY if mutant.experiment} | set(grids()))


def test_every_check_that_should_notice_is_one_of_its_experiment() -> None:
    for mutant in EVERY:
        if mutant.experiment:
            assert set(mutant.checks) <= set(composed(mutant.experiment).config["checks"]), mutant.name


def test_tests_that_should_notice_are_there_and_no_mutant_has_both_or_neither() -> None:
    assert [test for mutant in EVERY for test in mutant.tests if not (ROOT / test).is_file()] == []
    for judge in ({}, {"experiment": "pair", "tests": ("tests/x.py",)}):
        with pytest.raises(InputError, match="mutant one: give an experiment or tests"):
            Mutant("one", "", "", "", "", **judge)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "experiment",
    [
        pytest.param(experiment, marks=[pytest.mark.slow] if place % 4 else [])
        for place, experiment in enumerate(EXPERIMENTS)
    ],
)
def test_the_commands_of_an_experiment_are_sound(experiment: str) -> None:
    grid = grids().get(experiment, Grid())
    wanted = {name for mutant in EVERY if mutant.experiment == experiment for name in mutant.checks}
    rules = check(compose(grid.command(experiment, sorted(wanted))).config).rules
    assert set(rules) == wanted if wanted else rules


def test_an_expression_or_a_function_that_is_not_there_is_named() -> None:
    mutant = Mutant("rotten", "", "dprepro.budget", "no_such(1)", "2", "pair")
    with pytest.raises(InputError, match=r"dprepro.budget has 'no_such\(1\)' 0 times, not once"):
        mutant.planted("x = 1\n")
    with pytest.raises(InputError, match=r"there is no dprepro.budget:Budget.no_such"):
        replace(mutant, where="dprepro.budget:Budget.no_such").planted("class Budget:\n    x = 1\n")
    for changed in ({"expression": "1 +"}, {"replace": "return return"}):
        with pytest.raises(InputError, match="is no expression and no statement"):
            replace(mutant, **changed).planted("x = 1\n")  # type: ignore[arg-type]


def test_an_expression_of_two_functions_is_found_in_the_one_that_is_named() -> None:
    source = "def f():\n    return a - 1\n\n\nclass G:\n    def f(self):\n        return a - 1  # why\n"
    mutant = Mutant("one", "", "module:G.f", "a - 1", "a + 1", "pair")
    assert mutant.planted(source) == source.replace("a - 1  #", "a + 1  #")
    with pytest.raises(InputError, match="2 times, not once"):
        replace(mutant, where="module").planted(source)


@pytest.mark.parametrize(
    ("source", "expression", "new", "planted"),
    [
        ("x = 2 * f(a,\n    b)\n", "f(a, b)", "a + b", "x = 2 * (a + b)\n"),
        ("x = [é(ü),  (c -d )]\n", "c - d", "d", "x = [é(ü),  (d )]\n"),
        ("if x:\n    f(x)\n", "f(x)", "pass", "if x:\n    pass\n"),
        ("x = 1\n", "x = 1", "x = 1; x += 1", "x = 1; x += 1\n"),
        ("x.y = 1\n", "x.y", "x.z", "x.z = 1\n"),
    ],
)
def test_layout_and_brackets_do_not_count(source: str, expression: str, new: str, planted: str) -> None:
    assert Mutant("one", "", "module", expression, new, "pair").planted(source) == planted


def test_a_check_or_series_that_an_experiment_lacks_is_refused() -> None:
    with pytest.raises(InputError, match="unknown check of pair 'no_such'"):
        Grid().command("pair", ["no_such"])
    with pytest.raises(InputError, match="unknown series of pair 'no_such'"):
        Grid(drop=("no_such",)).command("pair")


def said(**verdicts: tuple[str, bool]) -> Verdicts:
    checks: Mapping[str, Mapping[str, Any]] = {
        name: {"verdict": verdict, "as_expected": fine, "estimate": 1.0, "role": "claim"}
        for name, (verdict, fine) in verdicts.items()
    }
    return Verdicts(checks, 1.0)


@pytest.mark.parametrize(
    ("before", "after", "harmless", "good"),
    [
        (("confirmed", True), ("refuted", False), False, True),
        (("confirmed", True), ("inconclusive", False), False, True),
        (("confirmed", True), ("confirmed", True), False, False),
        (("inconclusive", False), ("refuted", False), False, False),
        (("inconclusive", False), ("confirmed", True), False, False),
        (("confirmed", True), ("confirmed", True), True, True),
        (("confirmed", True), ("refuted", False), True, False),
    ],
)
def test_a_mutant_is_noticed_where_a_check_is_no_longer_as_expected(
    before: tuple[str, bool], after: tuple[str, bool], harmless: bool, good: bool
) -> None:
    mutant = Mutant("one", "", "", "", "", "pair", harmless=harmless)
    found = line(mutant, said(check=before), said(check=after))
    assert found.good is good
    assert summary([found]).endswith(": one") is not good


def test_a_mutant_that_gives_no_verdict_is_a_fault() -> None:
    assert not line(
        Mutant("one", "", "", "", "", "pair"), said(check=("confirmed", True)), Verdicts({}, 1.0, "died")
    ).good


def test_a_run_of_some_renews_their_lines_and_what_is_planted_no_more_goes(tmp_path: Path) -> None:
    one, two, gone = (Mutant(name, "", "", name, "new", "pair") for name in ("one", "two", "gone"))
    fine, not_fine = said(check=("confirmed", True)), said(check=("refuted", False))
    path = tmp_path / "mutants.json.gz"
    path.write_bytes(packed(as_json([line(each, fine, fine) for each in (two, gone, one)]).encode()))
    table = renewed(read(path), [line(one, fine, not_fine)], [one, two])
    assert [(each.mutant, each.good) for each in table] == [("one", True), ("two", False)]
    assert renewed(table, [], [replace(one, replace="another"), two]) == table[1:]
    path.write_bytes(packed(b"[1]"))
    with pytest.raises(InputError, match="is no table of mutants"):
        read(path)
    assert read(tmp_path / "none.json") == []


def test_attacks_judge_a_mutant_with_their_own_figure() -> None:
    """They have no series to leave out, and no sweep along which another figure could draw them."""
    words = Grid().command("attacks_derived", ["no_counterexample"])
    assert words[0] == "+experiment=attacks_derived"
    assert "~checks.too_tight" in words
    assert not [word for word in words if "figure" in word]


def test_the_reference_tells_of_every_mutant_as_it_is_planted_now() -> None:
    table = {one.mutant: one for one in read(ROOT / "results/reference/mutants.json.gz")}
    assert [one.name for one in EVERY if one.name not in table or not table[one.name].of(one)] == []


def test_a_wrong_name_is_refused() -> None:
    with pytest.raises(InputError, match="unknown mutant 'no_such'"):
        main(["no_such"])
    with pytest.raises(InputError, match="workers must be a whole number"):
        main(["workers=none"])


@pytest.mark.slow
def test_a_falsehood_is_noticed_and_a_harmless_change_is_not() -> None:
    falsehood = next(mutant for mutant in EVERY if mutant.name == "least_loss_triple")
    harmless = Mutant(
        "same", "the same in other words", falsehood.where, falsehood.expression, "sharp_equation_3(1, tau, tau)",
        falsehood.experiment, falsehood.tests, falsehood.checks, harmless=True,
    )  # fmt: skip
    lines = judged([falsehood, harmless], 2)
    assert [line.good for line in lines] == [True, True], summary(lines)
    assert lines[0].check == "equation_3"
