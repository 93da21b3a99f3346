"""Every column of every table: what it means and its unit. docs/results.md is written from here.

The unit is read from the end of the name, so that the two can't differ.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

UNITS: Mapping[str, str] = {
    "_slots2": "slots^2",
    "_slots": "slots",
    "_bps": "b/s",
    "_s_per_byte": "s/B",
    "_bytes": "B",
    "_kBps": "log10(kB/s)",
    "_db": "dB",
    "_m": "m",
    "_s": "s",
}

_STATISTICS: Mapping[str, str] = {
    "count": "number of samples of the",
    "mean_s": "mean",
    "sd_s": "standard deviation (n - 1) of the",
    "min_s": "smallest",
    "max_s": "largest",
    "p50_s": "median",
    "p90_s": "90th percentile of the",
    "p95_s": "95th percentile of the",
    "p99_s": "99th percentile of the",
}


def _spread(name: str, what: str) -> dict[str, str]:
    return {f"{name}_{statistic}": f"{words} {what}" for statistic, words in _STATISTICS.items()}


_DOWNLOADS = {
    "downloads": "files and pages requested in the measured time, whether they ended or not",
    "downloads_unfinished": "of these, those that had not ended when the run did, `drain_s` included",
    "downloads_pending_at_start": "requested before the measured time and not ended as it began; not among `downloads`",
    "downloads_pending_unfinished": "of these, those that had not ended when the run did, `drain_s` included",
    "download_pending_longest_age_s": "the longest age of one of these, from its request to the end of the run; "
    "NaN when all have ended",
    "download_mean_s": "mean time from a request at the server to the last byte at the user; one that has not ended "
    "counts with its age, so where there are such the true mean is above it. Without a request in the measured time, "
    "this and what follows are of those pending at its start; NaN without those",
    "download_p50_s": "their median, of the product limit [Kaplan58]; inf when it is above `download_longest_age_s`",
    "download_p95_s": "their 95th percentile; inf as before",
    "download_longest_age_s": "the longest age of one that has not ended; NaN when all have",
    "download_slowdown_mean": "mean of the time over that of the same download alone in the network, with the same "
    "channel; ages count as before; NaN when none ends even alone",
    "download_slowdown_p50": "its median; inf when it is above `download_slowdown_longest_age`",
    "download_slowdown_p95": "its 95th percentile; inf as before",
    "download_slowdown_longest_age": "the largest slowdown so far of one that has not ended; NaN when all have",
}

_RATES = {
    "granted": "nominal bits of the slots (or subchannels) won, whether or not there was data to fill them",
    "sent": "bits put on air, retransmissions by the link included",
    "delivered": "bits of packets that reached the user, TCP retransmissions and headers included",
    "goodput": "payload that reached the application in order, each byte once; without TCP, whole packets",
}

_DROPS = {
    "queue_full": "refused by a full queue",
    "aqm": "dropped by active queue management though there was room",
    "air_error": "lost on air and not repaired by the link",
    "retry_limit": "given up by link ARQ or HARQ at its retry limit",
    "wire_loss": "lost on the wire behind the bottleneck",
    "outage": "lost in an outage of the wire behind the bottleneck",
}

_WIRES = {
    "downlink": "packets on the wire from the server",
    "uplink": "acknowledgements on their way",
}

_CAUSES = {
    "application": "the application, which had supplied nothing more yet",
    "receiver_window": "the receiver's window",
    "congestion_window": "the congestion window, or another rule of congestion control",
    "rto": "the silence before a retransmission timeout",
    "wire": "a wire or bottleneck that was busy or held packets or ACKs, or nothing but the way to go",
    "scheduler": "waiting for the base station's scheduler or for a slot's start",
    "air": "being on air",
    "arq": "repetition on air, or waiting for it",
}

KEYS: Mapping[str, str] = {
    "replica": "which run, from 0",
    "seed": "the seed of that run",
}

USERS: Mapping[str, str] = {
    "user": "number of the user, from 0",
    "distance_m": "distance from the base station; NaN when users are not placed by distance",
    "mean_snr_db": "mean SNR of the user's channel, without shadowing and fading, dB; NaN where it replays rates",
    "shadowed_snr_db": "the same with the mean of its shadowing over the measured slots",
    **{f"{name}_bps": f"rate over the measured time: {meaning}" for name, meaning in _RATES.items()},
    **{f"{name}_bytes": f"{meaning} (total, in bytes)" for name, meaning in _RATES.items()},
    "slots_won": "slots in which the user was selected",
    "slots_wasted": "slots won in which nothing was sent: no data, no rate, or bits for less than a segment",
    "slots_padded": "slots won in which something was sent that did not fill the grant",
    "frames_sent": "frames put on air; with HARQ or PDUs as its unit, code blocks",
    "frame_errors": "frames lost on air",
    "packets_waiting_at_start": "packets at the base station, or in the bottleneck and on its wire, as measuring began",
    "bytes_waiting_at_start": "their bytes",
    "packets_in": "packets of the user that arrived at the queue",
    "bytes_in": "bytes of the user that arrived at the queue",
    "packets_doubled": "of these, packets that the wire behind the bottleneck brought twice",
    "bytes_doubled": "bytes of the copies",
    "packets_delivered": "packets that reached the user",
    **{f"drops_{name}": f"packets {meaning}" for name, meaning in _DROPS.items()},
    **{f"drops_{name}_bytes": f"bytes of packets {meaning}" for name, meaning in _DROPS.items()},
    "packets_waiting": "packets at the base station, or in the bottleneck and on its wire, as the run ended",
    "bytes_waiting": "their bytes",
    **_spread(
        "hol_delay", "time from a packet's arrival, or the leaving of the one before it if later, to its delivery"
    ),
    **_spread(
        "queueing_delay",
        "time from a packet's arrival at the base station to its delivery; at a bottleneck, until its last bit is sent",
    ),
    "queueing_delay_over_least_s": "the mean of that time less the least of it: what queues and scheduling add",
    "gap_count": "number of gaps; a gap is the difference of the numbers of two successive slots won, so at least 1",
    "gap_mean_slots": "mean gap",
    "gap_sd_slots": "standard deviation (n - 1) of the gap",
    "gap_square_mean_slots2": "mean of the squared gap",
    "gap_max_slots": "longest gap",
    "gap_share_over_2x": "share of gaps longer than 2 times the user's mean gap",
    "gap_share_over_4x": "share of gaps longer than 4 times the user's mean gap",
    "gap_share_over_10x": "share of gaps longer than 10 times the user's mean gap",
    "subchannels_won": "subchannels that the user got, over all slots",
    "padded_bytes": "bytes of grants that nothing was left to fill",
    "report_error_mean_db": "mean over the subchannels won of |true - reported SNR|; NaN when none was won on a report",
    "frames_repeated": "of the frames put on air, those that HARQ, or ARQ at once, sent again as they were",
    "frames_given_up": "of the frames lost, those that HARQ, or ARQ of slots, sent no more: left to ARQ, or dropped",
    "first_frame_errors": "of the frames lost, those lost when sent for the first time",
    "outer_loop_offset_mean_db": "mean over the slots won of what the outer loop added to reports; NaN without any",
    "outer_loop_offset_end_db": "the same in the last slot of the run",
    "backlogged_s": "time with at least one packet at the base station that had not left it",
    **_DOWNLOADS,
}

FLOWS: Mapping[str, str] = {
    "flow": "number of the flow, from 0",
    "user": "the user it goes to",
    "start_s": "when it started",
    "goodput_bps": f"rate over the measured time: {_RATES['goodput']}",
    "goodput_bytes": f"{_RATES['goodput']} (total, in bytes)",
    "completion_s": "time from its start until its last byte arrived; NaN when unfinished or endless",
    "segments_sent": "segments sent; retransmissions, a SYN and probes of a closed window included",
    "retransmissions": "segments sent again",
    "timeouts": "expiries of the retransmission timer",
    "spurious_timeouts": "of these, those after which an earlier copy of the segment sent again still arrived",
    "fast_retransmits": "fast retransmits",
    "duplicate_acks": "duplicate ACKs received",
    "acks_received": "ACKs received",
    "sack_retransmissions": "of the retransmissions, those that were chosen by what SACK reported",
    "limited_transmits": "new segments let out by the first duplicate ACKs",
    "tail_loss_probes": "probes of a tail that went unanswered",
    "window_probes": "probes of a closed window",
    "recoveries_undone": "recoveries and timeouts that were found to be spurious and taken back",
    **{f"{wire}_doubled": f"{what} that came twice" for wire, what in _WIRES.items()},
    **{f"{wire}_wire_loss": f"{what} that were lost" for wire, what in _WIRES.items()},
    **{f"{wire}_outage": f"{what} that an outage ended" for wire, what in _WIRES.items()},
    "upstream_queue_full": "packets that the queue upstream had no room for; they never reached the network",
    "group": "number of the [[flows]] table that it is one of, from 0",
    "file_bytes": "size of its file; NaN without one",
    **_spread("rtt", "exact time from sending to the ACK, where nothing that it covers was sent twice"),
    "active_s": "time from its start, or the warm-up's end, to its last byte, or the run's end; of a flow that was "
    "stopped, until everything sent was acknowledged",
    **{f"time_{cause}_s": f"of this, time that it was held back by {words}" for cause, words in _CAUSES.items()},
    "timeouts_held": "expiries of the retransmission timer that were held, see `hold_timeouts`; not among the timeouts",
    "first_timeout_s": "when the retransmission timer first expired; NaN when it never did (held ones don't count)",
    "initial_timeouts": "of the timeouts, those in the initial slow start: cwnd below ssthresh, and ssthresh as it was "
    "at the start; not of a SYN",
    "initial_timeouts_spurious": "of these, those that were spurious",
    "initial_timeouts_repeated": "timeouts that followed one of these for the same segment, before anything new was "
    "acknowledged",
    **_DOWNLOADS,
}

CELL: Mapping[str, str] = {
    "measured_s": "simulated time after the warm-up: the time that every rate refers to",
    "slots": "slots after the warm-up",
    "slots_idle": "slots that nobody was given",
    "slots_wasted": "sum over users: slots won in which nothing was sent; users who share a slot count each",
    "slots_padded": "sum over users: slots won in which something was sent that did not fill the grant",
    **{f"{name}_bps": f"sum over users: {meaning}" for name, meaning in _RATES.items()},
    "frame_errors": "sum over users: frames lost on air",
    "jain_index": "Jain's index of the users' goodput, 1/users..1",
    "cell_edge_goodput_bps": "goodput of the 5 % user: the least that at least 5 % of the users do not exceed",
    "mean_log10_goodput_kBps": "mean over users of log10(goodput in kB/s); -inf when a user got nothing",
    "min_max_resource_share": "fewest slots (of several subchannels: subchannels) won by a user / most, 0..1",
    "timeouts": "sum over flows: expiries of the retransmission timer",
    "spurious_timeouts": "sum over flows: timeouts that were not needed, see flows",
    "fast_retransmits": "sum over flows: fast retransmits",
    "padded_bps": "sum over users: rate of grants that nothing was left to fill",
    "subchannel_slots": "subchannels of all slots",
    "subchannels_granted": "of these, those that some user got",
    "subchannels_idle_no_data": "of these, those that nobody got because nobody had data",
    "subchannels_idle_no_rate": "of these, those that nobody got because none of those with data had a rate on them",
    "subchannels_idle_covered": "of these, those that nobody got although somebody with data had a rate: the "
    "scheduler held its data for covered by what it had got in the slot",
    "retransmissions": "sum over flows: segments sent again",
    "segments_sent": "sum over flows: segments sent, retransmissions included",
    "upstream_queue_mean_bytes": "mean of the queue upstream as those find it that come, themselves included, each "
    "weighed by the time since the one before; NaN when nobody came",
    "packets_doubled": "sum over users: packets that the wire behind the bottleneck brought twice",
    **{f"drops_{name}": f"sum over users: packets {meaning}" for name, meaning in _DROPS.items()},
}

SERIES: Mapping[str, Mapping[str, str]] = {
    "slots": {
        "slot": "number of the slot, from 0; where there are several subchannels, a row for each user that got some",
        "time_s": "start of the slot",
        "user": "who got it; -1 nobody",
        "subchannels": "how many subchannels the user got",
        "rate_bps": "rate the base station chose",
        "granted_bytes": "bytes that the slot can carry at that rate",
        "sent_bytes": "bytes put on air",
        "snr_db": "true SNR of that user in the slot; over several subchannels the mean of dB, weighted by their bits",
        "error": "1 when the frame was lost",
    },
    "packets": {
        "flow": "number of the flow",
        "user": "the user it goes to",
        "sequence": "first byte of the segment in its flow, from 0",
        "bytes": "size, headers included",
        "transmission": "number of the packet among all the flow sent, from 0",
        "retransmission": "1 when these bytes had been sent before",
        "sent_s": "when the server sent it",
        "queued_s": "when it entered the queue of the network; NaN when it was refused, lost before it or had not come",
        "ended_s": "when it was delivered or dropped; NaN when neither",
        "fate": "0 delivered, 1 queue full, 2 air error, 3 retry limit, 4 none yet as the run ended, 5 lost on a wire, "
        "6 lost in an outage, 7 dropped by active queue management; of a packet that was doubled, that of the copy "
        "that was delivered first, or ended last",
        "attempts": "how often the part of it that was put on air most often was put on air; 0: never, or no air",
    },
    "acks": {
        "flow": "number of the flow",
        "time_s": "when the ACK reached the sender",
        "number": "next byte expected",
        "duplicate": "1 for a duplicate ACK",
        "window_bytes": "receiver window that it advertises, from `number` on",
    },
    "sacks": {
        "flow": "number of the flow",
        "time_s": "when the ACK that carries the block reached the sender",
        "start": "first byte that the block reports",
        "end": "the byte after its last",
        "duplicate": "1 when the block reports what arrived twice (DSACK)",
    },
    "queue": {
        "time_s": "when the queue changed",
        "user": "whose queue; a bottleneck has one for all, and this is the user whose packet came or left",
        "packets": "packets in it",
        "bytes": "bytes in it",
    },
    "prices": {
        "time_s": "when the packet left the queue of the network: in a cell those delivered have a row, at a "
        "bottleneck those too that are lost on its wire",
        "user": "whose packet",
        "flow": "number of its flow",
        "mean_bytes": "mean of the queue, as arrivals have left it",
        "free_bytes": "a, the bytes without a price, as it is by then",
        "service_bps": "rate at which the queue drains, with headers; NaN until that is known",
        "price_s_per_byte": "p, what the packet carries of this queue; what a queue upstream adds is not in it",
    },
    "cwnd": {
        "time_s": "when an ACK came (duplicates too), a timeout struck, or waiting for late segments ended in recovery",
        "flow": "number of the flow",
        "cwnd_bytes": "congestion window after it, before anything is sent in answer",
        "ssthresh_bytes": "slow start threshold; inf before the first loss",
        "flight_bytes": "bytes sent and not acknowledged; after a timeout, only what was sent again since; "
        "with SACK or a reduction of the rate, the estimate of what is in flight (pipe)",
        "rto_s": "retransmission timeout",
        "event": "what happened: 0 ACK, 2 fast retransmit, 3 timeout, 4 recovered",
    },
    "rtt": {
        "time_s": "when an ACK of new data came that covers nothing sent twice",
        "flow": "number of the flow",
        "rtt_s": "exact time since the oldest segment covered was sent; the timer's own may be ticked and fewer",
        "srtt_s": "the timer's smoothed round-trip time then",
        "rto_s": "the timer's retransmission timeout then",
    },
    "events": {
        "flow": "number of the flow, one with a transport",
        "time_s": "when it happened; a completion at the user, all others at the server",
        "event": "1 started, 2 fast retransmit, 3 timeout, 4 recovered, 5 undone (recovery or timeout found spurious "
        "by the sender and taken back), 6 tail loss probe, 7 window probe, 8 stopped, 9 completed (last byte at the "
        "user), 10 timeout held (see `hold_timeouts`)",
        "sequence": "the oldest byte not acknowledged then",
        "spurious": "of a timeout: 1 when an earlier copy of the segment sent again still arrived, 0 when not; -1 of "
        "all others",
    },
    "snr": {
        "slot": "number of the slot",
        "user": "whose channel",
        "true_db": "true SNR; over several subchannels the mean of dB",
        "reported_bps": "rate that the base station believes it can use; on all subchannels together",
    },
    "gaps": {
        "user": "who",
        "slot": "the slot won that ends the gap",
        "gap_slots": "slots since the slot won before",
    },
    "limits": {
        "flow": "number of the flow",
        "from_s": "when an interval begins; each flow's follow one another from its start on without gaps",
        "to_s": "when it ends",
        "cause": "what held the flow back: " + ", ".join(f"{code} {cause}" for code, cause in enumerate(_CAUSES)),
    },
    "downloads": {
        "flow": "number of the flow: its file, or one of its pages",
        "user": "the user it goes to",
        "number": "number of the file or page in its flow, from 0",
        "bytes": "its size",
        "requested_s": "when the server had it to send: the flow's start, or the arrival of the request for a page",
        "completed_s": "when its last byte was at the user, in order, up to the end of `drain_s`; NaN when it was not",
    },
    "timeouts": {
        "flow": "number of the flow",
        "time_s": "when its retransmission timer expired",
        "sequence": "the oldest byte not acknowledged then; -1 while the connection opens",
        "rto_s": "the retransmission timeout that had run out, before it is backed off",
        "initial": "1 in the initial slow start: cwnd below ssthresh, and ssthresh as it was at the start",
        "repeated": "timeouts for the same segment right before it",
        "held": "1 when the timer was armed again instead of a timeout (see `hold_timeouts`)",
        "spurious": "of a timeout: 1 when an earlier copy of the segment sent again still arrived, 0 when not; -1 of "
        "those held",
    },
    "grants": {
        "slot": "number of the slot",
        "subchannel": "number of the subchannel, from 0",
        "user": "who got it",
        "granted_bytes": "bytes that it can carry at the rate chosen",
        "true_db": "its true SNR",
        "reported_db": "its SNR as the base station reckoned with",
    },
    "mcs": {
        "user": "number of the user",
        "mcs": "row of the table of rates, from 0; always 0 where rates come from no table",
        "grants": "subchannels that the user was granted at that row, after the warm-up",
        "granted_bytes": "bytes that they can carry",
    },
}

OF_SUBCHANNELS: Mapping[str, frozenset[str]] = {"slots": frozenset({"subchannels"})}
"""Columns of series that only carriers of several subchannels have."""


def of_series(kind: str, subchannels: int) -> frozenset[str]:
    """The columns that a series has in a cell of so many subchannels."""
    others = frozenset[str]() if subchannels > 1 else OF_SUBCHANNELS.get(kind, frozenset())
    return frozenset(SERIES[kind]) - others


TABLES: Mapping[str, Mapping[str, str]] = {"users": USERS, "flows": FLOWS, "cell": CELL, **SERIES}


def rate_unit(rates_bps: ArrayLike) -> tuple[float, str]:
    """The factor and the name of the unit that the largest of these rates is read best in: one for all of them."""
    known = np.asarray(rates_bps, dtype=float)
    highest = float(np.max(known, initial=0.0, where=np.isfinite(known)))
    return next(((size, unit) for size, unit in ((1e9, "Gb/s"), (1e6, "Mb/s")) if highest >= size), (1e3, "kb/s"))


def unit_of(column: str) -> str:
    """The unit, from the end of the name; empty for counts and ratios."""
    return next((unit for ending, unit in UNITS.items() if column.endswith(ending)), "")


def meaning_of(table: str, column: str) -> tuple[str, str]:
    """(unit, meaning) of a column; an unknown column has an empty meaning."""
    meaning = KEYS.get(column) or TABLES.get(table, {}).get(column, "")
    return unit_of(column), meaning


_HEAD = """# What a result holds

