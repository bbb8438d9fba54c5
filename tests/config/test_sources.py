"""What a run is judged against: which files, and what of them is compared when."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.shipped import composed

from dprepro.config import sources
from dprepro.config.compose import compose
from dprepro.config.sources import changes, differences, judged_against
from dprepro.engine.store import Run
from dprepro.support.folders import conf_dir


def run_of(name: str, *overrides: str) -> Run:
    """A run as it would be stored, its own blocks left out."""
    found = compose([f"+experiment={name}", *overrides])
    config = {key: value for key, value in found.config.items() if key not in sources.BUILT}
    return Run(1, name, config, list(overrides), {}, True, judged_against(found))


def test_an_experiment_is_made_of_its_file_of_what_its_defaults_choose_and_of_what_its_series_name() -> None:
    assert {
        "config.yaml", "experiment/lasso_rate.yaml", "algorithm/noisy_frank_wolfe.yaml", "algorithm/data_free.yaml",
        "algorithm/noisy_frank_wolfe_laplace.yaml", "construction/tuned_needle.yaml", "construction/iid_design.yaml",
    } <= set(composed("lasso_rate").sources)  # fmt: skip
    chosen = compose(["+experiment=pair", "algorithm=data_free", "construction=iid_design"]).sources
    assert {"algorithm/data_free.yaml", "construction/iid_design.yaml"} <= set(chosen)
    replaced = compose(["+experiment=lasso_rate", "study.series.small_n.algorithm=noisy_gd"]).sources
    assert "algorithm/noisy_gd.yaml" in replaced


def test_all_sources_of_a_shipped_experiment_are_files_or_rooms_of_statements_and_have_two_digests() -> None:
    found = judged_against(composed("lasso_rate"))
    modules = {name for name in found if not name.endswith(".yaml")}
    assert modules == {"dprepro.statements.conditions", "dprepro.statements.lasso"}
    assert all((conf_dir() / name).is_file() for name in found if name not in modules)
    assert all(len(two) == 2 and all(two) and (len({*two}) == 2 or name in modules) for name, two in found.items())


def test_nothing_is_composed_where_every_source_says_what_it_said(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of("lasso_rate")
    written = {name: ["other bytes", meant] for name, (_, meant) in run.sources.items()}
    monkeypatch.setattr(sources, "compose", lambda *_: pytest.fail("it was composed"))
    assert not str(changes(run))
    assert not str(changes(replace(run, sources=written)))


@pytest.mark.parametrize("source", ["algorithm/noisy_frank_wolfe.yaml", "dprepro.config.templates", "gone.yaml", ""])
def test_one_source_that_says_something_else_has_the_configuration_compared(source: str) -> None:
    run = run_of("lasso_tardos_constants")
    told = (
        dict(run.sources) | {source: ["other bytes", "other"]} if source else {}
    )  # of a run from before sources were kept
    assert not str(changes(replace(run, sources=told)))
    assert not str(changes(replace(run, sources={"config.yaml": {"b": []}, "a": 3})))  # that nobody wrote
    run.config["checks"]["sizes"] = run.config.pop("claim")
    (key, more) = changes(replace(run, sources=told)).keys
    assert (key.partition(" ")[0], more.partition(" ")[0]) == ("checks.sizes", "claim")


def test_a_module_is_a_source_like_a_file() -> None:
    name = "dprepro.config.templates"
    own = replace(composed("lasso_tardos_constants"), sources=(name,))
    (two,) = judged_against(own).values()
    run = replace(run_of("lasso_tardos_constants"), sources={name: two})
    assert two[0] == two[1] != ""
    assert not changes(run).keys


def test_what_building_adds_to_a_configuration_is_no_change() -> None:
    check = {"rule": "below", "expected": 1}
    stored = {"checks": {"a": check | {"axes": ["size", "copies"]}}, "figure": {"name": "rate"}, "workers": 2}
    assert differences(stored, {"checks": {"a": check}, "figure": {}, "workers": "auto"}) == ()
    assert differences(stored, {"checks": {"a": check | {"axes": ["size"]}}, "figure": {}}) == ()
    (said,) = differences(stored, {"checks": {"a": check | {"axes": ["copies"]}}, "figure": {}})
    assert said == 'checks.a.axes (["size", "copies"] then, ["copies"] now)'


def test_an_experiment_that_cannot_be_composed_any_more_has_changed() -> None:
    gone = replace(run_of("lasso_tardos_constants"), overrides=["checks.gone.expected=3"], sources={})
    assert "it cannot be composed now: checks.gone.expected" in str(changes(gone))
    assert changes(gone).doubt
