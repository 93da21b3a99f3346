"""What is known of a flow beside its time: what it carried and lost, how much of the cell its user had."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from airlink.explain.presence import UserPresence
from airlink.result import Result
from airlink.result.selection import place_of
from airlink.scenario.methods import Radio
from airlink.scenario.paths import named, queues
from airlink.scenario.sections import (
    Flow,
    Harq,
    IdealTcpPf,
    Queue,
    RateFromTable,
    SchedulerKind,
    UnapproximatedTcpPf,
    Uplink,
)


@dataclass(frozen=True)
class Facts:
    """Numbers of one flow over the measured time, and the settings that a hint names.

    Attributes
    ----------
    settings : its group of the scenario.
    place : number of the group among [[flows]], for the names of fields.
    complete : whether it has ended, a file's last byte being at the user.
    goodput_bytes : payload that reached the application, of an upload the server's.
    goodput_up_bytes : payload that reached the server's application, of an upload or of requests.
    uncounted_bytes : payload that reached its user beyond that; 0 where the user has several flows, or there is no TCP.
    segments, retransmissions, timeouts, spurious_timeouts : of TCP, of its data's sender; all 0 without.
    segments_up, retransmissions_up, timeouts_up : of the user's sender, where the user asks; else 0.
    cell_share : of the slots, or of several subchannels those of all slots, what its user won, of those while it
        had data at the base station, 0..1; NaN without slots.
    air_share : of the subchannels of the slots that its user won, those it won; NaN without any.
    band_share : the same of the subchannels that somebody won in a slot; at most 1.
    even_share : of the slots or subchannels, what a user would have had meanwhile if all who had data had as many;
        where users compete without data (serve_empty_queues), if all users had.
    given_bps : nominal rate of the slots that its user won, over the time in which it had data there; where users
        compete without data, what it sent.
    alone_bps : the same if it had won all slots; NaN where that was not asked for.
    padded_share : of the bits granted to all users, those that nothing was left to fill; NaN with one subchannel.
    mean_snr_db : of its user, before fading; NaN where it replays a trace or there is no radio.
    median_snr_db : of the users with flows; NaN as before.
    unsent_share : of the slots that its user won, those in which nothing was sent; NaN without any.
    frame_error_share : of its user's frames, those lost on air; NaN without any.
    drops : reason -> packets of its user that the network dropped for it; reasons of none are left out.
    downloads : name -> number of its `download*` columns, the names without `download_`; empty without any.
    without_tcp : what became of its packets, by column; empty unless it goes over UDP.
    flows : how many the run had.
    behind_share : of its time at the base station, that in which other flows of its own user had data there as well,
        0..1; NaN where that was not asked for.
    behind_bytes : about the payload that these carried meanwhile; NaN as before.
    queued_s : sum over its user's packets of the time at the base station or in the bottleneck.
    queued_mean_s : mean of the same over these packets; NaN without any.
    rtt_mean_s : mean round trip at the sender; NaN without a sample.
    of_queue : settings of the queue at the base station; None if they are not given.
    delay_ms : constant delay of its wires, both ways.
    hops : names of the scenario's hops, in the order of [[hops]].
    radio : the sections of the cell; None when a bottleneck stands in its place.
    scheduler : what decides in the cell, the experimental one if there is one; None at a bottleneck.
    uplink : requests and grants of what users send; None without.
    """

    settings: Flow
    place: int
    complete: bool
    goodput_bytes: int
    goodput_up_bytes: int
    uncounted_bytes: float
    segments: int
    retransmissions: int
    timeouts: int
    spurious_timeouts: int
    segments_up: int
    retransmissions_up: int
    timeouts_up: int
    cell_share: float
    air_share: float
    band_share: float
    even_share: float
    given_bps: float
    alone_bps: float
    padded_share: float
    mean_snr_db: float
    median_snr_db: float
    unsent_share: float
    frame_error_share: float
    drops: Mapping[str, int]
    downloads: Mapping[str, float]
    without_tcp: Mapping[str, float]
    flows: int
    behind_share: float
    behind_bytes: float
    queued_s: float
    queued_mean_s: float
    rtt_mean_s: float
    of_queue: Queue | None
    delay_ms: float
    hops: tuple[str, ...]
    radio: Radio | None
    scheduler: SchedulerKind | IdealTcpPf | UnapproximatedTcpPf | None
    uplink: Uplink | None

    @property
    def tcp(self) -> bool:
        """Whether there is a TCP; always-backlogged traffic and UDP have none."""
        return self.settings.has_tcp()

    @property
    def wired(self) -> bool:
        """Whether a bottleneck stands in the cell's place."""
        return self.radio is None

    @property
    def shared(self) -> bool:
        """Whether others may be on air in the slots of its user."""
        return self.radio is not None and self.radio.carrier.subchannels > 1

    @property
    def is_shared(self) -> bool:
        """Whether other users had data at the base station while it had."""
        return self.even_share < ALONE

    @property
    def is_alone(self) -> bool:
        """Whether no other user had data there at any moment: then it waits for a slot with a rate, not for a turn."""
        return self.even_share > ALL_ALONE

    @property
    def is_up(self) -> bool:
        """Whether all its data goes up."""
        return self.settings.direction == "up"

    @property
    def asks(self) -> bool:
        """Whether its user's requests go up before answers come down."""
        return self.settings.traffic.kind in ASKING

    @property
    def has_retransmitted(self) -> bool:
        """Whether either end sent a segment again."""
        return self.retransmissions + self.retransmissions_up > 0

    @property
    def retransmitted(self) -> str:
        """How many segments were sent again, in words; where the user asks, of requests and answers."""
        told = f"{self.retransmissions} of {self.segments} segments"
        up = f" of answers and {self.retransmissions_up} of {self.segments_up} of requests" if self.asks else ""
        return f"{told}{up} were retransmitted"

    @property
    def all_timeouts(self) -> int:
        """Timeouts at both ends; whether those of requests were spurious is not known."""
        return self.timeouts + self.timeouts_up

    @property
    def has_uplink_slots(self) -> bool:
        """Whether some slots have less downlink than others, or none (`slot.tdd`)."""
        return self.radio is not None and self.radio.slot.tdd.strip("D") != ""

    @property
    def queue(self) -> Queue:
        """The queue at the base station."""
        return self.of_queue or Queue()

    @property
    def even_bps(self) -> float:
        """What an even share of the band would give: the rate it would get alone, over the users; NaN if unknown."""
        return self.alone_bps * self.even_share

    @property
    def of_even(self) -> float:
        """What its user was given as a ratio to an even share, by rate where that is known, else by slots."""
        if self.even_bps > 0:
            return self.given_bps / self.even_bps
        return self.cell_share / self.even_share if self.even_share > 0 else math.nan

    @property
    def thinks(self) -> bool:
        """Whether its user reads between pages: then its application's time is none of a page."""
        return self.settings.traffic.kind in ("sessions", "requests", "pages")

    @property
    def lowest_db(self) -> float:
        """The SNR below which no rate of the table may be used; -inf where rates come from no table."""
        rate = self.radio.link.rate if self.radio is not None else None
        return rate.with_numbers().thresholds_db[0] if isinstance(rate, RateFromTable) else -math.inf

    @property
    def harq(self) -> Harq | None:
        """What retransmits lost blocks unchanged (HARQ or ARQ); None if nothing does."""
        return self.radio.link.harq if self.radio is not None and self.radio.link.harq.kind != "none" else None


