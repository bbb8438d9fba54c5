from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from dprepro.errors import InputError, MissingDependency
from dprepro.practice.schema import Column
from dprepro.practice.shipped import RandHealth
from dprepro.practice.table import File

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


def learnt_and_held(construction):
    """The records that an algorithm is given, and all others, by features and label."""
    given = construction.build(construction.resolve({"n": 1e9, "p": 3.0}), 0.0).records.records
    rows = {(*x, y) for x, y in zip(construction.encoded.features, construction.encoded.labels, strict=True)}
    learnt = {(*x, y) for x, y in zip(given.features, given.targets, strict=True)}
    return learnt, rows - learnt


def test_answers_are_judged_by_those_records_that_no_algorithm_is_given(table):
    """By the definition, in each of four splits; equal domains of other splits and shares are built in between."""
    path, frame = table
    frame["a"] = np.linspace(-1, 1, 60)  # no two records are equal
    frame.to_csv(path, index=False)
    theta = np.array([0.2, -0.4, 0.7])
    for holdout, count in ((0.25, 15), (0.5, 30)):
        for split in (0, 1, 2, 3):
            construction = File(path=str(path), target="y", bounds=BOUNDS, holdout=holdout, split=split)
            learnt, held = learnt_and_held(construction)
            assert (len(learnt), len(held)) == (60 - count, count)
            away = [np.clip(np.dot(theta, row[:3]), -1, 1) - row[3] for row in held]
            found = construction.score({"n": 60.0 - count, "p": 3.0}, theta)
            assert found["holdout_rmse"] == pytest.approx(5 * np.sqrt(np.mean(np.square(away))))


def test_copies_of_a_table_stand_for_more_records_like_those_that_are_learnt_from(table):
    construction = File(path=str(table[0]), target="y", bounds=BOUNDS, holdout=0.25, copies=3)
    assert construction.resolve({"n": 1e6, "p": 1.0}) == {"n": 135, "p": 3}
    given = construction.build({"n": 90.0, "p": 3.0}, 0.0).records.records
    assert (given.features.shape[0], set(given.copies), given.n) == (30, {3.0}, 90)


def test_parts_of_splits_and_seeds_overlap_like_random_ones(table):
    """12 of 60 records of two splits have 2.4 in common in the mean, of variance 1.56 (hypergeometric).

    The means over 200 pairs of splits, and over 30 of seeds: 4.5 standard errors; 1 of 10^5 choices of numbers fails.
    """

    def held(seed, split):
        one = File(path=str(table[0]), target="y", bounds=BOUNDS, holdout=0.2, seed=seed, split=split)
        return set(one._parts()[1])

    by_split, by_seed = [held(0, k) for k in range(400)], [held(k, 0) for k in range(31)]
    for pairs in (
        list(zip(by_split[::2], by_split[1::2], strict=True)), list(zip(by_split[:200], by_split[200:], strict=True)),
        list(pairwise(by_seed)),
    ):  # fmt: skip
        error = np.sqrt(12 * 0.2 * 0.8 * 48 / 59 / len(pairs))
        assert abs(np.mean([len(pair & other) for pair, other in pairs]) - 2.4) < 4.5 * error


@pytest.fixture
def classes(tmp_path):
    """Labels -1, -1, 1, 1, ... beside one feature, so that scores can be counted by hand."""
    frame = pd.DataFrame({"a": np.linspace(-1, 1, 12), "y": [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]})
    path = tmp_path / "classes.csv"
    frame.to_csv(path, index=False)
    columns = {"a": Column(range=(-1, 1)), "y": Column(range=(0, 1), above=0.5)}
    return File(path=str(path), target="y", columns=columns, intercept=False, loss="logistic", holdout=0.5)


def test_auc_is_the_share_of_pairs_in_the_right_order_and_a_tie_is_half_an_error(classes):
    rows, encoded = classes._parts()[1], classes.encoded
    x, labels = encoded.features[rows, 0], encoded.labels[rows]
    for weight in (30.0, -0.1, 0.0):  # margins beyond the bounds tell more than their ends
        theta = np.array([weight])
        pairs = [
            (weight * one > weight * other) + 0.5 * (weight * one == weight * other)
            for one in x[labels > 0] for other in x[labels < 0]
        ]  # fmt: skip
        wrong = [
            float(weight * one * label < 0) + 0.5 * (weight * one == 0) for one, label in zip(x, labels, strict=True)
        ]
        found = classes.score({"n": 6.0, "p": 1.0}, theta)
        assert found["auc"] == pytest.approx(np.mean(pairs))
        assert found["error_rate"] == pytest.approx(np.mean(wrong))
        assert found["accuracy"] == pytest.approx(1 - np.mean(wrong))


def test_of_one_class_alone_there_is_no_auc(classes):
    one = next(
        split for split in range(2000)
        if len(set(classes.encoded.labels[replace(classes, split=split)._parts()[1]])) == 1
    )  # fmt: skip
    assert set(replace(classes, split=one).score({"n": 6.0, "p": 1.0}, np.array([1.0]))) == {"error_rate", "accuracy"}


def test_a_changed_file_is_read_again(table):
    path, frame = table
    first = File(path=str(path), target="y", bounds=BOUNDS).fingerprint()
    frame.iloc[:50].to_csv(path, index=False)
    assert File(path=str(path), target="y", bounds=BOUNDS).fingerprint() != first


def test_an_n_beyond_the_table_means_all_of_it_and_p_is_the_tables(table):
    path, _ = table
    construction = File(path=str(path), target="y", bounds=BOUNDS)
    assert construction.resolve({"n": 1e6, "p": 1.0}) == {"n": 60, "p": 3}
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
