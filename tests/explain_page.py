"""The table of known answers in docs/explain.md: `PYTHONPATH=tests python tests/explain_page.py` writes it anew.

Prose is written by hand; what stands between `<!-- table known-answers -->` and `<!-- end -->` is written here.
"""

from __future__ import annotations

import re
from pathlib import Path

import airlink
from airlink.explain import BY_NAME, explain
from explain_cases import Case, cases

PAGE = Path(__file__).parent.parent / "docs/explain.md"
FRAME = re.compile(r"(?<=<!-- table known-answers -->\n).*?(?=<!-- end -->)", re.DOTALL)


def page() -> str:
    """The page with its table written anew."""
    return FRAME.sub(lambda _: table(), PAGE.read_text())


def table() -> str:
    """A row for each case: what is known before, what came out."""
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
