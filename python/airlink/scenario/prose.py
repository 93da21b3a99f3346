"""What happens in a run, in words, for docs/scenario.md: order of events, queues, rates, TCP.

The texts describe the engine; when it changes, they change with it. Leaves out the fields (their classes hold them).
"""

TIME = """\
Time is counted in whole nanoseconds. Slot n starts at n x `slot.duration_ms`, rounded down, and ends where slot
n + 1 starts; rounding errors do not add up (a fraction like "5/3" is exact, a number is rounded to the
picosecond). All other times, also those that a packet takes on a wire, are rounded to the nearest nanosecond.
Only slots that end by `duration_s` are run; wires and timers go on until then. Every user has the same number
of slots. A carrier of one subchannel goes to exactly one user in a slot, or to none; of several
(`carrier.subchannels`) each goes to one user or none, and a user may get many.

At one and the same nanosecond things happen in this order: packets that arrive from the wire, ACKs,
timers, then the slot; among equals, by flow number. Flows are numbered in the order of the `[[flows]]` tables,
and within a table by its list of users; files of `poisson` traffic after all of these, in the order of their arrival.

At a slot boundary:

1. The previous slot ends: its frame arrives or is lost; packets whose last byte arrived leave the base station
   and are at the user at this moment; the averages of the scheduler take in the slot (`x` = what it carried for
   the user who had it, 0 for all others). Averages also move in slots that nobody got.
2. Packets that reach the base station at exactly this nanosecond are put into their queues, or dropped; earlier
   packets were when they arrived. ACKs and timers of this nanosecond are handled.
3. The new slot starts: the channel of the slot (its value at the slot's start, constant within the slot); the
   reports that are due; the scheduler decides; the rate follows from the report; the frame is filled; whether
   it will be lost is drawn.

A packet that arrives during a slot can be sent in the next one at the earliest.
"""

CHANNEL = """\
In dB, the SNR of user i in slot n is: mean (from place or list, or the value of the trace at the slot's start; a
place has it from the path loss or from the link budget),
with the ceiling on it when `applies_to = "mean"`, plus shadowing, plus 10 log10 of the fading power; then the
ceiling when `applies_to = "instantaneous"`. Other cells are not
simulated: `link_budget.interference_margin_db` stands for them. The fading power of every user has mean 1
over time; it is a sum of `terms` sinusoids of equal amplitude with random phases. `channel.motion` does not
move users: the mean of a user stays, and its speed, which may be its own, sets Doppler and shadowing.

A tapped delay line adds up paths that fade in this way, each with its share of the power and its delay:
H(f) = sum sqrt(p) h exp(-j 2 pi f delay), and the fading power of a subchannel is |H|^2 at its centre. With one
subchannel that is the middle of the band, where delays are of no consequence.

Placement, shadowing, fading, start times, report errors, frame errors and ties are each drawn from streams of
their own, named by (seed, purpose, user or flow). With another scheduler, TCP or queue the same scenario and
seed therefore have the same channel and the same draws: comparisons are paired. `placement_seed` names the streams
of placement and shadowing in place of the run's seed: then each user is the same user in the runs of all seeds.

A trace starts at the time of its first row and lasts until one `row_interval_s` (Mahimahi: one `averaging_ms`)
after the time of its last. A user is at place `offset_s` + time of the slot's start in it. With `at_end =
"loop"` the place is taken modulo the length; with "stop" the user has rate 0 after the end. Fading, shadowing
and the ceiling act on top of an SNR trace.
"""

