"""Results folders and ledger come from the store alone, the same bytes every time, without any algorithm."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers.cheap_experiment import CHEAP, ENVIRONMENT, command, python, write_config_dir
from helpers.databases import opened
from helpers.report_contract import breaches

from dprepro import figures
from dprepro.engine.code import CodeDigest
from dprepro.engine.store import Store
from dprepro.report import picture, published_manifest
from dprepro.report import publish as publishing
from dprepro.report.publish import judge_run

SCIENCE = (
    "algorithms",
    "reductions",
    "constructions",
    "studies",
    "problems",
    "mechanisms",
    "privacy",
    "bounds",
)


pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(scope="module")
def measured(undrawn: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with two published experiments, of which one was overridden later, and one only overridden."""
    root = tmp_path_factory.mktemp("measured")
    folder = write_config_dir(root / "mine", only_overridden=CHEAP)
    runs: Sequence[Sequence[str]] = (
        ["+experiment=cheap"],
        ["+experiment=cheap_too"],
        ["+experiment=cheap", "replicates=1", "checks.below_bound.expected=0.1"],
        ["+experiment=only_overridden", "sweep.n=[3e5,6e5]"],
    )
    for run in runs:
        assert command("--config-dir", folder, f"results_dir={root / 'results'}", *run) == 0
    return root / "results"


@pytest.fixture
def results(measured: Path, tmp_path: Path) -> Path:
    shutil.copytree(measured, tmp_path / "results")
    return tmp_path / "results"


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".sqlite",))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_every_folder_keeps_the_contract(results: Path) -> None:
    folders = [path.parent for path in results.rglob("verdict.json")]
    assert len(folders) == 4
    for folder in folders:
        assert not list(breaches(folder))


def test_the_ledger_rebuilds_published_folders_byte_for_byte_after_all_else_is_deleted(results: Path) -> None:
    before = tree(results)
    for path in results.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    assert command("ledger", f"results_dir={results}") == 0
    after = tree(results)
    made = [name for name in after if name.startswith("ledger") or name == "verdict.schema.json"]
    pages = {name: after.pop(name) for name in made}
    beside = {f"ledger_files/{name}" for name in ("cheap.png", "cheap_too.png", "manifest.json")}
    files = {f"ledger.{kind}" for kind in ("json", "schema.json", "md", "tex", "html")}
    assert {*made} == {*files, "verdict.schema.json", *beside}
    entries = json.loads(pages["ledger.json"])
    expected = {name: text for name, text in before.items() if name.count("/") == 1 and not name.startswith("only")}
    assert after == expected
    assert command("ledger", f"results_dir={results}") == 0
    assert tree(results) == expected | pages

    verdicts = {
        claim["item"]: (claim["verdict"], claim["note"]) for claim in entries["claims"] if claim["kind"] == "further"
    }
    assert verdicts == {
        "cheap": ("confirmed", "a later run had overrides; it is not shown here"),
        "cheap_too": ("confirmed", ""),
        "only_overridden": ("not measured", "only overridden or unfinished runs are stored"),
    }


