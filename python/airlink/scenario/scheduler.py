"""Schedulers: who gets each subchannel of a slot. R is the rate that the report allows on it, A an average of service.

Leaves out several users on one subchannel, and weights of users.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from .fields import Flag, Number, Section, about

CONSTANT = Number(at_least=1, at_most=1e12)
WEIGHT = Number(above=0, at_most=1)


class AnyScheduler(Section):
    """What every scheduler has."""

    serve_empty_queues: Annotated[
        Flag,
        about(
            "true: users with nothing to send compete as well, and waste the slots they win; false: they can't win",
            "",
            "airlink default (paper 000: as long as a user has data); K3: true",
        ),
    ] = False
    ties: Annotated[
        Literal["random", "lowest_index"],
        about(
            'Users with equal metric: "random" draws one from a stream of its own, "lowest_index" takes the first. '
            "Round robin has no ties, first come, first served takes the first",
            "",
            "airlink default (paper 002, given); K3: lowest_index",
        ),
    ] = "random"
    covered_users: Annotated[
        Literal["leave", "compete"],
        about(
            'A user whose backlog on air is covered by the bits of the subchannels it has won so far in a slot: "leave"'
            ' = it wins no more of them, "compete" = it goes on, with nothing to send. With one subchannel, and with '
            "serve_empty_queues = true, all compete",
            "",
            "airlink default (paper 002 does not say)",
        ),
    ] = "compete"


class Averaged(AnyScheduler):
    """What schedulers with a smoothed rate have: A[n] = w x + (1 - w) A[n-1], w = 1 / time_constant_slots."""

    time_constant_slots: Annotated[
        float, CONSTANT, about("1/w, the memory of the averages", "slots", "paper 001, given: w = 1/1000")
    ] = 1000.0
    average_counts: Annotated[
        Literal["sent", "granted"],
        about(
            'x of a slot: "granted" = the rate R of the slot won; "sent" = bits put on air / slot. 0 for the others',
            "",
            "profile K3 of paper 001: sent; the letter of eq. (2) of paper 001: granted",
        ),
    ] = "sent"
    initial_average_bps: Annotated[
        float,
        Number(at_least=0, at_most=1e12),
        about(
            'A before the first slot; 0 with average_window = "growing" only, where users without service rank first',
            "b/s",
            "profile K3 of paper 001: 10 bytes a slot of 5 ms",
        ),
    ] = 16000.0
    average_window: Annotated[
        Literal["fixed", "growing"],
        about(
            'w in the n-th slot: "fixed" = 1/time_constant_slots; "growing" = 1/min(n, time_constant_slots), so the '
            "first slot wipes A(0) out",
            "",
            "paper 001, given: fixed; paper 002, eq. (3), given: growing",
        ),
    ] = "fixed"
    average_updates: Annotated[
        Literal["slot", "subchannel"],
        about(
            'What a decision knows: "slot" = the slots before; "subchannel" = also what was granted on the subchannels '
            "before, as A + w x; with one subchannel no difference",
            "",
            "paper 002, given: slot",
        ),
    ] = "slot"


class GapAveraged(Averaged):
    """What TCP-PF and its kin have: smoothed gaps between the slots a user wins (paper 001, eqs (13)-(18))."""

    gap_mean_weight: Annotated[
        float, WEIGHT, about("alpha of eq. (14): weight of the newest gap in Phi", "", "paper 001, given")
    ] = 0.1
    gap_square_weight: Annotated[
        float, WEIGHT, about("beta of eq. (15): weight of the newest squared gap in Sigma", "", "paper 001, given")
    ] = 0.5
    initial_gap_mean_slots: Annotated[
        float,
        Number(at_least=1, at_most=1e9),
        about("Phi before the first slot", "slots", "profile K3 of paper 001: the number of users"),
    ] = 21.0
    initial_gap_square_slots2: Annotated[
        float,
        Number(above=0, at_most=1e18),
        about("Sigma before the first slot", "slots^2", "profile K3 of paper 001: the number of users squared"),
    ] = 441.0
    vacation_unit: Annotated[
        Literal["slots", "seconds", "seconds_beside_slots"],
        about(
            'Unit of the vacation term Sigma/(2 Phi), which is added to Q/A in seconds: "slots" is the literal mix of '
            'the paper, "seconds" makes both terms seconds; "seconds_beside_slots": Q/A is in slots instead',
            "",
            "profile K3 of paper 001: the literal reading of eqs (16)-(19)",
        ),
    ] = "slots"
    terms: Annotated[
        Literal["both", "vacation", "queue"],
        about(
            "Terms of a packet's time in the system that count: both, the vacation term alone, or the queue's alone",
            "",
            "paper 001, given: both",
        ),
    ] = "both"


class RoundRobin(AnyScheduler):
    """Users in turn, by index."""

    kind: Annotated[Literal["round_robin"], about("Users in turn")] = "round_robin"
    skip_unservable: Annotated[
        Flag,
        about(
            "true: users whose rate is 0 lose their turn to the next; false: they waste it",
            "",
            "paper 000, Fig. 2: wasted",
        ),
    ] = False


class Fifo(AnyScheduler):
    """First come, first served: the user whose oldest packet came first to the base station, whatever its rate."""

    kind: Annotated[Literal["fifo"], about("The oldest packet of all users")] = "fifo"
    skip_unservable: Annotated[
        Flag,
        about(
            "true: while a user's rate is 0 the slot goes to the next oldest packet; false: it waits, wasting the slot",
            "",
            "airlink default: what one queue for all would do (paper 003, Fig. 4, does not say)",
        ),
    ] = False


class MaxRate(AnyScheduler):
    """Metric R (MAX, Max C/I)."""

    kind: Annotated[Literal["max_rate"], about("Largest R")] = "max_rate"


class RelativeSnr(AnyScheduler):
    """Metric reported SNR / mean SNR of the user, as power ratios (paper 000, Fig. 1)."""

    kind: Annotated[Literal["relative_snr"], about("Largest SNR relative to its mean")] = "relative_snr"


class ProportionalFair(Averaged):
    """Metric R/A (paper 001, eq. (1)); MC-PF of paper 002 with a growing window and A(0) = 0."""

    kind: Annotated[Literal["proportional_fair"], about("Largest R/A")] = "proportional_fair"


class Lambda(Averaged):
    """Metric log R - exponent x log A (paper 000, eq. (7)): 0 is max rate, 1 proportional fair, large rate-fair."""

    kind: Annotated[Literal["lambda"], about("Largest log R - exponent log A")] = "lambda"
    exponent: Annotated[
        float, Number(at_least=0, at_most=1000), about("lambda of eq. (7)", "", "paper 000: 0 to 10; 1 = PF")
    ] = 1.0


class TcpPf(GapAveraged):
    """Metric (R/A) [ Sigma^/(2 Phi^) + Q/A ] (paper 001, eq. (19))."""

    kind: Annotated[Literal["tcp_pf"], about("TCP-PF")] = "tcp_pf"


class TcpMax(GapAveraged):
    """Metric R [ Sigma^/(2 Phi^) + Q/A ] (paper 001, eq. (20))."""

    kind: Annotated[Literal["tcp_max"], about("TCP-MAX")] = "tcp_max"


class IdealTcpPf(AnyScheduler):
    """Control: metric R / smoothed true TCP goodput (paper 001, eq. (3)); no base station could run it."""

    kind: Annotated[Literal["ideal_tcp_pf"], about("Largest R / true goodput")] = "ideal_tcp_pf"
    time_constant_slots: Annotated[
        float, CONSTANT, about("Memory of the smoothed goodput", "slots", "paper 001, given: w = 1/1000")
    ] = 1000.0
    initial_average_bps: Annotated[
        float,
        Number(above=0, at_most=1e12),
        about("Goodput before the first slot", "b/s", "profile K3 of paper 001: 10 bytes a slot of 5 ms"),
    ] = 16000.0


class UnapproximatedTcpPf(GapAveraged):
    """Control: paper 001's eqs (5)-(7) without the approximations (8)-(11)."""

    kind: Annotated[Literal["unapproximated_tcp_pf"], about("TCP-PF before its approximations")] = (
        "unapproximated_tcp_pf"
    )


SchedulerKind: TypeAlias = (
    RoundRobin
    | Fifo
    | MaxRate
    | RelativeSnr
    | ProportionalFair
    | Lambda
    | TcpPf
    | TcpMax
    | IdealTcpPf
    | UnapproximatedTcpPf
)

# None with a wired bottleneck, which has no slots to give.
Scheduler = Annotated[
    SchedulerKind | None,
    Field(discriminator="kind"),
    about("Who gets a slot", "", "airlink default: proportional fair"),
]