LINK = """\
The user measures in slots 0, p, 2p, ... (p = `period_slots`): true SNR in dB, plus the error, rounded to the
nearest multiple of `quantisation_db`. In slot n the base station uses the latest measurement made in slot (n
less `delay_slots`) or before, less `backoff_db`. Before slot `delay_slots` it knows nothing and the user has
rate 0. Of several subchannels the user measures each, or each group of `group_subchannels` as one (`effective`), with
an error of its own, and the base station has a report and a rate for each; the rate of a group is that of each of its
subchannels. With `outer_loop.kind = "steps"` an offset of the user's own is added to all of these. It moves by what
became of slots that ended `feedback_delay_slots` whole slots ago or before: up where first transmissions arrived, down
where they were lost, by shares where some were. With "margin" the user's SNR is multiplied by 1 - m, and m
moves after each slot that the user had, by the packets that the link dropped or delivered at its end. Service
then changes later reports, never the true SNR.

Rate R: by table, the highest rate whose threshold is at or below that value, 0 below the first threshold; by
schemes (`mcs`) the same, with bits a symbol x code rate x bandwidth x (1 - overhead) from the SNR at which blocks
of `reference_bits` are lost with `target_bler`; by capacity, min(bandwidth log2(1 + SNR/gap), max_rate); by trace,
the trace's. A slot won at rate R is a grant of R x slot length bits. R is the rate of the whole carrier: a
subchannel has R / `carrier.subchannels`, and what a user gets in a slot is the sum over the subchannels that it
won, in their order, filled as one grant.

Three rates are distinguished: *granted* = the nominal bits of slots won; *sent* = bits put on air (headers,
padding of last segments and retransmissions included); *delivered* = bits of packets that left the base station
whole. Goodput is what TCP hands to the application in order, payload only.

A frame is everything that a slot carries. It is lost with `errors.probability`, drawn for (user, slot), so who
is served never shifts the draws. With `threshold_rule` it is lost, too, when the rate rule would give less than
the rate sent for the true SNR of the slot. Of several subchannels a frame lies on the first of those that its user
won, as many as it needs; the threshold rule loses it when one of these was sent too fast.

With `harq.kind` or `harq.unit = "pdu"` a frame is a code block instead: a PDU (a segment with its headers), or all
that a user sends anew in a slot. Blocks lie one after the other on the subchannels that the user won and span as many
as they need; each is drawn for by itself, for (user, slot, number of the block). The threshold rule loses a block whose
mean margin in dB, weighted by bits, over what the rates sent need is below 0. By `chase` a receiver adds the margins of
all transmissions as power ratios. With the curve `coded` a block of k bits is lost as often as the best code of its
length and scheme, at the effective SNR of what it lies on; by `incremental_redundancy` the receiver adds the mutual
information of all transmissions instead. [models/link.md](models/link.md) has the equations.
"""

RLC = """\
A grant of B bits has floor(B / 8) bytes; `block_header_bytes` are taken off once, and the rest holds whole
segments of `segment_bytes` + `segment_header_bytes`. Segments are filled from the head of the queue: first what
must be retransmitted, then the rest of the packet that was begun, then new packets. A segment belongs to one
packet, so a packet's last segment is padded; a slot may hold parts of several packets, of several flows.
Segments that are left over stay empty: the slot is *padded*, or *wasted* when nothing at all was sent. With
`carry_fraction` the bits of a grant that make no whole segment (all of a grant too small for one) are added to
the user's next grant, unless segments stayed empty. *Granted* bytes don't count what was carried.

Without retransmission by the link (`arq.max_retransmissions = 0`) a packet with a part in a lost frame is still sent to
its end, and dropped there (reason `air_error`). With it, lost parts wait `feedback_delay_slots` whole slots,
then go first, in the order in which they were lost, and may be cut anew (the pieces keep the count); when a part
has been retransmitted `max_retransmissions` times and is lost again, its packet is dropped at once (reason
`retry_limit`) and nothing more of it is sent. With `in_order`, packets that are complete wait until those before
them are delivered or given up, and leave together with them.

With `arq.unit = "slot"` all that a lost slot carried goes back to the head of the user's queue, and the user's losses
in a row are counted. After 1 + `max_retransmissions` of them the packets that the last of these slots would have
completed are dropped (`retry_limit`); a part that it carried of another stays, and the count starts anew. With
`arq.repeats = "at_once"` the lost slot's user has the next one, whatever the scheduler would decide: the same
bytes at the same rate. Data that arrived since then waits. Its loss depends on the draw and the true SNR of its
own slot. Schedulers' averages take that slot as one that the user won; a round robin's turn stays where it was.
Data on air or retransmitted at once is not backlog; data taken back into the queue is, but it is no longer
unsent (`queue.limit_counts`, `queue.price`).

With `link.harq.kind` a lost code block is retransmitted unchanged, `round_trip_slots` later at the earliest, at
most `max_retransmissions` times. Retransmissions come before new data, in the order of the losses. Then its
packets are dropped (`retry_limit`) or, if `arq` retransmits, its bytes are left to ARQ. A PDU is retransmitted
only in a grant that holds all of it; a retransmitted block of a whole slot continues in the user's next grants
until all of it is sent. New data is sent while fewer than `processes` slots of new data are in flight. With PDUs as
the unit each has `block_header_bytes`.
"""

