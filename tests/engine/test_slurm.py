"""Jobs of a real Slurm, two nodes of which run on this machine."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from helpers import slurm_cluster
from helpers.cheap_experiment import CHEAP, ENVIRONMENT, write_config_dir

pytest.importorskip("submitit", reason="submitit is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(slurm_cluster.lacking()), reason=slurm_cluster.lacking())]

SETUP = "{slurm_partition: short, jobs: 4, job_minutes: 1, timeout_min: 10, resubmit: 3}"


def run(cluster: dict[str, str], *words: str) -> subprocess.Popen[str]:
    """The command, which hands in jobs whatever it forecasts."""
    code = (
        "from dprepro.engine import runner; runner.SERIAL_SECONDS = -1.0; from dprepro.__main__ import console; "
        "console()"
    )
    environment = {**cluster, "PYTHONPATH": ENVIRONMENT["PYTHONPATH"]}
    return subprocess.Popen([sys.executable, "-c", code, *words], env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)  # fmt: skip


def rows(results: Path) -> pd.DataFrame:
    return pd.read_parquet(results / "cheap/measurements.parquet").drop(columns="seconds")


def test_two_jobs_cancelled_and_a_node_drained_leave_the_run_equal_to_the_local_one(tmp_path: Path) -> None:
    """2,000 distinct cells of four jobs; the nodes have one processor each, so that two jobs run and two wait."""
    many = CHEAP.replace("replicates: 2", "replicates: 400")
    folder = write_config_dir(tmp_path / "conf", cheap=many)
    results, alone, setup = tmp_path / "results", tmp_path / "alone", tmp_path / "slurm.yaml"
    setup.write_text(SETUP, encoding="utf-8")
    words = ["+experiment=cheap", f"--config-dir={folder}"]
    with slurm_cluster.slurm(tmp_path / "slurm") as cluster:
        ask = [f"results_dir={results}", f"workers={setup}"]
        unknown = tmp_path / "unknown.yaml"
        unknown.write_text("{slurm_partition: nowhere}", encoding="utf-8")
        refused = run(cluster, *words, f"results_dir={results}", f"workers={unknown}")
        said = refused.communicate(timeout=120)[1]
        assert (refused.returncode, said.count("\n")) == (2, 1), said
        assert "sbatch refuses: " in said
        assert "invalid partition" in said.lower()
        assert not results.exists()

        process = run(cluster, *words, *ask)
        deadline, running = time.monotonic() + 180, list[str]()
        while len(running) < 2:
            assert time.monotonic() < deadline
            assert process.poll() is None, process.communicate()
            time.sleep(0.3)
            running = slurm_cluster.asked(
                cluster, "squeue", "--noheader", "--array", "--states=RUNNING", "--format=%i"
            ).split()
        for job in running[:2]:
            slurm_cluster.asked(cluster, "scancel", job)
        slurm_cluster.asked(cluster, "scontrol", "update", "NodeName=two", "State=DRAIN", "Reason=test")
        out, errors = process.communicate(timeout=400)
        assert process.returncode == 0, errors
        assert "verdict: cheap" in out
        assert not (results / "jobs").exists()
    local = subprocess.run(
        [sys.executable, "-m", "dprepro", *words, f"results_dir={alone}", "workers=1"],
        env=ENVIRONMENT, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert local.returncode == 0, local.stderr
    assert len(rows(alone)) >= 2 * 2000
    assert rows(results).equals(rows(alone))