A folder written by `airlink run` holds `result.json` (the scenario in full, seeds, version, digests), the tables
`users.parquet`, `flows.parquet` and `cell.parquet`, and one table per recorded kind in `series/`. In Python they are
`result.users`, `result.flows`, `result.cell` and `result.series(kind)`. `users`, `flows` and `cell` always have the
columns `replica` (from 0) and `seed` in front, and so do series of several replicas.
Rates are means over the measured time, which is the duration without
`warmup_s`; counts and delays are of the measured time as well. Series cover the whole run, warm-up included,
but for `mcs`. Where the run goes on for `drain_s`, that adds the ends of files and pages and nothing else.

Columns appear where they mean something: with a wired bottleneck there are no distances, SNRs, slots, frames, gaps,
head-of-line delays, granted and sent rates and no drops on air, but `packets_doubled`, `drops_wire_loss` and
`drops_outage`. `drops_aqm` is there only where queues choose what they drop.
`upstream_*` is in `flows` where some flow passes `[upstream]`, and in `cell` where there is one.
`flows` has the columns `downlink_*` and `uplink_*` only when some path has impairments, and those
from `sack_retransmissions` to `recoveries_undone` only when some flow has SACK, limited transmit, a detection of
spurious timeouts or a reader that stalls, and `active_s` and `time_*_s`, which add up to it, only when `limits` is
recorded ([recording](models/recording.md) has the rule). It has `group` and `file_bytes` only where files arrive at
random. `users` and `flows` have `download*` only where there are files or sessions ([traffic](models/traffic.md) has
the rule), of these `download_slowdown*` only when `downloads` is recorded, which `airlink run` does by itself, and
`users` has `shadowed_snr_db` only where there is shadowing. Seeds differ in how many files arrive, and
so in their numbers of flows: those that arrive are numbered after all others, by time of arrival, and a run may have
none.
`flows` has `first_timeout_s` and `initial_timeouts*` only when `timeouts` is recorded, and `timeouts_held` only when
some flow has `hold_timeouts`. Only where the carrier has several subchannels are there `subchannels_won`,
`padded_bytes`, `report_error_mean_db` and `backlogged_s` of `users`, `padded_bps` and `subchannel*` of `cell`, and
`subchannels` of the series `slots`; only where `link.harq` has a kind or PDUs as its unit, or ARQ repeats slots,
`frames_repeated` and `frames_given_up` of `users`, and only with a `link.outer_loop` `first_frame_errors` and
`outer_loop_offset_*`.

Packets and bytes balance, for every user: waiting at the start + in (+ doubled) = delivered + drops (by reason) +
waiting. What a path's impairments lose on the way to the queue never was in; what they double was in twice. Means,
standard deviations, smallest and largest values are exact; percentiles come from bins and may be 3 % off.

Infinite numbers are stored as such in Parquet and as `"inf"` / `"-inf"` in JSON; what does not exist is NaN (null in
JSON).

This page is written from `airlink/result/columns.py`; a test fails when it is stale.
"""


def page() -> str:
    """docs/results.md."""
    titles = {"users": "Users", "flows": "Flows", "cell": "Cell"}
    parts = [_HEAD]
    for name, columns in TABLES.items():
        parts.append(f"\n## {titles.get(name, f'Series `{name}`')}\n\n| column | unit | meaning |\n|---|---|---|\n")
        parts += [f"| `{column}` | {unit_of(column) or '-'} | {text} |\n" for column, text in columns.items()]
    return "".join(parts)
