"""Papers that are not the package's own: of an installed pack, and of a user's folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.cheap_experiment import CHEAP, command, write_config_dir
from helpers.json_schema import faults

from dprepro import bounds
from dprepro.errors import InputError
from dprepro.statements.papers import papers
from dprepro.support import typed
from dprepro.support.folders import experiment_files, folders, pack_dirs

pytestmark = pytest.mark.usefixtures("undrawn")

PACK = Path(__file__).parents[2] / "packs" / "adassp"
MINE = """\
title: A paper of mine
authors: Somebody
year: 1999
claims:
  - {item: Theorem 1, kind: rate, says: {text: It holds., direction: at_most, upper_only: true}}
"""


SPEAKING = CHEAP.replace("paper: lasso", "paper: mine").replace("expected: 1}", "expected: 1, about: Theorem 1}")

SLIP = """\
errata:
  - {item: Theorem 1, printed: x, holds: y, severity: typo, shown_by: [{experiment: lasso_rat, check: below_bound}]}
"""


def forget() -> None:
    pack_dirs.cache_clear()
    typed.allowed_packages.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Declares a package as a pack, as an installed distribution does; `monkeypatch.undo` takes it away."""

    def declare(package: str) -> None:
        declared = tmp_path / "site" / f"{package}-1.dist-info"
        declared.mkdir(parents=True)
        (declared / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n", encoding="utf-8")
        (declared / "entry_points.txt").write_text(f"[dprepro.papers]\nsome = {package}\n", encoding="utf-8")
        monkeypatch.syspath_prepend(str(declared.parent))
        forget()

    yield declare
    monkeypatch.undo()
    forget()


def read(results: Path) -> dict[str, Any]:
    """The ledger of a folder, which is as the schema beside it says."""
    found: dict[str, Any] = json.loads((results / "ledger.json").read_text(encoding="utf-8"))
    schema = json.loads((results / "ledger.schema.json").read_text(encoding="utf-8"))
    assert not list(faults(found, schema, schema))
    spoilt = found | {"schema_version": 1, "claims": [found["claims"][0] | {"verdict": "true", "more": 1}]}
    assert len(list(faults(spoilt, schema, schema))) == 3
    return found


def test_the_rows_of_a_pack_come_with_it_and_go_with_it(
    install: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = list(papers())
    if "adassp" in shipped:
        pytest.skip("the pack is installed")
    install("dprepro_adassp")
    assert [paper for paper in papers() if paper not in shipped] == ["adassp"]
    assert folders()[-1] == PACK / "dprepro_adassp" / "conf"
    results = tmp_path / "results"
    assert command() == 0
    assert "Wang 2018\n  adassp_" in capsys.readouterr().out
    assert command("+experiment=adassp_split", f"results_dir={results}", "workers=1") == 0
    assert command("ledger", f"results_dir={results}") == 0
    with_it = read(results)
    rows = {row["item"]: row for row in with_it["claims"] if row["paper"] == "adassp"}
    assert rows["Privacy, release by release"]["verdict"] == "refuted"
    assert rows["Privacy"]["measurements"][0]["command"] == "python -m dprepro +experiment=adassp_split"
    assert with_it["papers"]["adassp"]["authors"] == "Wang"
    assert [erratum["state"] for erratum in with_it["errata"] if erratum["paper"] == "adassp"] == ["shown"]
    page = (results / "ledger.html").read_text(encoding="utf-8")
    assert '<section id="adassp">' in page
    assert f"{len(set(shipped) - {'derived'}) + 1} papers" in page

    monkeypatch.undo()
    forget()
    assert list(papers()) == shipped
    assert "adassp_split" not in experiment_files()
    capsys.readouterr()
    assert command("ledger", f"results_dir={results}") == 0
    assert "left out: adassp_split: its configuration is not here: install its pack" in capsys.readouterr().out
    without = read(results)
    assert [row for row in without["claims"] if row["paper"] == "adassp"] == []
    assert "adassp" not in (results / "ledger.html").read_text(encoding="utf-8")
    assert (results / "adassp_split" / "verdict.json").exists()  # what was measured stays
    assert [erratum for erratum in with_it["errata"] if erratum["paper"] != "adassp"] == without["errata"]


def test_the_privacy_of_the_last_iterate_is_a_pack_whose_rows_come_and_go(
    install: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = list(papers())
    if "last_iterate" in shipped:
        pytest.skip("the pack is installed")
    install("dprepro_last_iterate")
    results = tmp_path / "results"
    for experiment in ("last_strong", "last_trap"):
        assert command(f"+experiment={experiment}", f"results_dir={results}", "workers=1") == 0
        verdict = json.loads((results / experiment / "verdict.json").read_text(encoding="utf-8"))
        assert verdict["verdict"] == "confirmed"
        assert verdict["as_expected"]
    assert command("ledger", f"results_dir={results}") == 0
    rows = {row["item"]: row for row in read(results)["claims"] if row["paper"] == "last_iterate"}
    # no attack was stored: nothing is confirmed yet
    assert rows["Strong convexity"]["verdict"] == "not contradicted"
    assert rows["Conjecture"]["verdict"] == "not measured"
    assert rows["Lower bound of Altschuler and Talwar"]["verdict"] == "nothing to measure"
    monkeypatch.undo()
    forget()
    assert list(papers()) == shipped
    assert not [name for name in experiment_files() if name.startswith("last_")]


def test_objective_perturbation_is_a_pack_whose_statements_and_experiments_come_and_go(
    install: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = list(papers())
    if "objective_perturbation" in shipped:
        pytest.skip("the pack is installed")
    install("dprepro_objective_perturbation")
    assert [paper for paper in papers() if paper not in shipped] == ["objective_perturbation"]
    assert {"perturbed_profile", "attacks_objective_perturbation"} <= set(experiment_files())
    monkeypatch.undo()
    forget()
    assert list(papers()) == shipped
    assert not [name for name in experiment_files() if name.startswith("perturbed_")]


def test_phases_are_a_pack_whose_rows_algorithms_and_reductions_come_and_go(
    install: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = list(papers())
    if "sco" in shipped:
        pytest.skip("the pack is installed")
    install("dprepro_sco")
    results = tmp_path / "results"
    pair = ["+experiment=pair", "algorithm=phased_erm", "construction=direction_stream"]
    small = ["sweep.n=[1e4]", "sweep.p=[100]", "replicates=1", "label=pair"]
    for arguments in (["+experiment=sco_proofs"], [*pair, *small]):
        assert command(*arguments, f"results_dir={results}", "workers=1") == 0
    assert "two_coordinates" in capsys.readouterr().out
    verdict = json.loads((results / "sco_proofs" / "verdict.json").read_text(encoding="utf-8"))
    assert verdict["verdict"] == "confirmed"
    assert verdict["as_expected"]
    assert command("ledger", f"results_dir={results}") == 0
    rows = {row["item"]: row for row in read(results)["claims"] if row["paper"] == "sco"}
    # no attack was stored: nothing is confirmed yet
    assert rows["Phased ERM, sensitivity"]["verdict"] == "not contradicted"
    assert rows["Phased ERM, risk"]["verdict"] == "not measured"
    monkeypatch.undo()
    forget()
    assert list(papers()) == shipped
    assert not [name for name in experiment_files() if "sco" in name]
    assert command("ledger", f"results_dir={results}") == 0
    assert [row for row in read(results)["claims"] if row["paper"] == "sco"] == []
    assert command(*pair, *small, f"results_dir={results}") == 2


def test_papers_of_a_user_s_folder_are_papers_and_their_commands_name_it(tmp_path: Path) -> None:
    folder = write_config_dir(tmp_path / "my conf", own=SPEAKING)
    (folder / "papers").mkdir()
    (folder / "papers" / "mine.yaml").write_text(MINE, encoding="utf-8")
    results = tmp_path / "results"
    assert command("--config-dir", folder, "+experiment=own", f"results_dir={results}", "workers=1") == 0
    assert command("ledger", "--config-dir", folder, f"results_dir={results}") == 0
    (row,) = [row for row in read(results)["claims"] if row["paper"] == "mine"]
    assert (row["id"], row["evidence"][0]["kind"]) == ("mine-theorem-1", "holds")
    said = f"python -m dprepro --config-dir '{folder}' +experiment=own"
    assert row["measurements"][0]["command"] == said
    assert "Somebody 1999, A paper of mine" in (results / "ledger.html").read_text(encoding="utf-8")
    assert next(iter(papers(str(folder)))) == "mine"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (MINE + SLIP, "unknown experiment 'lasso_rat' .did you mean lasso_rate"),
        (MINE + "statements: os", "os is in no package that is declared; choices: .*dprepro"),
        (MINE + "statements: dprepro.statements.lass", "there is no module dprepro.statements.lass"),
        (MINE + "statements: dprepro.budget", "has no tuple STATEMENTS"),
        (MINE.replace("text: It holds.", "text: It holds., premise: [small]"), "neither a comparison"),
        (MINE.replace("year: 1999", "yaer: 1999"), r"mine\.yaml: unknown key 'yaer'"),
        ("title: [", r"mine\.yaml"),
    ],
)
def test_a_paper_that_is_described_wrongly_is_refused_by_its_name(tmp_path: Path, text: str, words: str) -> None:
    folder = write_config_dir(tmp_path, own=CHEAP)
    (folder / "papers").mkdir()
    (folder / "papers" / "mine.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        papers(str(folder))


def test_a_pack_without_configurations_is_refused_by_its_name(install: Any) -> None:
    install("email")
    with pytest.raises(InputError, match=r"package email, declared by .* dprepro\.papers, has no folder conf"):
        folders()


def test_a_pack_that_imports_what_this_version_has_not_is_told_so_and_not_to_install_it(
    install: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "older_pack"
    (package / "conf").mkdir(parents=True)
    (package / "__init__.py").write_text('"""A pack."""\n', encoding="utf-8")
    for module in ("bounds", "statements"):
        (package / f"{module}.py").write_text("import dprepro.gone\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    install("older_pack")
    with pytest.raises(InputError, match=r"older_pack.bounds.one cannot be imported: No module named 'dprepro.gone'"):
        bounds.find("older_pack.bounds.one")
    (package / "conf" / "papers").mkdir()
    (package / "conf" / "papers" / "older.yaml").write_text(
        "title: Older\nauthors: Nobody\nyear: 1999\nstatements: older_pack.statements\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"older_pack.statements cannot be imported: No module named 'dprepro.gone'"):
        papers()
