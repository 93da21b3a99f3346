"""The settings of the map: panels of cells over t_c and Doppler, for several spreads and means of the mean SNRs.

Left out: what is drawn of them (region_figures.py) and what it says (region.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.measures import Outcome

TIME_CONSTANTS_SLOTS = (100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0, 30_000.0)
DOPPLERS_HZ = (0.5, 1.0, 2.0, 5.0, 15.0, 40.0)
SPREADS_DB = (0.0, 10.0, 20.0, 30.0)
"""Of the mean SNRs, around the setting's mean: all alike, +-5, +-10, +-15 dB."""
MEANS_DB = (4.0, 7.0, 13.0, 16.0)
"""Of the mean SNRs, at the setting's spread; the setting's own mean is among the panels of the spreads."""

QUICK_TIME_CONSTANTS_SLOTS: Sequence[float] = (1000.0, 3000.0, 10_000.0)
QUICK_DOPPLERS_HZ: Sequence[float] = (0.5, 2.0, 10.0)


@dataclass(frozen=True)
class Spot:
    """One cell of the map: t_c in slots, Doppler in Hz, width and middle of the users' mean SNRs in dB."""

    time_constant_slots: float
    doppler_hz: float
    snr_spread_db: float
    snr_mean_db: float

    @property
    def label(self) -> str:
        """Its name in a plan."""
        return (
            f"t_c={self.time_constant_slots:g}, doppler={self.doppler_hz:g}, "
            f"spread={self.snr_spread_db:g}, mean={self.snr_mean_db:g}"
        )

    def scenario(self) -> Scenario:
        """The cell of the paper at this spot."""
        return setting.cell(
            time_constant_slots=self.time_constant_slots,
            doppler_hz=self.doppler_hz,
            snr_spread_db=self.snr_spread_db,
            snr_mean_db=self.snr_mean_db,
        )


@dataclass(frozen=True)
class Panel:
    """Cells over t_c (columns) and Doppler (rows) for one spread and one mean of the mean SNRs, in dB."""

    snr_spread_db: float
    snr_mean_db: float
    time_constants_slots: Sequence[float]
    dopplers_hz: Sequence[float]

    @property
    def title(self) -> str:
        """For the head of a picture."""
        spread = "all" if self.snr_spread_db == 0 else f"{self.snr_mean_db:g} $\\pm$ {self.snr_spread_db / 2:g} dB"
        return f"{spread} {self.snr_mean_db:g} dB" if self.snr_spread_db == 0 else spread

    @property
    def spots(self) -> list[Spot]:
        """Its cells, Doppler by Doppler."""
        return [self.spot(t_c, doppler) for doppler in self.dopplers_hz for t_c in self.time_constants_slots]

    def spot(self, time_constant_slots: float, doppler_hz: float) -> Spot:
        """One cell of it."""
        return Spot(time_constant_slots, doppler_hz, self.snr_spread_db, self.snr_mean_db)


@dataclass(frozen=True)
class Cell:
    """What was found at a spot: estimates over seeds of sessions timed out, Jain's index, throughput in kb/s."""

    timed_out: Estimate
    jain: Estimate
    kbps: Estimate

    @classmethod
    def of(cls, outcome: Outcome) -> Cell:
        """The means and intervals of a setting's runs."""
        return cls(mean_interval(outcome.timed_out), mean_interval(outcome.jain), mean_interval(outcome.kbps))

    def reaches(self, sessions: float) -> bool:
        """Whether the interval of the timed-out sessions holds that number."""
        return self.timed_out.low <= sessions <= self.timed_out.high


def panels(quick: bool) -> list[Panel]:
    """The map: first the spreads at the setting's mean, then the means at the setting's spread."""
    if quick:
        times, dopplers = QUICK_TIME_CONSTANTS_SLOTS, QUICK_DOPPLERS_HZ
        return [Panel(spread, setting.SNR_MEAN_DB, times, dopplers) for spread in SPREADS_DB[:3]]
    spreads = [Panel(spread, setting.SNR_MEAN_DB, TIME_CONSTANTS_SLOTS, DOPPLERS_HZ) for spread in SPREADS_DB]
    means = [Panel(setting.SNR_SPREAD_DB, mean, TIME_CONSTANTS_SLOTS, DOPPLERS_HZ) for mean in MEANS_DB]
    return spreads + means


def miss_of_three(cell: Cell) -> float:
    """The largest relative distance of a cell's means from the paper's 11, 0.685 and 1998.4 kb/s, 0 = none."""
    ours = (cell.timed_out.mean, cell.jain.mean, cell.kbps.mean)
    paper = (setting.PAPER_TIMED_OUT, setting.PAPER_JAIN, setting.PAPER_KBPS)
    return max(abs(value / target - 1) for value, target in zip(ours, paper, strict=True))


def miss_of_two(held: Cell) -> float:
    """The same of runs with timeouts held: 0.862 and 2296 kb/s."""
    jain, rate = held.jain.mean / setting.PAPER_JAIN_HELD, held.kbps.mean / setting.PAPER_KBPS_HELD
    return max(abs(jain - 1), abs(rate - 1))


def miss_of_five(cell: Cell, held: Cell) -> float:
    """The largest relative distance from all five numbers of Fig. 3."""
    return max(miss_of_three(cell), miss_of_two(held))


def ceiling_kbps(scenario: Scenario, top_rate_bps: float) -> float:
    """The most that sessions can get: the top rate in every slot from the first data on, less headers, in kb/s.

    C = R_top * MSS / (MSS + header) * (T - t_1) / T, where t_1 is the handshake's round trip and the way of the first
    segment. Nothing here depends on the scheduler.
    """
    flow = scenario.flows[0]
    tcp, path = flow.tcp, flow.path
    first_s = (2 * path.downlink_delay_ms + path.uplink_delay_ms) / 1e3
    share = tcp.mss_bytes / (tcp.mss_bytes + tcp.header_bytes)
    duration_s = scenario.duration_s
    assert math.isfinite(duration_s), "a run ends"
    return top_rate_bps * share * (duration_s - first_s) / duration_s / 1e3
