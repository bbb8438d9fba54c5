"""The ways in which `dprepro` says no, one class for each thing that a caller may want to do about it.

Every message is one line that names the value, the rule it breaks and, where there are choices, the choices.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class DpreproError(Exception):
    """Base of all errors that the project raises on purpose."""


class InputError(DpreproError, ValueError):
    """The user asked for something that cannot be: one line on stderr, exit code 2, nothing written."""


class Incompatible(InputError):
    """An algorithm or reduction needs a capability that the problem does not offer."""


class PremiseError(DpreproError):
    """One grid point lies outside a construction's premise: the cell becomes a `skipped: <premise>` row."""


class MissingDependency(DpreproError):
    """An optional package is not installed: the experiment is skipped, and the message says what to install."""


class Interrupted(DpreproError):
    """The user pressed Ctrl-C: what was measured is stored, the message says how to resume; exit code 130."""


def unknown(kind: str, name: object, choices: Iterable[object]) -> InputError:
    """An :class:`InputError` for a name that does not exist, with the nearest choice first."""
    listed = sorted(str(choice) for choice in choices)
    near = difflib.get_close_matches(str(name), listed, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return InputError(f"unknown {kind} {str(name)!r}{hint}; choices: {', '.join(listed) or 'none'}")
