"""The ns-2 of a paper's day: its defaults for TCP by version, and what another version's would do to a study.

The values and their dates are in docs/models/tcp-profiles.md. A study that names its ns-2 takes that column; one that
names none says which it takes. Left out: defaults of ns-2 that no study leaves to ns-2 (its window of 20 packets), and
defects that were mended between the versions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Illustration, Sheet, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner

Floats = NDArray[np.float64]
Measure = Callable[[CampaignResult, str], Floats]
"""Campaign, label -> one number a seed: array [seed]."""

TCP = "flows.*.tcp."
VERSIONS: Mapping[str, Mapping[str, Any]] = {
    "2.1b7 (2000)": {
        f"{TCP}handshake": False,
        f"{TCP}rto.tick_ms": 100.0,
        f"{TCP}rto.min_ms": 1000.0,
        f"{TCP}rto.initial_ms": 6000.0,
        f"{TCP}rto.max_ms": 64000.0,
        f"{TCP}rules.limited_transmit": False,
        f"{TCP}rules.limited_transmit_resends": False,
        f"{TCP}rules.reduction_in_whole_segments": True,
    },
    "2.1b8 (2001)": {
        f"{TCP}handshake": True,
        f"{TCP}rto.tick_ms": 100.0,
        f"{TCP}rto.min_ms": 1000.0,
        f"{TCP}rto.initial_ms": 6000.0,
        f"{TCP}rto.max_ms": 64000.0,
        f"{TCP}rules.limited_transmit": False,
        f"{TCP}rules.limited_transmit_resends": False,
        f"{TCP}rules.reduction_in_whole_segments": True,
    },
    "2.27 (2004)": {
        f"{TCP}handshake": True,
        f"{TCP}rto.tick_ms": 10.0,
        f"{TCP}rto.min_ms": 1000.0,
        f"{TCP}rto.initial_ms": 6000.0,
        f"{TCP}rto.max_ms": 64000.0,
        f"{TCP}rules.limited_transmit": True,
        f"{TCP}rules.reduction_in_whole_segments": True,
    },
    "2.35 (2011)": {
        f"{TCP}handshake": True,
        f"{TCP}rto.tick_ms": 10.0,
        f"{TCP}rto.min_ms": 200.0,
        f"{TCP}rto.initial_ms": 3000.0,
        f"{TCP}rto.max_ms": 60000.0,
        f"{TCP}rules.limited_transmit": True,
        f"{TCP}rules.reduction_in_whole_segments": False,
    },
}
"""Version -> what a scenario of profile `ns2` changes. The initial window is the study's; ns-2 has 2 since May 2001."""
OWN = "the study's"
SAME = 0.02
"""Within 2 % another version changes nothing that this table is asked for (chosen)."""


def part(
    cells: Callable[[], Mapping[str, Scenario]],
    measures: Mapping[str, Measure],
    seeds: Callable[[Request], tuple[int, ...]],
    changes: Callable[[Request], Mapping[str, Any]] = lambda _: {},
    record: Sequence[str] = (),
) -> Part:
    """The part `ns2-versions` of a study.

    Parameters
    ----------
    cells : makes name -> a scenario of the study, whose TCP is turned.
    measures : heading -> what is compared, one number a seed.
    seeds : those of a request.
    changes : what a request changes in every scenario (the length of a quick run).
    record : series that the measures need.
    """

    def plans(request: Request) -> Mapping[str, Plan]:
        scenarios = {
            _label(name, version): scenario.with_(**changes(request), **turned)
            for name, scenario in cells().items()
            for version, turned in {OWN: {}, **VERSIONS}.items()
        }
        return {"versions": Plan(scenarios, seeds(request), tuple(record))}

    def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
        result = results["versions"]
        names = tuple(dict.fromkeys(label.partition(": ")[0] for label in result.plan.scenarios))
        sheet = _sheet(result, names, measures)
        return PartResult(
            items=[_figure(result, names, measures), sheet],
            printed=[sheet],
            sentences=[_sentence(result, names, measures)],
            tables={"ns2-versions": _table(result, measures)},
        )

    return Part("ns2-versions", "The defaults of other versions of ns-2", ("versions",), plans, show, in_quick=False)


