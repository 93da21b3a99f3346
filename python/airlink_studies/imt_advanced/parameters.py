"""Tables I and II of [Kakuda] beside what is run: each value, and whether the paper gives it, or it is ours.

The values are read from the scenario itself, so the table cannot say anything else than what runs. Left out: what the
study changes of it (scheduler, buffer, speed), where the table names the paper's list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from airlink.report import Sheet
from airlink.scenario import TABLES, Scenario
from airlink_studies.imt_advanced import setting

MODULATIONS = ("QPSK",) * 4 + ("16QAM",) * 2 + ("64QAM",) * 3
CODING = ("1/8", "1/4", "1/2", "2/3", "1/2", "2/3", "1/2", "2/3", "3/4")
"""Table I (given)."""
LARGE_UNITS = ("Hz", "b/s", "bytes")
"""Units that take a prefix."""


@dataclass(frozen=True)
class Parameter:
    """A line of Table II, or one that the paper's text has, or that it leaves out.

    Attributes
    ----------
    what : in words.
    paper : as the paper has it, empty where it is silent.
    paths : of the fields of the scenario that hold it; several are shown as a sum.
    unit : of those fields.
    source : "given", "inferred", "fitted" or "chosen".
    """

    what: str
    paper: str
    paths: tuple[str, ...]
    unit: str
    source: str

    def ours(self, scenario: Scenario) -> str:
        """What runs."""
        values = [value_at(scenario, path) for path in self.paths]
        if self.unit in LARGE_UNITS and values[0] >= 1e3:
            return _scaled(values[0], self.unit)
        return f"{' + '.join(_text(value) for value in values)} {self.unit}".strip()


def _lists(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))


TABLE_II = (
    Parameter("TCP", "New Reno", ("flows.0.tcp.profile",), "", "given"),
    Parameter("SACK", "Sack", ("flows.0.tcp.sack",), "", "given"),
    Parameter("TCP packet (bytes)", "1500", ("flows.0.tcp.mss_bytes", "flows.0.tcp.header_bytes"), "", "given"),
    Parameter("RLC PDU (bytes)", "40 + 2", ("rlc.segment_bytes", "rlc.segment_header_bytes"), "", "given"),
    Parameter("most retransmissions", "10", ("link.harq.max_retransmissions",), "", "given"),
    Parameter("buffer (packets)", _lists(setting.BUFFERS), ("queue.limit_packets",), "", "given"),
    Parameter("TTI", "1.0 ms", ("slot.duration_ms",), "ms", "given"),
    Parameter("subchannel", "200 kHz", ("carrier.subchannel_hz",), "Hz", "given"),
    Parameter("subchannels", "400", ("carrier.subchannels",), "", "given"),
)
"""As the paper prints it."""
FROM_THE_TEXT = (
    Parameter("number of users", "10", ("users",), "", "given"),
    Parameter("users", "one of each group", ("channel.placement.order",), "", "given"),
    Parameter("fading", "6-path GSM TU", ("channel.fading.profile",), "", "given"),
    Parameter("speed (km/h)", _lists(setting.SPEEDS_KMH), ("channel.motion.speed_kmh",), "", "chosen"),
    Parameter("age of reports", "3 TTI", ("link.report.delay_slots",), "TTI", "given"),
    Parameter("HARQ", "packet combining", ("link.harq.kind",), "", "given"),
    Parameter("wired links", "1 Gb/s", ("flows.0.path.downlink_rate_bps",), "b/s", "given"),
    Parameter("one way: 10 + (1 to 5) + 1.75", "1 to 5 random", ("flows.0.path.downlink_delay_ms",), "ms", "fitted"),
    Parameter("starts within", "2 s", ("flows.0.start_spread_s",), "s", "given"),
    Parameter("run", "60 s", ("duration_s",), "s", "given"),
    Parameter("ties", "random", ("scheduler.ties",), "", "given"),
    Parameter("L of eq. (3)", "min(n, t_a)", ("scheduler.average_window",), "", "given"),
)
"""Sections II and III."""
SILENT = (
    Parameter("MCS thresholds", "", ("link.rate.name",), "", "inferred"),
    Parameter("SNR at the edge", "", ("channel.path_loss.reference_snr_db",), "dB", "fitted"),
    Parameter("path loss exponent", "", ("channel.path_loss.exponent",), "", "fitted"),
    Parameter("nearest ring", "", ("channel.placement.inner_radius_m",), "m", "fitted"),
    Parameter("ceiling of the SINR", "", ("channel.ceiling.sinr_db",), "dB", "fitted"),
    Parameter("carrier", "", ("channel.motion.carrier_hz",), "Hz", "chosen"),
    Parameter("buffer counts packets", "", ("queue.limit_counts",), "", "chosen"),
    Parameter("t_a", "", ("scheduler.time_constant_slots",), "TTI", "chosen"),
    Parameter("users granted enough", "", ("scheduler.release_satisfied_users",), "", "chosen"),
    Parameter("slope of the error curve", "", ("link.errors.curve.slope_per_db",), "per dB", "chosen"),
    Parameter("its offset (5 % at threshold)", "", ("link.errors.curve.offset_db",), "dB", "chosen"),
    Parameter("a repeat may go after", "", ("link.harq.round_trip_slots",), "TTI", "chosen"),
    Parameter("in order", "", ("rlc.in_order",), "", "chosen"),
    Parameter("receiver window", "", ("flows.0.tcp.receiver_window_bytes",), "bytes", "chosen"),
    Parameter("first ssthresh", "", ("flows.0.tcp.initial_ssthresh_segments",), "", "chosen"),
    Parameter("least RTO", "", ("flows.0.tcp.rto.min_ms",), "ms", "inferred"),
    Parameter("initial RTO", "", ("flows.0.tcp.rto.initial_ms",), "ms", "inferred"),
    Parameter("clock of TCP", "", ("flows.0.tcp.rto.tick_ms",), "ms", "inferred"),
)
"""What the paper leaves open and a run must have."""
PARAMETERS = (*TABLE_II, *FROM_THE_TEXT, *SILENT)


def value_at(scenario: Scenario, path: str) -> Any:
    """A field by its path; a number is a place in a list."""
    found: Any = scenario
    for step in path.split("."):
        found = found[int(step)] if step.isdigit() else attrgetter(step)(found)
    return found


def parameters() -> Sheet:
    """Table II, and what else a run needs."""
    cell = setting.cell()
    rows = [(each.what, each.paper, each.ours(cell), each.source) for each in PARAMETERS]
    note = (
        f"Table II (first {len(TABLE_II)} lines), the paper's text, and what both leave open. given: the paper's; "
        "inferred: follows from it; fitted: set so that Table III and the factor of two between the schedulers come "
        "out; chosen: ours. Buffer and speed are varied; the buffer study's speed is not given. Access delays: the "
        "paper draws 1 to 5 ms, of user 1 it is fitted (1.25 ms), of users 2 to 10 nine fixed values."
    )
    return Sheet("Table II: parameters", ("parameter", "paper", "here", "source"), rows, note, left=(1, 2, 3))


def schemes() -> Sheet:
    """Table I beside the thresholds that are inferred here."""
    table = TABLES["imt-advanced"]
    rows = [
        (str(number), modulation, code, f"{rate / 1e6:g}", f"{rate / 4e5:.4g}", f"{threshold:g}")
        for number, (modulation, code, rate, threshold) in enumerate(
            zip(MODULATIONS, CODING, table.rates_bps, table.thresholds_db, strict=True), start=1
        )
    ]
    note = (
        "Rates of the whole band are given; bits of a subchannel and TTI follow, against the 336 of a PDU. The "
        "thresholds are inferred: capacity of 80 MHz with a gap of 3 dB."
    )
    return Sheet("Table I: MCS", ("MCS", "modulation", "code", "Mb/s", "bits", "from dB"), rows, note)


def _scaled(value: float, unit: str) -> str:
    """With a prefix: 200000.0 Hz is 200 kHz."""
    power = min(3, int(math.log10(value)) // 3)
    return f"{value / 1e3**power:g} {' kMG'[power]}{unit}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "no limit" if math.isinf(value) else f"{value:.10g}"
    return str(value).replace("_", " ")