QUEUE = """\
One queue per user, shared by all its flows in order of arrival. What counts as occupancy is every packet that
has not left the base station: those waiting, the one in service, those that wait for a retransmission, and
those held back for their order. A packet leaves when its last byte has arrived (with `in_order`: and those
before it have left) or it was given up, at the end of that slot. The bytes of a packet count whole until then.
With `limit_counts = "unsent"` the limits count packets with bytes that were never sent, and these bytes, alone.
A packet that arrives is dropped (reason `queue_full`) when `limit_packets` packets are there already, or when
its bytes and those there would exceed `limit_bytes`; the limits apply together. What is already inside is never
dropped for a new packet.

With `kind = "codel"` packets are also dropped (reason `aqm`) at the head of the queue, as a slot's start pulls them
to be sent; with "pie" they are refused at random (`aqm`) as they come; with "adaptive" a third limit, in bytes,
follows the rate at which the queue drains (`queue_full`). [models/queue.md](models/queue.md) has the rules. A wait is
from a packet's entry into the queue until a slot's start takes it out; data in transmission or retransmission no
longer waits.
"""

BOTTLENECK = """\
With `[bottleneck]` there are no slots. A packet of B bytes that reaches the queue at t has been sent at d = max(t,
d of the packet before it) + 8 B / `rate_bps`, rounded to the nearest nanosecond, whichever flow it belongs to, and is
at its user at d + `delay_ms`; the ACK goes back over the uplink of its flow, which does not pass the
bottleneck. What counts as occupancy is every packet that has not been sent by then, with `in_service_counts = false`
without the one that is being sent (which always gets in when nothing is). A packet is dropped (reason `queue_full`)
when `limit_packets` packets are there already, or when its bytes and those there would exceed `limit_bytes`. A packet
that comes at the nanosecond at which another one has been sent finds the queue without it, unless `arrivals_first`.

In a freeze, [`at_s`, `at_s` + `for_s`), no packet begins, and arrivals are queued or dropped as usual. The
packet in service pauses and its remaining bits are sent afterwards; with `in_service = "ends"` it is sent
completely.

With `kind` the queue is kept short as that of a cell is: CoDel decides when a packet begins to be sent, PIE when one
comes.

`[[hops]]` are more such queues, for the flows whose `path.hops` names them: packets pass them in that order behind the
flow's own wire, and come to the network behind the last one. A hop that several groups name is shared by them. What
users send, their ACKs among it, passes the hops of `path.uplink_hops` before the flow's own uplink.

`[upstream]` is one more such queue, in front of a bottleneck or of a cell, for flows with `path.upstream = true`: their
packets reach it over their own wires, wait there (or are dropped), and reach the network `delay_ms` after they have
been sent. Prices of both queues add up. A packet that it drops never was in the network: `upstream_queue_full` of
`flows` counts it, as `packets` does with fate 1. At one nanosecond its packets reach the network after those of all
other flows.

At one and the same nanosecond: packets that reach their users, in the order of the wire; packets that reach the
queue; ACKs; timers; each of the last three by flow number. Statistics count what happens after
`warmup_s`, up to and including `duration_s`.
"""

IMPAIRMENTS = """\
They act at three places: on the wire of each flow from the server (`[flows.path.downlink_impairments]`, before the
base station's queue or the bottleneck's), on that of its ACKs (`[flows.path.uplink_impairments]`), and on
the wire behind the bottleneck (`[bottleneck.impairments]`, one for all flows). A packet passes when its last bit has
left the wire's sender; the delay comes after. Packets are counted from 0 as they pass, lost ones included, for each
wire by itself, and every flow of a group has its own count.

In this order: an outage [`at_s`, `at_s` + `for_s`) holds the packet, which then passes at its end, or loses it (reason
`outage`). It is lost (reason `wire_loss`) when its number is listed, when it is the first to pass at or after one of
`drop_at_s`, or by the loss law. It is late by the `extra_ms` of a spike it passes in, and by `reorder_extra_ms` when
it is reordered. It may be duplicated, the copy directly behind it. Packets arrive in the order of passing, also behind
those that a spike made late; but reordered ones, and those of a spike with `keep_order = false`, may be overtaken by
others. At equal times the packet that passed first arrives first.

Each draw belongs to (seed, wire, packet's number), so the fate of packet n does not depend on the transport. A
packet lost before the queue does not count as in; one duplicated there counts twice. Copies count as packets
like others: in + doubled = delivered + dropped + waiting.
"""

