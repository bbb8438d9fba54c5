"""Characters that nobody sees: refused where texts come in, shown by their numbers where they go out."""

from __future__ import annotations

import io
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from helpers.cheap_experiment import CHEAP, ENVIRONMENT, command, write_config_dir

from dprepro.config.compose import compose, expand_sweeps
from dprepro.errors import InputError, printable
from dprepro.practice.reading import read_table
from dprepro.support import yaml_files
from dprepro.support.texts import check_texts, hidden_in, shown, visible

HIDDEN = {
    "\x1b": "U+001B (a control character)", "\0": "U+0000 (a control character)", "\r": "U+000D (a control character)",
    "\x9b": "U+009B (a control character)", "\u202e": "U+202E (RIGHT-TO-LEFT OVERRIDE)",
    "\u2066": "U+2066 (LEFT-TO-RIGHT ISOLATE)", "\u200f": "U+200F (RIGHT-TO-LEFT MARK)",
    "\u061c": "U+061C (ARABIC LETTER MARK)", "\u200b": "U+200B (ZERO WIDTH SPACE)", "\u00ad": "U+00AD (SOFT HYPHEN)",
    "\ufeff": "U+FEFF (ZERO WIDTH NO-BREAK SPACE)", "\u3164": "U+3164 (HANGUL FILLER)",
    "\ufe0f": "U+FE0F (VARIATION SELECTOR-16)", "\u2028": "U+2028 (LINE SEPARATOR)",
    "\U000e0041": "U+E0041 (TAG LATIN CAPITAL LETTER A)", "\ud800": "U+D800 (half a character)",
    "\ue000": "U+E000 (no character of any script)",
}  # fmt: skip
SEEN = "ordinary, two\nlines\tand ε ≤ ‖θ‖², Łódź, 漢字, a\u00a0space, e\u0301, 🙂"


@pytest.mark.parametrize("character", HIDDEN)
def test_a_hidden_character_is_named_and_shown_by_its_number(character: str) -> None:
    assert hidden_in(f"{SEEN}{character}x") == HIDDEN[character]
    escaped = ascii(character)[1:-1]
    assert visible(f"{SEEN}{character}x") == f"{SEEN}{escaped}x"
    if not character.isspace():  # which one line has not
        assert printable(f"a{character}x") == f"a{escaped}x"


def test_what_people_write_is_seen() -> None:
    assert hidden_in(SEEN) == ""
    assert visible(SEEN) == SEEN
    assert not [one for one in map(chr, range(0x110000)) if unicodedata.bidirectional(one) in
                ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI") and not hidden_in(one)]  # fmt: skip


def test_the_key_and_the_character_are_named() -> None:
    with pytest.raises(InputError, match=r"^here: a\.b has U\+202E \(RIGHT-TO-LEFT OVERRIDE\), which nobody sees"):
        check_texts({"a": {"b": ["x", "y\u202e"]}}, "here")
    with pytest.raises(InputError, match=r"^here: a key of a has U\+200B"):
        check_texts({"a": {"b\u200b": 1}}, "here")


PLACES = {
    "statement": ("statement: The", r'statement: "\e[2JThe\e"'), "claim": ("claim: Theorem", r'claim: "\u202eTheorem"'),
    "figure.labels.needle": ("{needle: the needle}", r'{needle: "the\u2067 needle"}'),
    "a key of figure.labels": ("{needle: the needle}", r'{"needle\u200d": the needle}'),
    "checks.both.reason": ("margin: 0.5}", r'margin: 0.5, reason: "\0"}'),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_yaml_with_a_hidden_character_is_refused_in_one_line(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    old, new = PLACES[place]
    text = "\n".join(f"{new}" if line.startswith(old) else line.replace(old, new) for line in CHEAP.splitlines())
    folder = write_config_dir(tmp_path / "mine", hostile=text)
    assert command("--config-dir", folder, "+experiment=hostile") == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {folder}/experiment/hostile.yaml: {place} has U+")
    assert said.count("\n") == 1
    assert said[:-1].isprintable()
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("character", ["\x1b", "\u202e", "\udcff", "\u200b"])
def test_an_override_with_a_hidden_character_is_refused(character: str) -> None:
    words = ["+experiment=lasso_rate", f"statement='a{character}b'"]
    for read in (compose, expand_sweeps):
        with pytest.raises(InputError, match=r"^'statement': the override has U\+"):
            read(words)


def test_a_column_of_a_table_and_a_category_of_a_schema_are_refused(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,na\u202eme\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"the column .* has U\+202E"):
        read_table(str(table))
    with pytest.raises(InputError, match=r"columns\.a\.categories has U\+200E"):
        yaml_files.parse('columns: {a: {categories: ["x\\u200e", y]}}', "schema")


def test_what_is_printed_is_visible_and_a_stream_stays_one(capsys: pytest.CaptureFixture[str]) -> None:
    def hostile(_: list[str]) -> int:
        print("a\x1b[2Jb\u202ec\udcff\nd")
        assert sys.stdout.isatty() is False
        return 0

    before = sys.stdout
    assert command(function=hostile) == 0
    assert sys.stdout is before
    assert capsys.readouterr().out == "a\\x1b[2Jb\\u202ec\\udcff\nd\n"
    stream = io.StringIO()
    assert shown(shown(stream)).write("\x07") == 1
    assert stream.getvalue() == "\\x07"


def test_a_traceback_of_a_fault_is_visible() -> None:
    program = (
        "from dprepro.commands.ending import console\n"
        "def faulty(_): raise RuntimeError('\\x1b[2J\\u202e')\n"
        "console(faulty)"
    )  # fmt: skip
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "RuntimeError: \\x1b[2J\\u202e"
    assert "\x1b" not in done.stderr
