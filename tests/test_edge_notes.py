"""Remarks under answers about the slowest users: who asked for little, and what goodput does not count yet."""

from __future__ import annotations

import numpy as np
import pytest

import airlink
from airlink import Scenario
from airlink.campaign import edge_notes
from airlink.measures import measure
from small_cells import TINY

EDGE = "users.p05(goodput_bps)"
PAGES = {"users": [1], "traffic": {"kind": "sessions", "think_s": 0.5}}


def said(scenario: Scenario, text: str = EDGE) -> list[str]:
    """Notes of a sweep of one scenario about the slowest users."""
    found = airlink.sweep(scenario, {}, measures=[text], seeds=range(1, 3), store=None)
    return [note for note in found.notes if "always have data" in note or "payload that reached" in note]


@pytest.mark.parametrize(
    ("flows", "limited"),
    [
        ([{"users": [0, 2]}, PAGES], (1,)),
        ([{"users": "all"}, PAGES], ()),
        ([{"users": "all", "traffic": PAGES["traffic"]}], ()),
        ([{"users": [0, 2], "traffic": {"kind": "backlogged"}}, PAGES], (1,)),
    ],
)
def test_only_users_who_ask_for_less_than_others_are_limited(flows: list[object], limited: tuple[int, ...]) -> None:
    assert edge_notes.limited_by_traffic(TINY.with_(flows=flows)) == limited


def test_an_edge_of_users_who_asked_for_little_is_called_none() -> None:
    mixed = TINY.with_(flows=[{"users": [0, 2]}, PAGES])
    (note,) = said(mixed)
    assert note.startswith(f"{EDGE}: not only of users who always have data. 1 of 3 users have only")
    assert said(mixed, "cell.goodput_bps") == []
    assert said(mixed.override(["flows.1.traffic.kind=greedy"])) == []


def test_what_waits_behind_a_hole_is_what_reached_the_slowest_less_their_goodput() -> None:
    replica = airlink.run(TINY.with_(duration_s=3)).replicas[0]
    users = replica.users
    slowest = int(np.argmin(users["goodput_bytes"]))
    payload = users["delivered_bytes"][slowest] - 40 * users["packets_delivered"][slowest]
    reached, waits = edge_notes.waiting(replica)
    assert reached == payload > 0
    assert waits == max(payload - users["goodput_bytes"][slowest], 0)


def test_a_share_that_goodput_lacks_is_said_from_a_tenth_on() -> None:
    asked = [measure("cell.goodput_bps"), measure(EDGE)]
    arms = {"pf": TINY, "rr": TINY}
    assert edge_notes.notes(arms, {"pf": [(100.0, 9.0), (100.0, 10.0)], "rr": [(0.0, 0.0)]}, asked) == []
    (note,) = edge_notes.notes(arms, {"pf": [(100.0, 9.0), (100.0, 11.0)], "rr": [(100.0, 25.0)]}, asked)
    assert "goodput lacks 10 % (pf), 25 % (rr)" in note
    assert edge_notes.notes(arms, {"pf": [(100.0, 25.0)]}, asked[:1]) == []


def test_more_scenarios_than_a_line_holds_are_counted() -> None:
    waits = {name: [(100.0, share)] for name, share in zip("abcde", (20.0, 30.0, 40.0, 50.0, 60.0), strict=True)}
    (note,) = edge_notes.notes(dict.fromkeys(waits, TINY), waits, [measure(EDGE)])
    assert "20 % (a), 30 % (b), 40 % (c); and in 2 more:" in note
