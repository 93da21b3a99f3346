r"""Controls: numbers of a run whose true mean is known exactly, to sharpen a mean (`statistics.control_variates`).

A run whose users happen to be near the antenna, or whose files happen to be large, has another goodput for that alone.
By how much the realization is off is recorded, and its mean is known:

| control | value of a run | known mean |
| --- | --- | --- |
| mean SNR | mean over users of `shadowed_snr_db`, or without shadowing `mean_snr_db` | that of the placement's law |
| offered bytes | of the Poisson files requested in the measured time | :math:`\sum_g n_g \lambda_g E[T_g] E[S_g]` |
| page sizes | sum over the pages requested in the measured time of size less :math:`E[S]` | 0 |
| time to think | thought in the measured time, in units of its mean, less the number of thoughts that ended in it | 0 |
| frame errors | frames lost less p times the frames sent | 0 |

The last three are martingales: that a page is requested is decided before its size is drawn, that somebody thinks
before the thought ends, that a frame is sent before it is lost. So their mean is 0 whatever the run does.

Left out, since their means are known only nearly or no column has them: packets lost on wires (of those under way as
measuring begins and ends), the power of fading (not recorded), shares of slots (those of round robin do not vary).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.engine import Replica
from airlink.measures import offered
from airlink.measures.known_means import mean_snr_db
from airlink.measures.measure import Measure
from airlink.scenario import Scenario
from airlink.scenario.sections import Disc, MeanSnrRange


@dataclass(frozen=True)
class Control:
    """A number of a run with a known mean.

    Attributes
    ----------
    name : what it is, in a few words.
    value : the number of a run.
    known_mean : its true mean over all seeds, in the same unit.
    record : the series that a run must record for it.
    """

    name: str
    value: Callable[[Replica], float]
    known_mean: float
    record: tuple[str, ...] = ()


def controls(scenario: Scenario, measure: Measure, record: Sequence[str] = ()) -> list[Control]:
    """The controls that a scenario has for a measure; none for a quantile over all runs, which is no mean.

    Parameters
    ----------
    scenario : what is run.
    measure : what is to be sharpened.
    record : series that are recorded beside those that the measure needs.

    Examples
    --------
    >>> from airlink.measures import measure
    >>> from airlink.scenario import ready
    >>> [control.name for control in controls(ready("lte"), measure("cell.goodput_bps"))]
    ['mean SNR']
    """
    if measure.share is not None:
        return []
    recorded = {*record, *measure.record}
    kinds = (_mean_snr, _offered_bytes, _page_sizes, _thoughts, _frame_errors)
    made = (control for kind in kinds if (control := kind(scenario)) is not None)
    return [control for control in made if recorded.issuperset(control.record)]


def _mean_snr(scenario: Scenario) -> Control | None:
    """Of the channels as they were drawn; none where they are the same in every run."""
    channel = scenario.channel
    if channel is None or channel.placement_seed != "run":
        return None
    known, placement = mean_snr_db(channel, scenario.users), channel.placement
    is_random = isinstance(placement, Disc) or (isinstance(placement, MeanSnrRange) and placement.spacing == "random")
    has_shadowing = channel.shadowing.sd_db > 0
    if known is None or not (is_random or has_shadowing):
        return None
    column = "shadowed_snr_db" if has_shadowing else "mean_snr_db"
    return Control("mean SNR", lambda replica: float(np.mean(replica.users[column])), known)


def _offered_bytes(scenario: Scenario) -> Control | None:
    files = offered.files(scenario)
    known = None if files is None else files.mean_bytes(scenario)
    return None if files is None or known is None else Control("offered bytes", files.bytes, known)


def _page_sizes(scenario: Scenario) -> Control | None:
    sizes = offered.page_sizes(scenario)
    if not sizes:
        return None
    return Control("page sizes", lambda replica: offered.excess_bytes(replica, sizes), 0.0, ("downloads",))


def _thoughts(scenario: Scenario) -> Control | None:
    thinking = offered.thinking(scenario)
    if not thinking:
        return None
    span = scenario.warmup_s, scenario.duration_s
    return Control("time to think", lambda replica: offered.thought(replica, thinking, span), 0.0, ("downloads",))


def _frame_errors(scenario: Scenario) -> Control | None:
    """Losses on air with one probability."""
    link = scenario.link
    if link is None or not 0 < link.errors.probability < 1 or link.errors.threshold_rule or link.has_code_blocks():
        return None
    probability = link.errors.probability

    def value(replica: Replica) -> float:
        return float(replica.users["frame_errors"].sum() - probability * replica.users["frames_sent"].sum())

    return Control("frame errors", value, 0.0)
