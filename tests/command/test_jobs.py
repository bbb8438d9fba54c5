"""Several experiments in one command: each is judged by a worker, or here where no worker can, and all say the same."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, Future

import pytest

from dprepro.commands import jobs
from dprepro.engine import pools

NAMES = ("lasso_curvature", "kst_tails")


def run(results, capsys):
    code = jobs.run_all([[f"+experiment={name}", f"results_dir={results}", "workers=2"] for name in NAMES], None)
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return tmp_path_factory.mktemp("jobs")


def dying(self, task):
    future: Future[object] = Future()
    future.set_exception(BrokenExecutor("a worker died"))
    return future


def none_starts(self, workers):
    raise OSError("no semaphores here")


def test_runs_are_told_in_their_order_whoever_judges_them(results, monkeypatch, capsys):
    run(results, capsys)  # measures
    code, told, _ = run(results, capsys)
    assert code == 0
    assert (
        told.index("[1/2]") < told.index("verdict: lasso_curvature") < told.index("[2/2]") < told.index("verdict: kst")
    )
    with monkeypatch.context() as patch:
        patch.setattr(pools.Processes, "submit", dying)
        assert run(results, capsys) == (code, told, "")
    with monkeypatch.context() as patch:
        patch.setattr(pools.Processes, "__init__", none_starts)
        assert run(results, capsys) == (code, told, "")


def test_a_job_that_is_refused_stands_in_its_place(results, capsys):
    words = [["+experiment=nosuch"], [f"+experiment={NAMES[0]}", f"results_dir={results}"]]
    assert jobs.run_all(words, None) == 1
    said = capsys.readouterr()
    assert said.out.index("[1/2]") < said.out.index("[2/2]")
    assert said.err.splitlines()[0].startswith("error: unknown experiment 'nosuch'")
