"""Results of runs as an answer, and several answers as one: what charts are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from airlink.campaign.answer import Answer
from airlink.campaign.question import Arm, Question
from airlink.engine import RequestError
from airlink.measures import Measure, check, defaults, estimate, found
from airlink.result import Result


def answer_of(results: Mapping[str, Result], measures: Sequence[Measure] = ()) -> Answer:
    """Measures of stored results, as a sweep would have found them.

    Parameters
    ----------
    results : label -> result.
    measures : default those of `airlink.measures.defaults` that every result has.

    Returns
    -------
    Answer without axes.

    Raises
    ------
    MeasureError : a scenario does not have a measure, or a run did not record what it needs.

    Examples
    --------
    >>> import airlink
    >>> from airlink.measures import measure
    >>> result = airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=2"]), replicas=3)
    >>> answer = answer_of({"wire": result}, [measure("cell.goodput_bps")])
    >>> answer.estimates["wire", "cell.goodput_bps"].n
    3
    """
    chosen = tuple(measures) or _common(results)
