"""A ledger of attacks that is made again, from what stands sealed."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cheap_experiment import command, write_config_dir

pytestmark = pytest.mark.usefixtures("undrawn")

FEW = """
paper: glm
claim: No counterexample
statement: A few corners of every statement.
sweep: {n: [1]}
study: {_target_: dprepro.studies.RefuteStudy, of: glm, corners: 3, searched: 0, drawn_corners: 0, drawn_searched: 0}
checks:
  claims: {no_counterexample: {rule: below, quantity: share, series: "*", about: none}}
  controls: {counterexamples_as_printed: {rule: below, quantity: share_as_printed, series: "*", about: none}}
figure: {name: margins}
"""


def test_a_ledger_that_is_made_twice_tells_the_same_of_attacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    conf = write_config_dir(tmp_path / "conf", few_attacks=FEW)
    assert command("+experiment=few_attacks", "--config-dir", conf) == 0
    ledgers = []
    for _ in range(2):
        assert command("ledger", "--config-dir", conf) == 0
        ledgers.append((tmp_path / "results/ledger.json").read_text("utf-8"))
    assert ledgers[0] == ledgers[1]
    assert '"least_margin"' in ledgers[1]
