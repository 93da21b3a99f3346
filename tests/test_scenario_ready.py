"""Scenarios that come with the package: their values against the papers, their templates, their traces."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from airlink import run
from airlink.engine import rate_table
from airlink.scenario import FIRST, READY, Scenario, ready, template, trace_arrays, warnings_of
from test_scenario import ROOT, fields_of, problems_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

K3 = {
    "scenario_version": 2,
    "name": "k3",
    "duration_s": 25,
    "warmup_s": 0,
    "users": 21,
    "slot.duration_ms": 5,
    "channel.placement.kind": "disc",
    "channel.placement.radius_m": 2000,
    "channel.placement.inner_radius_m": 70,
    "channel.path_loss.exponent": 3.5,
    "channel.path_loss.reference_distance_m": 2000,
    "channel.path_loss.reference_snr_db": -4.5,
    "channel.ceiling.sinr_db": 10 * math.log10(20),
    "channel.ceiling.applies_to": "mean",
    "channel.shadowing.sd_db": 0,
    "channel.motion.speed_kmh": 30,
    "channel.motion.carrier_hz": 2e9,
    "channel.fading.kind": "rayleigh",
    "channel.fading.terms": 16,
    "channel.fading.doppler_hz": 55.56,
    "link.report.error_sd_db": 0.707,
    "link.report.delay_slots": 0,
    "link.report.period_slots": 1,
    "link.report.quantisation_db": 0,
    "link.report.backoff_db": 0,
    "link.rate.kind": "table",
    "link.rate.name": "custom",
    "link.rate.thresholds_db": (-7.1, -5.2, -3.7, 0.1, 2.8, 5.0),
    "link.rate.rates_bps": (320e3, 480e3, 640e3, 1280e3, 1920e3, 2560e3),
    "link.errors.probability": 0.002,
    "link.errors.threshold_rule": False,
    "link.arq.max_retransmissions": 0,
    "rlc.segment_bytes": 1,
    "rlc.segment_header_bytes": 0,
    "rlc.block_header_bytes": 0,
    "rlc.carry_fraction": False,
    "rlc.in_order": True,
    "queue.limit_packets": math.inf,
    "queue.limit_bytes": math.inf,
    "scheduler.kind": "tcp_pf",
    "scheduler.serve_empty_queues": True,
    "scheduler.ties": "lowest_index",
    "scheduler.time_constant_slots": 1000,
    "scheduler.average_counts": "sent",
    "scheduler.initial_average_bps": 10 * 8 / 0.005,
    "scheduler.gap_mean_weight": 0.1,
    "scheduler.gap_square_weight": 0.5,
    "scheduler.initial_gap_mean_slots": 21,
    "scheduler.initial_gap_square_slots2": 441,
    "scheduler.vacation_unit": "slots",
    "scheduler.terms": "both",
    "flows.0.users": "all",
    "flows.0.start_s": 0,
    "flows.0.start_spread_s": 5,
    "flows.0.stop_s": math.inf,
    "flows.0.traffic.kind": "file",
    "flows.0.traffic.bytes": 700_000,
    "flows.0.path.downlink_delay_ms": 20,
    "flows.0.path.downlink_rate_bps": math.inf,
    "flows.0.path.uplink_delay_ms": 20,
    "flows.0.path.uplink_rate_bps": 64_000,
    "flows.0.tcp.congestion_control": "reno",
    "flows.0.tcp.mss_bytes": 536,
    "flows.0.tcp.header_bytes": 40,
    "flows.0.tcp.ack_bytes": 40,
    "flows.0.tcp.initial_window_segments": 1,
    "flows.0.tcp.initial_ssthresh_segments": math.inf,
    "flows.0.tcp.rules.timeout_raises_threshold": True,
    "flows.0.tcp.duplicate_ack_threshold": 3,
    "flows.0.tcp.rules.careful_fast_retransmit": False,
    "flows.0.tcp.rto.min_ms": 250,
    "flows.0.tcp.rto.initial_ms": 3000,
    "flows.0.tcp.rto.max_ms": 60_000,
    "flows.0.tcp.rto.tick_ms": 200,
    "flows.0.tcp.rto.next_tick": True,
    "flows.0.tcp.rto.backoff_factor": 2,
    "flows.0.tcp.rto.karn": True,
    "flows.0.tcp.rto.variance_floor": False,
    "flows.0.tcp.rto.sample_every_ack": False,
    "flows.0.tcp.receiver_window_bytes": 65536,
    "flows.0.tcp.delayed_ack.every": 1,
}
LOSSLESS = {
    "name": "k3-lossless",
    "link.arq.max_retransmissions": math.inf,
    "scheduler.vacation_unit": "seconds",
    "flows.0.start_spread_s": 8,
}
PAPER_000 = {
    "duration_s": 200,
    "users": 16,
    "slot.duration_ms": "5/3",
    "carrier.subchannels": 1,
    "carrier.subchannel_hz": 180e3,
    "channel.placement.low_db": -10.8,
    "channel.placement.high_db": 12.24,
    "channel.placement.spacing": "equal",
    "channel.fading.kind": "rayleigh",
    "channel.fading.doppler_hz": 4,
    "link.rate.name": "1xev-do",
    "link.errors.probability": 0,
    "rlc.segment_bytes": 8,
    "rlc.carry_fraction": False,
    "queue.limit_packets": 10,
    "scheduler.kind": "proportional_fair",
    "scheduler.serve_empty_queues": False,
    "scheduler.time_constant_slots": 100,
    "scheduler.average_counts": "granted",
    "flows.0.start_spread_s": 0.1,
    "flows.0.traffic.kind": "greedy",
    "flows.0.path.downlink_delay_ms": 17.5,
    "flows.0.path.uplink_delay_ms": 17.5,
    "flows.0.path.uplink_rate_bps": math.inf,
    "flows.0.tcp.congestion_control": "reno",
    "flows.0.tcp.mss_bytes": 472,
    "flows.0.tcp.header_bytes": 40,
    "flows.0.tcp.initial_ssthresh_segments": 20,
    "flows.0.tcp.delayed_ack.every": 1,
}
PAPER_004 = {
    "duration_s": 1800,
    "warmup_s": 600,
    "users": 3,
    "slot.duration_ms": 3,
    "channel.placement.mean_snr_db": pytest.approx(10 * math.log10(4), abs=1e-12),
    "channel.fading.kind": "jakes",
    "channel.fading.terms": 20,
    "channel.fading.doppler_hz": 0.6,
    "link.report.delay_slots": 1,
    "link.outer_loop.kind": "margin",
    "link.outer_loop.gain": 0.05,
    "link.outer_loop.target_per": 1e-3,
    "link.rate.kind": "capacity",
    "link.rate.bandwidth_hz": 4.3e6,
    "link.rate.max_rate_bps": 10e6,
    "link.errors.threshold_rule": True,
    "link.arq.max_retransmissions": 4,
    "link.arq.unit": "slot",
    "link.arq.repeats": "at_once",
    "queue.limit_bytes": 6_000_000,
    "queue.price.kind": "clamp",
    "queue.price.gain_b": 1,
    "queue.price.averaging_ms": 500,
    "scheduler.kind": "proportional_fair",
    "scheduler.time_constant_slots": pytest.approx(100 / 3, rel=1e-12),
    "scheduler.average_counts": "granted",
    "scheduler.initial_average_bps": 1000,
    "scheduler.serve_empty_queues": False,
}
PAPER_004_FLOW = {
    "start_spread_s": 0.1,
    "traffic.kind": "greedy",
    "path.downlink_rate_bps": math.inf,
    "path.uplink_rate_bps": math.inf,
    "tcp.congestion_control": "new_reno",
    "tcp.rules.careful_fast_retransmit": True,
    "tcp.handshake": True,
    "tcp.initial_window_segments": 1,
    "tcp.initial_ssthresh_segments": math.inf,
    "tcp.rto.min_ms": 1000,
    "tcp.rto.initial_ms": 3000,
    "tcp.rto.tick_ms": 0,
    "tcp.delayed_ack.every": 1,
    "tcp.clamp.side": "receiver",
    "tcp.clamp.tau_bytes": 500,
    "tcp.clamp.rate_packets": 1000,
    "tcp.clamp.delay_weight": 0.001,
}


def paths_of(table: dict[str, Any], above: str = "") -> set[str]:
    """The paths of the fields that a file writes."""
    found: set[str] = set()
    for name, value in table.items():
        tables = value if isinstance(value, list) else [value]
        for index, item in enumerate(tables):
            place = f"{above}{name}.{index}." if isinstance(value, list) else f"{above}{name}."
            found |= paths_of(item, place) if isinstance(item, dict) else {f"{above}{name}"}
    return found


class TestReady:
    def test_k3_holds_exactly_the_values_of_the_profile(self) -> None:
        written = paths_of(tomllib.loads(template("k3")))
        assert written == {*K3, "description"}
        found = {path: value for path, value in fields_of(ready("k3")).items() if path in K3}
        assert found == {**K3, "channel.ceiling.sinr_db": pytest.approx(K3["channel.ceiling.sinr_db"], abs=1e-12)}

    def test_the_lossless_variant_differs_in_starts_repetition_and_unit_only(self) -> None:
        found, base = fields_of(ready("k3-lossless")), fields_of(ready("k3"))
        different = {path: value for path, value in found.items() if value != base[path]}
        assert different.pop("description")
        assert different == LOSSLESS

    def test_the_cell_of_paper_000_holds_what_the_paper_gives(self) -> None:
        found = fields_of(ready("opportunistic-pf"))
        assert {path: found[path] for path in PAPER_000} == PAPER_000

    def test_the_example_of_paper_000_is_its_ready_scenario(self) -> None:
        example, own = Scenario.from_toml(ROOT / "docs/examples/evdo-cell.toml"), ready("opportunistic-pf")
        assert example.with_(name=own.name, description=own.description) == own

    def test_the_example_of_paper_001_is_k3(self) -> None:
        example = Scenario.from_toml(ROOT / "docs/examples/tcp-pf.toml")
        assert example.with_(name="k3") == ready("k3")

    def test_the_cell_of_paper_004_holds_what_profile_c1_says(self) -> None:
        found = fields_of(ready("clamp"))
        assert {path: found[path] for path in PAPER_004} == PAPER_004
        for flow, delay_ms in enumerate((30, 130, 10, 180)):
            own = {path: found[f"flows.{flow}.{path}"] for path in PAPER_004_FLOW}
            assert own == PAPER_004_FLOW
            ways = ("downlink", "uplink")
            assert [found[f"flows.{flow}.path.{way}_delay_ms"] for way in ways] == [delay_ms / 2] * 2

    def test_the_mean_snr_of_paper_004_carries_what_a_logarithm_to_base_2_says(self) -> None:
        """W0 log2(1 + 4) is close to the highest rate of 10 Mb/s; with a natural logarithm it would be 6.9."""
        still: dict[str, Any] = {"duration_s": 0.3, "warmup_s": 0.15, "users": 1}
        still |= {"channel.fading": {"kind": "none"}, "link.outer_loop": {"kind": "none"}}
        flow = {"users": (0,), "traffic": {"kind": "backlogged"}}
        users = run(ready("clamp").with_(**still, flows=[flow]), seed=1).users
        assert users["granted_bps"][0] == pytest.approx(4.3e6 * math.log2(5), rel=1e-3)

    def test_the_nr_like_cell_has_the_peak_rate_of_ts_38_306(self) -> None:
        """Section 4.1.2: layers x Q_m x R_max x 12 N_PRB / T_s x (1 - overhead), T_s a symbol of 14 in a slot."""
        peak_bps = 1 * 8 * (948 / 1024) * 12 * 273 / (1e-3 / (14 * 2)) * (1 - 0.14)
        assert peak_bps == pytest.approx(584.25e6, rel=1e-5)
        cell = ready("nr-like")
        table = rate_table(cell)
        assert table is not None
        assert table["rate_bps"][-1] == pytest.approx(peak_bps, rel=1e-12)
        alone = cell.with_(
            **{
                "users": 1,
                "duration_s": 0.2,
                "warmup_s": 0.1,
                "channel.placement": {"kind": "mean_snr", "mean_snr_db": 40},
                "channel.fading": {"kind": "none"},
                "queue.limit_packets": math.inf,
                "flows.0.traffic": {"kind": "backlogged", "packet_bytes": 1500},
                "flows.0.start_spread_s": 0,
            }
        )
        users = run(alone, seed=1).users
        assert users["granted_bps"][0] == pytest.approx(peak_bps, rel=1e-6)
        assert users["delivered_bps"][0] == pytest.approx(peak_bps, rel=1e-3)

    @pytest.mark.parametrize("name", ["lte", "nr"])
    def test_each_line_of_a_cell_of_3gpp_says_where_its_value_comes_from(self, name: str) -> None:
        lines = template(name).splitlines()
        assert len(lines) <= 60
        silent = [line for line in lines if " = " in line and not re.search("# .*(given|computed|chosen)", line)]
        assert [line.split(" = ")[0] for line in silent] == ["name", "description"]

    @pytest.mark.parametrize("name", ["lte", "nr"])
    def test_a_cell_of_3gpp_has_no_warnings_and_finite_buffers_web_and_downloads_over_linux(self, name: str) -> None:
        cell = ready(name)
        assert warnings_of(cell) == []
        assert cell.queue is not None
        assert math.isfinite(cell.queue.limit_packets)
        assert [(flow.traffic.kind, flow.tcp.profile) for flow in cell.flows] == [
            ("greedy", "linux"),
            ("sessions", "linux"),
        ]
        assert len(set(fields_of(cell)["channel.motion.speed_kmh"])) == 3

    @pytest.mark.parametrize(("name", "band_hz", "least", "most"), [("lte", 10e6, 1.0, 1.6), ("nr", 100e6, 1.3, 2.2)])
    def test_a_cell_of_3gpp_carries_what_one_antenna_can(
        self, name: str, band_hz: float, least: float, most: float
    ) -> None:
        """Spectral efficiency of backlogged users, b/s/Hz, and the share of first transmissions that OLLA aims at."""
        flow = {"users": "all", "traffic": {"kind": "backlogged"}}
        short = {"duration_s": 6, "warmup_s": 2, "queue.limit_packets": math.inf, "channel.shadowing.sd_db": 0}
        users = run(ready(name).with_(flows=[flow], **short), seed=1, replicas=3).users
        efficiency = np.sum(users["delivered_bps"]) / 3 / band_hz
        assert least < efficiency < most
        first = np.sum(users["frames_sent"]) - np.sum(users["frames_repeated"])
        assert np.sum(users["first_frame_errors"]) / first == pytest.approx(0.1, abs=0.02)

    def test_the_lte_cell_has_the_symbols_of_a_subframe(self) -> None:
        """12 subcarriers x 14 symbols, less 3 symbols of control and 6 of port 0's 8 reference symbols beside them."""
        found = fields_of(ready("lte"))
        data = 12 * 14 - 12 * 3 - 6
        assert found["link.rate.bandwidth_hz"] * (1 - found["link.rate.overhead"]) * 1e-3 == pytest.approx(50 * data)

    @pytest.mark.parametrize("name", READY)
    def test_a_template_of_a_ready_scenario_is_that_scenario(self, name: str) -> None:
        assert Scenario.from_toml(template(name), read_traces=False) == ready(name)

    def test_the_template_has_a_comment_above_every_field(self) -> None:
        lines = template(full=True).splitlines()
        bare = [
            line
            for before, line in zip(["", *lines], lines, strict=False)
            if " = " in line and line[0] != "#" and not before.startswith("#")
        ]
        assert bare == []

    def test_the_full_template_has_optional_tables_with_their_fields_in_comments(self) -> None:
        text = template(full=True)
        assert Scenario.from_toml(text) == ready(FIRST)
        for table, field in [
            ("channel.link_budget", "noise_figure_db"),
            ("experimental", "hold_timeouts"),
            ("bottleneck", "rate_bps"),
            ("upstream", "rate_bps"),
            ("flows.tcp.clamp", "tau_bytes"),
            ("flows.path.uplink_impairments", "reorder_probability"),
        ]:
            _, found, below = text.partition(f"# [{table}]\n")
            assert found, table
            assert f"\n# {field} = " in below.partition("\n\n")[0], (table, field)

    def test_the_variable_of_the_measured_traces_is_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("AIRLINK_TRACES", raising=False)
        problems = problems_of(lambda: ready("drive").resolved())
        assert len(problems) == 4
        assert "needs the environment variable AIRLINK_TRACES" in problems[0].message

    @pytest.mark.parametrize("name", ["drive", "drive-5g"])
    def test_measured_traces_are_read_whole(self, name: str, requires_traces: Path) -> None:
        assert requires_traces.is_dir()
        resolved = ready(name).resolved()
        arrays = trace_arrays(resolved)
        assert [len(digest) for digest in fields_of(resolved)["channel.placement.sha256"]] == [64] * 4
        assert all(
            len(times) == len(values) > 1000 for times, values in zip(arrays["times_s"], arrays["values"], strict=True)
        )

    def test_a_recording_of_1xev_do_keeps_its_rate(self, requires_traces: Path) -> None:
        assert requires_traces.is_dir()
        rates = trace_arrays(ready("drive"))["values"][0]
        assert np.mean(rates) == pytest.approx(0.52e6, rel=0.01)

    def test_a_name_that_does_not_exist_is_told_with_those_that_do(self) -> None:
        [problem] = problems_of(lambda: ready("k4"))
        assert '"k3"' in problem.message
