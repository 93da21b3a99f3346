"""Figures of a result, for papers and screens: each function returns a matplotlib Figure."""

from airlink.plots.throughput import delay_cdf, throughput_cdf, user_throughput
from airlink.plots.traces import congestion_window, gaps, slots

__all__ = ["congestion_window", "delay_cdf", "gaps", "slots", "throughput_cdf", "user_throughput"]