ALL_ALONE = 1 - 1e-6
"""The same mean of a user beside whom nobody ever had data, but for rounding."""

ALONE = 0.99
"""Mean of 1 / users with data from which on a user is said to have the cell for itself."""

ASKING = ("requests", "pages")
"""Traffic whose user sends requests."""

OF_UDP = (
    "datagrams_sent",
    "datagrams_received",
    "datagrams_lost",
    "datagram_loss_rate",
    "datagram_delay_mean_s",
    "datagram_delay_p95_s",
    "bursts_on_time",
    "deadline_misses",
    "deadline_miss_rate",
)
"""Columns of a flow that goes over UDP."""

HEADERS_BYTES = 40
"""Of a packet: IP and TCP without options (RFC 9293 section 3.1)."""


def facts_of(result: Result, replica: int, flow: int, present: UserPresence) -> Facts:
    """The facts of a flow of a replica."""
    stored = result.replicas[replica]
    row = {name: values[flow] for name, values in stored.flows.items()}
    user = {name: values[int(row["user"])] for name, values in stored.users.items()}
    place = place_of(result.scenario, stored, flow)
    seconds, even_share = present.of(int(row["user"]))
    radio = result.scenario.radio()
    if radio is not None and radio.scheduler.serve_empty_queues:
        even_share = 1 / result.scenario.users
        user |= _with_data_only(user)
    path, passed = result.scenario.flows[place].path, queues(result.scenario, result.scenario.flows[place])
    behind_ms = sum(queue.delay_ms for queue in (*passed, *named(result.scenario, path.uplink_hops)))
    delay_ms = path.downlink_delay_ms + path.uplink_delay_ms + behind_ms
    served = np.unique(stored.flows["user"])
    mean_snr_db = stored.users.get("mean_snr_db")
    median_snr_db = math.nan if mean_snr_db is None else float(np.median(np.asarray(mean_snr_db)[served]))
    return Facts(
        settings=result.scenario.flows[place],
        place=place,
        complete=not math.isnan(row["completion_s"]),
        goodput_bytes=_goodput_bytes(result.scenario.flows[place], row),
        goodput_up_bytes=int(row.get("goodput_up_bytes", 0)),
        uncounted_bytes=_uncounted(result.scenario.flows[place], stored.flows, row, user),
        segments=int(row["segments_sent"]),
        retransmissions=int(row["retransmissions"]),
        timeouts=int(row["timeouts"]),
        spurious_timeouts=int(row["spurious_timeouts"]),
        segments_up=_of_requests(result.scenario.flows[place], row, "segments_sent_up"),
        retransmissions_up=_of_requests(result.scenario.flows[place], row, "retransmissions_up"),
        timeouts_up=_of_requests(result.scenario.flows[place], row, "timeouts_up"),
        even_share=even_share,
        given_bps=_share(8 * float(user.get("granted_bytes", math.nan)), seconds),
        alone_bps=math.nan,
        median_snr_db=median_snr_db,
        drops=_drops(user),
        downloads=_downloads(row),
        without_tcp={name: float(row[name]) for name in OF_UDP if result.scenario.flows[place].is_over_udp()},
        flows=len(stored.flows["flow"]),
        behind_share=math.nan,
        behind_bytes=math.nan,
        queued_s=int(user["queueing_delay_count"]) * float(user["queueing_delay_mean_s"]),
        queued_mean_s=float(user["queueing_delay_mean_s"]),
        rtt_mean_s=float(row["rtt_mean_s"]),
        of_queue=result.scenario.queue,
        delay_ms=delay_ms,
        hops=tuple(hop.name for hop in result.scenario.hops),
        radio=radio,
        scheduler=result.scenario.experimental_scheduler() or result.scenario.scheduler,
        uplink=result.scenario.uplink,
        **_radio(user, stored.cell, seconds / float(stored.cell["measured_s"])),
    )


