"""The advisor: what it says of a point, that public numbers are all it needs, and that no clock has a part in it."""

from __future__ import annotations

import json
import math
import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.cheap_experiment import command

from dprepro.commands.advise import point_of, solved
from dprepro.config.compose import compose
from dprepro.config.group_pairs import blocks
from dprepro.practice.advice import LEFT_OUT, best_bound, candidates
from dprepro.practice.answer import crossing

POINT = {"n": "1e5", "p": "5", "epsilon": "1", "delta": "1e-6", "loss": "squared", "set": "l2", "radius": "1",
         "neighbours": "replace_one", "risk": ""}  # fmt: skip


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    assert command("advise", *words, "--json") == 0
    return dict(json.loads(capsys.readouterr().out))


def test_a_point_is_answered_with_risks_bounds_refusals_and_a_command_that_composes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = asked(capsys, "n=1e5", "p=5", "epsilon=1")
    predicted = [choice for choice in found["choices"] if choice["typical"] is not None]
    risks = [choice["typical"] for choice in predicted]
    assert risks == sorted(risks)
    assert risks[0] < 0.1 * found["zero_typical"]
    assert predicted[0]["regret"] == 1
    assert all(choice["low"] < choice["typical"] < choice["high"] and choice["source"] for choice in predicted)
    assert found["best"] == predicted[0]["label"]
    bounds = [(choice["bound"], choice["typical"]) for choice in predicted if choice["bound"]]
    assert bounds
    assert all(bound >= mean for bound, mean in bounds)
    assert all(choice["note"] for choice in found["choices"] if choice["typical"] is None)
    assert all(choice["certified_epsilon"] <= 1 + 1e-9 for choice in found["choices"])
    every = {choice["name"] for choice in found["choices"]}
    every |= {name for names in found["refused"].values() for name in names}
    silent = {name for name, why in LEFT_OUT.items() if not why}
    not_private = {"exact_minimiser", "frank_wolfe", "penalised_least_squares", "huberised_objective_perturbation"}
    assert every == set(blocks("algorithm")) - silent - not_private
    words = [word.strip("'") for word in found["verify"].split() if word not in ("python", "-m", "dprepro")]
    assert compose(words).config["algorithm"]["_target_"].startswith("dprepro.algorithms.")


def test_the_answer_is_three_sentences_and_a_table_of_at_most_twelve_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("advise", "n=1e5", "p=3", "loss=logistic", "set=l1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["Take", "No", "Next:"]
    assert lines[4] == ""
    table = lines[5:-1]
    assert len(table) == 12
    assert table[0].split()[:2] == ["algorithm", "expected"]
    assert not any("_" in line or "=" in line for line in table)  # names are spelled out
    assert table[-1].startswith("answering zero")
    assert "--verbose" in lines[-1]


def test_the_epsilon_of_the_sentence_is_where_the_predicted_risk_meets_the_target(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = asked(capsys, "n=1e4", "p=5", "loss=squared", "risk=.01")
    epsilon = found["epsilon_for_target"]
    assert f"{epsilon:.3g}" in found["sentences"][1]
    at_it = {c["label"]: c["typical"] for c in asked(capsys, "n=1e4", "p=5", f"epsilon={epsilon}")["choices"]}
    assert at_it[found["best"]] == pytest.approx(0.01, rel=0.15)


def test_where_noise_drowns_everything_it_says_that_nothing_beats_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("advise", "n=20", "p=20", "epsilon=.01", "loss=logistic", "--verbose") == 0
    out = capsys.readouterr().out
    assert "no private algorithm here is expected to beat it" in out
    assert "no explicit bound is below what answering zero loses at most" in out


def test_what_is_solved_for_meets_the_risk() -> None:
    algorithms = blocks("algorithm")
    found = solved({**POINT, "epsilon": "?", "risk": ".01"}, "epsilon", algorithms)
    below, above = (
        best_bound(point_of({**POINT, "epsilon": repr(found["certified"] * factor)}), candidates(algorithms))[0]
        for factor in (0.97, 1.0)
    )
    assert above <= 0.01 < below
    assert 1e-3 < found["typical"] < found["certified"]


@pytest.mark.parametrize(
    ("key", "risk", "words"),
    [
        ("epsilon", 0.01, ["n=1e5", "p=5", "loss=logistic", "set=l2"]),
        ("n", 0.01, ["p=5", "loss=squared", "set=l1"]),
        pytest.param("epsilon", 0.01, ["p=30", "loss=absolute", "set=simplex", "delta=0"], marks=pytest.mark.slow),
        pytest.param("n", 1e-4, ["p=5", "loss=hinge", "set=box", "epsilon=.1"], marks=pytest.mark.slow),
        pytest.param("n", 1e-3, ["p=20", "loss=half_squared_distance", "set=simplex"], marks=pytest.mark.slow),
        pytest.param("n", 0.02, ["p=300", "loss=logistic", "set=l1"], marks=pytest.mark.slow),
    ],
)
def test_asking_again_at_what_was_solved_for_gives_the_risk(
    capsys: pytest.CaptureFixture[str], key: str, risk: float, words: list[str]
) -> None:
    found = asked(capsys, *words, f"{key}=?", f"risk={risk}")
    there = [word for word in words if not word.startswith(f"{key}=")]
    again = asked(capsys, *there, f"{key}={found['typical']}")
    least = again["choices"][0]
    assert least["label"] == found["typical_by"]
    # three digits, and n in multiples of 500
    rows = 500 / found["typical"] if key == "n" else 0.0
    assert risk * (1 - 0.03 - 3 * rows) <= least["typical"] <= risk * 1.001
    assert found["certified"] is None or found["typical"] <= found["certified"]


def test_a_risk_is_followed_to_its_target_over_steps_plateaus_and_refusals() -> None:
    steep = crossing(lambda x: 3 * x**-2.0, (1e-3, 1e2), 0.5, 1.0)
    assert steep == pytest.approx(6**0.5, rel=0.02)
    assert 3 * steep**-2.0 <= 0.5
    stairs = crossing(lambda x: 2.0 ** -math.floor(math.log2(x)), (1e-3, 1e5), 0.1, 1.0)
    assert 16 <= stairs <= 16 * 1.05
    refused = crossing(lambda x: math.inf if x < 7 else 1 / x, (1e-3, 1e2), 1.0, 0.01)
    assert 7 <= refused <= 7 * 1.05
    assert crossing(lambda x: 1.0, (1e-3, 1e2), 0.5, 1.0) is None
    assert crossing(lambda x: 0.1, (1e-3, 1e2), 0.5, 1.0) == pytest.approx(1e-3)


@pytest.mark.slow
def test_every_answer_takes_two_seconds_and_has_the_same_bits_under_a_load_of_eight() -> None:
    """Seconds of the processor without a load; another one takes part of what it would do."""
    problems = [
        ["n=1e5", "p=100", "loss=logistic", "set=l2"], ["n=1e4", "p=20", "loss=squared", "set=l1"],
        ["n=1e4", "p=20", "loss=hinge", "set=simplex"], ["n=1e5", "p=1000", "loss=logistic", "set=l2"],
        ["p=20", "loss=logistic", "risk=.01", "n=?"],
    ]  # fmt: skip
    run = [sys.executable, "-m", "dprepro", "advise"]
    idle, seconds = [], []
    for words in problems:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        idle.append(subprocess.run([*run, *words], capture_output=True, text=True, check=True).stdout)
        seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        loaded = [subprocess.run([*run, *words], capture_output=True, text=True, check=True).stdout
                  for words in problems]  # fmt: skip
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert idle == loaded
    assert max(seconds) < 2 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)), seconds


