"""The smallest pack of the page on packs runs as it is shown."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from helpers.cheap_experiment import command

from dprepro.support import typed
from dprepro.support.folders import pack_dirs

PAGE = Path(__file__).parents[2] / "docs/pages/howto/paper.md"
BLOCK = re.compile(r"`(my_lab/[\w/.]+)`(?:(?!`my_lab/).)*?\n\n```(?:python|yaml)\n(.*?)```", re.DOTALL)
"""A file of the pack, by the last name before a block."""


def forget() -> None:
    pack_dirs.cache_clear()
    typed.allowed_packages.cache_clear()


@pytest.mark.pages
def test_the_smallest_pack_of_the_page_has_a_confirmed_row_and_controls_that_are_refuted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, site = PAGE.read_text(encoding="utf-8"), tmp_path / "site"
    section = page[page.index("### The smallest pack") : page.index("### What was met while packs were written")]
    (paper,) = re.findall(r"```yaml\n(title: .*?)```", page, re.DOTALL)
    (entry_point,) = re.findall(r"```toml\n(\[project\.entry-points.*?)```", page.partition("### ")[0], re.DOTALL)
    declared = re.sub(r'project.entry-points."(.*?)"', r"\1", entry_point).replace('"', "").partition("#")[0]
    files = dict(BLOCK.findall(section)) | {
        "my_lab/__init__.py": "",
        "my_lab/conf/papers/slopes.yaml": paper,
        "my_lab-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: my-lab\nVersion: 1\n",
        "my_lab-1.dist-info/entry_points.txt": f"{declared}\n",
    }
    assert {"my_lab/bounds.py", "my_lab/statements.py", "my_lab/conf/experiment/attacks_slopes.yaml"} <= files.keys()
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    forget()
    try:
        for experiment in ("tails", "attacks_slopes"):
            assert command(f"+experiment={experiment}", f"results_dir={tmp_path / 'results'}", "workers=1") == 0
        assert capsys.readouterr().out.count("confirmed; all checks came out as expected") == 2
        assert command("ledger", f"results_dir={tmp_path / 'results'}") == 0
        assert "Nobody 2026: 1 statements, 1 confirmed" in capsys.readouterr().out
    finally:
        monkeypatch.undo()
        forget()
        for name in [one for one in sys.modules if one.partition(".")[0] == "my_lab"]:
            del sys.modules[name]
