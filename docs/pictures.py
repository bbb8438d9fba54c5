"""Small figures for the site, of all experiments and of accountants; ``python -m docs.pictures`` makes them.

They are made of those in ``results``, and committed, as a site is built where nothing has been measured.
"""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

from docs.sources import EXPERIMENTS, ROOT

FOLDER = ROOT / "docs/pages/assets/experiments"
ACCOUNTANTS = FOLDER.parent / "accountants.png"
WIDTH, COLOURS, LARGEST = 1050, 32, 60_000
"""Pixels, colours and bytes of a picture; one that is larger is made narrower."""


def reference_figure(name: str) -> Path:
    """Where the figure of an experiment stands, if it is not younger than the last full run."""
    return FOLDER / f"{name}.png"


def small(figure: Image.Image) -> bytes:
    """The figure as a PNG of at most `LARGEST` bytes: lines and letters need few colours, and no dither."""
    content, width = b"", min(WIDTH, figure.width)
    while not content or len(content) > LARGEST:
        size = (width, round(figure.height * width / figure.width))
        narrow = figure.convert("RGB").resize(size, Image.Resampling.LANCZOS)
        few = narrow.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        buffer = io.BytesIO()
        few.save(buffer, "PNG", optimize=True)
        content, width = buffer.getvalue(), int(width * 0.9)
    return content


def write(results: Path) -> list[Path]:
    """Write the picture of every experiment with a figure in ``results``, and of the accountants if it is there.

    Pictures of what is no experiment any more go.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.png"):
        if old.stem not in EXPERIMENTS:
            old.unlink()
    large = {results / name / "figure.png": reference_figure(name) for name in EXPERIMENTS}
    found = {
        path: kept for path, kept in (large | {results / "accountants.png": ACCOUNTANTS}).items() if path.is_file()
    }
    for path, kept in found.items():
        with Image.open(path) as figure:
            kept.write_bytes(small(figure))
    return [*found.values()]


if __name__ == "__main__":
    print(f"{len(write(ROOT / 'results'))} figures in {FOLDER.parent.relative_to(ROOT)}")
