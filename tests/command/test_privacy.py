"""``python -m dprepro privacy``: with a pack that knows more, and without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.cheap_experiment import command

ASKED = ("privacy", "steps=2000", "sensitivity=.1", "step_size=.05", "noise=1", "delta=1e-6", "diameter=1")


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The account of the pack, declared as an installed distribution does."""
    declared = tmp_path / "site" / "privacy_pack-1.dist-info"
    declared.mkdir(parents=True)
    (declared / "METADATA").write_text("Metadata-Version: 2.1\nName: privacy_pack\nVersion: 1\n", encoding="utf-8")
    points = "[dprepro.accounts]\nlast_iterate = dprepro_last_iterate.final_model:final_model\n"
    (declared / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(str(declared.parent))


def installed() -> bool:
    from dprepro.practice.final_model import installed_accounts

    return bool(installed_accounts())


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert command(*words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= 130
    return str(" ".join(out.split()))


def test_without_a_pack_composition_answers_and_the_pack_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    if installed():
        pytest.skip("the pack is installed")
    told = said(capsys, *ASKED, "smoothness=20")
    assert "every iterate 30.58 no limit composition: Gaussian, exact" in told
    assert "the last one alone 30.58 no limit as every iterate" in told
    assert "the pack last_iterate knows theorems that do: pip install ./packs/last_iterate" in told


@pytest.mark.usefixtures("pack")
def test_with_the_pack_the_last_iterate_has_a_bound_a_theorem_and_its_premise(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = said(capsys, *ASKED, "smoothness=20")
    assert "the last one alone 16.86 16.86 788 convexity on a bounded set (derived here, after Bok" in told
    assert "of it at least 3.768 some linear losses on an interval" in told
    assert "Premise, promised and not checked: every loss is convex and 20-smooth on a convex set of diameter 1" in told
    assert "does not apply, as convexity=0, and m > 0 is needed" in told
    assert "pip install" not in told


@pytest.mark.usefixtures("pack")
def test_a_premise_that_is_not_promised_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, *ASKED)
    assert "the last one alone 30.58 no limit as every iterate" in told
    assert told.count("does not apply, as smoothness= is not told") == 2
    assert "step_size=0.05 is above 2/smoothness=0.0487805" in said(capsys, *ASKED, "smoothness=41")
    assert "not promised to be convex (convexity=-1)" in said(capsys, *ASKED, "smoothness=20", "convexity=-1")


@pytest.mark.usefixtures("pack")
def test_json_has_all_of_it_and_the_sensitivity_of_lipschitz_losses(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("privacy", "steps=600", "noise=.5", "step_size=.1", "diameter=1", "smoothness=10", "--json")
    assert command(*asked, "lipschitz=1", "n=100", "batch=5", "order=cyclic") == 0
    replaced: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (replaced["training"]["sensitivity"], replaced["training"]["rounds"]) == (0.4, 20)
    assert replaced["last"] < replaced["every"]
    assert command(*asked, "sensitivity=.2", "n=100", "batch=5", "order=cyclic") == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert command(*asked, "lipschitz=1", "n=100", "batch=5", "order=cyclic", "neighbours=zero_out") == 0
    silent: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert silent["last"] == told["last"] < replaced["last"]
    assert command("privacy", "steps=600", "noise=.5", "sensitivity=.1", "--json") == 0
    free: dict[str, Any] = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert (free["training"]["diameter"], free["limit"], free["saturation"]) == (None, None, None)


@pytest.mark.usefixtures("pack")
def test_accounts_are_listed_among_the_plug_ins(capsys: pytest.CaptureFixture[str]) -> None:
    listed = said(capsys, "--info", "plugins")
    assert "| dprepro.accounts | last_iterate | dprepro_last_iterate.final_model:final_model |" in listed


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ((), "privacy lacks steps=, noise=, sensitivity="),
        (("steps=10",), "privacy lacks noise=, sensitivity=; such as python -m dprepro privacy"),
        (("steps=10", "noise=1", "sensitivity=1", "batch=9", "n=3"), "at least as many; got n=3"),
        (("steps=10", "noise=1"), "give one of sensitivity= and lipschitz="),
        (("steps=10", "noise=1", "sensitivity=1", "lipschitz=1"), "give one of sensitivity= and lipschitz="),
        (("steps=10", "noise=1", "lipschitz=1"), "lipschitz= needs n=, by which the mean divides, or objective=sum"),
        (("steps=10", "noise=1", "sensitivity=1", "batch=5"), "batch=5 needs n=NUMBER"),
        (("steps=10", "noise=1", "sensitivity=1", "batch=5", "n=4"), "batch=5 needs n=NUMBER"),
        (("steps=10", "noise=1", "sensitivity=1", "batch=4", "n=10", "order=cyclic"), "n in whole batches"),
        (("steps=10", "noise=1", "sensitivity=1", "order=random"), "unknown order 'random'"),
        (("steps=10", "noise=1", "sensitivity=1", "neighbours=replace"), "unknown neighbours 'replace'"),
        (("steps=10", "noise=1", "lipschitz=1", "n=9", "neighbours=add_or_remove_one"), "the mean divides by n"),
        (("steps=10", "noise=0", "sensitivity=1"), "noise must be positive and finite, got noise=0"),
        (("steps=10", "noise=1", "sensitivity=1", "delta=0"), "delta must be in (0, 1), got delta=0"),
        (("--steps", "10"), "--steps is a key, and keys have no hyphens: steps=NUMBER"),
        (("--step-size=1", "noise=1"), "keys have no hyphens: step_size=1"),
        (("steps=1e3/7", "noise=1", "sensitivity=1"), "steps must be a whole number of at least 1 and at most 1e+15"),
        (("steps=10", "noise=1", "sensitivity=1", "convexity=2", "smoothness=1"), "at most smoothness=1"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], refused: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("privacy", *words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert refused in err
