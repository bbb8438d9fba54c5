"""The figures of the page: small copies beside it, or inside it."""

from __future__ import annotations

import base64
import hashlib
import io
from dataclasses import dataclass
from pathlib import Path

from dprepro.report.publish import Published
from dprepro.support.regular_files import bytes_of, replace_file

SHARE = 2 / 3
"""Of a figure's pixels, which the page keeps: 200 an inch."""
SHOWN = 0.65
"""Pixels of the page for each of those: letters of figures of one and of two columns are then equally large."""
COLOURS = 64
_ENDING = b"IEND\xaeB`\x82"


@dataclass(frozen=True)
class Picture:
    """Where the page finds a figure, and how large it shows it, in its own pixels."""

    source: str
    width: int
    height: int


def beside(published: Published, folder: Path) -> Picture:
    """The figure as ``folder/NAME.png``, which the page finds by the folder's name; made again only if it is another.

    Raises:
        OSError: the file cannot be written.
    """
    path = folder / f"{published.verdict['experiment']}.png"
    figure = bytes_of(published.folder / "figure.png")
    made_of = hashlib.blake2b(figure, digest_size=16, key=f"{SHARE} {COLOURS}".encode()).hexdigest()
    try:
        png = bytes_of(path)
    except OSError:
        png = b""
    if made_of.encode() not in png or not png.endswith(_ENDING):
        png = smaller(figure, made_of)
        folder.mkdir(exist_ok=True)
        replace_file(path, png)
    return Picture(f"{folder.name}/{path.name}", *_shown(png))


def inside(picture: Picture, root: Path) -> Picture:
    """The same picture as part of the page itself."""
    png = base64.b64encode(bytes_of(root / picture.source)).decode()
    return Picture(f"data:image/png;base64,{png}", picture.width, picture.height)


def smaller(figure: bytes, made_of: str = "") -> bytes:
    """The PNG at :data:`SHARE` of its size in a few colours, the same bytes for the same picture; names its origin."""
    from PIL import Image, PngImagePlugin

    with Image.open(io.BytesIO(figure)) as picture:
        plain = Image.new("RGB", picture.size, "white")
        plain.paste(picture, mask=picture.getchannel("A") if picture.mode == "RGBA" else None)
    size = max(1, round(SHARE * plain.width)), max(1, round(SHARE * plain.height))
    plain = plain.resize(size, Image.Resampling.LANCZOS)
    about, buffer = PngImagePlugin.PngInfo(), io.BytesIO()
    about.add_text("Source", made_of)
    plain.quantize(COLOURS, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True, pnginfo=about)
    return buffer.getvalue()


def _shown(png: bytes) -> tuple[int, int]:
    """Width and height on the page, from the file's header."""
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    return round(SHOWN * width), round(SHOWN * height)