SCHEDULER = """\
A user is eligible when it has something to send in this slot (bytes in the queue or begun, or a retransmission
that is due); with `serve_empty_queues = true` every user is. Metric schedulers consider eligible users whose
rate R is above 0; with none, the slot is idle. The largest metric wins. Round robin goes through the users by
number, starting with user 0, skips those that are not eligible, and gives the slot to the next one even
when its rate is 0, unless `skip_unservable`. First come, first served (`fifo`) takes the eligible user whose
oldest packet that has not left came first, of equal ones the lowest number, and gives it the slot even when its
rate is 0, unless `skip_unservable`; users without a packet come last.

With w = 1 / `time_constant_slots`, after each slot A <- w x + (1 - w) A, in b/s; the decision in slot n uses
A[n-1], and Q[n] = w q[n] + (1 - w) Q[n-1] with q the user's bytes to send or to repeat (also those whose
retransmission is not yet due; without segment headers), in bits, at the decision; Q is 0 before the first slot.
All users count as selected in the slot before the first. TCP-PF and TCP-MAX put phi^ = n less n_last, Phi^ =
alpha phi^ + (1 - alpha) Phi, Sigma^ = beta phi^2 + (1 - beta) Sigma into their metrics, and adopt them on
selection.
"""

FLOWS = """\
A flow starts at `start_s` plus a draw from 0 to `start_spread_s`, with the connection open unless
`handshake` asks for a SYN first. A segment of payload P is a packet of P + `header_bytes`. It leaves the server's
wire when the packets of its flow before it have left and 8 x bytes / `downlink_rate_bps` has passed, and is at the base
station `downlink_delay_ms` later. Wires lose and reorder packets only by their impairments. At the end of the slot
that completes the packet the user has it; an ACK of `ack_bytes` goes back in the same way over
`uplink_rate_bps` and `uplink_delay_ms`, a link for each flow. Round trip without queueing = both delays + both
transmissions + the wait for the next slot + the slots on air.

`backlogged` traffic has no TCP and no wires: from its start to its stop, packets of `packet_bytes` are put into
the user's queue before each slot, until the bytes there that were never sent reach the largest possible grant (in
whole bytes, plus one) and one packet more, as far as the queue's limits allow.

A `file` is complete when its last byte has arrived at the user in order: `completion_s` of the results is the
time from the flow's start (its draw included) to that moment. The later arrival of the last ACK at the server
doesn't count; until then the flow still retransmits what it takes for lost.

A `stream` hands TCP its message n, from 0, n x 8 x `message_bytes` / `rate_bps` after the flow's start, rounded
down to the nanosecond without accumulated error, until its stop. Messages wait until TCP sends them; none is
dropped. A message shorter than a segment, or the rest of one, is sent as soon as the window allows. A stream
has no completion.

`poisson` traffic is a process of files for each listed user. The gaps between them, and the one before the
first, are exponential with mean 1 / `arrivals_per_s`; it begins at `start_s` plus the user's draw from 0 to
`start_spread_s` and ends before `stop_s` or the run's end. Each file is a flow with a TCP connection of its own
(from its SYN on, with `handshake`) that starts as it arrives and is never stopped: from then on it is a `file`.
Times and sizes are drawn from streams named by (seed, process), processes being numbered by table and user
among themselves. So ordinary flows keep their numbers and draws whatever arrives, the same files arrive under
another scheduler or TCP, `arrivals_per_s` only brings them closer together, and another law of sizes leaves
their times. Wires belong to flows, so each file has its own, too. Numbers of flows differ from seed to seed.

`sessions` are pages on one connection that stays open. The server has the first page to send at the flow's
start. When its last byte has arrived at the user in order, the user thinks for a time of mean `think_s`; the
request then takes `uplink_delay_ms` (it has no size and is never lost), and the server has the next page.
The time between two requests at the server is the page's download time + the think time + `uplink_delay_ms`. Sizes and
times to think are drawn from streams of their own, named by (seed, flow): page n has the same size however fast
the ones before it came. From `stop_s` on no page is requested, and nothing new is sent of a page under way.

From `stop_s` on a TCP flow sends no new data; outstanding data is still retransmitted until it is acknowledged.

With `experimental.hold_timeouts` the retransmission timer, when it expires, is armed again for the same RTO and
nothing else happens as long as an ACK of the oldest segment is to come: some copy of it has neither arrived nor
been lost; or it has arrived, and an ACK of it is on its way and will arrive, or waits at the receiver, or any
segment of the flow is on its way. Otherwise it expires as usual, so no flow waits without end.

Statistics count from the first slot that starts at `warmup_s` or later; what happens at exactly that boundary
before the slot still belongs to the warm-up, what happens at exactly `duration_s` is counted. A gap that began in
the warm-up counts when it ends after it. Where `duration_s` is no whole number of slots, the rest of the last slot
is measured time in which nothing is sent. Nothing else changes with a warm-up.
"""

