"""The link: what the base station knows of the channel, the rate it picks, errors and their repair.

Truth and knowledge are apart: the rate follows the report, errors follow the true SNR.
Leaves out error curves that are measured, several code words at once.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Each, Flag, Number, Section, about
from .mcs_sets import MCS_SETS
from .outer_loop import NoOuterLoop, OuterLoop
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
    bandwidth_hz: Annotated[
        float,
        Number(above=0, at_most=1e12),
        about(
            "Bandwidth of the whole carrier. [carrier] does not set it: with other subchannels, change it, too",
            "Hz",
            "paper 001: 1.25 MHz",
        ),
    ]
    gap_db: Annotated[
        float, Number(at_least=-50, at_most=50), about("SNR lost against capacity", "dB", "airlink default: none")
    ] = 0.0
    max_rate_bps: Annotated[
        float,
        Number(above=0, at_most=1e12, infinite=True),
        about("Highest rate of the modem", "b/s", "airlink default: none"),
    ] = float("inf")


class RateFromMcs(Section):
    """R = bits a symbol x code rate x bandwidth x (1 - overhead) of the fastest scheme whose threshold is met.

    A scheme's threshold is the SNR at which blocks of `reference_bits` are lost with probability `target_bler`, by the
    normal approximation of the best code of that length. Schemes that another one beats (at least as fast from an SNR
    at most as high) are left out; `airlink check` lists those that are left.
    """

    kind: Annotated[Literal["mcs"], about("Modulation and coding schemes, with thresholds from their error rates")] = (
        "mcs"
    )
    set: Annotated[
        Literal[
            "custom",
            "imt-advanced",
            "cqi-64qam",
            "cqi-256qam",
            "cqi-low-efficiency",
            "nr-mcs-64qam",
            "nr-mcs-256qam",
            "nr-mcs-low-efficiency",
        ],
        about(
            '"custom": the two lists of this table; the others bring theirs along: leave the lists out',
            "",
            "NR where nothing else is configured (TS 38.214 section 5.1.3.1): its first table",
        ),
    ] = "nr-mcs-64qam"
    bandwidth_hz: Annotated[
        float,
        Number(above=0, at_most=1e12),
        about(
            "Bandwidth of the whole carrier: so many symbols a second. [carrier] does not set it: with other "
            "subchannels, change it, too",
            "Hz",
            "paper 002: 80 MHz",
        ),
    ]
    overhead: Annotated[
        float,
        Number(at_least=0, at_most=0.999),
        about(
            "Share of the symbols that carry no data: cyclic prefix, control, reference signals",
            "",
            "airlink default: none; NR: 1 - 14/15 x 0.86 = 0.197 (14 symbols of 12 subcarriers in 0.5 ms x 360 kHz; "
            "14 % of TS 38.306 section 4.1.2)",
        ),
    ] = 0.0
    gap_db: Annotated[
        float,
        Number(at_least=-50, at_most=50),
        about(
            "SNR that a real code and receiver lose against the normal approximation",
            "dB",
            "airlink default, chosen: 1",
        ),
    ] = 1.0
    input: Annotated[
        Literal["modulation", "gaussian"],
        about(
            'What symbols are: "modulation" = points of the scheme\'s QPSK, 16QAM, 64QAM or 256QAM, "gaussian" = '
            "amplitudes that no modulation reaches",
            "",
            "airlink default",
        ),
    ] = "modulation"
    reference_bits: Annotated[
        float,
        Number(at_least=8, at_most=1e7),
        about(
            "Information bits of the block that thresholds are for",
            "bits",
            "the longest code block of NR (TS 38.212 section 5.2.2)",
        ),
    ] = 8448.0
    target_bler: Annotated[
        float,
        Number(at_least=1e-9, at_most=0.9),
        about(
            "Probability that such a block is lost at the threshold",
            "",
            "a CQI's 0.1 (TS 36.213 section 7.2.3, TS 38.214 section 5.2.2.1)",
        ),
    ] = 0.1
    bits_per_symbol: Annotated[
        tuple[int, ...],
        Each(Number(at_least=2, at_most=8, whole=True)),
        about("Bits of a symbol of each scheme: 2, 4, 6 or 8", "bits", "airlink default: those of `set`"),
    ] = ()
    code_rates: Annotated[
        tuple[float, ...],
        Each(Number(at_least=0.01, at_most=0.999)),
        about("Information bits per coded bit, as many as bits_per_symbol", "", "airlink default: those of `set`"),
    ] = ()

    def with_numbers(self) -> RateFromMcs:
        """The schemes with the numbers of their set filled in."""
        named = MCS_SETS.get(self.set)
        if named is None:
            return self
        return self.model_copy(update={"bits_per_symbol": named.bits_per_symbol, "code_rates": named.code_rates})

    def top_bps(self) -> float:
        """The highest rate of the carrier."""
        schemes = self.with_numbers()
        efficiencies = (bits * rate for bits, rate in zip(schemes.bits_per_symbol, schemes.code_rates, strict=False))
        return max(efficiencies, default=0.0) * self.bandwidth_hz * (1 - self.overhead)


class RateFromTrace(Section):
    """The replayed rate itself; needs a rate trace with equivalent_bandwidth_hz = 0, and the other way round."""

    kind: Annotated[Literal["trace"], about("The rate of the trace")] = "trace"


RateChoice = Annotated[
    RateFromTable | RateFromMcs | RateFromCapacity | RateFromTrace,
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

    kind: Annotated[Literal["logistic"], about("A logistic curve over the margin; needs rates with thresholds")] = (
        "logistic"
    )
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


class CodedErrorCurve(Section):
    """A block is lost as often as one of its length and scheme, by the normal approximation.

    The scheme is that of `link.rate`; of a block over several, the highest. One effective SNR stands for those of all
    the subchannels that the block lies on, each relative to the threshold of the scheme sent there.
    """

    kind: Annotated[Literal["coded"], about('The normal approximation of the scheme; needs link.rate.kind = "mcs"')] = (
        "coded"
    )
    effective: Annotated[
        Literal["mean_db", "eesm", "miesm"],
        about(
            'Which SNR stands for several, weighted by bits: "mean_db" = their mean in dB, "eesm" = by the mean of '
            'exp(-SNR / beta), "miesm" = by the mean of their mutual information',
            "",
            "airlink default: exact for long codes, and without parameters",
        ),
    ] = "miesm"
    betas: Annotated[
        tuple[float, ...],
        Each(Number(above=0, at_most=1e6)),
        about(
            'With "eesm": a ratio for each scheme of the set, in its order; none: those that agree with "miesm" '
            "to second order at the threshold",
            "",
            "airlink default: computed, models/link.md",
        ),
    ] = ()


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
        NoErrorCurve | LogisticErrorCurve | CodedErrorCurve,
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
    unit: Annotated[
        Literal["part", "slot"],
        about(
            'What is repeated as one: "part", each part of a packet, with a count of its own; "slot", all that a user '
            "had in a slot: its losses in a row are counted, and after the last the packets that the slot would have "
            "completed are dropped (needs feedback_delay_slots = 0, no code blocks)",
            "",
            "airlink default; paper 004: slot",
        ),
    ] = "part"
    repeats: Annotated[
        Literal["rescheduled", "at_once"],
        about(
            'When: "rescheduled", once the user is served again, at the rate of then; "at_once", in the next slot, '
            "before any scheduler is asked, the same bytes at the same rate"
            ' (needs unit = "slot", one subchannel, no rlc.carry_fraction)',
            "",
            "airlink default; paper 004, profile C1: at_once",
        ),
    ] = "rescheduled"


class Harq(Section):
    """Hybrid ARQ: code blocks that are lost are sent again as they are, before anything new.

    What it gives up goes to ARQ where that repeats, or is dropped (`retry_limit`).
    """

    kind: Annotated[
        Literal["none", "chase", "incremental_redundancy"],
        about(
            "What a receiver does with earlier transmissions of a block: "
            '"none": there are no others; "chase": it adds their SINRs, each relative to what its rate needs; '
            '"incremental_redundancy": each transmission has new coded bits, and it adds their information (needs '
            'link.errors.curve.kind = "coded")',
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
    outer_loop: OuterLoop = NoOuterLoop()
    rate: RateChoice = RateFromTable(name="1xev-do")
    errors: Annotated[Errors, about("What is lost on air")] = Errors()
    arq: Annotated[Arq, about("What the link repeats")] = Arq()
    harq: Annotated[Harq, about("What is coded as one and repeated as it is")] = Harq()

    def has_code_blocks(self) -> bool:
        """Whether a user's slot is cut into code blocks, each with a fate of its own."""
        return self.errors.curve.kind != "none" or self.harq.kind != "none" or self.harq.unit == "pdu"
