"""What is seen of a flow whose user sends data: uploads, requests and their answers, congestion marks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import airlink
from airlink import Result, plots
from airlink.plots.flow import write_page
from airlink.plots.flow.layers import panels_of, tables_of
from airlink.scenario import ready

LOSSES = "{loss = {kind = 'random', p = 0.02}}"
UPLOAD = (
    "{direction = 'up', path = {uplink_rate_bps = 3e6, uplink_delay_ms = 20, uplink_impairments = "
    + LOSSES
    + "}, tcp = {profile = 'linux', handshake = false}}"
)
ASKS = (
    "{traffic = {kind = 'requests', request_bytes = 8000, size = {kind = 'constant', bytes = 150_000}, think_s = 0.2}, "
    "path = {uplink_rate_bps = 2e6, uplink_delay_ms = 20, uplink_impairments = "
    + LOSSES
    + "}, tcp = {profile = 'linux', handshake = false, ecn = 'rfc3168'}}"
)
RECORD = ("packets", "acks", "sacks", "queue", "cwnd", "rtt", "events", "limits")


def run(flow: str, *changes: str) -> Result:
    wire = "bottleneck={rate_bps = 5e6, delay_ms = 10, limit_packets = 30}"
    return airlink.run(ready("dumbbell", ["duration_s=5", "users=2", wire, f"flows=[{flow}]", *changes]), record=RECORD)


@pytest.fixture(scope="module")
def upload() -> Result:
    return run(UPLOAD)


@pytest.fixture(scope="module")
def asks() -> Result:
    return run(ASKS, "bottleneck.mark_above_packets=8")


def test_an_uploads_segments_are_those_of_its_user_and_its_acks_come_down(upload: Result) -> None:
    view, flows = plots.flow_view(upload, flow=1), upload.flows
    assert view.segments.rows == flows["segments_sent"][1] == flows["segments_sent_up"][1]
    assert view.segments["retransmission"].sum() == flows["retransmissions"][1] > 0
    assert view.acks.rows == flows["acks_received"][1]
    assert view.acks["number"].max() <= view.segments["end"].max()
    assert view.drops.rows > 0
    assert (view.up, view.has_both_ways, view.requests.rows) == (True, False, 0)
    # Each lost segment is sent again once at least, but for the last ones.
    assert view.drops.rows <= flows["retransmissions"][1] + 3


def test_packets_of_an_upload_have_rows_both_ways(upload: Result) -> None:
    packets = upload.series("packets")
    own = packets.where(packets["flow"] == 0)
    down, up = (own.where(own["direction"] == way) for way in (0, 1))
    assert up.rows == upload.flows["segments_sent_up"][0]
    assert np.all(down["bytes"] < 100), "ACKs alone"
    assert np.all(np.isnan(up["queued_s"])), "what goes up never enters the network's queue"
    arrived = up.where(up["fate"] == 0)
    # No wire is faster than its delay, none takes less than a segment's time at its rate.
    assert np.min(arrived["ended_s"] - arrived["sent_s"]) >= 0.020 + 8 * 1500 / 3e6 - 1e-9
    assert upload.flows["packets_sent_up"][0] == up.rows, "it sends data alone"
    assert up.where(up["fate"] == 5).rows == upload.flows["uplink_wire_loss"][0]


def test_requests_are_seen_beside_their_answers(asks: Result) -> None:
    for flow in (0, 1):
        view, flows = plots.flow_view(asks, flow=flow), asks.flows
        assert view.segments.rows == flows["segments_sent"][flow]
        assert view.acks.rows == flows["acks_received"][flow]
        assert view.requests["retransmission"].sum() == flows["retransmissions_up"][flow]
        assert view.requests.rows == flows["segments_sent_up"][flow]
        assert 0 <= view.requests["end"].max() - flows["goodput_up_bytes"][flow] <= 8000
        assert view.request_acks["number"].max() <= view.requests["end"].max()


def test_marks_are_seen_where_they_came_and_where_they_were_echoed(asks: Result) -> None:
    for flow in (0, 1):
        view = plots.flow_view(asks, flow=flow)
        came = view.segments.where((view.segments["ce"] != 0) & (view.segments["fate"] == 0))
        assert came.rows == asks.flows["ce_received"][flow] > 0
        assert view.acks["ece"].sum() > 0
        # A receiver echoes from the first mark on.
        assert view.acks["time_s"][view.acks["ece"] != 0].min() > came["ended_s"].min()
        assert view.request_acks["ece"].sum() == 0, "the SYN's flag is an offer, no echo"


def test_figure_and_page_tell_the_directions_apart(asks: Result, upload: Result, tmp_path: Path) -> None:
    both, up = plots.flow_view(asks, flow=0), plots.flow_view(upload, flow=0)
    figure = plots.flow_figure(both)
    named = [axes.get_legend_handles_labels()[1] for axes in figure.axes]
    assert any({"segment down", "ACK up", "marked (CE)", "echoed (ECE)"} <= set(names) for names in named)
    assert any({"segment up", "ACK down"} <= set(names) for names in named)
    panels = {panel.name: panel for panel in panels_of(both, tables_of(both))}
    colours = {layer.name: layer.colour for name in ("sequence", "requests") for layer in panels[name].layers}
    four = [colours[name] for name in ("sent down", "ACK up", "sent up", "ACK down")]
    assert len(set(four)) == 4
    assert "flow 0 to and from user 0" in write_page(both, tmp_path / "both.html").read_text("utf-8")
    alone = {panel.name: panel for panel in panels_of(up, tables_of(up))}
    assert "requests" not in alone
    assert {"sent up", "ACK down"} <= {layer.name for layer in alone["sequence"].layers}
    assert "dropped" not in " ".join(layer.table for layer in alone["queue"].layers)
    assert "flow 0 from user 0" in write_page(up, tmp_path / "up.html").read_text("utf-8")


def test_a_download_looks_as_ever() -> None:
    view = plots.flow_view(airlink.run(ready("dumbbell", ["duration_s=1"])), flow=0)
    names = [layer.name for panel in panels_of(view, tables_of(view)) for layer in panel.layers]
    assert {"sent", "ACK"} <= set(names)
    assert not any(name.endswith((" up", " down")) or name.startswith(("marked", "echoed")) for name in names)


def test_both_ends_reductions_are_counted() -> None:
    """Requests of 200 kB over a hop that marks, and nothing marks what comes down: the user's sender alone reduces."""
    asks = (
        "{traffic = {kind = 'requests', request_bytes = 200_000, size = {kind = 'constant', bytes = 2000}, "
        "think_s = 0.1}, path = {uplink_hops = ['gate'], uplink_delay_ms = 20}, "
        "tcp = {profile = 'linux', handshake = false, ecn = 'rfc3168'}}"
    )
    gate = "hops=[{name = 'gate', rate_bps = 2e6, limit_packets = 100, mark_above_packets = 5}]"
    flows = run(asks, gate).flows
    assert np.all(flows["ce_received"] > 0)
    assert np.all(flows["ecn_reductions"] > 0)
    assert np.all(flows["ecn_reductions"] <= flows["ce_received"])
