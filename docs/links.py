"""Links and pictures of a built site that lead nowhere, or out of it."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

ADDRESS = re.compile(r'\s(?:href|src)="([^"]*)"')
ANCHOR = re.compile(r'\s(?:id|name)="([^"]*)"')
FETCHED = re.compile(r'<(?:script|img|link|iframe)\b[^>]*?\s(?:src|href)="((?:https?:)?//[^"]*)"')


def dead(site: Path) -> list[str]:
    """One line for each link to a file or anchor that is not there, and for each file that would be fetched."""
    found = set()
    for page in sorted(site.rglob("*.html")):
        text, name = page.read_text(encoding="utf-8"), page.relative_to(site).as_posix()
        found |= {f"{name} fetches {address}" for address in FETCHED.findall(text)}
        if name == "404.html":  # its addresses are those of a server
            continue
        for address in set(ADDRESS.findall(text)):
            parts = urlsplit(address.replace("&amp;", "&"))
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            view = parts.fragment.startswith("%7B")  # of the explorer, which has no such anchor
            lost = parts.fragment and not view and unquote(parts.fragment) not in _anchors(target)
            if not target.is_file() or lost:
                found.add(f"{name}: {address}")
    return sorted(found)


@lru_cache(maxsize=1024)
def _anchors(page: Path) -> frozenset[str]:
    known = ANCHOR.findall(page.read_text(encoding="utf-8")) if page.suffix == ".html" else []
    return frozenset([*known, "__top"])
