"""Numbers that remember of which noise they are made: offset + factor * noise, element by element.

Additions and multiplications by other numbers keep that; all else gives plain numbers, of which nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

MOST_NOTED = 20_000
"""So many numbers with noise are remembered of a call; a function with more is not replayed."""

CLOSE = 1e-9
"""Relative difference up to which numbers are one, rounding aside."""


@dataclass(frozen=True)
class Form:
    """offset + factor * noise, arrays of one shape.

    Attributes:
        tags: which noise, by its number in the `Ledger`.
        offsets, factors: see above.
    """

    tags: IntArray
    offsets: FloatArray
    factors: FloatArray


class Ledger:
    """The noise of one call, and the numbers that were made of it.

    Attributes:
        noise: each draw in units of its scale. laws: their names. calls: by which call of a generator each was drawn.
        known: the tag, offset and factor of every number that was made.
    """

    def __init__(self) -> None:
        self.noise: list[float] = []
        self.laws: list[str] = []
        self.calls: list[int] = []
        self.known: dict[float, tuple[int, float, float]] = {}
        self.full = False

    def enter(self, values: FloatArray, form: Form) -> None:
        """Remember these numbers, shape of the form; what has no noise in it is not noted."""
        if len(self.known) + values.size > MOST_NOTED:
            self.full = True
            return
        rows = zip(
            values.ravel().tolist(), form.tags.ravel().tolist(), form.offsets.ravel().tolist(),
            form.factors.ravel().tolist(), strict=True,
        )  # fmt: skip
        self.known.update({value: (tag, offset, factor) for value, tag, offset, factor in rows if factor != 0})

    def holds(self, values: FloatArray, form: Form, close: float = CLOSE) -> bool:
        """Whether these numbers still are what the form says: somebody may have written into them."""
        noise = np.asarray(self.noise)[form.tags]
        expected = form.offsets + form.factors * noise
        size = np.abs(form.offsets) + np.abs(form.factors * noise)
        return values.shape == expected.shape and bool(np.all(np.abs(values - expected) <= close * size))


def combined(name: str, first: object, second: object) -> Form | None:
    """The form of ``first`` and ``second`` added, subtracted, multiplied or divided; None where it has none.

    Each is a `Form` with its values, or plain numbers. Of two with noise the one that was drawn later keeps it.
    """
    side, other = _split(first), _split(second)
    if side.form is not None and other.form is not None:
        if name not in ("add", "subtract") or np.intersect1d(side.form.tags, other.form.tags).size:
            return None
        side, other = (
            (side, _Side(None, other.values)) if side.form.tags.max() > other.form.tags.max()
            else (_Side(None, side.values), other)
        )  # fmt: skip
    kept, plain, turned = (side.form, other.values, False) if side.form is not None else (other.form, side.values, True)
    if kept is None:
        return None
    try:
        number = np.asarray(plain, dtype=np.float64)
        tags, offsets, factors, number = np.broadcast_arrays(kept.tags, kept.offsets, kept.factors, number)
    except (TypeError, ValueError):
        return None
    if name == "add":
        return Form(tags, offsets + number, factors)
    if name == "subtract":
        return Form(tags, number - offsets, -factors) if turned else Form(tags, offsets - number, factors)
    if name == "multiply":
        return Form(tags, offsets * number, factors * number)
    if name in ("divide", "true_divide") and not turned:
        with np.errstate(divide="ignore", invalid="ignore"):
            return Form(tags, offsets / number, factors / number)
    return None


@dataclass(frozen=True)
class _Side:
    form: Form | None
    values: Any


def _split(given: object) -> _Side:
    if isinstance(given, tuple):
        return _Side(given[1], given[0])
    return _Side(None, given)


class NoiseArray(np.ndarray):
    """An array of numbers with noise; see the module."""

    form: Form | None
    ledger: Ledger

    def __array_finalize__(self, made_of: object) -> None:
        self.form = None
        self.ledger = getattr(made_of, "ledger", None) or Ledger()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **given: Any) -> Any:
        return operated(self.ledger, ufunc, method, inputs, given)

    def __getitem__(self, key: Any) -> Any:
        found = np.asarray(self)[key]
        form = form_of(self)
        if form is None:
            return found
        return noisy(self.ledger, found, Form(form.tags[key], form.offsets[key], form.factors[key]))

    def __setitem__(self, key: Any, value: Any) -> None:
        self.form = None
        super().__setitem__(key, value)

    def reshape(self, *shape: Any, **given: Any) -> Any:
        return _shaped(self, lambda some: some.reshape(*shape, **given))

    def ravel(self, *order: Any) -> Any:
        return _shaped(self, lambda some: some.ravel(*order))

    def flatten(self, *order: Any) -> Any:
        return _shaped(self, lambda some: some.flatten(*order))

    def copy(self, *order: Any) -> Any:
        return _shaped(self, lambda some: some.copy(*order))

    def squeeze(self, *axis: Any) -> Any:
        return _shaped(self, lambda some: some.squeeze(*axis))

    def transpose(self, *axes: Any) -> Any:
        return _shaped(self, lambda some: some.transpose(*axes))


class NoiseNumber(np.float64):
    """A number with noise; see the module."""

    form: Form | None
    ledger: Ledger

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **given: Any) -> Any:
        return operated(self.ledger, ufunc, method, inputs, given)

    def __add__(self, other: Any) -> Any:
        return operated(self.ledger, np.add, "__call__", (self, other), {})

    def __radd__(self, other: Any) -> Any:
        return operated(self.ledger, np.add, "__call__", (other, self), {})

    def __sub__(self, other: Any) -> Any:
        return operated(self.ledger, np.subtract, "__call__", (self, other), {})

    def __rsub__(self, other: Any) -> Any:
        return operated(self.ledger, np.subtract, "__call__", (other, self), {})

    def __mul__(self, other: Any) -> Any:
        return operated(self.ledger, np.multiply, "__call__", (self, other), {})

    def __rmul__(self, other: Any) -> Any:
        return operated(self.ledger, np.multiply, "__call__", (other, self), {})

    def __truediv__(self, other: Any) -> Any:
        return operated(self.ledger, np.divide, "__call__", (self, other), {})

    def __neg__(self) -> Any:
        return operated(self.ledger, np.negative, "__call__", (self,), {})


def noisy(ledger: Ledger, values: Any, form: Form) -> Any:
    """These numbers with their form, as an array or a number."""
    array = np.asarray(values, dtype=np.float64)
    found: Any = array.view(NoiseArray) if array.ndim else NoiseNumber(array)
    found.form, found.ledger = form, ledger
    return found


def form_of(given: object) -> Form | None:
    """The form, where there is one that still holds."""
    if not isinstance(given, NoiseArray | NoiseNumber) or given.form is None:
        return None
    return given.form if given.ledger.holds(np.asarray(given), given.form) else None


def operated(ledger: Ledger, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], given: dict[str, Any]) -> Any:
    """What numpy's function gives, with its form where it has one."""
    form = None
    if method == "__call__" and set(given) <= {"out"}:
        sides = [(_plain(some), found) if (found := form_of(some)) is not None else _plain(some) for some in inputs]
        if ufunc is np.negative:
            form = combined("multiply", sides[0], -1.0)
        elif ufunc.nin == 2:
            form = combined(ufunc.__name__, *sides)
    for some in given.get("out", ()):
        if isinstance(some, NoiseArray):
            some.form = None
    plain = {name: tuple(_plain(some) for some in value) if name == "out" else value for name, value in given.items()}
    found = getattr(ufunc, method)(*(_plain(some) for some in inputs), **plain)
    if form is None or not isinstance(found, np.ndarray | np.number | float):
        return found
    ledger.enter(np.asarray(found, dtype=np.float64), form)
    return noisy(ledger, found, form)


def _plain(given: Any) -> Any:
    if isinstance(given, NoiseArray):
        return given.view(np.ndarray)
    return np.float64(float(given)) if isinstance(given, NoiseNumber) else given


def _shaped(given: NoiseArray, move: Any) -> Any:
    form = form_of(given)
    found = move(given.view(np.ndarray))
    if form is None:
        return found
    return noisy(given.ledger, found, Form(move(form.tags), move(form.offsets), move(form.factors)))