def test_the_answer_has_the_same_bits_whatever_the_threads_and_whatever_was_asked_before() -> None:
    script = (
        "from dprepro.commands.parser import main\n"
        "import sys\n"
        "{before}\n"
        "main(['advise', 'n=2000', 'p=12', 'loss=logistic', 'set=l2', '--verbose'])\n"
    )
    answers = []
    other = "    main(['advise', 'n=300', 'p=4', 'loss=hinge', 'set=box'])"
    first = f"import io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()):\n{other}"
    for threads, before in (("1", ""), ("3", first)):
        ran = subprocess.run(
            [sys.executable, "-c", script.format(before=before)], capture_output=True, text=True, check=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
        )  # fmt: skip
        answers.append(ran.stdout)
    assert answers[0] == answers[1]
    assert "Take " in answers[0]


def test_no_clock_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import time

    def read() -> float:
        raise AssertionError("a clock was read")

    for name in ("time", "perf_counter", "process_time", "monotonic"):
        monkeypatch.setattr(time, name, read)
    assert asked(capsys, "n=1000", "p=3")["best"]


def test_a_schedule_beyond_all_floats_is_refused_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("advise", "n=1e4", "p=2", "epsilon=1e4", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["refused"]["its schedule leaves the range of floats there"] == ["efficient_sampler"]
    assert found["best"]


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
        (["n=1e30"], "n=1e+30 is too large to predict risks at; give n=1e+15 at most"),
        (["epsilon=1e9"], "give epsilon=1e+06 at most"),
        (["neighbours=all"], "unknown value 'all'"),
        (["epsilon=?"], "risk=NUMBER"),
        (["risk=-1", "n=?"], "risk must be positive"),
        (["risk=much"], "risk must be a number"),
        (["figure=a.png", "risk=.1", "n=?"], "a figure is drawn over n"),
        (["--renew", "results_dir=nowhere"], "+experiment=advice"),
        (["table=my.csv"], "for --private-choice"),
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


@pytest.mark.slow
def test_simulations_stand_beside_the_predictions_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "n=1000", "p=2", "--simulate")
    predicted = {choice["label"]: choice["typical"] for choice in found["choices"]}
    assert len(found["simulated"]) == 3
    for label, (risk, error) in found["simulated"].items():
        assert abs(risk - predicted[label]) < 5 * error + 0.2 * risk, label


def test_by_a_schema_the_next_step_is_a_release_on_the_table_that_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema, table = tmp_path / "my schema.yaml", tmp_path / "t.csv"
    schema.write_text("target: y\ncolumns:\n  a: {range: [0, 1]}\n  y: {range: [0, 2]}\n", encoding="utf-8")
    table.write_text("a,y\n" + "0.2,1.5\n0.9,0.3\n" * 50, encoding="utf-8")
    assert command("advise", f"schema={schema}", "n=100", "epsilon=3", "delta=1e-6") == 0
    line = capsys.readouterr().out.splitlines()[3]
    words = shlex.split(line.partition("python -m dprepro ")[2])
    assert words[:2] == ["release", "TABLE.csv"]
    assert command("release", str(table), *words[2:]) == 0
    assert "epsilon=3, delta=1e-06" in capsys.readouterr().out
