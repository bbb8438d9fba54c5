"""The walk-through of CONTRIBUTING.md, run as it stands in a copy of the checkout."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"`([\w/.]+\.(?:py|yaml))`:\n\n```\w+\n(.*?)```", re.DOTALL)


def test_the_example_of_contributing_runs_without_touching_existing_files(tmp_path: Path) -> None:
    for folder in ("dprepro", "conf"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    blocks = BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert {Path(name).parent.name for name, _ in blocks} == {
        "algorithms",
        "algorithm",
        "constructions",
        "construction",
        "bounds",
        "experiment",
    }
    for name, text in blocks:
        assert not (tmp_path / name).exists(), "an example may only add files"
        (tmp_path / name).write_text(text, encoding="utf-8")
    (experiment,) = [Path(name).stem for name, _ in blocks if Path(name).parent.name == "experiment"]
    subprocess.run(
        [sys.executable, "-m", "dprepro", f"+experiment={experiment}", "workers=1"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=True, capture_output=True,
    )  # fmt: skip
    verdict = json.loads((tmp_path / "results" / experiment / "verdict.json").read_text(encoding="utf-8"))
    assert (verdict["verdict"], verdict["as_expected"]) == ("confirmed", True)
    assert any(check["role"] == "control" for check in verdict["checks"].values())
