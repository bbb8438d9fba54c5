"""What MkDocs calls: adds the generated pages and their places in the navigation, and looks for dead links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from docs import api, citing, constants, contributing, experiments, explorer, ledger, walkthroughs
from docs.links import dead
from docs.sources import EXPERIMENTS, ROOT, by_paper, cited, has_table, table_of
from dprepro.support.regular_files import unpacked

ROLE = re.compile(r":(?:func|class|mod|meth|attr|data):(?=<code>)")
"""Roles of another markup in docstrings."""


def pages() -> dict[str, str]:
    """All generated pages by their place in the site."""
    found = {"experiments/index.md": experiments.index()}
    found |= {f"experiments/{name}.md": experiments.page(name) for name in EXPERIMENTS}
    found |= {f"walkthroughs/{name}.md": walkthroughs.page(name) for name in walkthroughs.SCRIPTS}
    return found | contributing.pages() | api.pages()


def pictures() -> dict[str, Path]:
    """Files of the checkout that pages show or offer, by their place in the site."""
    return {f"assets/figures/{path.name}": path for path in sorted((ROOT / "paper_figures").glob("*.png"))}


def on_config(config: Any) -> Any:
    """Fills the sections of the navigation that are generated: each is named, with nothing in it."""
    sections = {
        "Experiments": [
            {"All": "experiments/index.md"},
            *({cited(paper): [f"experiments/{name}.md" for name in names]} for paper, names in by_paper().items()),
        ],
        "Walkthroughs": [f"walkthroughs/{name}.md" for name in walkthroughs.SCRIPTS],
        "API": [{"Overview": "api/index.md"}, *(place for place in api.pages() if place != "api/index.md")],
    }
    config.nav = [{key: sections.get(key, value) for key, value in item.items()} for item in config.nav]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds what is generated."""
    for name in filter(has_table, EXPERIMENTS):
        files.append(File.generated(config, f"assets/data/{name}.csv", content=unpacked(table_of(name))))
    files.append(File.generated(config, "explorer.html", content=explorer.page()))
    files.append(File.generated(config, "ledger.html", content=ledger.page()))
    for place, content in pages().items():
        files.append(File.generated(config, place, content=content))
    for place, path in pictures().items():
        files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_env(env: Any, config: Any, **_: Any) -> Any:
    """The search knows the ledger too, whose page is no Markdown."""
    config.plugins["material/search"].search_index.entries += ledger.searched()
    return env


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The gallery ends with the figures of all experiments; pages of constants and on citing are filled."""
    if page.file.src_uri == "constants.md":
        return constants.filled(markdown)
    if page.file.src_uri == "citing.md":
        return citing.filled(markdown)
    return markdown + experiments.gallery() if page.file.src_uri == "gallery.md" else markdown


def on_page_content(html: str, **_: Any) -> str:
    """Docstrings' roles leave the name alone."""
    return ROLE.sub("", html)


def on_post_build(config: Any) -> None:
    """Fails for a link inside the site that leads nowhere; MkDocs sees only those of Markdown."""
    if found := dead(Path(config.site_dir)):
        raise PluginError("links that lead nowhere:\n" + "\n".join(found))