def _label(cell: str, version: str) -> str:
    return f"{cell}: {version}"


def _ratio(result: CampaignResult, cell: str, version: str, measure: Measure) -> Estimate:
    """Of a measure with another version to that with the study's own choice, paired by seed."""
    return paired_ratio(measure(result, _label(cell, version)), measure(result, _label(cell, OWN)))


def _figure(result: CampaignResult, cells: Sequence[str], measures: Mapping[str, Measure]) -> Illustration:
    """Every measure by version, over what it is with the study's own choice."""
    figure, panels = style.blank(len(measures), 1.1 + 1.2 * len(measures))
    places = np.arange(len(VERSIONS), dtype=float)
    for axes, (name, measure) in zip(panels, measures.items(), strict=True):
        for index, cell in enumerate(cells):
            ratios = [_ratio(result, cell, version, measure) for version in VERSIONS]
            means = np.array([ratio.mean for ratio in ratios])
            ends = np.array([[ratio.mean - ratio.low, ratio.high - ratio.mean] for ratio in ratios]).T
            shifted = places + 0.12 * (index - (len(cells) - 1) / 2)
            look: dict[str, Any] = {"color": style.COLOURS[index], "markersize": 3.5, "linewidth": 0.9}
            axes.errorbar(shifted, means, np.maximum(ends, 0), fmt="o", label=cell.replace("t_c", "$t_c$"), **look)
        axes.axhline(1.0, color=style.GREY, linewidth=0.8)
        style.label(axes, "", f"{name} / {OWN}")
    panels[-1].set_xticks(places, [version.replace(" ", "\n") for version in VERSIONS])
    style.legend(panels[0], loc="best")
    caption = (
        "TCP by the defaults of four versions of ns-2: each number over that with the study's own choice, on the same "
        f"seeds. {len(result.plan.seeds)} seeds, bars: 95 %."
    )
    return Illustration("versions-ratios", caption, figure, "Ratios to the study's own choice, by version of ns-2.")


def _sheet(result: CampaignResult, cells: Sequence[str], measures: Mapping[str, Measure]) -> Sheet:
    rows = [
        (
            _label(cell, version),
            *(plus_minus(mean_interval(measure(result, _label(cell, version))), 2) for measure in measures.values()),
        )
        for cell in cells
        for version in (OWN, *VERSIONS)
    ]
    note = f"Means of {len(result.plan.seeds)} seeds with 95 % intervals. All else is the study's."
    return Sheet("TCP by the version of ns-2", ("cell: version", *measures), rows, note)


def _sentence(result: CampaignResult, cells: Sequence[str], measures: Mapping[str, Measure]) -> str:
    changed = [
        f"{name} by {100 * (ratio.mean - 1):+.1f} % ({cell}, {version})"
        for cell in cells
        for version in VERSIONS
        for name, measure in measures.items()
        if (ratio := _ratio(result, cell, version, measure)).low > 1 + SAME or ratio.high < 1 - SAME
    ]
    if not changed:
        return (
            f"No version of ns-2 is shown to change any of these numbers by more than {100 * SAME:g} %: "
            "no ratio's 95 % interval lies beyond that."
        )
    return f"Versions of ns-2 that change a number by more than {100 * SAME:g} %: {'; '.join(changed)}."


def _table(result: CampaignResult, measures: Mapping[str, Measure]) -> Table:
    labels, seeds = list(result.plan.scenarios), result.plan.seeds
    return Table(
        {
            "setting": np.repeat(labels, len(seeds)),
            "seed": np.tile(seeds, len(labels)),
            **{
                name: np.concatenate([measure(result, label) for label in labels]) for name, measure in measures.items()
            },
        }
    )
