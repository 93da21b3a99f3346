"""The checker of figures finds what it is there for, and nothing in a figure that is in order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from airlink.plots import style
from airlink.plots.labels import wrapped
from figure_checks import faults_of

LONG = "a name of a row that is far too long for the width of one column of a journal"


def drawn(change: Callable[[Axes], object] | None = None) -> Figure:
    figure, (axes, *_) = style.blank(rows=2, height_in=3.0)
    axes.plot([0, 1, 2], [0, 1, 0], label="a line")
    style.label(axes, "", "height (m)")
    style.legend(axes, loc="upper left")
    if change is not None:
        change(axes)
    return figure


def test_a_figure_in_order_has_no_fault() -> None:
    assert faults_of(drawn()) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda axes: axes.figure.text(0.95, 0.5, "to be cut"), "'to be cut' is cut at the edge"),
        (lambda axes: axes.set_title("title", fontsize=5), "text of 5 points is too small"),
        (lambda axes: axes.set_xticks([0, 0.1], [LONG[:20], LONG[:20]], visible=True), "of an axis overlap"),
        (lambda axes: axes.set_ylabel("height (m)", labelpad=-12), "'height (m)' lies on"),
        (lambda axes: style.legend(axes, loc="upper center"), "lies on data: a line"),
        (lambda axes: axes.bar([0], [1], 0.5), "lies on bars"),
        (lambda axes: axes.figure.legend(["a"], loc="center"), "lies on a panel"),
    ],
)
def test_each_fault_is_found(change: Callable[[Axes], object], fault: str) -> None:
    figure = drawn(change)
    figure.axes[0].tick_params(labelbottom=True)
    assert any(fault in each for each in faults_of(figure))


def test_a_wrapped_name_is_not_cut() -> None:
    assert faults_of(drawn(lambda axes: axes.set_yticks([0, 1], [wrapped(LONG, 22), "b"]))) == []


@pytest.mark.parametrize("letters", [4, 7, 26])
@pytest.mark.parametrize(
    "text", [LONG, "deep_queue" * 8, "größte Übertragungsrate", "a\nb", "$t_c$ 10 000 slots", "队列" * 9]
)
def test_wrapping_keeps_every_letter_and_the_room(text: str, letters: int) -> None:
    lines = wrapped(text, letters).split("\n")
    assert "".join("".join(lines).split()) == "".join(text.split())
    if "$" not in text:
        assert max(map(len, lines)) <= letters
