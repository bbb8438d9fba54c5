"""Numbers as a researcher writes them: ``-2/3``, ``sqrt(2)/4``, ``3*10^6``, and lists such as ``[1, 1/2, ..., 2^-11]``.

A text is read as Python's grammar has it and only what is listed here is computed, so that no text can run anything,
take long or need much memory.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

ALLOWED = "numbers, + - * / ** ^, parentheses, sqrt, ln, log10, exp, pi, e and inf"
ELLIPSIS = "..."

_CHARACTERS = re.compile(r"[\w.+\-*/^() ]*", re.ASCII)
_LONGEST = 100  # characters
_BITS = 1100  # of a power; no float holds more than 1024
_MOST = 1000  # terms that an ellipsis may stand for
NAMES = {"pi": math.pi, "e": math.e, "inf": math.inf}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "ln": math.log,
    "log10": math.log10,
    "exp": math.exp,
}
_OPERATORS: dict[type[ast.operator | ast.unaryop], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def evaluate(text: str, names: Mapping[str, float] = NAMES) -> float:
    """The number that a text stands for; whole numbers stay whole, a quotient is rounded once.

    ``names`` are further numbers that it may use by name, beside pi, e and inf.

    Raises:
        ValueError: with what is wrong, in words that end a sentence.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"it is longer than {_LONGEST} characters")
    try:
        if not _CHARACTERS.fullmatch(text):
            raise SyntaxError
        value = _value(_parsed(text).body, {**NAMES, **names})
        if math.isnan(value):
            raise ValueError("it has no value")
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"allowed are {ALLOWED}") from error
    except ZeroDivisionError as error:
        raise ValueError("it divides by zero") from error
    except OverflowError as error:
        raise ValueError("it is too large") from error
    return value


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.Expression:
    """A premise is evaluated at every point of a grid, and reading it takes most of the time."""
    # Python's own ^ binds looser than *: as a power it must be written with stars before it is parsed.
    return ast.parse(text.strip().replace("^", "**"), mode="eval")


@lru_cache(maxsize=1024)
def asked(text: str) -> tuple[str, ...]:
    """The names in an expression that are neither functions nor numbers with a name; none where it is no expression."""
    try:
        tree = _parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called]
    return tuple(dict.fromkeys(name for name in found if name not in NAMES))


def fault(text: str) -> str:
    """Why a text is no expression, whatever the numbers of its names are; empty where it is one."""
    try:
        evaluate(text, dict.fromkeys(asked(text), 0.5))
    except ValueError as error:
        cause = error.__cause__
        if len(text) > _LONGEST or isinstance(cause, SyntaxError | RecursionError | MemoryError):
            return str(error)
    return ""


def is_meant(text: str) -> bool:
    """Whether a text can only be meant as an expression, be it a sound one or not."""
    called = re.findall(r"([A-Za-z_]\w*)\s*\(", text)
    return bool(_CHARACTERS.fullmatch(text)) and all(name in _FUNCTIONS for name in called)


def spread(values: Sequence[object]) -> list[object]:
    """The list with ``...`` filled in: a, b, ..., z is the geometric progression that a and b begin and z ends.

    Raises:
        ValueError: with what is wrong, in words that end a sentence.
    """
    filled: list[object] = []
    for i, value in enumerate(values):
        if value != ELLIPSIS:
            filled.append(value)
            continue
        if i < 2 or i + 1 >= len(values) or ELLIPSIS in (values[i - 1], values[i - 2], values[i + 1]):
            raise ValueError("... must stand after two numbers and before one, as in [1, 1/2, ..., 2**-11]")
        first, second, last = (_number(item) for item in (values[i - 2], values[i - 1], values[i + 1]))
        filled += _between(first, second, last)
    return filled


def _between(first: float, second: float, last: float) -> list[float]:
    """The terms after ``second`` and before ``last``."""
    said = f"from {first:g}, {second:g} on no geometric progression of at most {_MOST} terms comes to {last:g}"
    if not (min(first, second, last) > 0 and max(first, second, last) < math.inf and first != second):
        raise ValueError(said)
    ratio = second / first
    steps = math.log(last / second) / math.log(ratio)
    count = round(steps)
    if not 1 <= count <= _MOST or abs(steps - count) > 1e-9 * count:
        raise ValueError(said)
    return [_tidy(second * ratio**k) for k in range(1, count)]


def _tidy(value: float) -> float:
    """The short decimal beside it, where only rounding lies between: 1e-08 for 1.0000000000000002e-08."""
    short = float(f"{value:.12g}")
    return short if abs(short - value) <= 1e-14 * abs(value) else value


def _number(value: object) -> float:
    if isinstance(value, str):
        return evaluate(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise ValueError(f"{value!r} is no number")


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_value(operand, names))
        case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
            return _power(_value(base, names), _value(exponent, names))
        case ast.BinOp(op=sign, left=left, right=right) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            try:
                return _FUNCTIONS[name](_value(argument, names))
            except ValueError as error:
                raise ValueError(f"{name} has no value there") from error
    raise SyntaxError


def _power(base: float, exponent: float) -> float:
    if abs(base) > 1 and exponent * math.log2(abs(base)) > _BITS:  # of whole numbers Python would compute it
        raise OverflowError
    if base < 0 and not float(exponent).is_integer():
        raise ValueError("a negative number has no such power")
    power: float = operator.pow(base, exponent)
    return power
