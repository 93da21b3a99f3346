"""Themes of figures: contrast, colours told apart by all readers, and what a dark figure changes."""

from __future__ import annotations

import io
import itertools
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.image import imread
from numpy.typing import NDArray

from airlink.plots import style
from airlink.plots.style import DARK, LIGHT, Theme

LINES = ("blue", "vermilion", "green", "purple", "orange", "sky", "text", "grey")

# Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB.
SEEN = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}


def linear(colour: str) -> NDArray[np.float64]:
    """Linear red, green and blue of a colour in sRGB."""
    held = np.array(to_rgb(colour))
    return np.where(held <= 0.04045, held / 12.92, ((held + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2: 1 (none) to 21."""
    low, high = sorted(float(linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour: NDArray[np.float64]) -> NDArray[np.float64]:
    """Linear RGB -> CIE L*a*b*, white D65."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    held = to_xyz @ np.clip(colour, 0, 1) / [0.9505, 1.0, 1.089]
    root = np.where(held > 0.008856, np.cbrt(held), 7.787 * held + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_lines_contrast_3_to_1_with_the_background_and_text_4_5(theme: Theme) -> None:
    for name in LINES:
        assert contrast(getattr(theme, name), theme.background) >= 3, name
    for name in ("text", "soft"):
        assert contrast(getattr(theme, name), theme.background) >= 4.5, name
    assert contrast(theme.grid, theme.background) < 2


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("seen", SEEN)
def test_colours_are_told_apart_by_all_readers(theme: Theme, seen: str) -> None:
    # A difference of 2.3 is just seen side by side; lines apart from one another and thin need several times that.
    for one, other in itertools.combinations(LINES, 2):
        ends = [lab(SEEN[seen] @ linear(getattr(theme, name))) for name in (one, other)]
        assert np.linalg.norm(ends[0] - ends[1]) > 12, (one, other)


def test_no_colour_of_one_theme_is_another_colour_of_the_other() -> None:
    light, dark = set(DARK.swaps), set(DARK.swaps.values())
    assert not light & dark
    assert len(light) == len(dark) == 14 - 1


def picture(theme: style.ThemeName) -> style.Picture:
    with style.themed(theme):
        figure, (axes,) = style.blank()
    axes.plot([0, 1], [0, 1], color="black", markerfacecolor="white", marker="o", label="line")
    axes.axvspan(0.2, 0.4, color=style.GREY, alpha=0.5)
    axes.vlines([0.5], 0, 1, colors=[style.VERMILION])
    axes.text(0.5, 0.5, "kept", color="white", gid=style.AS_DRAWN)
    axes.imshow([[0, 1]], cmap=ListedColormap([style.BLUE, style.YELLOW]), extent=(0, 1, 0, 0.1), aspect="auto")
    axes.set_ylim(0, 1)
    style.label(axes, "x", "y")
    style.legend(axes)
    style.caption(figure, "from here")
    return figure


def pixels(figure: style.Picture) -> NDArray[np.float64]:
    return np.asarray(imread(io.BytesIO(figure._repr_png_())), dtype=float)[..., :3]


def test_a_dark_figure_is_the_light_one_in_other_colours() -> None:
    light, dark = picture("light"), picture("dark")
    found = {figure.theme.name: pixels(figure) for figure in (light, dark)}
    assert found["light"].shape == found["dark"].shape
    for theme in (LIGHT, DARK):
        corner = found[theme.name][2, 2]
        np.testing.assert_allclose(corner, to_rgb(theme.background), atol=1 / 255)
    (line,) = dark.axes[0].lines
    assert to_rgb(line.get_color()) == to_rgb(DARK.text)
    assert to_rgb(line.get_markerfacecolor()) == to_rgb(DARK.background)
    assert dark.axes[0].patches[0].get_facecolor() == (*to_rgb(DARK.grey), 0.5)
    assert to_rgb(dark.axes[0].texts[0].get_color()) == (1, 1, 1)
    assert to_rgb(dark.axes[0].get_xticklabels()[0].get_color()) == to_rgb(DARK.text)
    listed = dark.axes[0].images[0].get_cmap()
    assert [to_rgb(listed(place)) for place in (0, 1)] == [to_rgb(DARK.blue), to_rgb(DARK.yellow)]
    # No pixel is left in the colour of print on paper.
    assert (found["dark"].max(axis=2) > 0.05).all()


def test_drawing_again_changes_nothing() -> None:
    figure = picture("dark")
    assert figure._repr_png_() == figure._repr_png_()


def test_a_theme_holds_in_its_own_thread_only() -> None:
    seen: list[str] = []
    with style.themed("dark"):
        other = threading.Thread(target=lambda: seen.append(style.theme().name))
        other.start()
        other.join()
        seen.append(style.theme().name)
    assert [*seen, style.theme().name] == ["light", "dark", "light"]


def test_an_unknown_theme_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="choose from light, dark"), style.themed("sepia"):  # type: ignore[arg-type]
        pass


@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_a_figure_saved_by_itself_follows_the_rules_of_files(tmp_path: Path, kind: str) -> None:
    own, house = tmp_path / f"own.{kind}", tmp_path / f"house.{kind}"
    picture("light").savefig(own)
    style.save(picture("light"), house)
    assert own.read_bytes() == house.read_bytes()
    if kind == "pdf":
        assert b"/Type3" not in own.read_bytes()
        assert b"CreationDate" not in own.read_bytes()
    if kind == "png":
        assert imread(own).shape[1] == round(style.WIDTH_IN * 300)
    if kind == "svg":
        assert not re.search(r"<dc:date>", own.read_text("utf-8"))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_the_steps_of_a_scale_contrast_with_the_background_too(theme: Theme) -> None:
    with style.themed(theme.name):
        steps = style.colours(20)
    assert min(contrast(colour, theme.background) for colour in steps) >= 3
    assert len(set(steps)) == 20


def test_panels_stand_where_no_order_of_sums_can_move_them() -> None:
    figure = picture("light")
    figure.draw_without_rendering()
    places = figure.axes[0].get_position(original=True).get_points()
    np.testing.assert_array_equal(places, np.round(places, 9))
    assert places[1, 0] > 0.9, "laid out: the panel reaches to the right"


def test_dollar_signs_in_the_name_of_a_scenario_begin_no_formula() -> None:
    figure = picture("light")
    style.caption(figure, r"Scenario $\frac{$, seed 1")
    figure.draw_without_rendering()
