"""Fixtures of all tests."""

from __future__ import annotations

import functools
import gc
import hashlib
import io
import os
import pickle
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from helpers import shipped, small_runs
from matplotlib.layout_engine import ConstrainedLayoutEngine
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from dprepro.config import asked, compose
from dprepro.report import picture, power_report, publish
from dprepro.support.folders import conf_dir, folders

gc.set_threshold(50_000, 20, 100)  # the modules and configurations of all tests are looked through less often


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: they are not looked through again."""
    gc.freeze()


def _content(folder: str) -> str:
    """The digest of all files of a user's folder: equal files are composed alike, wherever they lie."""
    found, base = hashlib.sha256(), Path(folder)
    for path in sorted(base.rglob("*")):
        if path.is_file():
            found.update(repr((path.relative_to(base), path.read_bytes())).encode())
    return found.hexdigest()


@pytest.fixture(scope="session", autouse=True)
def _hydra_reads_shipped_files_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every choice of the package's own files is composed once, for which Hydra takes a twentieth of a second.

    Of experiments that a store lacks, a ledger reads the checks; those are read once too, which took two thirds of it.
    """
    base = tmp_path_factory.getbasetemp()  # of a worker it lies in the folder of the run
    shipped.FOLDER[:] = [(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "composed"]
    shipped.FOLDER[0].mkdir(exist_ok=True)
    known: dict[tuple[str, ...], bytes] = {}
    hydra, plain = compose._composed, compose._as_shipped

    def composed(overrides: Sequence[str], config_dir: str | None) -> tuple[dict[str, Any], list[str]]:
        if config_dir and not os.path.isdir(config_dir):
            return hydra(overrides, config_dir)
        key = (*overrides, *map(str, folders(None)), _content(config_dir) if config_dir else "")
        if key not in known:
            make = functools.partial(hydra, overrides, config_dir)
            known[key] = pickle.dumps(make() if config_dir else shipped.shared(repr(overrides), make))
        own: tuple[dict[str, Any], list[str]] = pickle.loads(known[key])
        return own

    def as_shipped(name: str, config_dir: str | None, base: compose.Base) -> dict[str, Any]:
        return plain(name, config_dir, base) if config_dir else shipped.composed(name).config

    read, checks = asked._read, dict[tuple[str, int], Any]()

    def read_once(file: Path, config_dir: str | None) -> Any:
        key = (str(file), file.stat().st_mtime_ns)
        if not file.is_relative_to(conf_dir()):
            return read(file, config_dir)
        if key not in checks:  # whatever folder of a user stands beside: of equal names the shipped one counts
            checks[key] = read(file, config_dir)
        return checks[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compose, "_composed", composed)
        patch.setattr(compose, "_as_shipped", as_shipped)
        patch.setattr(asked, "_read", read_once)
        yield


@pytest.fixture
def under_a_terminal() -> Iterator[None]:
    """Signals do here, and in children, what they do to a command under a terminal; afterwards what they did before.

    A shell that starts the tests in the background, or by nohup, has some of them ignored, which children inherit.
    """
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGINT)
    before = [
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        for number in numbers
    ]
    yield
    for number, action in zip(numbers, before, strict=True):
        signal.signal(number, action)


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Powers are computed here."""
    monkeypatch.setattr(power_report, "ProcessPoolExecutor", lambda workers, **_: ThreadPoolExecutor(1))


@pytest.fixture(scope="module")
def undrawn() -> Iterator[None]:
    """Figures are put together, but neither laid out nor drawn, which takes longer than all else of a small run.

    Their files are tiny, and say what they are drawn from as the true ones do. See test_every_figure.
    """

    @functools.wraps(picture.rendered)
    def rendered(figure: Any, fingerprint: str = "", style: str = "screen") -> dict[str, bytes]:
        told, png = PngInfo(), io.BytesIO()
        told.add_text("Description", fingerprint)
        Image.new("RGB", (2, 2)).save(png, "png", pnginfo=told)
        return {"png": png.getvalue(), "pdf": f"{fingerprint}%%EOF\n".encode()}

    with pytest.MonkeyPatch.context() as patch:
        for module in (picture, publish):
            patch.setattr(module, "rendered", rendered)
        patch.setattr(ConstrainedLayoutEngine, "execute", lambda engine, figure: None)
        yield


@pytest.fixture(scope="module")
def small_results(undrawn: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results folder of three runs of one small experiment; see `small_runs`."""
    return small_runs.measured(tmp_path_factory.mktemp("small"))
