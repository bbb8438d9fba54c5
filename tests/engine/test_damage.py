"""A store that is damaged in any way is answered with one typed line, and nothing is written elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import engine_measures as em
from helpers.damages import DAMAGES, PRECIOUS, Damage, hot_journal, sql
from helpers.databases import opened

from dprepro.engine import Store, execute
from dprepro.errors import InputError

CELLS = em.cells(2)[:6]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a finished run."""
    folder = tmp_path_factory.mktemp("sound")
    with Store.open(folder, create=True) as store:
        run = store.begin_run("rate", {"n": [1]}, [], {"date": "today"}, CELLS, {"": {"a": "1"}})
        execute(em.draw, CELLS, store, workers=1)
        store.finish_run(run, {"date": "today"})
    return folder / "measurements.sqlite"


@pytest.mark.parametrize("change", DAMAGES.values(), ids=DAMAGES)
def test_reading_and_resuming_a_damaged_store_work_or_are_refused_in_one_line(
    sound: Path, tmp_path: Path, change: Damage
) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    shutil.copy(sound, folder)
    change(folder / sound.name)

    def tried(action: Callable[[Store], object], create: bool = False) -> None:
        said = ""
        try:
            with Store.open(folder, create=create) as store:
                action(store)
        except InputError as error:
            said = str(error)
        assert "\n" not in said

    tried(lambda store: [store.measurements(run.id) for run in store.runs()])
    tried(lambda store: (store.health(), store.scan(), store.stored([cell.key for cell in CELLS])))
    tried(lambda store: execute(em.draw, CELLS, store, workers=1), create=True)
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_a_journal_deletes_no_file_that_it_names(sound: Path, tmp_path: Path) -> None:
    shutil.copy(sound, tmp_path)
    hot_journal(tmp_path / sound.name)
    with pytest.raises(InputError, match="names another file"):
        Store.open(tmp_path)
    assert (tmp_path / PRECIOUS).exists()
    with opened(tmp_path / sound.name) as database:  # what SQLite itself would do
        database.execute("SELECT count(*) FROM cells").fetchone()
    assert not (tmp_path / PRECIOUS).exists()


@pytest.mark.parametrize("name", ["../../x", "..", "", "a/b", "/tmp/x", "a\nb", "x" * 101, "-x", "a b"])
def test_a_name_that_could_lead_elsewhere_is_no_experiment(tmp_path: Path, name: str) -> None:
    with Store.open(tmp_path, create=True) as store, pytest.raises(InputError, match="is no name"):
        store.begin_run(name, {}, [], {}, CELLS)


def test_a_stored_name_that_leads_elsewhere_is_published_nowhere(sound: Path, tmp_path: Path) -> None:
    from dprepro.report.publish import publish

    folder = tmp_path / "results"
    folder.mkdir()
    shutil.copy(sound, folder)
    sql("UPDATE runs SET experiment = '../../x'", signed=True)(folder / sound.name)
    with Store.open(folder) as store, pytest.raises(InputError, match="is no name"):
        publish(store, store.runs()[0], folder)
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_a_full_disk_is_named_and_what_was_stored_stays(tmp_path: Path) -> None:
    with Store.open(tmp_path, create=True) as store:
        execute(em.draw, CELLS[:2], store, workers=1)
        (pages,) = store._database.execute("PRAGMA page_count").fetchone()
        store._database.execute(f"PRAGMA max_page_count = {pages}")
        more = [replace(cell, seed=seed) for cell in CELLS for seed in range(1, 200)]
        with pytest.raises(InputError, match=r"the disk of .* is full: what was stored before is safe"):
            execute(em.draw, more, store, workers=1)
    with Store.open(tmp_path) as store:
        assert len(store.stored([cell.key for cell in CELLS])) == 2
        assert store.health() == []
