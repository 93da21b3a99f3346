"""Writes the tables in docs/explain.md: `PYTHONPATH=tests python tests/explain_page.py`.

Prose is written by hand; the text between `<!-- table ... -->` and `<!-- end -->` is generated here.
"""

from __future__ import annotations

import re
from pathlib import Path

import airlink
from airlink.explain import BY_NAME, explain
from airlink.explain.schedulers import METRICS, Metric
from explain_cases import Case, cases

PAGE = Path(__file__).parent.parent / "docs/explain.md"
FRAME = r"(?<=<!-- table {} -->\n).*?(?=<!-- end -->)"


def page() -> str:
    """The page with new tables."""
    text = PAGE.read_text()
    for name, write in (("known-answers", table), ("schedulers", schedulers)):
        text = re.sub(FRAME.format(name), lambda _, write=write: write(), text, count=1, flags=re.DOTALL)  # type: ignore[misc]
    return text


def schedulers() -> str:
    """The metric of each scheduler and its properties."""
    columns = (
        "`scheduler.kind`",
        "serves",
        "knows the channel",
        "divides by service",
        "remembers gaps",
        "weighs the queue",
    )
    rows = (f"| `{kind}` | {metric.serves} | {properties(metric)} |\n" for kind, metric in METRICS.items())
    return f"| {' | '.join(columns)} |\n| {' | '.join(['---'] * len(columns))} |\n{''.join(rows)}"


def properties(metric: Metric) -> str:
    had = (metric.channel_aware, metric.divides_by_service > 0, metric.remembers_gaps, metric.weighs_queue)
    return " | ".join("yes" if one else "" for one in had)


def table() -> str:
    """A row for each case: the shares known before, and the measured ones."""
    head = "| case | known before | measured |\n| --- | --- | --- |\n"
    return head + "".join(map(row, cases()))


def row(case: Case) -> str:
    (flow,) = explain(airlink.run(case.scenario, record=["limits"]), flow=case.flow).flows
    known = ", ".join(f"{BY_NAME[cause].by} {bounds(*limits)}" for cause, limits in case.shares.items())
    measured = ", ".join(f"{100 * flow.shares[cause]:.1f} %" for cause in case.shares)
    return f"| {case.name} | {known} | {measured} |\n"


def bounds(least: float, most: float) -> str:
    if most >= 1:
        return f"at least {100 * least:.0f} %"
    return f"{50 * (least + most):.1f} ± {50 * (most - least):.0f} %"


if __name__ == "__main__":
    PAGE.write_text(page())
