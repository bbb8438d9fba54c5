"""The description of a wheel, with addresses that lead somewhere: a build hook, see pyproject.toml.

The README's links and pictures are paths of the checkout, which an index of packages does not have. A build that knows
where the checkout is published (``DPREPRO_URL``, which the workflow of a release sets) makes them addresses there, and
names it in the metadata; in any other the pictures are left out and the links are their texts.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = re.compile(r"!\[([^]]*)\]\((?!https?:)([^)]+)\)\n*")
LINK = re.compile(r"(?<!!)\[([^]]*)\]\((?!https?:|#)([^)]+)\)")
NAMED = {"Documentation": "docs/pages/index.md", "Ledger": "results/reference/ledger.md", "Changelog": "CHANGELOG.md"}


class Addresses(MetadataHookInterface):
    """Fills in readme and urls."""

    def update(self, metadata: dict[str, Any]) -> None:
        """As the module says; raises ValueError for a ``DPREPRO_URL`` that is none."""
        home, at = os.environ.get("DPREPRO_URL", "").rstrip("/"), os.environ.get("DPREPRO_REF", "main")
        if home and not re.fullmatch(r"https://[\w.-]+(?:/[\w.-]+)+", home):
            raise ValueError(f"DPREPRO_URL={home} is no address such as https://HOST/OWNER/dprepro")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": described(text, home, at)}
        metadata["urls"] = urls(home, at)


def urls(home: str, at: str) -> dict[str, str]:
    """Where the checkout and its main pages are; nothing where it is not published."""
    return {"Source": home, **{name: f"{home}/blob/{at}/{path}" for name, path in NAMED.items()}} if home else {}


def described(readme: str, home: str, at: str) -> str:
    """The README with addresses below ``home``, at a branch or tag; without one, with neither pictures nor links."""
    if not home:
        return LINK.sub(r"\1", PICTURE.sub("", readme))
    pictures = PICTURE.sub(lambda found: found[0].replace(f"({found[2]})", f"({home}/raw/{at}/{found[2]})"), readme)
    return LINK.sub(lambda found: f"[{found[1]}]({home}/blob/{at}/{found[2]})", pictures)
