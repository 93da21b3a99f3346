"""TCP: every rule of the two ends of a connection as a field, and profiles that set their defaults.

The retransmission timer is in `retransmission.py`, the receiver's tables in `receiver.py`, CUBIC, Westwood+, Vegas
and pacing in `congestion.py`, the values of the profiles in `profiles.py`. Leaves out ECN, closing, and data in both
directions.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import model_validator

from .clamp import Clamp, ClampOff
from .congestion import Cubic, Pacing, PacingOff, Vegas, Westwood
from .fields import Flag, Number, Section, about
from .profiles import completed
from .receiver import DelayedAck, Immediate, Reader, ReceiveAutotuning, ReceiverWindow, WindowScaling
from .retransmission import Rto

SEGMENTS = Number(at_least=1, at_most=1e9, whole=True)


class Tcp(Section):
    """A TCP connection from the server to the user; bytes are counted from 0.

    Every rule has a switch. A `profile` sets the default of each field that is not given.
    """

    profile: Annotated[
        Literal["classic", "ns2", "rfc", "linux"],
        about(
            "Where the fields that aren't given take their values from: classic, the defaults below; the others as "
            'under "Profiles of TCP". When it is changed by an override, fields that hold the value of the old '
            "profile take that of the new one; others stay",
            "",
            "airlink default: RFC 5681 and RFC 6298, nothing newer",
        ),
    ] = "classic"

    congestion_control: Annotated[
        Literal["tahoe", "reno", "new_reno", "cubic", "westwood", "vegas"],
        about(
            "tahoe: after a loss, slow start from one segment; reno: RFC 5681; new_reno: RFC 6582 (partial "
            "acknowledgements stay in fast recovery); cubic: RFC 9438, with whole_segments as Linux computes it; "
            "westwood: Westwood+ [Grieco04], NewReno that a loss sets to the measured rate; "
            "vegas: [Brakmo95], which keeps a few segments waiting and else is NewReno",
            "",
            "papers 000, 001, given: Reno",
        ),
    ] = "reno"
    mss_bytes: Annotated[
        int,
        Number(at_least=1, at_most=65495, whole=True),
        about("Payload of a full segment", "bytes", "Ethernet less 40; paper 000: 472 (inferred); paper 001: 536"),
    ] = 1460
    header_bytes: Annotated[
        int,
        Number(at_least=0, at_most=1000, whole=True),
        about(
            "TCP and IP header of every segment, options included: on the wire, in the queue and on air",
            "bytes",
            "TCP and IPv4: 20 + 20; with timestamps 12 more",
        ),
    ] = 40
    ack_bytes: Annotated[
        int,
        Number(at_least=1, at_most=65535, whole=True),
        about("Size of an acknowledgement without SACK blocks", "bytes", "TCP and IPv4; with timestamps 12 more"),
    ] = 40
    count_option_bytes: Annotated[
        Flag,
        about(
            "An acknowledgement with n SACK blocks is `option_header_bytes` + 8 n bytes longer",
            "",
            "airlink default (RFC 2018 section 3)",
        ),
    ] = False
    option_header_bytes: Annotated[
        int,
        Number(at_least=0, at_most=8, whole=True),
        about(
            "What a SACK option adds beside its blocks: kind, length and two bytes of padding (ns-2: 0)",
            "bytes",
            "RFC 2018 section 3; RFC 9293 section 3.1: padded to 4",
        ),
    ] = 4
    handshake: Annotated[
        Flag,
        about(
            "true: a SYN and its acknowledgement come first, and give the first RTT; false: the connection is open "
            "when the flow starts",
            "",
            "airlink default (RFC 9293 section 3.5)",
        ),
    ] = False

    initial_window: Annotated[
        Literal["segments", "rfc3390", "rfc6928"],
        about(
            "Congestion window at the start: segments, `initial_window_segments`; rfc3390, min(4 MSS, max(2 MSS, 4380 "
            "bytes)); rfc6928, min(10 MSS, max(2 MSS, 14600 bytes))",
            "",
            "airlink default",
        ),
    ] = "segments"
    initial_window_segments: Annotated[
        int,
        SEGMENTS,
        about(
            'Congestion window at the start, in MSS; giving it alone sets `initial_window` to "segments"',
            "MSS",
            "profile K3 of paper 001; RFC 5681: 2-4",
        ),
    ] = 1
    initial_window_after_lost_syn: Annotated[
        Literal["one_segment", "forgives_first", "falls_back"],
        about(
            "Congestion window at the start after a SYN was sent again. one_segment: 1 MSS; forgives_first: as without "
            "a loss after one, or when a timestamp shows that none was lost, else 1 MSS (RFC 6928 section 2, Linux); "
            "falls_back: in place of rfc3390 and rfc6928 `initial_window_segments` after one, else 1 MSS (ns-2)",
            "",
            "RFC 5681 section 3.1",
        ),
    ] = "one_segment"
    initial_ssthresh_segments: Annotated[
        float,
        Number(at_least=1, at_most=1e9, infinite=True),
        about(
            "Slow-start threshold at the start, in MSS", "MSS", "RFC 5681 section 3.1: arbitrarily high; paper 000: 20"
        ),
    ] = float("inf")
    growth: Annotated[
        Literal["per_ack", "byte_counting", "whole_segments"],
        about(
            "How acknowledgements make the window grow. per_ack: RFC 5681 eqs (2), (3), an acknowledgement at a time; "
            "byte_counting: RFC 3465; whole_segments: Linux, by segments acknowledged, one at a time",
            "",
            "RFC 5681 section 3.1",
        ),
    ] = "per_ack"
    byte_counting_limit_segments: Annotated[
        int,
        Number(at_least=1, at_most=1_000_000, whole=True),
        about(
            "With byte_counting: in slow start an acknowledgement counts at most so much (L); 1 after a timeout",
            "MSS",
            "RFC 3465 section 2.3: 1 or 2",
        ),
    ] = 2
    slow_start_exit: Annotated[
        Literal["loss", "hystart_plus_plus", "hystart"],
        about(
            "How slow start may end before a loss. loss: only at ssthresh; hystart_plus_plus: RFC 9406; hystart: as in "
            "Linux's CUBIC",
            "",
            "RFC 5681 section 3.1",
        ),
    ] = "loss"
    reduction_of: Annotated[
        Literal["flight", "window", "congestion_window"],
        about(
            "What a loss makes smaller. flight: what is in flight; window: min(cwnd, receiver's window) in whole "
            "segments (ns-2); congestion_window: cwnd (Linux)",
            "",
            "RFC 5681 section 3.1 eq. (4)",
        ),
    ] = "flight"
    reduction_in_whole_segments: Annotated[
        Flag, about("A loss leaves whole segments, rounded down (ns-2 before 2006)", "", "RFC 5681: no rounding")
    ] = False
    cubic: Annotated[Cubic, about("Parameters of CUBIC")] = Cubic()
    westwood: Annotated[Westwood, about("Parameters of Westwood+")] = Westwood()
    vegas: Annotated[Vegas, about("Parameters of Vegas")] = Vegas()
    timeout_in_recovery_reduces: Annotated[
        Flag,
        about(
            "true: a timeout lowers ssthresh unless the timer had already resent that segment; false: nor in a "
            "recovery, which has lowered it already (Linux)",
            "",
            "RFC 5681 section 3.1",
        ),
    ] = True
    timeout_raises_threshold: Annotated[
        Flag,
        about(
            "false: a timeout in a recovery leaves ssthresh at most where the recovery set it; true: eq. (4) "
            "literally, which counts the data that duplicate ACKs let out and may raise it",
            "",
            "RFC 5681 section 3.1: no more than eq. (4)",
        ),
    ] = False
    restart_after_idle: Annotated[
        Literal["off", "initial_window", "decay"],
        about(
            "After more than an RTO without sending. initial_window: cwnd = min(initial window, cwnd), RFC 5681; "
            "decay: cwnd halves for each RTO, as in Linux",
            "",
            "airlink default (RFC 5681 section 4.1: initial_window)",
        ),
    ] = "off"
    window_validation: Annotated[
        Literal["off", "rfc7661", "linux"],
        about(
            "What becomes of a window of which less is in flight. off: it grows all the same; rfc7661: it grows only "
            "while half of it is used, and a loss cuts it to what was used; linux: it grows only while it is the limit",
            "",
            "airlink default (RFC 7661)",
        ),
    ] = "off"
    pacing: Pacing = PacingOff()

    duplicate_ack_threshold: Annotated[
        int,
        Number(at_least=1, at_most=1000, whole=True),
        about(
            "Duplicate acknowledgements (with `sack`: segments reported above) that show a loss",
            "",
            "RFC 5681 section 3.2",
        ),
    ] = 3
    guard_after_timeout: Annotated[
        Flag,
        about(
            "After a timeout, duplicate acknowledgements of what was sent before it don't start fast retransmit "
            '(ns-2: "bugFix")',
            "",
            "RFC 6582 section 3.2, steps 2 and 4; K3: false",
        ),
    ] = True
    guard_after_recovery: Annotated[
        Flag,
        about(
            "For Reno and Tahoe, too: once a recovery is over, duplicates of what was sent before it don't start "
            'another (ns-2: "bugFix")',
            "",
            "RFC 6582 section 3.2, step 2: of NewReno only",
        ),
    ] = False
    less_careful: Annotated[
        Flag,
        about(
            "Duplicates of exactly what was sent before that timeout or recovery may start fast retransmit, too, which "
            "RFC 2582 section 5, before RFC 6582, calls Less Careful (ns-2: lessCareful_); not of Reno and Tahoe",
            "",
            "RFC 6582 section 3.2 step 2: only those beyond it",
        ),
    ] = False
    forgets_recovery_point: Annotated[
        Flag, about("Duplicates of what NewReno's recovery covered may start another (ns-2)", "", "RFC 6582: no")
    ] = False
    first_loss_unguarded: Annotated[
        Flag,
        about(
            "None of these guards holds while nothing is acknowledged but the SYN or, without `handshake`, one segment "
            "(ns-2: bugfix_ss_)",
            "",
            "RFC 6582 section 3.2 knows no exception",
        ),
    ] = False
    timeout_keeps_duplicates: Annotated[
        Flag,
        about(
            "A timeout does not end Tahoe's row of duplicates, so that the third may come after it (ns-2)",
            "",
            "RFC 5681: no; not used by the other algorithms",
        ),
    ] = False
    impatient: Annotated[
        Flag,
        about(
            "true: only the first partial acknowledgement of a recovery restarts the timer; false: each does",
            "",
            "RFC 6582 section 3.2 step 3",
        ),
    ] = True
    restart_timer_on_retransmission: Annotated[
        Flag, about("A fast retransmit restarts the timer (ns-2, Linux)", "", "RFC 6298 section 5: only ACKs do")
    ] = False
    recovery_end: Annotated[
        Literal["flight", "threshold", "deflated"],
        about(
            "Window at the end of a recovery without `sack`. flight: Reno ssthresh, NewReno min(ssthresh, flight + "
            "MSS); threshold: ssthresh; deflated: what the partial acknowledgements left (ns-2)",
            "",
            "RFC 5681 section 3.2 step 6; RFC 6582 section 3.2 step 3, option 1",
        ),
    ] = "flight"
    growth_at_recovery_end: Annotated[
        Flag,
        about("The acknowledgement that ends such a recovery makes the window grow, too (ns-2)", "", "RFC 5681: no"),
    ] = False
    partial_window_deflation: Annotated[
        Flag,
        about(
            "What a partial acknowledgement takes from the window. true: what it acknowledges, less a segment; false: "
            "all that duplicates have added (ns-2: partial_window_deflation_ 0)",
            "",
            "RFC 6582 section 3.2 step 3",
        ),
    ] = True
    recovery_burst_segments: Annotated[
        int,
        Number(at_least=0, at_most=1_000_000, whole=True),
        about(
            "Segments that one acknowledgement may let out in such a recovery beside the repair; 0 = any number (ns-2, "
            "NewReno: 2)",
            "segments",
            "RFC 6582: no limit",
        ),
    ] = 0
    max_burst_segments: Annotated[
        int,
        Number(at_least=0, at_most=1_000_000, whole=True),
        about(
            "Segments that one acknowledgement, timeout or piece of new data may let out, fast retransmits apart; 0 = "
            "any number (ns-2: maxburst_)",
            "segments",
            "RFC 5681: no limit",
        ),
    ] = 0
    limited_transmit: Annotated[
        Flag, about("The first duplicates each let a new segment out", "", "airlink default (RFC 3042)")
    ] = False
    limited_transmit_resends: Annotated[
        Flag,
        about(
            "After a timeout that is the next segment to be sent again (ns-2); needs `limited_transmit`",
            "",
            "RFC 3042: new segments only",
        ),
    ] = False
    sack: Annotated[
        Flag,
        about(
            "The sender follows SACK blocks and repairs by RFC 6675; the receiver sends at most `sack_blocks`",
            "",
            "airlink default (RFC 2018, RFC 6675)",
        ),
    ] = False
    sack_blocks: Annotated[
        int,
        Number(at_least=1, at_most=4, whole=True),
        about(
            "SACK blocks in an acknowledgement at most; with `timestamps` at most 3, without `sack` none are sent",
            "",
            "RFC 2018 section 3",
        ),
    ] = 3
    dsack: Annotated[
        Flag, about("The receiver reports duplicates in the first block", "", "airlink default (RFC 2883)")
    ] = False
    sack_pipe: Annotated[
        Literal["scoreboard", "counted"],
        about(
            "What is in flight in a recovery with `sack`. scoreboard: by RFC 6675, from the marks of each segment; "
            "counted: a counter, and all below the highest block is lost, as in ns-2 [Fall96]",
            "",
            "RFC 6675 section 4",
        ),
    ] = "scoreboard"
    sack_of_old_acks: Annotated[
        Flag,
        about(
            "The SACK blocks of an acknowledgement that came late, below one that came before it, count; with "
            'sack_pipe = "counted" in a recovery alone (ns-2)',
            "",
            "airlink default (RFC 6675 section 5: those of any acknowledgement count)",
        ),
    ] = False
    forget_sack_on_timeout: Annotated[
        Flag,
        about("A timeout forgets what was reported", "", "RFC 6675 section 5.1: it may remember; RFC 2018: forgets"),
    ] = False
    rescue_retransmission: Annotated[
        Flag,
        about("One retransmission in a recovery that nothing shows to be needed", "", "RFC 6675 section 4, rule 4"),
    ] = False
    rate_reduction: Annotated[
        Literal["off", "proportional", "linux"],
        about(
            "How the window comes down in a recovery. off: at once; proportional: RFC 9937; linux: as in Linux, which "
            "followed RFC 6937, obsoleted by RFC 9937",
            "",
            "RFC 6675 section 5, step 4",
        ),
    ] = "off"
    rack: Annotated[
        Flag, about("Losses are detected by time of sending; needs `sack`", "", "airlink default (RFC 8985 section 6)")
    ] = False
    tail_loss_probe: Annotated[
        Flag,
        about(
            "A probe is sent when the end of what was sent goes unanswered; needs `sack` and `rack`",
            "",
            "airlink default (RFC 8985 section 7)",
        ),
    ] = False
    probe_ack_allowance_ms: Annotated[
        float,
        Number(at_least=0, at_most=10_000),
        about(
            "What a probe allows the receiver to delay the acknowledgement of a lone segment (TLP.max_ack_delay)",
            "ms",
            "RFC 8985 section 7.2",
        ),
    ] = 200.0

    timer_slack_ms: Annotated[
        float,
        Number(at_least=0, at_most=10_000),
        about(
            "Added to RACK's reordering timer and, with more than one segment out, to that of a probe (Linux: 2)",
            "ms",
            "RFC 8985: none",
        ),
    ] = 0.0

    timestamps: Annotated[
        Flag,
        about(
            "Segments and acknowledgements carry times, each acknowledgement of new data gives a sample; their 12 "
            "bytes are part of `header_bytes` and `ack_bytes`",
            "",
            "airlink default (RFC 7323)",
        ),
    ] = False
    forward_rto: Annotated[
        Flag,
        about("After a timeout, two acknowledgements tell whether it was spurious", "", "airlink default (RFC 5682)"),
    ] = False
    forward_rto_at_once: Annotated[
        Flag,
        about(
            "With `sack`, one newly reported segment from before the timeout is enough for that, as in Linux",
            "",
            "RFC 5682 section 3.1",
        ),
    ] = False
    eifel_detection: Annotated[
        Flag,
        about(
            "A time from before the retransmission shows a spurious one; needs `timestamps`",
            "",
            "airlink default (RFC 3522)",
        ),
    ] = False
    dsack_detection: Annotated[
        Flag,
        about(
            "Duplicates reported for every retransmission of a recovery show it to be spurious; needs `sack` and "
            "`dsack`",
            "",
            "airlink default (RFC 3708)",
        ),
    ] = False
    spurious_response: Annotated[
        Literal["off", "eifel", "undo"],
        about(
            "What a recovery shown to be spurious gives back. eifel: RFC 4015; undo: as Linux, cwnd and ssthresh from "
            "before",
            "",
            "airlink default",
        ),
    ] = "off"
    rto: Annotated[Rto, about("The retransmission timer")] = Rto()

    receiver_window_bytes: ReceiverWindow = 65535
    window_scaling: WindowScaling = True
    receive_autotuning: ReceiveAutotuning = False
    reader: Reader = Immediate()
    clamp: Clamp = ClampOff()
    delayed_ack: Annotated[DelayedAck, about("When the receiver answers")] = DelayedAck()

    @model_validator(mode="before")
    @classmethod
    def _completed(cls, data: Any) -> Any:
        return completed(data)
