"""What a store holds: which of its experiments can be published, and why others cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dprepro.engine.store import Changes, Run, Store
from dprepro.errors import InputError
from dprepro.report.attacked import Attacks
from dprepro.report.publish import Published, alone
from dprepro.report.published_manifest import Manifest
from dprepro.report.spoken import Checks, Spoken
from dprepro.statements.papers import Paper
from dprepro.statements.papers import papers as described
from dprepro.support.regular_files import kept_within

BESIDE = "ledger_files"
"""Folder beside the page: its figures, and the manifest of what was published."""


@dataclass(frozen=True)
class MeasuredStore:
    """What a store holds: published experiments by name, why others are not published, and the papers of all.

    ``changed`` says what of an experiment has since its run. ``described`` are the papers that its rows are about,
    those of a user's ``config_dir`` among them; ``elsewhere`` are experiments that are not in the store, with their
    checks. ``absent`` are those in the store whose configuration is here no more, and why.
    """

    published: Mapping[str, Published] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    papers: Mapping[str, str] = field(default_factory=dict)
    changed: Mapping[str, str] = field(default_factory=dict)
    described: Mapping[str, Paper] = field(default_factory=described)
    config_dir: str | None = None
    elsewhere: Mapping[str, tuple[str, Checks]] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)

    def described_by(self, described: Mapping[str, Paper]) -> MeasuredStore:
        """Beside these papers: of one that is not among them, as that of an uninstalled pack, absent experiments go."""
        gone = {name for name in self.absent if self.papers[name] not in described}

        def kept(found: Mapping[str, Any]) -> dict[str, Any]:
            return {name: one for name, one in found.items() if name not in gone}

        absent = {name: self.absent[name] for name in sorted(gone)}
        here = replace(self, published=kept(self.published), notes=kept(self.notes), changed=kept(self.changed))
        return replace(here, described=described, absent=absent)

    @cached_property
    def spoken(self) -> Spoken:
        """Which checks speak of which statement."""
        return Spoken(self.described, self.published, self.elsewhere)

    @cached_property
    def attacks(self) -> Attacks:
        """What attacks on statements found."""
        return Attacks.of(self.published.values())

    def checks(self, experiment: str) -> Mapping[str, Mapping[str, Any]]:
        """The checks of a published experiment; empty for any other."""
        return self.published[experiment].verdict["checks"] if experiment in self.published else {}


def measure(results_dir: str | Path, since: Callable[[Run], Changes]) -> MeasuredStore:
    """Publish what can be published of a store; ``since`` says what an experiment asks for now that its run did not.

    Raises:
        InputError: the store cannot be read, or a link would lead what is written out of the folder.
    """
    published, notes, papers, changed, absent = {}, {}, {}, {}, {}
    manifest = Manifest(results_dir, kept_within(Path(results_dir) / BESIDE, results_dir) / "manifest.json")
    with alone(results_dir), Store.open(results_dir) as store:
        for name in sorted({run.experiment for run in store.runs()}):
            run, newest = store.latest(name), store.latest(name, published=False)
            assert newest is not None
            papers[name] = str(newest.config.get("paper", ""))
            try:
                now = since(run or newest)
                if now.absent:
                    absent[name] = now.absent
                if run is None:
                    notes[name] = "only overridden or unfinished runs are stored"
                    continue
                published[name] = manifest.published(store, run, now.doubt)
            except InputError as error:
                # Rules change; one experiment that no longer fits them must not take the others away.
                notes[name] = str(error)
                continue
            except Exception:
                if not (run or newest).damaged:
                    raise
                notes[name] = f"{(run or newest).damaged}, and cannot be judged"
                continue
            later = "a later run had overrides; it is not shown here" if newest.overrides else ""
            if str(now):
                changed[name] = str(now)
            if said := "; ".join(filter(None, (str(now), later))):
                notes[name] = said
        manifest.write()
    return MeasuredStore(published, notes, papers, changed, absent=absent)