TCP = """\
What follows holds with the defaults (profile `classic`). What each further rule does is in models/transport.md and
models/congestion-control.md; rules.md lists them all, each with its switch and a script that shows it.

Reno is RFC 5681: slow start below ssthresh (cwnd += at most one MSS per ACK), then cwnd += MSS x
MSS / cwnd per ACK; the `duplicate_ack_threshold`-th duplicate starts fast retransmit, ssthresh =
max(flight / 2, 2 MSS), cwnd = ssthresh + threshold x MSS, one MSS more per further duplicate, and back to
ssthresh at the first ACK of new data. A duplicate repeats the last number while anything sent isn't
acknowledged. Below the threshold duplicates send nothing, unless `rules.limited_transmit` is true. cwnd may grow
beyond what is used or what the receiver allows. In flight is at most min(cwnd, `receiver_window_bytes`), in whole
segments. The last segment of a file may be short.

New Reno (RFC 6582) stays in recovery until everything sent before it is acknowledged. A partial ACK retransmits
the next hole once and subtracts the bytes it acknowledges from cwnd (not below 0), plus one MSS if they were
one or more. At the end of recovery cwnd = min(ssthresh, max(flight, MSS) + MSS). Duplicates start the next fast
retransmit only when more is acknowledged than had been sent when the last one started (RFC 6582 section 3.2,
step 2); a timeout without `rules.careful_fast_retransmit` lifts that.

At a timeout ssthresh = max(flight / 2, 2 MSS), unless nothing was acknowledged since the last timeout: then it
is kept (RFC 5681 section 3.1). cwnd = 1 MSS, and everything outstanding is sent again from the oldest on
(go-back-N), as the window opens. Flight is what lies between the oldest byte not acknowledged and the next to be
sent: after a timeout, only what was sent again since. Duplicates that these resends cause may start fast
retransmit again; with `rules.careful_fast_retransmit` only once more is acknowledged than had been sent at the
timeout. One segment is then sent again, and the resends go on from where they were.

Timer: first sample R: SRTT = R, RTTVAR = R/2; then RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R|, SRTT = 7/8 SRTT + 1/8
R; RTO = SRTT + 4 RTTVAR (with `variance_floor`: SRTT + max(tick, 4 RTTVAR)), kept within `min_ms` and `max_ms`.
What is kept is S = 8 SRTT and V = 4 RTTVAR in whole nanoseconds: V <- V - floor(V/4) + |floor(S/8) - R|, then S
<- S - floor(S/8) + R. With `tick_ms` = G above 0 a sample is G (floor(t/G) - floor(s/G)), at least G, for a
segment sent at s and acknowledged at t, both from time 0 of the run. The RTO itself is not rounded to ticks. Each
timeout multiplies it by `backoff_factor`, up to `max_ms`.

Without `sample_every_ack` one segment is timed at a time: when none is, the next new one that is sent, until it
is acknowledged. With it, every ACK of new data times the oldest segment that it covers, from when it
was last sent. With `karn`, ACKs that cover a segment sent twice give no sample, fast retransmit and
timeouts end the timing under way (the further resends of a New Reno recovery don't), and the backed-off RTO stays
until the next sample. Without `karn`, retransmitted segments are timed as well, and any ACK of new data ends
the back-off.

The timer starts with the first segment in flight and starts anew with every ACK of new data, but in a
recovery of New Reno only with the first of them and the last (RFC 6582, "impatient"). Fast retransmit leaves it
running.

Delayed ACKs: one for every `every`-th segment in order, or `timer_ms` after the first that waits; a
segment out of order (also one that had come before) or one that fills a gap, even in part, is acknowledged at once,
for all that wait.
"""

ENGINE_NOTES = ""
"""Further notes on the engine: the place for what it does and the sections above don't say."""