def _of_requests(settings: Flow, row: Mapping[str, Any], column: str) -> int:
    """A count of the sender of the user who asks; 0 of all other flows."""
    return int(row[column]) if settings.traffic.kind in ASKING else 0


def _goodput_bytes(settings: Flow, row: Mapping[str, Any]) -> int:
    """Payload that reached the application at the end to which the flow's data goes."""
    return int(row["goodput_up_bytes" if settings.direction == "up" else "goodput_bytes"])


def _uncounted(settings: Flow, flows: Mapping[str, Any], row: Mapping[str, Any], user: Mapping[str, Any]) -> float:
    """Payload that reached a user beyond the goodput of its only flow, in bytes: behind a hole, or sent twice."""
    if not settings.has_tcp() or settings.direction == "up" or int(np.sum(flows["user"] == row["user"])) > 1:
        return 0.0
    reached = float(user["delivered_bytes"]) - HEADERS_BYTES * float(user["packets_delivered"])
    return max(reached - float(row["goodput_bytes"]), 0.0)


def _radio(user: Mapping[str, Any], cell: Mapping[str, Any], presence: float) -> dict[str, float]:
    """What a user had of the air while it was there, a share of the time; of all of it NaN where there is none."""
    won = int(user.get("slots_won", 0))
    slots = int(cell.get("slots", 0))
    subchannels, had = int(cell.get("subchannel_slots", slots)), float(user.get("subchannels_won", won))
    return {
        "cell_share": min(_share(had, subchannels * presence), 1.0),
        "air_share": _share(had * slots, won * subchannels),
        "band_share": _band_share(cell, slots, had, won),
        "padded_share": _share(cell.get("padded_bps", math.nan), cell.get("granted_bps", 0.0)),
        "mean_snr_db": float(user.get("mean_snr_db", math.nan)),
        "unsent_share": _share(int(user.get("slots_wasted", 0)), won),
        "frame_error_share": _share(int(user.get("frame_errors", 0)), int(user.get("frames_sent", 0))),
    }


def _with_data_only(user: Mapping[str, Any]) -> dict[str, Any]:
    """What a user won and was given without the slots that it won with nothing to send."""
    won = int(user["slots_won"])
    used = won - int(user["slots_wasted"])
    had = int(user.get("subchannels_won", won)) * _share(used, won) if won else 0
    return {"slots_won": used, "slots_wasted": 0, "subchannels_won": had, "granted_bytes": user["sent_bytes"]}


def _band_share(cell: Mapping[str, Any], slots: int, had: float, won: int) -> float:
    """Of the subchannels that somebody won in a slot, those of a user in the slots that it won any of; at most 1."""
    if "subchannels_granted" not in cell:
        return 1.0
    in_a_slot = _share(int(cell["subchannels_granted"]), slots - int(cell["slots_idle"]))
    return min(_share(_share(had, won), in_a_slot), 1.0)


def _drops(user: Mapping[str, Any]) -> dict[str, int]:
    reasons = {
        name.removeprefix("drops_"): int(count)
        for name, count in user.items()
        if name.startswith("drops_") and not name.endswith("_bytes")
    }
    return {reason: count for reason, count in reasons.items() if count}


def _downloads(flow: Mapping[str, Any]) -> dict[str, float]:
    names = (name for name in flow if name.startswith("download"))
    had = flow.get("downloads", 0) + flow.get("downloads_pending_at_start", 0)
    return {name.removeprefix("download_"): float(flow[name]) for name in names} if had else {}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
