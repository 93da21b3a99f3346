"""Questions to the engine that need no run: the table of rates of a scenario, and scripts of a TCP."""

from __future__ import annotations

from dataclasses import dataclass

from airlink import _rust
from airlink.engine.request import refused
from airlink.engine.table import Columns
from airlink.scenario import Scenario, Script


def rate_table(scenario: Scenario) -> Columns | None:
    """The rows of the table of rates; None if rates come from no table.

    Parameters
    ----------
    scenario : resolved or not; of trace files only the names matter.

    Returns
    -------
    Columns, in the order of the rows, which is that of the series `mcs`:
        mcs : number of the row, from 0.
        scheme, bits_per_symbol, code_rate : of `link.rate.kind = "mcs"`: number in the set, from 0, and what it is.
        threshold_db : reported SNR from which the row may be used, dB.
        rate_bps : rate of the whole carrier, b/s.
        beta : of `link.errors.curve.effective = "eesm"`, a ratio.

    Raises
    ------
    ScenarioError : the engine refuses the scenario.
    """
    try:
        return _rust.rate_table(scenario.to_json())
    except _rust.ScenarioError as error:
        raise refused(error) from None


@dataclass(frozen=True)
class Difference:
    """The first mismatch between a connection's end and its script.

    Attributes
    ----------
    line : number of the script's line, counted in its file.
    expected, came : what the line says, and what there was instead.
    """

    line: int
    expected: str
    came: str


def play_script(script: Script) -> Difference | None:
    """Plays a script to a sender or receiver built from its TCP fields.

    Returns
    -------
    None when every line holds, else the first that does not.

    Raises
    ------
    ScenarioError : lines that cannot be read, all of them.
    """
    try:
        found = _rust.play_script(script.head.side, script.tcp_json(), script.text, script.first_line)
    except _rust.ScenarioError as error:
        raise refused(error) from None
    return None if found is None else Difference(*found)


def answer_script(script: Script) -> list[tuple[int, str]]:
    """The packets that a sender or receiver sends for a script's inputs, whatever the script expects.

    Returns
    -------
    Nanoseconds and words of each packet and of each quantity that a line looks at, up to the time of the last line.

    Raises
    ------
    ScenarioError : lines that cannot be read, all of them.
    """
    try:
        return _rust.answer_script(script.head.side, script.tcp_json(), script.text, script.first_line)
    except _rust.ScenarioError as error:
        raise refused(error) from None
