"""Finds the formulas in a statement's sentence: ``a risk of order (n epsilon)^(-2/3)`` is words and one formula.

The notation is plain: names of Greek letters, ``^`` and ``_`` for powers and indices, ``sqrt(...)``, ``||x||``,
``<a, b>``, ``1e-6``, products by juxtaposition. What is not wholly understood stays text, letter for letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from dprepro.report.nodes import ARTICLES, FUNCTIONS, GREEK, RELATIONS, Formula, Node, bare, factor

LAWS = ("noise", "variable", "vector", "law", "draw", "tail", "norm", "one")
"""After these words, or beside a Gaussian, gamma is a distribution."""

_TOKENS = re.compile(
    r"(?P<number>\d*\.?\d+(?:e[+-]?\d+)?(?![a-zA-Z]*\d))|(?P<name>[a-zA-Z]+)|(?P<space>\s+)"
    r"|(?P<sign>\.\.\.|<=|>=|\|\||.)",
    re.DOTALL,
)
_CLOSES = {"(": ")", "[": "]", "{": "}", "|": "|", "||": "||", "<": ">"}
_MOST = 100  # parts within parts; text beyond is no formula


@lru_cache(maxsize=16384)
def parse(text: str) -> tuple[str | Formula, ...]:
    """The sentence as words and formulas, in order; their texts together are the sentence."""
    return tuple(_joined(_Reader(text).parts()))


def _joined(parts: Iterator[str | Formula]) -> Iterator[str | Formula]:
    words: list[str] = []
    for part in parts:
        if isinstance(part, str):
            words.append(part)
            continue
        if words:
            yield "".join(words)
            words = []
        yield part
    if words:
        yield "".join(words)


class _Reader:
    """Reads a formula wherever one may begin. Every method gives a node, or None and leaves the place as it was."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [(str(found.lastgroup), found[0], found.start()) for found in _TOKENS.finditer(text)]
        self.at, self.depth, self.nested = 0, 0, 0
        self.bars: list[str] = []

    def parts(self) -> Iterator[str | Formula]:
        while self.at < len(self.tokens):
            start = self.at
            node = self.relation() if self._may_begin() else None
            if node is not None and node.strong and self._may_end():
                end = self._place()
                yield Formula(self.text[self.tokens[start][2] : end], node)
            else:
                self.at = start + 1
                yield self.tokens[start][1]

    def _place(self) -> int:
        return self.tokens[self.at][2] if self.at < len(self.tokens) else len(self.text)

    def _may_begin(self) -> bool:
        before = self.text[: self.tokens[self.at][2]][-1:]
        return not before or before in ' \n(["“,;:'

    def _may_end(self) -> bool:
        after = self.text[self._place() :][:2]
        return not re.match(r"[\w^_]|/|\.\w|'\w|=", after)

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead][1] if self.at + ahead < len(self.tokens) else ""

    def kind(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead][0] if self.at + ahead < len(self.tokens) else ""

    def spaces(self) -> bool:
        found = self.kind() == "space"
        self.at += found
        return found

    def tried(self, read: Callable[[], Node | None]) -> Node | None:
        at = self.at
        self.nested += 1
        node = read() if self.nested < _MOST else None
        self.nested -= 1
        if node is None:
            self.at = at
        return node

    def chain(self, read: Callable[[], Node | None], signs: tuple[str, ...], spaced: bool) -> Node | None:
        """Members with signs between them; ``spaced``: a sign has a space on both sides or on none."""
        first = self.tried(read)
        if first is None:
            return None
        parts = [first]
        while True:
            at = self.at
            before = self.spaces()
            sign = self.peek()
            self.at += 1
            after = self.spaces()
            node = self.tried(read) if sign in signs and (not spaced or before == after) else None
            if node is None:
                self.at = at
                return parts[0] if len(parts) == 1 else Node("row", parts=tuple(parts))
            parts += [Node("sign", sign), node]

    def relation(self) -> Node | None:
        signs = RELATIONS if "<" not in self.bars else ("=", "<=", ">=")
        return self.chain(self.sum, signs, True)

    def sum(self) -> Node | None:
        sign = self.peek() if self.peek() in ("-", "+") else ""
        at = self.at
        self.at += bool(sign)
        node = self.chain(self.product, ("+", "-"), True)
        if node is None:
            self.at = at
            return None
        return Node("row", parts=(Node("sign", sign), node)) if sign else node

    def product(self) -> Node | None:
        """Factors side by side, and quotients on one line, as they are written."""
        first = self.tried(self.power)
        if first is None:
            return None
        parts = [first]
        while True:
            at = self.at
            space = self.spaces()
            if self.peek() == "/" and not space:
                self.at += 1
                node = self.tried(self.power)
                sign = [Node("sign", "/")]
            else:
                sign, node = [], self.tried(self.power)
                if node is not None and space and not factor(parts[-1], node):
                    node = None
            if node is None:
                self.at = at
                return parts[0] if len(parts) == 1 else Node("row", parts=tuple(parts))
            parts += [*sign, node]

    def power(self) -> Node | None:
        node = self.atom()
        if node is None:
            return None
        while True:
            sign, at = self.peek(), self.at
            self.at += 1
            read: Node | None = None
            if sign == "'" and node.kind != "number" and not re.match(r"\w", self.peek()):
                read = Node("prime", parts=(node,))
            elif sign == "*" and node.kind == "name" and not re.match(r"[\w(]", self.peek()):
                read = Node("power", parts=(node, Node("sign", "*")))
            elif sign == "_" and node.kind != "number":
                read = self.index(node)
            elif sign == "^" and (above := self.tried(self.above)):
                read = Node("power", parts=(node, above))
            if read is None:
                self.at = at
                return node
            node = read

    def index(self, base: Node) -> Node | None:
        word = self.peek()
        if word == "(":
            below = self.fence()
            return below and Node("index", parts=(base, bare(below)))
        if self.kind() not in ("name", "number"):
            return None
        self.at += 1
        if self.kind() == "number" and self.kind(-1) == "name":  # X_j1
            word += self.peek()
            self.at += 1
        if word == "hat":
            return Node("hat", parts=(base,))
        if word not in (*GREEK, "inf") and len(word) > 2:
            return None
        kind = "number" if word.isdigit() else "name"
        return Node("index", parts=(base, Node(kind, word)))

    def above(self) -> Node | None:
        """What stands after ``^``: a number with its sign, a bracket, a letter or a label such as ``priv``."""
        if self.peek() == "(":
            inner = self.fence()
            return inner and bare(inner)
        sign = self.peek() if self.peek() in ("-", "+") else ""
        self.at += bool(sign)
        if self.kind() == "name" and self.peek() not in GREEK and len(self.peek()) > 1:
            self.at += 1
            return Node("function", self.peek(-1))
        node = self.tried(self.power)
        return node and (Node("row", parts=(Node("sign", sign), node)) if sign else node)

    def atom(self) -> Node | None:
        word, kind = self.peek(), self.kind()
        if kind == "number":
            self.at += 1
            return Node("number", word)
        if kind == "name":
            return self.name(word)
        if word == "..." and self.depth:
            self.at += 1
            return Node("sign", "…")
        if word not in _CLOSES:
            return None
        # a bar closes; an inner product holds no other: else there would be two readings of each sign `<`
        again = (word.startswith("|") and self.bars[-1:] == [word]) or (word == "<" and "<" in self.bars)
        return None if again else self.fence()

    def name(self, word: str) -> Node | None:
        after = self.peek(1)
        if after.startswith(".") and self.kind(1) == "number":
            return None  # Theorem F.3
        if word == "l" and re.fullmatch(r"\d", after):
            self.at += 2  # l1
            return Node("index", parts=(Node("name", "ℓ"), Node("number", after)))
        if word in FUNCTIONS:
            self.at += 1
            if word == "log" and after == "2":
                self.at += 1
                return Node("index", parts=(Node("function", "log"), Node("number", "2")))
            if word == "sqrt":
                self.spaces()
                inner = self.tried(self.power)
                return inner and Node("root", parts=(bare(inner),))
            return Node("function", word)
        if word == "gamma" and self._is_a_law():
            return None
        if word not in GREEK and word != "inf" and (len(word) > 1 or (word in ARTICLES and not self._is_a_letter())):
            return None
        self.at += 1
        return Node("name", word)

    def _is_a_law(self) -> bool:
        following = self.text[self._place() + len("gamma") :]
        before = self.text[: self._place()]
        return following.lstrip().startswith(LAWS) or (before.endswith(("and ", "(")) and following.startswith(")"))

    def _is_a_letter(self) -> bool:
        after = self.text[self._place() + 1 :][:3]
        return bool(self.depth or re.match(r"[\^_/'(]| [=<>]", after)) or self.text[: self._place()][-1:] in ("/", "-")

    def fence(self) -> Node | None:
        opening = self.peek()
        closing, at = _CLOSES[opening], self.at
        self.at += 1
        self.depth += 1
        self.bars.append(opening)
        parts: list[Node] = []
        while True:
            self.spaces()
            node = self.tried(self.relation)
            if node is None:
                break
            parts.append(node)
            self.spaces()
            if self.peek() not in (",", ";"):
                break
            parts.append(Node("sign", self.peek()))
            self.at += 1
        self.depth -= 1
        self.bars.pop()
        if not parts or self.peek() != closing or parts[-1] in (Node("sign", ","), Node("sign", ";")):
            self.at = at
            return None
        if len(parts) == 1 and parts[0].kind in ("name", "number") and not self.depth and at and self._alone(at):
            self.at = at
            return None
        self.at += 1
        return Node("fence", f"{opening} {closing}", tuple(parts))

    def _alone(self, at: int) -> bool:
        """Whether a bracket stands among words: `(a)`, `(18)`, `(gamma)`."""
        return self.tokens[at][1] == "(" and self.tokens[at - 1][0] == "space"
