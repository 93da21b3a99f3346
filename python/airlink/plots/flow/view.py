"""What is seen of one flow: the series of one replica, cut to a stretch of time, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from airlink.engine import Progress
from airlink.plots.excerpt import Excerpt, excerpt
from airlink.plots.flow.reordering import nth_duplicates, out_of_order
from airlink.plots.losses import lost_words, recovery_of
from airlink.result import Result, ResultError, Table
from airlink.result.rerun import recorded
from airlink.result.selection import chosen_flow, group_of, of_direction, within
from airlink.scenario import Scenario
from airlink.scenario.sections import Backlogged, Flow, RateFromTrace, Tcp
from airlink.tables import DELIVERED, DOWN, SERIES, UP, WAITING

KINDS = ("slots", "packets", "acks", "sacks", "queue", "cwnd", "rtt", "snr", "events", "limits")
"""Series that a view is made of."""


def _nothing_of(kind: str) -> Table:
    """A series without a row."""
    types = {"whole": np.int64, "real": np.float64}
    return Table({column.name: np.zeros(0, dtype=types[column.type]) for column in SERIES[kind].columns})


@dataclass(frozen=True)
class FlowView(Excerpt):
    """One flow of one replica, in a stretch of time.

    Attributes
    ----------
    user, flow : numbers, from 0.
    mss_bytes : payload of a full segment.
    segments : a row per segment sent: sent_s, ended_s (NaN if it did not end), start, end (bytes of the stream),
        retransmission (0/1), out_of_order (0/1: arrived after bytes that lie behind it), fate (as in `packets`), ce
        (0/1: it carried a congestion mark as it ended). Of uploads the user's, of requests and answers the server's.
    acks : a row per ACK at the sender of these: time_s, number, window_end (number + the window advertised), duplicate
        (0/1), third (0/1: the duplicate that reaches `flows.tcp.duplicate_ack_threshold`), ece (0/1: it echoes a mark).
    sacks : a row per SACK block at that sender: time_s, start, end, duplicate (0/1: DSACK).
    requests, request_acks : as `segments` and `acks`, of what the user sends where the server answers; else empty.
    slots : a row per slot that the user won: time_s, rate_bps, sent_bytes, error (0/1). Empty with a bottleneck.
    snr : a row per slot: time_s, true_db, of the user. Empty with a bottleneck, and where a rate is replayed.
    queue : time_s, packets, bytes: after every change of the user's queue, of the bottleneck's with one.
    drops : a row per packet that was lost, of the data of `segments`: time_s, start, fate (as in `packets`).
    window : time_s, cwnd_bytes, ssthresh_bytes (inf allowed), flight_bytes, at every ACK and timeout.
    rtt : time_s, rtt_s, srtt_s: a row per sample.
    rto : time_s, rto_s: at every ACK and timeout.
    events : time_s, event, sequence, spurious, as in the series `events`.
    limits : from_s, to_s, cause, as in the series `limits`; clipped to the stretch.
    up : whether the data of `segments` goes up.
    alone : whether the cell has one user: who waits there waits for a slot with a rate, not for the scheduler.
    recovery : what sends a lost frame or block again: "HARQ", "ARQ" or, if nothing does, "".

    `queue`, `window` and `rto` begin with the state at `start_s`, if there was one before.
    """

    user: int
    flow: int
    mss_bytes: int
    segments: Table
    acks: Table
    sacks: Table
    slots: Table
    snr: Table
    queue: Table
    drops: Table
    window: Table
    rtt: Table
    rto: Table
    events: Table
    limits: Table
    requests: Table = field(default_factory=lambda: _segments_of(_nothing_of("packets")))
    request_acks: Table = field(default_factory=lambda: _acks(_nothing_of("acks"), 0))
    recovery: str = ""
    up: bool = False
    alone: bool = False

    @property
    def has_both_ways(self) -> bool:
        """Whether data goes both ways."""
        return self.requests.rows > 0

    @property
    def way(self) -> str:
        """Where its data goes, before the word "user"."""
        return "to and from" if self.has_both_ways else "from" if self.up else "to"

    @property
    def lost_words(self) -> str:
        """What is lost where a slot has an error."""
        return lost_words(self.recovery)


def flow_view(  # noqa: PLR0913 - one argument per choice
    result: Result,
    *,
    user: int | None = None,
    flow: int | None = None,
    replica: int = 0,
    start_s: float = 0.0,
    stop_s: float = float("inf"),
    progress: Progress | None = None,
) -> FlowView:
    """What is to be seen of one flow.

    Parameters
    ----------
    result : any run with TCP. If it lacks a series, the replica is simulated again.
    user, flow : whose; one of them, or both. A user of several flows: the first, unless `flow` names another.
    replica : which, default 0.
    start_s, stop_s : the stretch, s, default the whole run; it ends with the run at the latest.
    progress : of simulating again, called with (finished, total).

    Returns
    -------
    FlowView.

    Raises
    ------
    RequestError : no such user, flow or replica; an empty stretch or one outside the run.
    ResultError : the flow has no TCP; simulating again does not give the same numbers.

    Examples
    --------
    >>> import airlink
    >>> result = airlink.run(airlink.scenario.ready("dumbbell", ["duration_s=1"]))
    >>> view = flow_view(result, user=0, stop_s=0.25)
    >>> view.segments.rows, int(view.segments["retransmission"].sum())
    (51, 0)
    """
    part = excerpt(result, replica, start_s, stop_s)
    stored = result.replicas[replica]
    chosen = chosen_flow(stored, user, flow)
    group = check_tcp(result, replica, chosen)
    series = recorded(result, KINDS, replica, progress)
    whose = int(stored.flows["user"][chosen])
    up = group.direction == "up"
    cut = _Cut(series, result.scenario, group.tcp, chosen, whose, up, part["start_s"], part["stop_s"])
    return FlowView(
        user=cut.user,
        flow=chosen,
        mss_bytes=group.tcp.mss_bytes,
        slots=cut.slots(),
        snr=cut.snr(),
        queue=cut.queue(),
        events=cut.rows("events", ("time_s", "event", "sequence", "spurious")),
        limits=cut.limits(),
        recovery=recovery_of(result.scenario),
        up=up,
        alone=result.scenario.users == 1,
        **(part | cut.transport()),
    )


def check_tcp(result: Result, replica: int, flow: int) -> Flow:
    """What a flow of a replica is set to.

    Raises
    ------
    ResultError : it has no TCP, with what can be drawn of it.
    """
    group = group_of(result.scenario, result.replicas[replica], flow)
    if not group.has_tcp():
        what = "is always backlogged" if isinstance(group.traffic, Backlogged) else "goes over UDP"
        goes_down_a_cell = group.direction == "down" and result.scenario.bottleneck is None
        instead = (
            "airlink plot cell draws its slots, rate and delay"
            if goes_down_a_cell
            else "airlink explain tells where its packets were, and what became of them"
        )
        raise ResultError(f"flow {flow} {what}: without TCP there are no ACKs and no window to draw; {instead}")
    return group


@dataclass(frozen=True)
class _Cut:
    """The series of one replica, and which part of them is wanted."""

    series: Mapping[str, Table]
    scenario: Scenario
    tcp: Tcp
    flow: int
    user: int
    up: bool
    start_s: float
    stop_s: float

    def transport(self) -> dict[str, Table]:
        """What happens at the two ends of the connection."""
        way, back = (UP, DOWN) if self.up else (DOWN, UP)
        packets, acks = self._own("packets"), self._own("acks")
        window = ("time_s", "cwnd_bytes", "ssthresh_bytes", "flight_bytes")
        segments = _segments_of(of_direction(packets, way))
        if of_direction(packets, UP).rows:
            segments = segments.where(segments["end"] > segments["start"])  # the server's ACKs are no segments
        lost = segments.where((segments["fate"] != DELIVERED) & (segments["fate"] != WAITING))
        order = np.argsort(lost["ended_s"], kind="stable")
        drops = Table({"time_s": lost["ended_s"][order], "start": lost["start"][order], "fate": lost["fate"][order]})
        return {
            "segments": self._cut(segments, "sent_s"),
            "acks": self._acks(acks, back),
            "sacks": _columns(of_direction(self._cut(self._own("sacks")), back), SACK),
            **self._requests(packets, acks),
            "drops": self._cut(drops),
            "window": _columns(self._cut(self._own("cwnd"), state=True), window),
            "rtt": self.rows("rtt", ("time_s", "rtt_s", "srtt_s")),
            "rto": _columns(self._cut(self._own("cwnd"), state=True), ("time_s", "rto_s")),
        }

    def _acks(self, acks: Table, direction: int) -> Table:
        return self._cut(_acks(of_direction(acks, direction), self.tcp.duplicate_ack_threshold))

    def _requests(self, packets: Table, acks: Table) -> dict[str, Table]:
        """What the user sends where the server answers."""
        up = of_direction(packets, UP)
        if self.up or up.rows == 0:
            return {}
        segments = self._cut(_segments_of(up), "sent_s")
        return {"requests": segments, "request_acks": self._acks(acks, DOWN)}

    def slots(self) -> Table:
        """Slots that the user won."""
        return self.rows("slots", ("time_s", "rate_bps", "sent_bytes", "error"), "user")

    def snr(self) -> Table:
        """The user's channel; a replayed rate has no SNR: there the series holds the rate."""
        slot = self.scenario.slot
        link = self.scenario.link
        if slot is None or link is None or isinstance(link.rate, RateFromTrace):
            return Table({"time_s": np.zeros(0), "true_db": np.zeros(0)})
        own = self._own("snr", "user")
        return self._cut(Table({"time_s": own["slot"] * float(slot.exact_ms()) / 1e3, "true_db": own["true_db"]}))

    def queue(self) -> Table:
        """The user's queue; a bottleneck has one for all users."""
        rows = self.series["queue"] if self.scenario.bottleneck is not None else self._own("queue", "user")
        return _columns(self._cut(rows, state=True), ("time_s", "packets", "bytes"))

    def limits(self) -> Table:
        """The intervals that reach into the stretch, clipped to it."""
        own = _columns(self._own("limits"), ("from_s", "to_s", "cause"))
        own = own.where((own["to_s"] > self.start_s) & (own["from_s"] < self.stop_s))
        ends = {name: np.clip(own[name], self.start_s, self.stop_s) for name in ("from_s", "to_s")}
        return Table({**ends, "cause": own["cause"]})

    def rows(self, kind: str, columns: tuple[str, ...], key: str = "flow") -> Table:
        """The flow's rows of a series, or the user's; none of what this network does not have."""
        if kind not in self.series:
            return Table({name: np.zeros(0) for name in columns})
        return _columns(self._cut(self._own(kind, key)), columns)

    def _own(self, kind: str, key: str = "flow") -> Table:
        rows = self.series[kind]
        return rows.where(rows[key] == (self.flow if key == "flow" else self.user))

    def _cut(self, rows: Table, column: str = "time_s", state: bool = False) -> Table:
        """The rows of the stretch; of a `state`, the last row before it as well, as if it were of its beginning."""
        time = rows[column]
        inside = within(time, self.scenario, self.start_s, self.stop_s)
        before = np.flatnonzero(time < self.start_s)
        if not state or before.size == 0:
            return rows.where(inside)
        inside[before[-1]] = True
        kept = rows.where(inside)
        return Table({**kept, column: np.maximum(kept[column], self.start_s)})


SACK = ("time_s", "start", "end", "duplicate")


def _segments_of(packets: Table) -> Table:
    start = packets["sequence"]
    end = start + packets["payload_bytes"]
    arrived = packets["fate"] == DELIVERED
    return Table(
        {
            "sent_s": packets["sent_s"],
            "ended_s": packets["ended_s"],
            "start": start,
            "end": end,
            "retransmission": packets["retransmission"],
            "out_of_order": out_of_order(start, end, packets["ended_s"], arrived),
            "fate": packets["fate"],
            "ce": packets["ce"],
        }
    )


def _acks(acks: Table, threshold: int) -> Table:
    number, duplicate = acks["number"], acks["duplicate"]
    return Table(
        {
            "time_s": acks["time_s"],
            "number": number,
            "window_end": number + acks["window_bytes"],
            "duplicate": duplicate,
            "third": nth_duplicates(number, duplicate, threshold),
            "ece": acks["ece"],
        }
    )


def _columns(rows: Table, names: tuple[str, ...]) -> Table:
    return Table({name: rows[name] for name in names})
