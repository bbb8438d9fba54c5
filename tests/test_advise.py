"""The advisor: what it says of a point, and that it needs public numbers alone."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from cheap_experiment import command
from dprepro.plans.advice import LEFT_OUT
from dprepro.plans.limited import limited

from dprepro.commands.advise import point_of, solved
from dprepro.config.compose import compose
from dprepro.config.pairs import blocks

POINT = {"n": "1e5", "p": "5", "epsilon": "1", "delta": "1e-6", "loss": "squared", "set": "l2", "radius": "1",
         "neighbours": "replace_one", "risk": ""}  # fmt: skip


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    assert command("advise", *words, "--json") == 0
    return dict(json.loads(capsys.readouterr().out))


def test_a_point_is_answered_with_risks_bounds_refusals_and_a_command_that_composes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = asked(capsys, "n=1e5", "p=5", "epsilon=1")
    regrets = [one["regret"] for one in found["choices"] if one["regret"] is not None]
    assert 1 <= regrets[0] < found["zero_regret"]
    assert regrets == sorted(regrets)
    assert found["choices"][0]["typical"] < 0.1 * found["zero_typical"]
    assert found["best"] == found["choices"][0]["label"]
    bounds = {
        one["name"]: (one["bound"], one["typical"]) for one in found["choices"] if one["bound"] and one["typical"]
    }
    assert bounds
    assert all(bound >= mean for bound, mean in bounds.values())
    assert all(one["spent"] <= 1 + 1e-9 for one in found["choices"])
    every = {one["name"] for one in found["choices"]} | {name for names in found["refused"].values() for name in names}
    silent = {name for name, why in LEFT_OUT.items() if not why}
    not_private = {"exact_minimiser", "frank_wolfe", "penalised_least_squares", "huberised_objective_perturbation"}
    assert every == set(blocks("algorithm")) - silent - not_private
    words = [word.strip("'") for word in found["verify"].split() if word not in ("python", "-m", "dprepro")]
    assert compose(words).config["algorithm"]["_target_"].startswith("dprepro.algorithms.")


def test_where_noise_drowns_everything_it_says_that_nothing_beats_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("advise", "n=20", "p=20", "epsilon=.01", "loss=logistic") == 0
    out = capsys.readouterr().out
    assert "advice: no private algorithm here beats answering zero on ordinary data" in out
    assert "no explicit bound here is below what answering zero loses at most" in out


def test_the_certified_epsilon_is_where_the_best_bound_meets_the_risk() -> None:
    from dprepro.plans.advice import best_bound, candidates

    algorithms = blocks("algorithm")
    found = solved({**POINT, "epsilon": "?", "risk": ".01"}, "epsilon", algorithms)["certified"]
    below, above = (
        best_bound(point_of({**POINT, "epsilon": repr(found * factor)}), candidates(algorithms))[0]
        for factor in (0.8, 1.25)
    )
    assert above < 0.01 < below


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["n=many"], "n must be a number"),
        (["n=0.5"], "whole numbers of at least 1"),
        (["epsilon=-1"], "positive"),
        (["epsilon=inf"], "no privacy"),
        (["loss=log"], "unknown loss 'log'"),
        (["set=l3"], "unknown set 'l3'"),
        (["radius=0"], "radius must be above 0"),
        (["p=1e7"], "p=1e+07 is too large"),
        (["p=300", "loss=hinge"], "whose gradients jump; give at most 100"),
        (["neighbours=all"], "unknown value 'all'"),
        (["epsilon=?"], "risk=NUMBER"),
        (["risk=.1"], "risk=NUMBER"),
        (["risk=-1", "n=?"], "risk must be positive"),
        (["table=my.csv"], "unknown argument"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert command("advise", *words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_a_figure_over_n_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("advise", "n=1e4", "p=3", f"figure={tmp_path / 'risks.png'}") == 0
    assert (tmp_path / "risks.png").read_bytes().startswith(b"\x89PNG")


def test_what_takes_too_long_is_cut_off() -> None:
    started, rounds = time.process_time(), 0
    with limited(0.05):
        while time.process_time() - started < 30:
            rounds += 1
    assert time.process_time() - started < 10
