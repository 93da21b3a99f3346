"""Congestion marks in captures: tshark sees as many as airlink counts, and complains of nothing."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

import airlink
from airlink.scenario import Scenario
from readers import tshark

MARKED = """
name = "marked"
description = "A download with ECN through a threshold"
duration_s = 6
users = 1

[bottleneck]
rate_bps = 1e7
delay_ms = 20
mark_above_packets = 10

[[flows]]
traffic = { kind = "greedy" }
path = { uplink_delay_ms = 20 }
tcp = { ecn = "rfc3168", handshake = true }
"""
FIELDS = ("ip.dsfield.ecn", "tcp.flags.ece", "tcp.flags.cwr", "tcp.flags.syn", "tcp.len", "ip.src")
SET = {"1", "True"}
ECT0, CE = "2", "3"


def frames(file: Path) -> list[dict[str, str]]:
    """The fields of every frame, as tshark reads them."""
    chosen = [word for field in FIELDS for word in ("-e", field)]
    text = tshark.asked(file, "-T", "fields", "-E", "separator=,", *chosen)
    return [dict(zip(FIELDS, row, strict=True)) for row in csv.reader(text.splitlines())]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> tuple[airlink.Result, dict[str, list[dict[str, str]]]]:
    folder = tmp_path_factory.mktemp("marks")
    result = airlink.run(Scenario.from_toml(MARKED), record=("pcap",), captures=folder, snap=65535)
    return result, {point: frames(folder / f"{point}-1.pcapng") for point in ("server", "user")}


def test_marks_echoes_and_answers_are_as_many_as_counted(
    seen: tuple[airlink.Result, dict[str, list[dict[str, str]]]],
) -> None:
    result, captures = seen
    flows = result.flows
    at_user = [frame for frame in captures["user"] if frame["ip.src"] == tshark.SERVER]
    fields = Counter(frame["ip.dsfield.ecn"] for frame in at_user if frame["tcp.len"] != "0")
    assert fields[CE] == flows["ce_received"][0] > 0
    assert set(fields) == {ECT0, CE}
    sent = [frame for frame in captures["server"] if frame["ip.src"] == tshark.SERVER]
    assert all(frame["ip.dsfield.ecn"] == ECT0 for frame in sent if frame["tcp.len"] != "0")
    answers = sum(frame["tcp.flags.cwr"] in SET for frame in sent if frame["tcp.flags.syn"] not in SET)
    assert answers == flows["ecn_reductions"][0] > 0
    acks = [frame for frame in captures["user"] if frame["ip.src"] != tshark.SERVER]
    assert any(frame["tcp.flags.ece"] in SET for frame in acks)
    assert all(frame["ip.dsfield.ecn"] == "0" for frame in acks)


def test_the_handshake_asks_and_agrees(
    seen: tuple[airlink.Result, dict[str, list[dict[str, str]]]],
) -> None:
    opening = [frame for frame in seen[1]["server"] if frame["tcp.flags.syn"] in SET]
    flags = [(frame["tcp.flags.ece"] in SET, frame["tcp.flags.cwr"] in SET) for frame in opening]
    assert flags == [(True, True), (True, False)]


def test_tshark_finds_nothing_broken(tmp_path: Path) -> None:
    airlink.run(Scenario.from_toml(MARKED), record=("pcap",), captures=tmp_path, snap=65535)
    for point in ("server", "queue", "user"):
        capture = tshark.read(tmp_path / f"{point}-1.pcapng")
        assert capture.frames
        assert capture.broken == []
