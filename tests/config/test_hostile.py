"""YAML and overrides that nobody would write in good faith: one line, no crash, no endless loop, no code run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.cheap_experiment import CHEAP, write_config_dir

from dprepro.config.checked_experiment import check
from dprepro.config.compose import compose
from dprepro.engine import Store, expand
from dprepro.errors import InputError, MissingDependency, printable
from dprepro.support.folders import experiment_files, unused_files
from dprepro.support.yaml_files import DEEPEST, load, parse

CLAIM = "Theorem 2.5, cheaply"


def bomb(levels: int, width: int, item: str = "*a{}") -> str:
    """Each of ``levels`` lists repeats the one before it ``width`` times."""
    lines = ["a0: &a0 [x]"]
    lines += [f"a{i}: &a{i} [{', '.join([item.format(i - 1)] * width)}]" for i in range(1, levels)]
    return "\n".join(lines) + "\n"


#: A text, and words of ours that refuse it; none where PyYAML may be first, whose words change with its version.
REFUSED = {
    "50,000 brackets": ("a: " + "[" * 50_000, ""),
    "50,000 hyphens": ("- " * 50_000 + "1", ""),
    "50,000 question marks": ("? " * 50_000, ""),
    "brackets": ("a: " + "[" * 50 + "]" * 50, f"nested deeper than {DEEPEST} levels"),
    "hyphens": ("- " * 50 + "1", f"nested deeper than {DEEPEST} levels"),
    "question marks": ("? " * 50, f"nested deeper than {DEEPEST} levels"),
    "aliases of aliases": (bomb(30, 9), "stands for more than 100,000 entries"),
    "an alias of itself": ("a: &a [*a]", "*a stands inside of what it repeats"),
    "a long list": ("[" + "1," * 200_000 + "]", "stands for more than 100,000 entries"),
    "a tag": ("!!python/object/apply:os.system ['true']", "tags such as"),
    "two documents": ("a: 1\n---\nb: 2", "a second document"),
    "a key twice": ("a: {b: 1, b: 2}", "the key b stands twice"),
    "a list as a key": ("? [a]\n: b", ""),
    "a control character": ("a: \x07", ""),
}


@pytest.mark.parametrize(("text", "words"), REFUSED.values(), ids=REFUSED)
def test_yaml_without_measure_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "bad.yaml")
    assert str(caught.value).startswith("bad.yaml is no valid YAML")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("word", ["yes", "no", "on", "off", "2020-01-31", "today", "1:30", "010", "0x1f", "9" * 500])
def test_words_that_only_yaml_takes_for_something_else_are_texts(word: str) -> None:
    assert parse(f"a: {word}", "") == {"a": word}


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_only_a_regular_file_is_read(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "x.yaml")
    with pytest.raises(InputError, match="it is not a regular file"):
        load(tmp_path / "x.yaml")


EXPERIMENTS = {
    "an environment variable": (CHEAP.replace(CLAIM, '"${oc.env:HOME}"'), "something else than a key"),
    "a variable in the defaults": (CHEAP.replace("noisy_frank_wolfe", '"${oc.env:HOME}"'), "something else than a key"),
    "any other function": (CHEAP.replace(CLAIM, '"${oc.create:[]}"'), "something else than a key"),
    "a circle": (CHEAP.replace(CLAIM, "${statement}").replace("The excess", "${claim}"), "leads back to itself"),
    "a part of itself": (CHEAP.replace("name: rate", 'name: rate, x: "${figure}"'), "leads back to itself"),
    "references of references": (
        CHEAP.replace(CLAIM, "${algorithm.a9}") + "algorithm:\n  a0: xxxxxxxxxxxx\n"
        + "".join(f"  a{i}: {f'${{algorithm.a{i - 1}}}' * 10}\n" for i in range(1, 10)),
        "stands for more than 200,000 entries",
    ),
    "Hydra's settings": (CHEAP + "hydra: {run: {dir: /tmp/x}}\n", "Hydra's own settings have no effect here"),
    "another folder": (CHEAP.replace("/algorithm: noisy_frank_wolfe", "/algorithm: ../../x"), "x"),
    "a list": ("[1, 2]", "has no block of keys"),
    "1e308 on an axis": (CHEAP.replace("p: [1000]", "p: [1e308]"), "of size 1e-300 to 1e+300"),
    "1e-308 on an axis": (CHEAP.replace("epsilon: [1]", "epsilon: [1e-308]"), "of size 1e-300 to 1e+300"),
    "too many replicates": (CHEAP.replace("replicates: 2", "replicates: 1e9"), "at most 1000000"),
    "a seed of many digits": (CHEAP + "seed: " + "9" * 30, "below 2^63"),
    "a series named as a path": (CHEAP.replace("    bounded: {", '    "../x": {'), "is no name"),
    "a series without a name": (CHEAP.replace("    bounded: {", "    ~: {"), "a key has no name"),
    "a check named as a path": (CHEAP.replace("  both: {", '  "../x": {'), "is no name"),
}  # fmt: skip


def examined(folder: Path, name: str, *overrides: str) -> None:
    """All that is done with a configuration before its cells are made."""
    check(compose([f"+experiment={name}", *overrides], str(folder)).config)


@pytest.mark.parametrize(("text", "words"), EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_an_experiment_without_measure_is_refused(tmp_path: Path, text: str, words: str) -> None:
    folder = write_config_dir(tmp_path, bad=text)
    with pytest.raises(InputError) as caught:
        examined(folder, "bad")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


OVERRIDES = {
    "an environment variable": ("claim=${oc.env:HOME}", "something else than a key"),
    "brackets": ("sweep.n=" + "[" * 3000 + "]" * 3000, "nested deeper than 20 levels"),
    "length": ("claim=" + "x" * 60_000, "more than 50,000 characters"),
    "digits": (f"seed={'9' * 5000}", "seed"),
}


@pytest.mark.parametrize(("override", "words"), OVERRIDES.values(), ids=OVERRIDES)
def test_an_override_without_measure_is_refused(tmp_path: Path, override: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        examined(write_config_dir(tmp_path), "cheap", override)
    assert words in str(caught.value)
    assert len(printable(str(caught.value))) < 2000


DEVICES, OWN = (
    ["CON", "nul", "Com1", "lpt³"],
    ["ledger_files", "Overridden", "stability", "heldout", "reference", "seed-1"],
)


@pytest.mark.parametrize("name", ["..", "a b", "a.b", "-x", "x" * 101, "a.", "a ", *DEVICES, *OWN])
def test_a_file_whose_name_cannot_be_a_folder_is_no_experiment_and_is_named(tmp_path: Path, name: str) -> None:
    folder = write_config_dir(tmp_path, **{name: CHEAP})
    assert name not in experiment_files(str(folder))
    why = "device on Windows" if name in DEVICES else "something else in a results" if name in OWN else "is no name"
    assert any(f"{name}.yaml: " in said and why in said for said in unused_files(str(folder)))
    with pytest.raises(InputError, match=rf"{why}|unknown experiment|Hydra's grammar"):
        compose([f"+experiment={name}"], str(folder))


def test_names_that_differ_by_case_only_are_one_too_many(tmp_path: Path) -> None:
    texts = dict.fromkeys(["LASSO_RATE", "Cheap", "\ufb01ne", "fine"], CHEAP)  # the third begins with one letter, fi
    folder = write_config_dir(tmp_path / "mine", **texts)
    names, said = experiment_files(str(folder)), "\n".join(unused_files(str(folder)))
    assert {"cheap", *texts} & names.keys() == {"Cheap", "fine"}
    for name in ("cheap", "LASSO_RATE", "\ufb01ne"):
        assert f"{name}.yaml: its name differs from that of " in said
        with pytest.raises(InputError, match=r"by case only; rename it"):
            compose([f"+experiment={name}"], str(folder))


def test_a_store_takes_no_two_experiments_whose_names_differ_by_case_only(tmp_path: Path) -> None:
    with Store.open(tmp_path, create=True) as store:
        store.begin_run("rate", {}, [], {}, [])
        store.begin_run("rates", {}, [], {}, [])
        with pytest.raises(InputError, match="runs of rate, whose name differs from Rate by case only"):
            store.begin_run("Rate", {}, [], {}, [])
        with pytest.raises(InputError, match="device"):
            store.begin_run("aux", {}, [], {}, [])
        assert [run.experiment for run in store.runs()] == ["rate", "rates"]


FRAGMENTS = [
    *"[]{}:,-?&*!|>'\"%@#~ \n\t", ": ", "- ", "&a ", "*a ", "<<: *a", "!!int ", "---\n", "...", "null", "true", "1e308",
    "-.inf", ".nan", "2020-01-01", "${claim}", "${oc.env:HOME}", "${", "defaults:\n", "  - ", "_target_: os.system",
    "series", "like: ", "sweep", "...,", "glob(*)", "2^2^2^9", "../", "\x00", "\x1b", "\ud800", "é", "\u2028",
    "a" * 300, "[" * 300, "9" * 400, "study", "checks", "claims: ", "role: claim",
]  # fmt: skip
KEYS = ["claim", "sweep.n", "+sweep.steps", "seed", "replicates", "study", "study.series.needle", "+study.series.x",
        "checks.both.series", "checks.below_bound.expected", "figure", "~figure", "algorithm", "construction",
        "workers", "results_dir", "++a.b", "neighbours", "paper", "experiment", "hydra.run.dir", "/algorithm@x",
        ""]  # fmt: skip


def fuzz(folder: Path, examples: int) -> None:
    """So many texts, experiments and overrides, the same ones each time; anything but a refusal in one line fails."""
    hypothesis = pytest.importorskip("hypothesis")
    st = hypothesis.strategies
    write_config_dir(folder)
    settings = {
        "deadline": None,
        "derandomize": True,
        "database": None,
        "suppress_health_check": list(hypothesis.HealthCheck),
    }
    fragment = st.sampled_from(FRAGMENTS) | st.text(max_size=6)
    joined = st.lists(fragment, max_size=12).map("".join)
    edits = st.lists(st.tuples(st.integers(0, len(CHEAP)), st.integers(0, 9), fragment), min_size=1, max_size=4)

    def refused_or_done(action: Callable[[], object]) -> None:
        said = ""
        try:
            action()
        except (InputError, MissingDependency) as error:
            said = str(error)
        assert "\n" not in printable(said)

    @hypothesis.settings(max_examples=examples * 85 // 100, **settings)
    @hypothesis.given(joined)
    def texts(text: str) -> None:
        refused_or_done(lambda: parse(text, "a"))

    @hypothesis.settings(max_examples=examples * 6 // 100, **settings)
    @hypothesis.given(edits)
    def experiments(changes: list[tuple[int, int, str]]) -> None:
        text = CHEAP
        for place, length, new in changes:
            text = text[:place] + new + text[place + length :]
        (folder / "experiment" / "bad.yaml").write_text(text, encoding="utf-8", errors="replace")
        refused_or_done(lambda: examined(folder, "bad"))

    @hypothesis.settings(max_examples=examples * 9 // 100, **settings)
    @hypothesis.given(st.sampled_from(KEYS), joined)
    def overrides(key: str, value: str) -> None:
        refused_or_done(lambda: examined(folder, "cheap", f"{key}={value}"))

    for one in (texts, experiments, overrides):
        one()
    assert sorted(path.name for path in folder.iterdir()) == ["experiment"]


def test_a_hundred_hostile_inputs_give_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fuzz(tmp_path / "mine", 100)


@pytest.mark.slow
def test_two_thousand_hostile_inputs_give_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fuzz(tmp_path / "mine", 2000)


def test_a_grid_of_too_many_points_is_refused_before_it_is_listed() -> None:
    with pytest.raises(InputError, match="24,990,001 points is too large"):
        expand({"n": range(1, 5000), "p": range(1, 5000)})
