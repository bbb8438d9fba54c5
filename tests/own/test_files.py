"""A file of the user's stands for an algorithm or a construction once the user has named it, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from dprepro.config.checked_experiment import build_experiment
from dprepro.config.compose import compose
from dprepro.errors import InputError
from dprepro.support import user_files as files

ZERO = '''
from dataclasses import dataclass

from dprepro.algorithms.base import Algorithm, Solution

print("the file was run")


@dataclass(frozen=True)
class Zero(Algorithm):
    """Answers zero."""

    factor: float = 1.0

    def solve(self, problem, budget, rng):
        return Solution(problem.constraint_set.start(), self.schedule(problem.domain, budget), None)
'''

PAIR = ["+experiment=pair", "construction=planted_design", "sweep.n=[2000,4000]", "sweep.p=[5]", "replicates=1"]


@pytest.fixture
def zero(tmp_path: Path) -> str:
    """``FILE.py:NAME`` of an algorithm that nobody has named yet."""
    (tmp_path / "zero.py").write_text(ZERO, encoding="utf-8")
    return f"{tmp_path / 'zero.py'}:Zero"


def test_a_file_on_the_command_line_stands_for_an_algorithm(zero: str) -> None:
    override = f"algorithm={zero}"
    files.trust_overrides([override])
    experiment = build_experiment(compose([*PAIR, override]))
    made = {type(one.algorithm).__name__ for one in experiment.study.series.values()}  # type: ignore[attr-defined]
    assert made == {"Zero", "DataFree"}
    assert override in experiment.overrides


def test_a_file_serves_a_single_series(zero: str) -> None:
    override = f"study.series.output_zero.algorithm={zero}"
    files.trust_overrides([override])
    experiment = build_experiment(compose([*PAIR, "algorithm=data_free", override]))
    assert type(experiment.study.series["output_zero"].algorithm).__name__ == "Zero"  # type: ignore[attr-defined]


def test_a_configuration_runs_no_file_that_the_user_has_not_named(
    zero: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "algorithm").mkdir()
    (tmp_path / "algorithm" / "planted.yaml").write_text(f"_target_: {zero}\n", encoding="utf-8")
    for override in ("algorithm=planted", f"algorithm={zero}"):
        composed = compose([*PAIR, override], str(tmp_path))
        with pytest.raises(InputError, match=r"a configuration runs no code; name the file yourself.*--trust"):
            build_experiment(composed)
    assert "the file was run" not in capsys.readouterr().out


def test_a_trusted_folder_offers_its_files_by_name(zero: str, tmp_path: Path) -> None:
    (tmp_path / "algorithms").mkdir()
    Path(zero.rpartition(":")[0]).rename(tmp_path / "algorithms" / "zero.py")
    with pytest.raises(InputError, match="unknown algorithm 'zero'"):
        compose([*PAIR, "algorithm=zero"], str(tmp_path))
    files.trust_folder(tmp_path)
    experiment = build_experiment(compose([*PAIR, "algorithm=zero"], str(tmp_path)))
    assert type(experiment.study.series["pair"].algorithm).__name__ == "Zero"  # type: ignore[attr-defined]


def test_an_edited_file_is_another_module_and_a_comment_is_no_edit(zero: str) -> None:
    path = Path(zero.rpartition(":")[0])
    before = files.trust(zero)
    first = files.load(zero)
    path.write_text(ZERO.replace('"""Answers zero."""', '"""Says zero."""  # as ever'), encoding="utf-8")
    assert files.dotted(zero) == before
    path.write_text(ZERO.replace("factor: float = 1.0", "factor: float = 2.0"), encoding="utf-8")
    assert files.trust(zero) != before
    assert getattr(files.load(zero), "factor", None) == 2.0
    assert getattr(first, "factor", None) == 1.0


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        ("x = (", "Zero", r"zero.py, line 1 is no Python"),
        ("class Zer0: pass", "Zero", r"unknown name in zero.py 'Zero' \(did you mean Zer0\?\)"),
        ("import nowhere_at_all\nclass Zero: pass", "Zero", "needs nowhere_at_all, which cannot be imported"),
        ("class Zero:\n    x = 1/0", "Zero", "zero.py, line 2: ZeroDivisionError: division by zero"),
        ("class Zero: pass", "Zero", r"is not of the kind Algorithm: class Zero\(Algorithm\)"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_line(zero: str, content: str, name: str, said: str) -> None:
    Path(zero.rpartition(":")[0]).write_text(content, encoding="utf-8")

    def built() -> None:
        files.trust_overrides([f"algorithm={zero}"])
        build_experiment(compose([*PAIR, f"algorithm={zero}"]))

    with pytest.raises(InputError, match=said) as raised:
        built()
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_named_with_the_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nofile.py:Zero: there is no file nofile.py in "):
        files.trust("nofile.py:Zero")
