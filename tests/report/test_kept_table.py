"""A table that stands is taken from its folder, and nothing that was changed is."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from helpers.cheap_experiment import write_config_dir
from pandas.testing import assert_frame_equal

import dprepro
from dprepro.engine.cell_lines import digest_before, digest_end
from dprepro.engine.code import CodeDigest
from dprepro.engine.store import Store
from dprepro.errors import InputError
from dprepro.report import kept_table
from dprepro.report.outcome import Outcome

pytestmark = pytest.mark.usefixtures("undrawn")


def test_a_run_that_measures_nothing_takes_its_table_from_the_folder_unless_somebody_changed_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int | None] = []
    measurements = Store.measurements

    def counted(store: Store, run_id: int, known: int | None = None) -> object:
        reads.append(known)
        return measurements(store, run_id, known)

    monkeypatch.setattr(Store, "measurements", counted)
    words = {"results_dir": tmp_path / "results", "workers": 1, "config_dir": str(write_config_dir(tmp_path / "mine"))}
    first = dprepro.run("cheap", **words)  # type: ignore[arg-type]
    assert len(reads) == 1
    assert reads[0] is not None  # what was measured is not held against its digests again
    again = dprepro.run("cheap", **words)  # type: ignore[arg-type]
    assert len(reads) == 1
    assert_frame_equal(again.frame, first.frame, check_exact=True)
    assert again.verdict["checks"] == first.verdict["checks"]

    path = first.folder / kept_table.NAME
    stands = path.read_bytes()
    from pyarrow import parquet

    table = parquet.read_table(path)
    for column, entry in (("value", 1.0), ("seconds", 1.0), ("key", "00")):
        changed = table.to_pandas().assign(**{column: entry})
        parquet.write_table(
            type(table).from_pandas(changed, preserve_index=False).replace_schema_metadata(table.schema.metadata), path
        )
        assert_frame_equal(dprepro.run("cheap", **words).frame, first.frame, check_exact=True)  # type: ignore[arg-type]
        assert path.read_bytes() == stands
    assert len(reads) == 4
    path.unlink()
    dprepro.run("cheap", **words)  # type: ignore[arg-type]
    assert path.read_bytes() == stands


def test_a_run_is_read_and_judged_anew_where_its_cells_are_others_than_those_that_were_known(tmp_path: Path) -> None:
    words = {"results_dir": tmp_path / "results", "workers": 1, "config_dir": str(write_config_dir(tmp_path / "mine"))}
    first = dprepro.run("cheap", **words)  # type: ignore[arg-type]
    with Store.open(tmp_path / "results", create=True) as store:
        (run,) = store.runs("cheap")
        sound, integrity = store.measurements(run.id)
        assert integrity.digest is not None
        assert store.measurements(run.id, integrity.digest)[0].equals(sound)
        ((key,),) = store._database.execute("SELECT key FROM cells LIMIT 1").fetchall()
        store._database.execute("UPDATE cells SET digest = zeroblob(16) WHERE key = ?", (key,))
        left, said = store.measurements(run.id, integrity.digest)
        assert said.damaged == 1
        assert said.digest is None
        assert set(sound["key"]) - set(left["key"]) == {key.hex()}
    mended = dprepro.run("cheap", **words)  # type: ignore[arg-type]
    assert mended.measured == 1
    assert isinstance(mended.frame, pd.DataFrame)
    assert mended.frame.drop(columns="seconds").equals(first.frame.drop(columns="seconds"))


def replace_cell(results: Path, **changes: str) -> None:
    """Store a cell with changes, whose digest fits, so that it is not measured again."""
    with Store.open(results, create=True) as store:
        keys = [key for (key,) in store._database.execute("SELECT key FROM cells ORDER BY key LIMIT 1")]
        (line,) = store.lines(keys).values()
        other = line._replace(**changes)  # type: ignore[arg-type]
        store.commit([other._replace(digest=digest_before(tuple(other)[:7], digest_end(other.origin)))])


def test_a_table_of_other_cells_roles_or_code_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = {"results_dir": tmp_path / "results", "workers": 1, "config_dir": str(write_config_dir(tmp_path / "mine"))}

    def run(role: str) -> Outcome:
        study = {"series": {"bounded": {"role": role}}}
        return dprepro.run("cheap", label="mine", study=study, **words)  # type: ignore[arg-type]

    first = run("control")
    replace_cell(tmp_path / "results", status="skipped: no premise", rows="[]\n[]")
    second = run("control")
    assert second.measured == 0
    assert set(second.frame["status"]) == {"ok", "skipped: no premise"}
    third = run("claim")
    assert (third.measured, third.folder) == (0, first.folder)
    assert (set(second.frame["role"]), set(third.frame["role"])) == ({"claim", "control"}, {"claim"})
    stands = (first.folder / kept_table.NAME).read_bytes()
    monkeypatch.setattr(kept_table, "code_of", lambda *start: CodeDigest("other", {}))
    run("claim")
    assert (first.folder / kept_table.NAME).read_bytes() != stands  # it says of which code it is


def test_whole_numbers_that_no_table_holds_are_one_line(tmp_path: Path) -> None:
    words = {"results_dir": tmp_path / "results", "workers": 1, "config_dir": str(write_config_dir(tmp_path / "mine"))}
    dprepro.run("cheap", **words)  # type: ignore[arg-type]
    replace_cell(tmp_path / "results", rows=f'[["excess_risk",["records"]]]\n[1.0,null,{2**70}]')
    with pytest.raises(InputError, match="the measurements of cheap are no table: Python int too large"):
        dprepro.run("cheap", **words)  # type: ignore[arg-type]


@pytest.mark.parametrize(("column", "entry"), [("status", "3"), ("steps", "[3]"), ("steps", '{"a":1}')])
def test_a_forged_column_is_one_line_whatever_its_digest_says(tmp_path: Path, column: str, entry: str) -> None:
    words = {"results_dir": tmp_path / "results", "workers": 1, "config_dir": str(write_config_dir(tmp_path / "mine"))}
    dprepro.run("cheap", **words)  # type: ignore[arg-type]
    replace_cell(tmp_path / "results", rows=f'[["excess_risk",["{column}"]]]\n[1.0,null,{entry}]')
    with pytest.raises(InputError, match="is damaged: an entry has another shape than it was stored with"):
        dprepro.run("cheap", **words)  # type: ignore[arg-type]
