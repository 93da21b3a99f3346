"""The colour of each scenario, the same in every picture of an answer; the baseline of a comparison is grey."""

from __future__ import annotations

from collections.abc import Iterable

from airlink.campaign.answer import Answer
from airlink.plots import style


def colours_of(answer: Answer, labels: Iterable[str] = ()) -> list[int]:
    """The numbers of scenarios' colours, as `Series.colour` has them.

    Parameters
    ----------
    answer : whose scenarios.
    labels : of which of them; default all, in their order.
    """
    others = [label for label in answer.labels if label != answer.baseline]
    numbers = {answer.baseline: style.BASELINE} | {label: place for place, label in enumerate(others)}
    return [numbers[label] for label in labels or answer.labels]
