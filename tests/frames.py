"""What a link did with its blocks in a run, and whether a share of them fits a probability."""

from __future__ import annotations

import math

import airlink
from airlink import Scenario


def frames(scenario: Scenario) -> tuple[float, float, float, float]:
    """Blocks sent, sent again, lost, given up."""
    users = airlink.run(scenario, seed=1).users
    columns = ("frames_sent", "frames_repeated", "frame_errors", "frames_given_up")
    sent, again, lost, given_up = (float(users[name].sum()) for name in columns)
    return sent, again, lost, given_up


def fits(share: float, probability: float, trials: float) -> bool:
    """Within 4.5 standard errors, which one test in 150 000 exceeds."""
    return abs(share - probability) <= 4.5 * math.sqrt(probability * (1 - probability) / trials) + 1e-9
