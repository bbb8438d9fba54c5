"""The tables of the page of constants, from the register."""

from __future__ import annotations

from docs.sources import ROOT
from dprepro.register.constants_register import FILE, read_register
from dprepro.register.register_page import constants_table, history, lower_table


def filled(markdown: str) -> str:
    """The page with its tables in the place of the comments."""
    register = read_register(ROOT / FILE)
    tables = {
        "<!-- constants -->": constants_table(register),
        "<!-- constants from below -->": lower_table(register),
        "<!-- history -->": history(register),
    }
    for comment, table in tables.items():
        assert comment in markdown, comment
        markdown = markdown.replace(comment, table)
    return markdown
