"""The one door for YAML: experiments, templates, papers, schemas and mutants, a person's own too.

A text is first read as a stream of events, which takes neither memory nor recursion, and refused where it is nested too
deeply or stands for too much: PyYAML itself crashes or runs without end on such texts. What comes out is plain:
mappings, lists, texts, numbers, true, false and null. The words yes, no, on, off and days are texts, numbers are
decimal, there are no tags and no merge keys, and no key stands twice in a block or has no name. Files are UTF-8, or
UTF-16 with a byte order mark, as some shells write what a command prints.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Any

from dprepro.errors import InputError
from dprepro.support.regular_files import bytes_of
from dprepro.support.texts import check_texts

DPREPRO_READS = ()  # what configures a cell is in its key

LARGEST = 1_000_000
"""Bytes of a file; the largest one of the project has 42,000."""
DEEPEST = 40
"""Levels of blocks in blocks."""
MOST = 100_000
"""Entries, with what aliases repeat written out."""

_FLOAT = r"""^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)? | [-+]?[0-9][0-9_]*[eE][-+]?[0-9]+
              | [-+]?\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)? | [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN))$"""
#: Plain words that are no texts, by tag: what they look like, and how they may begin.
_WORDS = {
    "null": ("^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    "bool": ("^(?:true|false)$", ["t", "f"]),
    "int": ("^[-+]?(?:0|[1-9][0-9_]{0,400})$", list("-+0123456789")),  # Python takes no longer ones
    "float": (_FLOAT, list("-+0123456789.")),
}


def load(path: str | Path, verbatim: Collection[str] = ()) -> Any:
    """The content of a YAML file; ``verbatim`` as in `parse`.

    Raises:
        InputError: no regular file, not readable, too large, or as `parse`.
    """
    return parse(text_of(path), path, verbatim)


def text_of(path: str | Path) -> str:
    """The text of a file that is not too large to be YAML; raises InputError, and waits for no pipe or device."""
    try:
        content = bytes_of(path, LARGEST + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if len(content) > LARGEST:
        raise InputError(f"{path} is no valid YAML for dprepro: it has more than {LARGEST:,} bytes")
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no valid YAML: it is no text in UTF-8; save it as UTF-8") from error


def parse(text: str, name: object, verbatim: Collection[str] = ()) -> Any:
    """The content of a YAML text; ``name`` says in messages where it stands.

    Plain words below a key that is in ``verbatim``, and then all keys too, are texts as they are written: 1.50, 1e3,
    true and null.

    Raises:
        InputError: no valid YAML, two documents, tags, a key twice, a character that nobody sees, or more than the
            limits of this module allow.
    """
    import yaml

    loader = _loader(frozenset(verbatim))
    try:
        if not (fault := _beyond(text, loader, yaml)):
            found = yaml.load(text, loader)
    except yaml.YAMLError as error:
        said = re.sub(r' in "<[a-z ]+>",', "", " ".join(str(error).split()))
        raise InputError(f"{name} is no valid YAML: {said}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is no valid YAML: {error}") from error
    if fault:
        raise InputError(f"{name} is no valid YAML for dprepro: {fault}")
    check_texts(found, name)
    return found


def _beyond(text: str, loader: Any, yaml: Any) -> str:
    """Which limit a text breaks, with the line; empty if none."""
    nodes = documents = 0
    stands: list[tuple[str | None, int]] = []  # the blocks around an event, with how many entries came before
    sizes: dict[str | None, int] = {}  # of what has an anchor, 0 while it is open
    for event in yaml.parse(text, loader):
        line = f"line {event.start_mark.line + 1}"
        anchor = getattr(event, "anchor", None)
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
        elif isinstance(event, yaml.AliasEvent):
            if sizes.get(anchor) == 0:
                return f"*{anchor} stands inside of what it repeats ({line})"
            nodes += sizes.get(anchor, 0)  # of an unknown one the composer complains
        elif isinstance(event, yaml.CollectionEndEvent):
            closed, before = stands.pop()
            if closed:
                sizes[closed] = nodes - before
        elif isinstance(event, yaml.NodeEvent):
            if event.tag is not None:
                return f"tags such as {event.tag} are not read ({line})"
            if anchor:
                sizes[anchor] = isinstance(event, yaml.ScalarEvent)
            if isinstance(event, yaml.CollectionStartEvent):
                stands.append((anchor, nodes))
            nodes += 1
        if len(stands) > DEEPEST:
            return f"it is nested deeper than {DEEPEST} levels ({line})"
        if nodes > MOST:
            return f"it stands for more than {MOST:,} entries ({line})"
        if documents > 1:
            return f"it holds a second document ({line})"
    return ""


_TEXT = "tag:yaml.org,2002:str"


@lru_cache(maxsize=4)
def _loader(verbatim: frozenset[str]) -> Any:
    """PyYAML's safe loader, compiled where that is installed (ten times as fast), with the words of this module."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  a table of the class, as PyYAML has it

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen = set()
            for key, value in node.value:
                if verbatim and isinstance(key.value, str):
                    key.tag = _TEXT if key.value else key.tag
                    if key.value in verbatim:
                        _as_written(value)
                if key.tag == "tag:yaml.org,2002:null":
                    raise yaml.constructor.ConstructorError(problem="a key has no name", problem_mark=key.start_mark)
                if isinstance(key.value, str) and (key.tag, key.value) in seen:
                    raise yaml.constructor.ConstructorError(
                        problem=f"the key {key.value} stands twice", problem_mark=key.start_mark
                    )
                seen.add((key.tag, str(key.value)))
            return super().construct_mapping(node, deep=deep)

    def _as_written(node: Any) -> None:
        if isinstance(node, yaml.ScalarNode):
            node.tag = _TEXT
        elif isinstance(node, yaml.SequenceNode):
            for entry in node.value:
                _as_written(entry)

    for tag, (form, first) in _WORDS.items():
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(form, re.VERBOSE | re.ASCII), first)
    return Loader
