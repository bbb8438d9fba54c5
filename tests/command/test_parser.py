"""One parser for all commands: what is declared is what is taken, and what the help says."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cheap_experiment import command, python

from dprepro import commands
from dprepro.__main__ import main
from dprepro.commands import COMMANDS
from dprepro.commands.parser import chosen, declared_by, parsed
from dprepro.errors import InputError

ROOM = Path(commands.__file__).parent
SHARED = {"__init__", "parser", "ending", "jobs", "run", "completion", "shown"}
"""What is in the room and is no command with a name."""

HEAVY = ("numpy", "pandas", "scipy", "numba", "dp_accounting", "matplotlib", "joblib", "hydra")


def test_the_table_names_every_module_of_the_room() -> None:
    assert {path.stem for path in ROOM.glob("*.py")} - SHARED == set(COMMANDS)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_the_help_names_every_argument_at_80_columns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [name] if name else []
    assert main([*words, "--help"]) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 80
    assert said.startswith(f"usage: {' '.join(['python -m dprepro', *words])}")
    for argument, declared in declared_by(chosen(words)[0]).items():
        written = {"key": f"  {argument}=", "words": declared.shown}
        if declared.about or declared.form == "words":  # what is only refused, in better words, is not in the help
            assert written.get(declared.form, f"--{argument.replace('_', '-')}") in said
    assert name or all(f"  {other} " in said for other in COMMANDS)
    assert "exit codes" in said


def test_help_of_all_commands_imports_nothing_heavy() -> None:
    code = f"""
import sys
from dprepro.__main__ import main
for name in {["", *COMMANDS]}:
    main([name, "--help"] if name else ["--help"])
print(*({{*{HEAVY}}} & set(sys.modules)), file=sys.stderr)
"""
    done = python(code)
    assert (done.returncode, done.stderr) == (0, "\n")


def test_arguments_come_in_any_order_with_their_types_and_the_last_of_two_counts() -> None:
    verify, rest = chosen(["verify", "share=.1", "--config-dir", "mine", "results_dir=there", "share=1/4"])
    assert parsed(verify, rest) == verify.Arguments(share=0.25, results_dir="there", config_dir="mine")
    assert parsed(verify, []) == verify.Arguments() == verify.Arguments(0.02, "results", None)
    audited, rest = chosen(["audit", "mine.py:fit", "draws=2e4"])
    assert parsed(audited, rest).draws == 20_000
    heldout, rest = chosen(["heldout", "one", "--config-dir=mine", "two", "seconds=3"])
    assert parsed(heldout, rest) == heldout.Arguments(("one", "two"), 3, config_dir="mine")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ledgr"], "unknown command 'ledgr' (did you mean ledger?); nearest of "),
        (["lasso_rate"], "lasso_rate is an experiment, and no command; type +experiment=lasso_rate"),
        (["--config-dir", "mine", "check"], "the command comes first: python -m dprepro check ..."),
        (["check", "result_dir=x"], "unknown argument 'result_dir=' (did you mean results_dir=?); choices: "),
        (["check", "results_dir="], "results_dir is empty; give results_dir=results"),
        (["check", "x"], "unknown argument 'x'; choices: --config-dir, "),
        (["check", "repair=yes"], "repair must be true or false, got repair=yes"),
        (["check", "--repair"], "--repair is a key, and keys have no hyphens: repair=true"),
        (["check", "--nonsense", "--help"], "unknown option '--nonsense'"),
        (["check", "--config-dir"], "--config-dir needs a folder"),
        (["ledger", "--strct"], "unknown option '--strct' (did you mean --strict?)"),
        (["ledger", "--strict=yes"], "ignored explicit argument 'yes'"),
        (["verify", "share=0"], "share must be in (0, 1], got share=0"),
        (["verify", "share=half"], "share must be a number, got share=half: "),
        (["stability", "seeds=1"], "seeds must be a whole number of at least 2, got seeds=1"),
        (["stability", "seeds=1e0"], "seeds must be a whole number of at least 2, got seeds=1e0"),
        (["stability", "seeds=2.5e0"], "seeds must be a whole number of at least 2"),
        (["audit", "mine.py:fit", "epsilon=1"], 'epsilon= is a part of claim: type claim="epsilon=1"'),
        (["audit", "mine.py:fit", "n=20"], 'n= is a part of domain: type domain="n=20 p=0 x=0..1"'),
        (["audit", "mine.py:fit", "relation=zero_out"], "relation= is a part of claim: type claim="),
        (["stability", "seeds=\u00b2"], "seeds must be a whole number of at least 2"),
        (["schema"], "give one table: python -m dprepro schema TABLE.csv; see python -m dprepro schema --help"),
        (["schema", "a.csv", "b.csv"], "unknown argument 'b.csv'"),
    ],
)
def test_what_is_not_declared_is_refused_in_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(*words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert said in err


def test_a_value_that_cannot_be_raises_for_callers_too() -> None:
    with pytest.raises(InputError, match="repair must be"):
        main(["check", "repair=perhaps"])
