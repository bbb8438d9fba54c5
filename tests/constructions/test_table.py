import numpy as np
import pandas as pd
import pytest

from dprepro.constructions import File, RandHealth
from dprepro.errors import InputError, MissingDependency

pytest.importorskip("sklearn", reason="the optional extra data is not installed")

BOUNDS = {"y": (0.0, 10.0), "a": (-1.0, 1.0), "b": (0.0, 4.0)}


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.uniform(0, 4, 60), "c": ["x"] * 60})
    frame["y"] = np.clip(frame["a"] + frame["b"], 0, None)
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path, frame


def test_columns_are_clipped_to_public_bounds_and_mapped_to_the_unit_interval(table):
    path, frame = table
    encoded = File(path=str(path), target="y", bounds=BOUNDS).encoded
    assert encoded.features.shape == (60, 3)  # intercept, a, b
    assert np.abs(encoded.features).max() <= 1
    assert encoded.counts["clipped"] == int((frame["a"].abs() > 1).sum()) > 0
    order = np.random.default_rng(0).permutation(60)
    np.testing.assert_allclose(encoded.features[:, 2], (frame["b"].to_numpy() / 2 - 1)[order])
    np.testing.assert_allclose(encoded.labels, (frame["y"].to_numpy() / 5 - 1)[order])


def test_csv_and_parquet_of_the_same_values_are_the_same_data(table, tmp_path):
    path, frame = table
    frame.drop(columns="c").to_parquet(tmp_path / "data.parquet")
    first = File(path=str(path), target="y", bounds=BOUNDS).fingerprint()
    assert first == File(path=str(tmp_path / "data.parquet"), target="y", bounds=BOUNDS).fingerprint()
    assert first != File(path=str(path), target="y", bounds=BOUNDS | {"b": (0.0, 5.0)}).fingerprint()


def test_errors_on_records_held_out_are_in_the_unit_of_the_target(table):
    path, _ = table
    construction = File(path=str(path), target="y", bounds=BOUNDS, holdout=0.25)
    theta = np.array([0.1, 0.5, 0.3])
    found = construction.score({"n": 45.0, "p": 3.0}, theta)
    rows, encoded = construction._parts()[1], construction.encoded
    assert len(rows) == 15
    said, true = 5 * (1 + encoded.features[rows] @ theta), 5 * (1 + encoded.labels[rows])  # y lies in [0, 10]
    assert found["holdout_rmse"] == pytest.approx(np.sqrt(((said - true) ** 2).mean()))
    assert found["holdout_mae"] == pytest.approx(np.abs(said - true).mean())
    assert found["r_squared"] == pytest.approx(1 - ((said - true) ** 2).sum() / ((true - true.mean()) ** 2).sum())
    far = construction.score({"n": 45.0, "p": 3.0}, np.array([100.0, 0.0, 0.0]))
    assert far["holdout_rmse"] == pytest.approx(np.sqrt(((10 - true) ** 2).mean()))  # cut off at the public bound


def test_a_changed_file_is_read_again(table):
    path, frame = table
    first = File(path=str(path), target="y", bounds=BOUNDS).fingerprint()
    frame.iloc[:50].to_csv(path, index=False)
    assert File(path=str(path), target="y", bounds=BOUNDS).fingerprint() != first


def test_an_n_beyond_the_table_means_all_of_it_and_p_is_the_tables(table):
    path, _ = table
    construction = File(path=str(path), target="y", bounds=BOUNDS)
    assert construction.settle({"n": 1e6, "p": 1.0}) == {"n": 60, "p": 3}
    problem = construction.build({"n": 40.0, "p": 3.0}, 0.1)
    assert problem.domain.n == 40
    assert problem.minimum.gap <= 1e-9


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"target": ""}, "neither schema nor target is given"),
        ({"target": "z", "bounds": BOUNDS | {"z": (0, 1)}}, "unknown column"),
        ({"features": ["a", "d"], "bounds": BOUNDS | {"d": (0, 1)}}, "unknown column"),
        ({"features": ["a", "d"]}, "bounds for column d are missing"),
        ({"bounds": BOUNDS | {"c": (0, 1)}}, "c of .* is not numeric"),
        ({"bounds": BOUNDS | {"a": (1.0, 1.0)}}, "low < high"),
        ({"bounds": {"y": (0.0, 1.0)}}, "no feature is left"),
    ],
)
def test_a_choice_that_does_not_fit_the_table_is_refused_in_one_line(table, change, word):
    arguments = {"path": str(table[0]), "target": "y", "bounds": BOUNDS} | change
    with pytest.raises(InputError, match=word) as refused:
        File(**arguments).fingerprint()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "word"), [("absent.csv", "cannot read"), ("data.txt", "file type"), ("", "path names no file")]
)
def test_a_file_that_cannot_be_read_is_named(table, name, word):
    path = table[0].with_name(name) if name else ""
    if name == "data.txt":
        path.write_text("a,y\n1,2\n")
    with pytest.raises(InputError, match=word):
        File(path=str(path), target="y", bounds=BOUNDS).fingerprint()


def test_missing_values_and_too_few_rows_are_refused_with_their_number(table):
    path, frame = table
    frame.loc[3, "a"] = np.nan
    frame.to_csv(path, index=False)
    with pytest.raises(InputError, match="has 1 missing values"):
        File(path=str(path), target="y", bounds=BOUNDS).fingerprint()
    frame.iloc[:3].to_csv(path, index=False)
    with pytest.raises(InputError, match=r"3 usable records \(.*\), at least 10"):
        File(path=str(path), target="y", bounds=BOUNDS).fingerprint()


def test_without_statsmodels_the_shipped_table_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "statsmodels.datasets", None)
    with pytest.raises(MissingDependency, match=r"dprepro\[data\]"):
        RandHealth(target="y", bounds={"y": (0, 1), "x": (0, 1)}).read()
