"""Texts from outside: none enters with characters that nobody sees, and what is shown shows them by their numbers.

A control character steers a terminal, a bidirectional mark turns a statement round, an invisible letter makes two names
of one: in a title they would stand in tables, ledgers, pages and LaTeX as they are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import TextIO, cast

from dprepro.errors import InputError, is_hidden

KEPT = "\n\t"
"""Control characters that texts of several lines have."""


def hidden_in(text: str) -> str:
    """The first hidden character of a text, as ``U+202E (RIGHT-TO-LEFT OVERRIDE)``; empty if there is none."""
    if text.isascii() and text.isprintable():
        return ""  # nearly all
    hidden = [letter for letter in set(text) - set(KEPT) if is_hidden(letter)]  # a page has a million, few of a kind
    if not hidden:
        return ""
    found = min(hidden, key=text.index)
    name = unicodedata.name(found, "") or {"Cc": "a control character", "Cs": "half a character"}.get(
        unicodedata.category(found), "no character of any script"
    )
    return f"U+{ord(found):04X} ({name})"


def check_texts(value: object, where: object, key: str = "") -> None:
    """Raise InputError for a hidden character in a text, or in the texts and keys of a block or list; names the key."""
    if isinstance(value, str):
        if found := hidden_in(value):
            raise InputError(f"{where}: {key or 'it'} has {found}, which nobody sees; take it out")
    elif isinstance(value, Mapping):
        for name, number in value.items():
            check_texts(name, where, f"a key of {key}" if key else "a key")
            check_texts(number, where, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple):
        for number in value:
            check_texts(number, where, key)


def visible(text: str) -> str:
    """A text of lines, with hidden characters by their numbers, as Python writes them."""
    if not hidden_in(text):
        return text
    return "".join(ascii(word)[1:-1] if word not in KEPT and is_hidden(word) else word for word in text)


class VisibleStream:
    """A stream of text on which everything is visible."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(visible(text))
        return len(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def shown(stream: TextIO) -> TextIO:
    """The stream, on which everything is visible."""
    return stream if isinstance(stream, VisibleStream) else cast(TextIO, VisibleStream(stream))
