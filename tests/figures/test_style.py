"""Texts that can stand in a figure, and figures that a person's matplotlibrc does not change."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest
from helpers.cheap_experiment import CHEAP, ENVIRONMENT, write_config_dir
from matplotlib.ft2font import FT2Font

from dprepro.config.checked_experiment import check
from dprepro.config.compose import compose
from dprepro.errors import InputError
from dprepro.figures import style
from dprepro.figures.style import rendered, styled, undrawable


@pytest.mark.parametrize(
    "text",
    ["n^(-2/3)", "ε ≤ ‖θ‖², 2n₀ → ∞", "$n^{-2/3}$", "a $5 note", r"\$5 or \$6", "two\nlines", "e\u0301", "⟨a⟩", ""],
)
def test_a_text_that_can_be_drawn(text: str) -> None:
    assert undrawable(text) == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("漢字", r"has '\u6f22', of which the figures' font DejaVu Sans has no glyph"),
        ("first\n🌀", r"has '\U0001f300', of which"),
        ("漢 of $x$", r"has '\u6f22', of which"),
        (r"$\nosuch$", "is no mathematics (\\nosuch"),
        ("$x^{2$", "is no mathematics"),
    ],
)
def test_a_text_that_cannot_be_drawn_says_why(text: str, why: str) -> None:
    said = undrawable(text)
    assert why in said
    assert "\n" not in said


def test_the_font_has_every_character_that_is_taken_for_plain() -> None:
    has = FT2Font(f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans.ttf").get_charmap()
    plain = [one for one in map(chr, range(0x110000)) if one.isprintable() and style._PLAIN.fullmatch(one)]
    assert len(plain) > 1000
    assert [one for one in plain if ord(one) not in has] == []


def test_matplotlib_is_not_loaded_to_check_what_shipped_experiments_say() -> None:
    program = (
        "import sys\nfrom dprepro.config.compose import compose\nfrom dprepro.config.checked_experiment import check\n"
        "for name in ('lasso_rate', 'kst_limits'): check(compose([f'+experiment={name}']).config)\n"
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, check=False).returncode == 0


PLACES = {
    "label": ("{needle: the needle}", "{needle: 漢}", r"figure.labels.needle: '漢' has"),
    "claim": ("claim: Theorem 2.5, cheaply", r"claim: $\nosuch$", "claim: '$\\\\nosuch$' is no mathematics"),
    "heading": ("name: rate,", "name: rate, heading: 漢,", "figure.heading: '漢' has"),
    "series without a label": ("bounded", "漢", "series 漢, which has no label: "),
    "check": ("half_the_bound", "漢", "check 漢: "),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_configuration_with_a_text_that_cannot_be_drawn_is_refused_before_anything_is_measured(
    place: str, tmp_path: Path
) -> None:
    old, new, why = PLACES[place]
    folder = write_config_dir(tmp_path, odd=CHEAP.replace(old, new))
    composed = compose(["+experiment=odd"], str(folder))
    with pytest.raises(InputError) as caught:
        check(composed.config)
    assert str(caught.value).startswith(why)


def test_a_label_stands_for_a_name_that_cannot_be_drawn_and_a_heading_for_the_claim(tmp_path: Path) -> None:
    text = CHEAP.replace("bounded", "漢").replace("Theorem 2.5, cheaply", "漢").replace(
        "name: rate, labels: {", "name: rate, heading: Theorem 2.5, labels: {漢: bounded, "
    )  # fmt: skip
    check(compose(["+experiment=odd"], str(write_config_dir(tmp_path, odd=text))).config)


DRAW = """
import hashlib
from dprepro.figures.style import rendered, styled

with styled() as figure_class:
    figure = figure_class(figsize=(2, 1))
    panel = figure.subplots()
    panel.plot([1, 2], [3, 4], label="a")
    panel.set(xlabel="n", title="$n^{-2/3}$")
    panel.legend()
print([hashlib.sha256(one).hexdigest() for one in rendered(figure).values()])
"""


def test_a_person_s_matplotlibrc_changes_no_figure_and_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text(
        "lines.linewidth: 9\nfont.family: serif\nmathtext.fontset: stix\naxes.facecolor: red\ntext.usetex: True\n"
        "savefig.bbox: tight\nno.such.key: 1\nfont.size: not a number\n",
        encoding="utf-8",
    )
    said = [
        subprocess.run([sys.executable, "-c", DRAW], capture_output=True, text=True, check=True, cwd=folder,
                       env={**ENVIRONMENT, "MPLCONFIGDIR": str(tmp_path / "cache")})
        for folder in (tmp_path, os.path.dirname(tmp_path))
    ]  # fmt: skip
    assert said[0].stdout == said[1].stdout
    assert said[0].stdout.startswith("['")
    assert said[0].stderr == ""


def test_settings_of_the_caller_are_given_back() -> None:
    with matplotlib.rc_context({"lines.linewidth": 9.0}):
        with styled() as figure_class:
            assert matplotlib.rcParams["lines.linewidth"] == style.SETTINGS["lines.linewidth"]
            rendered(figure_class(figsize=(1, 1)))
        assert matplotlib.rcParams["lines.linewidth"] == 9.0
