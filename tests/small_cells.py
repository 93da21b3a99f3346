"""Cells small enough for many runs: three users, a second or less."""

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

TCP_TEXT = """
name = "tiny"
duration_s = 1
users = 3
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = 0, high_db = 20}
channel.fading.kind = "rayleigh"
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler.kind = "proportional_fair"
flows = [{users = "all"}]
"""
TINY = Scenario.from_toml(TCP_TEXT)
ENDLESS = TINY.with_(duration_s=1e6, users=50)
"""It runs until it is ended."""
