"""The link: what the base station knows of the channel, the rate it picks, errors and their repair.

Truth and knowledge are apart: the rate follows the report, errors follow the true SNR.
Leaves out error curves from block lengths, incremental redundancy.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Each, Flag, Number, Section, about
from .tables import TABLES

SLOTS = Number(at_least=0, at_most=100_000, whole=True)


class Report(Section):
    """The SNR report: error added in dB, then back-off taken off, then rounded, then late."""

    error_sd_db: Annotated[
        float,
        Number(at_least=0, at_most=50),
        about(
            "Standard deviation of a zero-mean Gaussian error in dB, new for every user and report",
            "dB",
            "airlink default: none; K3: 0.707 (paper 001: variance 0.5 dB, read as dB^2)",
        ),
    ] = 0.0
    delay_slots: Annotated[
        int,
        SLOTS,
        about(
            "Age of a report when it is used: slot n is scheduled on a report of slot n - delay or before (0: of the "
            "slot itself). Before slot `delay_slots` nothing is known and the rate is 0",
            "slots",
            "airlink default; K3: 0",
        ),
    ] = 0
    period_slots: Annotated[
        int,
        Number(at_least=1, at_most=100_000, whole=True),
        about(
            "A report is made every so many slots (0, p, 2p, ...) and used until the next", "slots", "airlink default"
        ),
    ] = 1
    quantisation_db: Annotated[
        float,
        Number(at_least=0, at_most=50),
        about("Reports are rounded to the nearest multiple of this; 0 = not rounded", "dB", "airlink default"),
    ] = 0.0
    backoff_db: Annotated[
        float,
        Number(at_least=-50, at_most=50),
        about("Taken off every report before a rate is chosen", "dB", "airlink default"),
    ] = 0.0
    group_subchannels: Annotated[
        float,
        Number(at_least=1, at_most=10_000, whole=True, infinite=True),
        about(
            "Adjacent subchannels that share a report, the last group being what is left: 1 = a report for each, "
            '"inf" = one for the carrier',
            "subchannels",
            "paper 002: one for each",
        ),
    ] = 1
    effective: Annotated[
        Literal["mean_db", "mean_capacity"],
        about(
            'What a report of several subchannels is: "mean_db" = the mean of their SNRs in dB, "mean_capacity" = the '
            "SNR whose log2(1 + SNR) is the mean of theirs",
            "",
            "airlink default",
        ),
    ] = "mean_db"


class NoOuterLoop(Section):
    """Reports are taken as they are, whatever is lost."""

    kind: Annotated[Literal["none"], about("No outer loop")] = "none"


class OuterLoopSteps(Section):
    """An offset is added to a user's reports, and moves until first transmissions fail as often as wanted.

    Of the frames or code blocks that a user was sent for the first time in a slot, a share s was lost. When the base
    station hears of it, the offset moves by up (1 - s) - step_down s with up = step_down target / (1 - target).
    """

    kind: Annotated[Literal["steps"], about("An offset to reports that moves in steps of fixed size")] = "steps"
    target_bler: Annotated[
        float,
        Number(above=0, below=1),
        about("Share of first transmissions that may be lost", "", "LTE: 10 % of transport blocks (TS 36.213 7.2.3)"),
    ] = 0.1
    step_down_db: Annotated[
        float,
        Number(above=0, at_most=50),
        about(
            "What a slot takes off whose first transmissions are all lost",
            "dB",
            "airlink default: small beside the dB or two over which blocks begin to fail; rule: [Sampath97]",
        ),
    ] = 0.1
    lowest_db: Annotated[
        float, Number(at_least=-50, at_most=0), about("The least offset", "dB", "airlink default")
    ] = -20.0
    highest_db: Annotated[
        float, Number(at_least=0, at_most=50), about("The largest offset", "dB", "airlink default")
    ] = 20.0
    initial_db: Annotated[
        float, Number(at_least=-50, at_most=50), about("The offset at the start", "dB", "airlink default: none")
    ] = 0.0
    feedback_delay_slots: Annotated[
        int,
        SLOTS,
        about(
            "Slots that pass before the base station hears what became of a slot (0: in the next slot)",
            "slots",
            "airlink default, as link.arq; LTE FDD: 7, a round trip of 8 (TS 36.213 section 7)",
        ),
    ] = 0


class RateFromTable(Section):
    """The highest rate whose threshold is at or below the reported SNR; 0 below the first."""

    kind: Annotated[Literal["table"], about("Rate steps with SNR thresholds")] = "table"
    name: Annotated[
        Literal["custom", "1xev-do", "klein-2004", "imt-advanced"],
        about(
            '"custom": the two lists of this table; "1xev-do" (paper 000, Table I), "klein-2004" (paper 001, '
            'profile K3) and "imt-advanced" (paper 002, profile W1) bring theirs along: leave the lists out',
            "",
            "airlink default",
        ),
    ] = "custom"
    thresholds_db: Annotated[
        tuple[float, ...],
        Each(Number(at_least=-200, at_most=200)),
        about("SNR from which each rate may be used, strictly increasing", "dB", "airlink default: those of `name`"),
    ] = ()
    rates_bps: Annotated[
        tuple[float, ...],
        Each(Number(above=0, at_most=1e12)),
        about("The rates, as many as thresholds, strictly increasing", "b/s", "airlink default: those of `name`"),
    ] = ()

    def with_numbers(self) -> RateFromTable:
        """The table with the numbers of its name filled in."""
        named = TABLES.get(self.name)
        if named is None:
            return self
        return RateFromTable(name=self.name, thresholds_db=named.thresholds_db, rates_bps=named.rates_bps)


class RateFromCapacity(Section):
    """R = min(bandwidth log2(1 + SNR / gap), max_rate)."""

    kind: Annotated[Literal["capacity"], about("Shannon capacity with a gap")] = "capacity"
    bandwidth_hz: Annotated[float, Number(above=0, at_most=1e12), about("Bandwidth", "Hz", "paper 001: 1.25 MHz")]
    gap_db: Annotated[
        float, Number(at_least=-50, at_most=50), about("SNR lost against capacity", "dB", "airlink default: none")
    ] = 0.0
    max_rate_bps: Annotated[
        float,
        Number(above=0, at_most=1e12, infinite=True),
        about("Highest rate of the modem", "b/s", "airlink default: none"),
    ] = float("inf")


class RateFromTrace(Section):
    """The replayed rate itself; needs a rate trace with equivalent_bandwidth_hz = 0, and the other way round."""

    kind: Annotated[Literal["trace"], about("The rate of the trace")] = "trace"


RateChoice = Annotated[
    RateFromTable | RateFromCapacity | RateFromTrace,
    Field(discriminator="kind"),
    about("How a rate follows from the reported SNR", "", "airlink default: the table of paper 000"),
]


class NoErrorCurve(Section):
    """Losses do not depend on the SNR beyond `threshold_rule`."""

    kind: Annotated[Literal["none"], about("No curve: `probability` and `threshold_rule` say what is lost")] = "none"


class LogisticErrorCurve(Section):
    """A block is lost with probability 1 / (1 + exp(slope (m + offset))) at a margin of m dB.

    The margin is the mean, over the bits of the block, of what its subchannels have above the threshold of their rate.
    """

    kind: Annotated[Literal["logistic"], about("A logistic curve over the margin; needs a table of rates")] = "logistic"
    slope_per_db: Annotated[
        float, Number(above=0, at_most=100), about("Slope", "1/dB", "profile W1 of paper 002: 2")
    ] = 2.0
    offset_db: Annotated[
        float,
        Number(at_least=-50, at_most=50),
        about(
            "Margin below the threshold at which half is lost", "dB", "profile W1 of paper 002: 5 % at the threshold"
        ),
    ] = 1.472


class Errors(Section):
    """Frame errors: everything sent in a slot is lost or arrives together."""

    probability: Annotated[
        float,
        Number(at_least=0, at_most=1),
        about("A frame (all that one slot carries) is lost with this probability", "", "airlink default: 0; K3: 0.002"),
    ] = 0.0
    threshold_rule: Annotated[
        Flag,
        about(
            "Also lose a frame when the true SNR (with rate traces: the true rate) is below what the rate sent needs",
            "",
            "airlink default",
        ),
    ] = False
    curve: Annotated[
        NoErrorCurve | LogisticErrorCurve,
        Field(discriminator="kind"),
        about("How losses of code blocks (link.harq.unit) depend on the SNR", "", "airlink default"),
    ] = NoErrorCurve()


class Arq(Section):
    """Link-layer repetition of lost frames."""

    max_retransmissions: Annotated[
        float,
        Number(at_least=0, at_most=1000, whole=True, infinite=True),
        about(
            "How often a lost part is sent again: 0 leaves errors to TCP, "
            '"inf" repeats until it arrives. When it is used up, every packet that has a part in it is dropped',
            "",
            "airlink default: 0, as in K3",
        ),
    ] = 0
    feedback_delay_slots: Annotated[
        int,
        SLOTS,
        about("Slots that pass before a lost part may be sent again (0: in the next slot)", "slots", "airlink default"),
    ] = 0


class Harq(Section):
    """Hybrid ARQ: code blocks that are lost are sent again as they are, before anything new.

    What it gives up goes to ARQ where that repeats, or is dropped (`retry_limit`).
    """

    kind: Annotated[
        Literal["none", "chase"],
        about(
            "What a receiver does with earlier transmissions of a block: "
            '"none": there are no others; "chase": it adds their SINRs, each relative to what its rate needs',
            "",
            "airlink default; paper 002: packet combining",
        ),
    ] = "none"
    unit: Annotated[
        Literal["pdu", "block"],
        about(
            'What is coded, lost and repeated as one: "pdu", each segment with its headers, over the subchannels that '
            'it needs; "block", all that a user sends anew in a slot',
            "",
            "airlink default: a transport block; paper 002: RLC PDUs",
        ),
    ] = "block"
    processes: Annotated[
        float,
        Number(at_least=1, at_most=1000, whole=True, infinite=True),
        about(
            "Of how many slots a user's new data may be unacknowledged; each is busy for a round trip, and until all "
            "of it arrived or was given up",
            "",
            "LTE FDD: 8 (TS 36.213 section 7); paper 002 names none: inf",
        ),
    ] = 8
    round_trip_slots: Annotated[
        int,
        Number(at_least=1, at_most=100_000, whole=True),
        about(
            "Slots from a transmission to the first that may repeat it; 1 is the next slot",
            "slots",
            "LTE FDD: 8; paper 002, profile W1: 1",
        ),
    ] = 8
    max_retransmissions: Annotated[
        float,
        Number(at_least=0, at_most=1000, whole=True, infinite=True),
        about(
            "How often a lost block is sent again", "", "airlink default: 3, four transmissions in all; paper 002: 10"
        ),
    ] = 3


class Link(Section):
    """From the true channel to bits that arrive."""

    report: Annotated[Report, about("What the base station knows")] = Report()
    outer_loop: Annotated[
        NoOuterLoop | OuterLoopSteps,
        Field(discriminator="kind"),
        about("What is added to reports for how much was lost", "", "airlink default"),
    ] = NoOuterLoop()
    rate: RateChoice = RateFromTable(name="1xev-do")
    errors: Annotated[Errors, about("What is lost on air")] = Errors()
    arq: Annotated[Arq, about("What the link repeats")] = Arq()
    harq: Annotated[Harq, about("What is coded as one and repeated as it is")] = Harq()

    def has_code_blocks(self) -> bool:
        """Whether a user's slot is cut into code blocks, each with a fate of its own."""
        return self.errors.curve.kind != "none" or self.harq.kind != "none" or self.harq.unit == "pdu"
