"""What a lost frame is called: the end of its data, or the occasion of a retransmission by the link."""

from __future__ import annotations

from airlink.scenario import Scenario

LOST = "packet lost for good"
"""What neither HARQ nor ARQ brought."""


def recovery_of(scenario: Scenario) -> str:
    """What retransmits lost frames in a scenario: "HARQ", "ARQ" or "" (nothing on the link, or no radio)."""
    link = scenario.link
    if link is None:
        return ""
    return "HARQ" if link.harq.kind != "none" else "ARQ" if link.arq.max_retransmissions > 0 else ""


def unit_lost(recovery: str) -> str:
    """What is lost as one.

    >>> unit_lost("HARQ"), unit_lost("ARQ"), unit_lost("")
    ('block', 'frame', 'frame')
    """
    return "block" if recovery == "HARQ" else "frame"


def lost_words(recovery: str) -> str:
    """What a slot with an error means.

    >>> lost_words("HARQ"), lost_words("")
    ('block lost, HARQ retransmits it', 'frame lost')
    """
    return f"{unit_lost(recovery)} lost, {recovery} retransmits it" if recovery else "frame lost"
