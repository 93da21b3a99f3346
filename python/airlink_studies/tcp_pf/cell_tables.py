"""Tables of the controls in four cells, and of the search for Fig. 2's example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airlink.report import Sheet
from airlink.result import Table
from airlink_studies.tcp_pf.cells import AS_IT_IS, CELL_RULES, CELLS, TCP_RULES
from airlink_studies.tcp_pf.controls import Control
from airlink_studies.tcp_pf.evidence import Evidence, Pair
from airlink_studies.tcp_pf.spurious import ABOUT_S, MANY, PAPER_GAP_S, PAPER_OUTSTANDING

NOTE = (
    "What TCP-PF carries over PF, %, with its 95 % interval. *: differs from the cell as it is, paired by "
    "realization; other "
    "numbers of users and speeds have realizations of their own."
)


def tcp_rules(evidence: Evidence) -> Sheet:
    """The gain with one rule of TCP changed, in every cell."""
    return _sheet("Rules of TCP in four cells", evidence.cells, TCP_RULES)


def cell_rules(evidence: Evidence) -> Sheet:
    """The gain with another buffer, number of users or speed, and with one term of the metric."""
    return _sheet("Queues, users, speed and terms of the metric in four cells", evidence.cells, CELL_RULES)


def _sheet(title: str, cells: Mapping[str, Mapping[str, Pair]], rules: Sequence[Control]) -> Sheet:
    base = {name: found[AS_IT_IS] for name, found in cells.items()}
    rows = [(AS_IT_IS, *(_cell(pair, None) for pair in base.values()))]
    for rule in rules:
        rows.append(
            (
                rule.name,
                *(_cell(cells[cell.name][rule.name], base[cell.name] if rule.same_drops else None) for cell in CELLS),
            )
        )
    return Sheet(title, ("", *cells), rows, NOTE)


def _cell(pair: Pair, base: Pair | None) -> str:
    gain = pair.gain
    moved = base is not None and differs_from(pair, base)
    return f"{100 * (gain.mean - 1):+.1f} ± {100 * gain.half_width:.1f}{'*' if moved else ' '}"


def differs_from(pair: Pair, base: Pair) -> bool:
    """Whether the gain differs from that of the cell as it is, with 95 %."""
    change = pair.change_from(base)
    return change.low > 0 or change.high < 0


def tcp_sentences(evidence: Evidence) -> list[str]:
    """For every cell: the range of the gain over the rules of TCP, and the rules that change it."""
    found = []
    for cell in CELLS if evidence.cells else ():
        pairs = evidence.cells[cell.name]
        rules = {rule.name: pairs[rule.name] for rule in TCP_RULES}
        moved = [name for name, pair in rules.items() if differs_from(pair, pairs[AS_IT_IS])]
        least, most = (chosen(rules, key=lambda name: rules[name].gain.mean) for chosen in (min, max))
        found.append(
            f"Rules of TCP, {cell.name}: the gain is {_percent(pairs[AS_IT_IS])} as it is, and from "
            f"{_percent(rules[least])} ({least}) to {_percent(rules[most])} ({most}). It changes measurably with: "
            f"{', '.join(moved) or 'none'}."
        )
    return found


def _percent(pair: Pair) -> str:
    return f"{100 * (pair.gain.mean - 1):+.1f} %"


def example(evidence: Evidence) -> Sheet:
    """How near each cell comes to Fig. 2's example."""
    rows = []
    for name, found in evidence.examples.items():
        nearest = ("", "") if found.nearest is None else (
            f"{found.nearest[1].outstanding:.0f}",
            f"{found.nearest[1].silence_s:.2f}",
        )  # fmt: skip
        spurious = found.search.pf.spurious_timeouts.sum(axis=1).mean()
        rows.append((name, f"{spurious:.1f}", str(len(found.search.cases)), str(found.alike), *nearest))
    rows.append(("paper", "", "", "1", f"{PAPER_OUTSTANDING:.0f}", f"{PAPER_GAP_S:g}"))
    columns = ("cell", "spurious", "users", "alike", "packets", "silence, s")
    note = (
        f"spurious: such timeouts of a realization under PF; users: with only spurious timeouts under PF and "
        f"none under "
        f"TCP-PF, of {evidence.search.users}; alike: of these, with a timeout that finds {MANY:g} packets or more "
        f"outstanding after {ABOUT_S[0]:g} to {ABOUT_S[1]:g} s of silence; packets, silence: of the timeout nearest to "
        "the paper's."
    )
    return Sheet("Fig. 2's example", columns, rows, note)


def parquet(evidence: Evidence) -> Table:
    """One row per cell and control."""
    named = [(cell, rule, pair) for cell, pairs in evidence.cells.items() for rule, pair in pairs.items()]
    gains = [pair.gain for _, _, pair in named]
    return Table(
        {
            "cell": [cell for cell, _, _ in named],
            "control": [rule for _, rule, _ in named],
            "pf_kBps": [pair.pf.system_kBps.mean() for _, _, pair in named],
            "tcp_pf_kBps": [pair.tcp_pf.system_kBps.mean() for _, _, pair in named],
            "gain": [one.mean for one in gains],
            "gain_low": [one.low for one in gains],
            "gain_high": [one.high for one in gains],
        }
    )
