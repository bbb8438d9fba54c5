"""The ledger as one HTML file that needs nothing else: no network, no script to be read, figures inside.

The script only adds the filter. Without it, on paper and on a telephone the page is a plain long list.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from dprepro.report.formulas import prose
from dprepro.report.markdown import finding
from dprepro.report.publish import Published, command, measuring_seconds
from dprepro.report.registry import PAPERS, citation
from dprepro.report.text import ORDER, counts, number

#: Verdicts are told apart by word and sign, not by colour alone.
SIGNS = {"confirmed": "✓", "refuted": "✗", "inconclusive": "?", "shown": "✓", "by a test": "✓", "not as expected": "✗"}
FIGURE_WIDTH = 900
COLOURS = 64
SOURCES = Path(__file__).parent


def page(ledger: Mapping[str, Any], published: Sequence[Published]) -> str:
    """The whole file."""
    claims, errata = ledger["claims"], ledger["errata"]
    known = {one.folder.name for one in published}
    papers = list(dict.fromkeys(row["paper"] for row in claims if row["kind"] != "further"))
    parts = []
    for paper in papers:
        rows = [row for row in claims if row["paper"] == paper and row["kind"] != "further"]
        body = "\n".join(_claim(row, known) for row in rows)
        parts.append(_section(paper, ", ".join(PAPERS.get(paper, (paper,))), f"{counts(rows)}.", body))
    if further := [row for row in claims if row["kind"] == "further"]:
        body = "\n".join(_claim(row, known) for row in further)
        parts.append(_section("further", "Further experiments", "They serve no single statement of the papers.", body))
    slips = "\n".join(_erratum(slip, known) for slip in errata)
    parts.append(
        _section("errata", "Errata", f"Slips of print that were reproduced: {counts(errata, 'state')}.", slips)
    )
    cards = "\n".join(_experiment(one) for one in published)
    parts.append(_section("experiments", "Experiments", "What was measured, with figures and how to repeat it.", cards))
    links = [*((paper, citation(paper)) for paper in papers), ("errata", "Errata"), ("experiments", "Experiments")]
    menu = "".join(f'<li><a href="#{name}">{escape(text)}</a></li>' for name, text in links)
    verdicts = {row["verdict"] for row in claims} | {slip["state"] for slip in errata}
    kinds = list(dict.fromkeys([*(row["kind"] for row in claims), "erratum", "experiment"]))
    return (
        (SOURCES / "page.html")
        .read_text(encoding="utf-8")
        .replace("{{style}}", (SOURCES / "page.css").read_text(encoding="utf-8"))
        .replace("{{script}}", (SOURCES / "page.js").read_text(encoding="utf-8"))
        .replace("{{summary}}", f"{len(claims)} rows: {counts(claims)}.")
        .replace("{{menu}}", menu)
        .replace("{{papers}}", _options((paper, citation(paper)) for paper in papers))
        .replace("{{verdicts}}", _options((word, word) for word in ORDER if word in verdicts))
        .replace("{{kinds}}", _options((kind, kind) for kind in kinds))
        .replace("{{body}}", "\n".join(parts))
    )


def _options(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in pairs)


def _section(name: str, title: str, lead: str, body: str) -> str:
    return f'<section id="{name}">\n<h2>{escape(title)}</h2>\n<p>{escape(lead)}</p>\n{body}\n</section>'


def _article(tag: str, paper: str, verdict: str, kind: str, title: str, inside: str) -> str:
    """One thing that can be filtered: its heading, its badge, and what is inside."""
    data = f'data-paper="{escape(paper)}" data-verdict="{escape(verdict)}" data-kind="{escape(kind)}"'
    head = f"<h3>{escape(title)} <small>{escape(kind)}</small></h3>{badge(verdict)}"
    identity = f' id="{escape(tag)}"' if tag else ""
    return f'<article{identity} class="row" {data}>\n<header>{head}</header>\n{inside}</article>'


def badge(verdict: str, meant: bool = False) -> str:
    """A verdict as word and sign; without colour where it is meant to be refuted."""
    sign = SIGNS.get(verdict, "–")
    name = "meant" if meant else verdict.replace(" ", "-")
    return f'<span class="badge {name}"><span aria-hidden="true">{sign}</span> {escape(verdict)}</span>'


def _paragraph(text: str, name: str = "") -> str:
    kind = f' class="{name}"' if name else ""
    return f"<p{kind}>{prose(text)}</p>\n" if text else ""


def _claim(row: Mapping[str, Any], known: set[str]) -> str:
    inside = _paragraph(row["statement"]) + _paragraph(row["note"], "note")
    for one in row["measurements"]:
        controls = _controls(one["controls"])
        said = "; ".join(part for part in (controls, one["note"]) if part)
        inside += f'<p class="source">{_link(one["experiment"], known)} <small>{escape(said)}</small></p>\n'
        inside += _checks(one["checks"])
    absent = [name for name in row["experiments"] if name not in known]
    if absent and not row["measurements"]:
        names = ", ".join(_code(command(name)) for name in absent)
        inside += f'<p class="note">Not in this store yet: {names}</p>\n'
    if row["errata"]:
        slips = "; ".join(row["errata"])
        inside += f'<p class="note"><a href="#errata">Errata</a>: {escape(slips)}.</p>\n'
    return _article("", row["paper"], row["verdict"], row["kind"], row["item"], inside)


def _controls(controls: Mapping[str, Mapping[str, Any]]) -> str:
    """Which controls were refuted, as they should be, and which were not."""
    refuted = [name for name, check in controls.items() if check["verdict"] == "refuted"]
    standing = [name for name in controls if name not in refuted]
    said = [f"controls refuted: {', '.join(refuted)}"] if refuted else []
    return "; ".join([*said, *([f"NOT refuted: {', '.join(standing)}"] if standing else [])])


def _link(experiment: str, known: set[str]) -> str:
    name = escape(experiment)
    return f'<a href="#experiment-{name}"><code>{name}</code></a>' if experiment in known else f"<code>{name}</code>"


def _checks(checks: Mapping[str, Mapping[str, Any]]) -> str:
    lines = []
    for name, check in checks.items():
        odd = "" if check["as_expected"] else f" <strong>(expected: {escape(check['expect'])})</strong>"
        sign = badge(check["verdict"], meant=check["as_expected"] and check["verdict"] == "refuted")
        lines.append(f"<li>{sign} <code>{escape(name)}</code> {escape(finding(check))}{odd}</li>")
    return f'<ul class="checks">{"".join(lines)}</ul>\n' if lines else ""


def _erratum(slip: Mapping[str, Any], known: set[str]) -> str:
    shown = []
    for one in slip["shown_by"]:
        if "test" in one:
            shown.append(f"<code>{escape(one['test'])}</code>")
            continue
        said = "" if one["verdict"] is None else f": {number(one['estimate'])} against {number(one['expected'])}"
        shown.append(f"{_link(one['experiment'], known)} <code>{escape(one['check'])}</code>{escape(said)}")
    facts = {"Printed": prose(slip["printed"]), "Holds": prose(slip["holds"])}
    facts |= {"Severity": escape(slip["severity"]), "Shown by": "<br>".join(shown)}
    title = f"{citation(slip['paper'])}: {slip['item']}"
    return _article("", slip["paper"], slip["state"], "erratum", title, _facts(facts))


def _experiment(one: Published) -> str:
    verdict, source = one.verdict, one.verdict["provenance"]
    name = verdict["experiment"]
    roles = {"claim": "Claims", "erratum": "Errata", "control": "Controls, wrong on purpose", "context": "Context"}
    inside = _paragraph(f"{verdict['claim']}. {verdict['statement']}")
    picture = base64.b64encode(smaller((one.folder / "figure.png").read_bytes())).decode()
    alt = f"Figure of {name}: {verdict['statement']}"
    inside += f'<figure><img loading="lazy" alt="{escape(alt)}" src="data:image/png;base64,{picture}"></figure>\n'
    for role, title in roles.items():
        of_role = {key: check for key, check in verdict["checks"].items() if check["role"] == role}
        if of_role:
            inside += f"<h4>{title}</h4>\n{_checks(of_role)}"
    versions = ", ".join(f"{package} {version}" for package, version in source["versions"].items())
    seconds = number(measuring_seconds(one))
    inside += _facts(
        {
            "Repeat": _code(command(name)),
            "Neighbours": escape(verdict["neighbours"]),
            "Measured": escape(f"{source['cells']} cells in {seconds} s; last run {source['date']}"),
            "Seed": str(source["seed"]),
            "Commit": escape(source["commit"] or "an installed package"),
            "Versions": escape(versions),
            "Platform": escape(source["platform"]),
        }
    )
    return _article(f"experiment-{name}", verdict["paper"], verdict["verdict"], "experiment", name, inside)


def _facts(facts: Mapping[str, str]) -> str:
    lines = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts.items())
    return f"<dl>{lines}</dl>\n"


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def smaller(png: bytes) -> bytes:
    """The picture at most :data:`FIGURE_WIDTH` pixels wide, in a few colours: the same bytes for the same picture."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as picture:
        plain = Image.new("RGB", picture.size, "white")
        plain.paste(picture, mask=picture.getchannel("A") if picture.mode == "RGBA" else None)
    if plain.width > FIGURE_WIDTH:
        height = round(plain.height * FIGURE_WIDTH / plain.width)
        plain = plain.resize((FIGURE_WIDTH, height), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    plain.quantize(COLOURS, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
