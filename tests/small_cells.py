"""A cell small enough for many runs: three users, an eighth of a second."""

from __future__ import annotations

from airlink import Scenario

TEXT = """
name = "tiny"
duration_s = 0.25
users = 3
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = 0, high_db = 15, spacing = "random"}
channel.fading.kind = "rayleigh"
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler.kind = "round_robin"
flows = [{traffic = {kind = "backlogged"}}]
"""
CELL = Scenario.from_toml(TEXT)
GOODPUT = "cell.goodput_bps"
