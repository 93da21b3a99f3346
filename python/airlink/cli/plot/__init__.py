"""`airlink plot`: a flow, a cell or its fairness over time; measures of results, sweeps and comparisons."""

from __future__ import annotations

import typer

from airlink.cli.commands import UNDERSTAND, group
from airlink.cli.plot import of_measures, over_time

HELP = """Draw stored results: a page to zoom in or point at, or a figure for a paper.

airlink plot sweep airlink-results/lte-sweep            lte-sweep-sweep.html

airlink plot cdf airlink-results/k3-1 -m users.goodput_bps --out cdf.pdf

airlink plot flow airlink-results/k3-1 --user 3         k3-1-flow-3.html

airlink plot flow airlink-results/k3-1 --user 3 --from 5 --to 12 --out f.pdf
"""

plot = group()


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    for command in (*of_measures.COMMANDS, *over_time.COMMANDS):
        plot.command(command.__name__)(command)
    app.add_typer(plot, name="plot", help=HELP, rich_help_panel=UNDERSTAND)
