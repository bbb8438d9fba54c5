"""The ways in which `dprepro` says no, one class for each thing that a caller may want to do about it.

Every message is one line that names the value, the rule it breaks and, where there are choices, the choices.
"""

from __future__ import annotations

import difflib
import re
import signal
import unicodedata
from collections.abc import Iterable


class DpreproError(Exception):
    """Base of all errors that the project raises on purpose."""


class InputError(DpreproError, ValueError):
    """The user asked for something that cannot be: one line on stderr, exit code 2, nothing written."""


class OtherCode(InputError):
    """A process has, or would load, other sources than its measurements would be stored under."""


class Incompatible(InputError):
    """An algorithm or reduction needs a capability that the problem does not offer."""


class PremiseError(DpreproError):
    """One grid point lies outside a construction's premise: the cell becomes a `skipped: <premise>` row."""


class MissingDependency(DpreproError):
    """An optional package is not installed: the experiment is skipped, and the message says what to install."""


class Stop(KeyboardInterrupt):
    """A signal that asks the process to end, as Ctrl-C does; ``number`` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Interrupted(DpreproError):
    """Ctrl-C or another signal that ends a run: what was measured is stored, the message says how to resume.

    The exit code is 128 plus ``number``, the signal's: 130 after Ctrl-C, 143 after SIGTERM.
    """

    def __init__(self, message: str = "", number: int = signal.SIGINT) -> None:
        super().__init__(message)
        self.number = number


class Detached(DpreproError):
    """Jobs of a queue measure what is left, and nobody waits for them: the message says how they are."""


WHOLE_LIST = 12
"""So many choices are read at a glance; of more of them the nearest are shown."""
NEAREST = 5


def unknown(kind: str, name: object, choices: Iterable[object]) -> InputError:
    """An :class:`InputError` for a name that does not exist, with the choices; of many of them the five nearest."""
    known = {str(choice) for choice in choices} - {""}
    if name == "":
        return InputError(f"{kind} is empty; {choices_in_words(known)}")
    near = difflib.get_close_matches(str(name), sorted(known), n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return InputError(f"unknown {kind} {shortened(str(name))}{hint}; {choices_in_words(known, name)}")


def choices_in_words(choices: Iterable[object], name: object = "") -> str:
    """``choices: a, b``, sorted; of a long list ``nearest of 73 choices: a, b, c, d, e``, nearest to ``name`` first."""
    known = sorted({str(choice) for choice in choices})
    if len(known) <= WHOLE_LIST:
        return f"choices: {', '.join(known) or 'none'}"
    return f"nearest of {len(known)} choices: {', '.join(_nearest(str(name), known))}"


def _nearest(name: str, known: Iterable[str]) -> list[str]:
    """The five names that are most alike: those that share a word of letters count before those that look similar."""
    words = set(_WORD.findall(name.casefold()))

    def distance(text: str) -> tuple[int, float, str]:
        alike = difflib.SequenceMatcher(None, name.casefold(), text.casefold()).ratio()
        return -len(words & set(_WORD.findall(text.casefold()))), -alike, text

    return sorted(known, key=distance)[:NEAREST]


_WORD = re.compile(r"[^\W\d_]{3,}")


LONGEST_NAME = 100
_NAME = re.compile(r"\w[\w-]*")


def name_fault(name: object) -> str:
    """What keeps a name from being one of an experiment, a series or a check; empty if nothing.

    Experiments become folders, and the names of all three stand in overrides and tables.
    """
    if isinstance(name, str) and _NAME.fullmatch(name) and len(name) <= LONGEST_NAME:
        return ""
    return f"{shortened(name)} is no name: a name has letters, digits, _ and -, at most {LONGEST_NAME} of them"


_DEVICE = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9¹²³]", re.IGNORECASE)
_OWN = re.compile(
    r"ledger|ledger_(?:files|single)|measurements|overridden|stability|heldout|reference|seed-\d+", re.IGNORECASE
)


def experiment_fault(name: object) -> str:
    """What keeps a name from being one of an experiment, which has a folder of its own; empty if nothing."""
    if fault := name_fault(name):
        return fault
    if _DEVICE.fullmatch(str(name)):
        return f"{name} is the name of a device on Windows, of which no folder can be made; take another"
    if _OWN.fullmatch(str(name)):
        return f"{name} is the name of something else in a results folder; take another"
    return ""


def label_fault(label: str) -> str:
    """What keeps a label from being the name of a run's folder; empty if nothing."""
    if not _LABEL.fullmatch(label) or len(label) > LONGEST_NAME:
        return (
            f"{shortened(label)} names no folder: a label has letters, digits and _ - . + , begins with a letter or "
            f"digit, ends in no dot, and is no longer than {LONGEST_NAME} characters"
        )
    if _DEVICE.fullmatch(label.partition(".")[0]):
        return f"{label} is the name of a device on Windows, of which no folder can be made; take another"
    return ""


_LABEL = re.compile(r"\w(?:[\w.+,-]*[\w+,-])?")


def folded(name: str) -> str:
    """What names have in common that are one on disks which take no account of case."""
    return unicodedata.normalize("NFKC", name).casefold()


def checked_name(kind: str, name: object) -> str:
    """The name; raises InputError where it cannot be one of that kind."""
    if fault := experiment_fault(name) if kind == "experiment" else name_fault(name):
        raise InputError(f"{kind}: {fault}")
    return str(name)


def shortened(value: object, most: int = 200) -> str:
    """A value as Python writes it, with its middle left out where that is long."""
    try:
        text = repr(value)
    except ValueError:  # a whole number of thousands of digits
        text = f"a {type(value).__name__} of too many digits"
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 4 :]}"


#: Letters and marks that no font draws, though their categories say nothing of it: joiners, fillers, variations.
_UNDRAWN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def is_hidden(character: str) -> bool:
    """Whether nobody sees a character, or it does something: control, format, bidirectional, half or no characters.

    Spaces of all widths are seen.
    """
    if character.isprintable():
        return not character.isascii() and _UNDRAWN.match(character) is not None
    return not (character.isspace() and character not in "\n\t\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029")


def printable(text: str, most: int = 4000) -> str:
    """A message in one line that no terminal takes for a command, with its middle left out where it is long."""
    line = "".join(ascii(word)[1:-1] if is_hidden(word) else word for word in " ".join(text.split()))
    return line if len(line) <= most else f"{line[: most // 2]} ... {line[-most // 4 :]}"
