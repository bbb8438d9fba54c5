"""An extension of Markdown: formulas between dollar signs become MathML while the site is built."""

from __future__ import annotations

import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

from dprepro.report.formulas import FORMULA, mathml


class Formula(InlineProcessor):
    """``$...$`` in a line, ``$$...$$`` on lines of its own; code is taken out before."""

    def __init__(self, pattern: str, md: Markdown, display: str) -> None:
        super().__init__(pattern, md)
        self.display = display

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # noqa: N802
        """The formula, kept apart from all that Markdown would do to it."""
        tag = f'<span class="formula-{self.display}">{mathml(m[1], self.display)}</span>'
        return self.md.htmlStash.store(tag), m.start(0), m.end(0)


class Formulas(Extension):
    """Registers both forms."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Before escapes, after code."""
        md.inlinePatterns.register(Formula(r"\$\$(.+?)\$\$", md, "block"), "formula_block", 186)
        md.inlinePatterns.register(Formula(FORMULA.pattern, md, "inline"), "formula", 185)


def makeExtension(**_: object) -> Extension:  # noqa: N802
    """What Markdown asks for."""
    return Formulas()
