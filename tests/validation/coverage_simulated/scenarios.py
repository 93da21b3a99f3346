"""What is run: small cells and wires whose truth is known, or so cheap that many runs tell it.

Each takes a few milliseconds a run. Truths are exact where a closed form has them; else they are those of the whole
pool, whose own error is that of a campaign divided by the root of the number of campaigns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from airlink.scenario import Scenario
from airlink.scenario.tables import TABLES

NODES, WEIGHTS = np.polynomial.legendre.leggauss(400)


@dataclass(frozen=True)
class Simulated:
    """A scenario and the measures that are taken of it.

    Attributes
    ----------
    name : of its pool.
    scenario : what is run.
    measures : text -> in words.
    runs : of the pool.
    exact : measure -> its true value, of those that have one in closed form.
    """

    name: str
    scenario: Scenario
    measures: Mapping[str, str]
    runs: int
    exact: Mapping[str, float] = field(default_factory=dict)


MAX_RATE = """
duration_s = 0.5
users = 4
slot.duration_ms = 2
channel.placement = {kind = "mean_snr_range", low_db = -3, high_db = 9, spacing = "random"}
channel.fading = {kind = "rayleigh", amplitudes = "gaussian", terms = 16, doppler_hz = 20}
link.rate = {kind = "table", name = "1xev-do"}
scheduler.kind = "max_rate"
flows = [{traffic = {kind = "backlogged"}}]
"""


def max_rate_truth() -> float:
    r"""The rate of MAX over users placed independently: each slot goes to the highest rate.

    .. math:: \sum_k (r_k - r_{k-1}) [1 - q_k^N], \quad q_k = E_\gamma (1 - e^{-\theta_k / \gamma})

    Gaussian amplitudes make every slot's SNR exactly exponential, and so this exact for any length of a run.
    """
    table = TABLES["1xev-do"]
    mean_snr = 10 ** ((-3 + 12 * (NODES + 1) / 2) / 10)
    thresholds = 10 ** (np.array(table.thresholds_db) / 10)
    nobody = (1 - np.exp(-thresholds[:, None] / mean_snr)) @ (WEIGHTS / 2)
    return float(np.diff(np.array(table.rates_bps), prepend=0.0) @ (1 - nobody**4))


WIRE = """
duration_s = 3.2
warmup_s = 0.2
users = 1
bottleneck = {rate_bps = 8e6}
[[flows]]
traffic = {kind = "poisson", arrivals_per_s = 500, size = {kind = "constant", bytes = 960}}
tcp = {mss_bytes = 960, header_bytes = 40}
path = {downlink_delay_ms = 1, uplink_delay_ms = 1}
"""


def wire_truth() -> float:
    r"""From arrival to the last bit sent of M/D/1: :math:`s + \rho s / 2(1 - \rho)`, one packet of 1 ms, load 0.5."""
    return 1e-3 + 0.5 * 1e-3 / (2 * (1 - 0.5))


PAGES = """
duration_s = 10
warmup_s = 2
users = 4
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = -4, high_db = 10, spacing = "random"}
channel.fading = {kind = "rayleigh", doppler_hz = 5}
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler.kind = "proportional_fair"
[[flows]]
start_spread_s = 1
traffic = {kind = "sessions", size = {kind = "lognormal", median_bytes = 60000, sigma = 1.0}, think_s = 0.5}
path = {downlink_delay_ms = 20, uplink_delay_ms = 20}
"""

DOWNLOADS = """
duration_s = 6
warmup_s = 1
users = 3
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = 0, high_db = 14, spacing = "random"}
channel.shadowing.sd_db = 4
channel.fading = {kind = "rayleigh", doppler_hz = 3}
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
link.errors.probability = 0.002
queue.limit_packets = 20
scheduler.kind = "proportional_fair"
[[flows]]
path = {downlink_delay_ms = 20, uplink_delay_ms = 20}
tcp.profile = "linux"
"""

GOODPUT, EDGE, TIMEOUTS = "cell.goodput_bps", "users.p05(goodput_bps)", "cell.timeouts"
PAGE_P95, PAGE_P50, PAGE_MEAN = "downloads.p95(time_s)", "downloads.p50(time_s)", "downloads.mean(time_s)"
MAX, WAIT = "cell.granted_bps", "users.mean(queueing_delay_mean_s)"

TIMES = (PAGE_P50, PAGE_P95)


def scenarios(runs: int) -> list[Simulated]:
    """All of them, the cheap ones with pools of so many runs."""
    pages, tcp = Scenario.from_toml(PAGES), Scenario.from_toml(DOWNLOADS)
    heavy = pages.with_(**{"flows.0.traffic.size.median_bytes": 150_000})
    of_pages = {
        PAGE_P50: "median page time, 1 page of 7 under way",
        PAGE_P95: "p95 page time, 1 page of 7 under way",
        PAGE_MEAN: "mean page time of a run",
        GOODPUT: "goodput of a cell with pages",
        EDGE: "cell edge of a cell with pages (p05 of users)",
    }
    of_heavy = {PAGE_P50: "median page time, 1 page of 3 under way", PAGE_P95: "p95 page time, 1 page of 3 under way"}
    ended = dict.fromkeys(TIMES, "against the same pages, all ended")
    longer = dict.fromkeys(TIMES, "against runs ten times as long")
    rate, wait = {MAX: "rate of MAX over 4 users (exact)"}, {WAIT: "M/D/1: mean time of a packet (exact)"}
    return [
        Simulated("max-rate", Scenario.from_toml(MAX_RATE), rate, runs, {MAX: max_rate_truth()}),
        Simulated("wire", Scenario.from_toml(WIRE), wait, runs // 6, {WAIT: wire_truth()}),
        Simulated("pages", pages, of_pages, runs),
        Simulated("tcp", tcp, {TIMEOUTS: "timeouts, 0.5 a run", GOODPUT: "goodput of TCP"}, runs),
        Simulated("tcp-rare", tcp.with_(users=2), {TIMEOUTS: "timeouts, 0.2 a run"}, runs // 2),
        Simulated("pages-drained", pages.with_(drain_s=90), ended, runs // 6),
        Simulated("pages-longer", pages.with_(duration_s=100), longer, runs // 25),
        Simulated("heavy", heavy, of_heavy, runs // 6),
        Simulated("heavy-drained", heavy.with_(drain_s=90), ended, runs // 6),
    ]