def test_a_figure_is_drawn_again_only_where_something_behind_it_has_changed(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    once = picture.files
    monkeypatch.setattr(picture, "files", lambda *parts: drawn.append(parts[2]["experiment"]) or once(*parts))

    def rebuilt() -> list[str]:
        drawn.clear()
        assert command("ledger", f"results_dir={results}") == 0
        return sorted(drawn)

    rebuilt()
    figure = results / "cheap" / "figure.png"
    whole = figure.read_bytes()
    assert rebuilt() == []
    figure.write_bytes(whole[:-20])  # cut off
    assert rebuilt() == ["cheap"]
    assert figure.read_bytes() == whole
    (results / "cheap_too" / "figure.pdf").unlink()
    assert rebuilt() == ["cheap_too"]
    (results / "cheap_too" / "figure_all.png").unlink()
    assert rebuilt() == ["cheap_too"]
    monkeypatch.setattr(picture, "LIBRARIES", ("numpy",))
    assert rebuilt() == ["cheap", "cheap_too"]


def test_a_verdict_is_judged_again_only_where_something_behind_it_has_changed(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    once = publishing.judge_run
    monkeypatch.setattr(publishing, "judge_run", lambda run, *rest: asked.append(run.experiment) or once(run, *rest))

    def judged() -> list[str]:
        asked.clear()
        assert command("ledger", f"results_dir={results}") == 0
        return sorted(asked)

    judged()
    assert judged() == []
    path = results / "cheap" / "verdict.json"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"verdict": "confirmed"', b'"verdict": "refuted"', 1))
    assert judged() == ["cheap"]
    assert path.read_bytes() == whole
    with opened(results / "measurements.sqlite") as database:  # a lost cell
        database.execute("DELETE FROM cells WHERE rowid = (SELECT min(rowid) FROM cells)")
    assert judged()


@pytest.mark.parametrize("change", ["value", "code", "verdict", "table", "log", "failed cell", "configuration"])
def test_no_seal_survives_a_change_of_anything_behind_a_row(
    results: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    published: list[str] = []
    once = published_manifest.publish
    monkeypatch.setattr(
        published_manifest, "publish", lambda store, run, *to: published.append(run.experiment) or once(store, run, *to)
    )

    def rebuilt() -> list[str]:
        published.clear()
        assert command("ledger", f"results_dir={results}") == 0
        return sorted(published)

    rebuilt()
    before = tree(results)
    assert rebuilt() == []
    assert tree(results) == before
    folder, swaps = results / "cheap", {
        "value": "UPDATE cells SET rows = replace(rows, '0.', '1.')",
        "failed cell": "UPDATE cells SET status = 'failed: x'",
        "configuration": """UPDATE runs SET config = replace(config, '"replicates":2', '"replicates":3')""",
    }  # fmt: skip
    if change in swaps:
        with opened(results / "measurements.sqlite") as database:
            database.execute(swaps[change])
        assert rebuilt() == ["cheap", "cheap_too"]
        rows = [
            claim
            for claim in json.loads((results / "ledger.json").read_bytes())["claims"]
            if claim["kind"] == "further"
        ]
        assert {row["verdict"] for row in rows} <= {"inconclusive", "not measured"}
        assert command("ledger", f"results_dir={results}", "--strict") == 1
        return
    if change == "code":
        monkeypatch.setattr(picture, "code_of", lambda *parts: CodeDigest("other", {}))
        assert rebuilt() == ["cheap", "cheap_too"]
        return
    path = folder / {"verdict": "verdict.json", "table": "measurements.parquet", "log": "run.log"}[change]
    path.write_bytes(path.read_bytes().replace(b"confirmed", b"refuted!!", 1) + b" " * (change == "table"))
    assert rebuilt() == ["cheap"]
    assert tree(results) == before


def test_the_stamp_changes_with_data_verdict_options_and_code_and_not_with_the_run(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(results) as store:
        run = store.latest("cheap")
        assert run is not None
        frame = store.frame(run.id)
    verdict, drawing = judge_run(run, frame), figures.build(run.config["figure"])
    fingerprint = picture.fingerprint(drawing, frame, verdict, run.config)
    others = [
        picture.fingerprint(drawing, frame.assign(value=frame["value"] * (1 + 1e-12)), verdict, run.config),
        picture.fingerprint(drawing, frame.iloc[1:], verdict, run.config),
        picture.fingerprint(drawing, frame, verdict | {"verdict": "refuted"}, run.config),
        picture.fingerprint(drawing, frame, verdict, {**run.config, "figure": {"name": "rate", "slopes": False}}),
    ]
    same = [
        picture.fingerprint(drawing, frame.assign(seconds=1.0), verdict, run.config),
        picture.fingerprint(drawing, frame, verdict | {"provenance": {}}, {**run.config, "workers": 7}),
    ]
    assert {fingerprint} == set(same)
    assert len({fingerprint, *others}) == 5
    monkeypatch.setattr(picture, "code_of", lambda *parts: CodeDigest("other", {}))
    assert picture.fingerprint(drawing, frame, verdict, run.config) != fingerprint


def test_rebuilding_draws_the_same_bytes_and_imports_no_algorithm_and_no_hydra(results: Path, measured: Path) -> None:
    """Two processes that truly draw: one publishes the experiment, the other one rebuilds what is gone."""
    whole = results / "cheap_too"
    shutil.rmtree(whole)
    run = [sys.executable, "-m", "dprepro", "--config-dir", measured.parent / "mine", "+experiment=cheap_too"]
    subprocess.run([*run, f"results_dir={results}"], capture_output=True, check=True, env=ENVIRONMENT)
    before = tree(whole)
    shutil.rmtree(whole)
    done = python(
        "import sys; from dprepro.__main__ import main; code = main(['ledger', *sys.argv[1:]]); "
        "print(*sys.modules, sep='\\n')",
        f"results_dir={results}",
    )
    assert done.returncode == 0, done.stderr
    modules = set(done.stdout.split())
    assert "dprepro.report.publish" in modules
    assert not modules & {*(f"dprepro.{room}" for room in SCIENCE), "hydra", "numba", "dp_accounting"}
    assert tree(whole) == before
    assert not list(breaches(whole))


def test_an_unfinished_run_is_not_published(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with opened(results / "measurements.sqlite") as database:
        database.execute("UPDATE runs SET finished = 0 WHERE experiment = 'cheap_too'")
    assert command("ledger", f"results_dir={results}") == 0
    assert "cheap_too        not measured  only overridden or unfinished runs are stored" in capsys.readouterr().out


def test_a_run_that_rules_of_today_cannot_judge_leaves_the_others_standing(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(results / "measurements.sqlite") as database:
        swap = (
            """UPDATE runs SET config = replace(config, '"rule":"ratio"', '"rule":"gone"') WHERE experiment = 'cheap'"""
        )
        database.execute(swap)
    assert command("ledger", f"results_dir={results}") == 0
    out = capsys.readouterr().out
    assert "cheap            not measured  check both: unknown rule 'gone'" in out
    assert "cheap_too        confirmed" in out


def test_a_folder_that_cannot_be_written_is_refused_and_the_measurements_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_config_dir(tmp_path / "mine")
    results = tmp_path / "results"
    results.mkdir()
    (results / "cheap").write_text("in the way", encoding="utf-8")
    run = ["--config-dir", folder, "+experiment=cheap", f"results_dir={results}"]
    assert command(*run) == 2
    assert f"error: cannot write {results}/cheap: " in capsys.readouterr().err
    assert command("ledger", f"results_dir={results}") == 0
    assert "not measured" in capsys.readouterr().out
    (results / "cheap").unlink()
    assert command(*run) == 0
    assert "0 measured now, 10 from the store" in capsys.readouterr().out
