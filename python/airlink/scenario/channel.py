"""The radio channel: where users are, path loss, shadowing, motion, fading, or a measured trace.

The mean SNR of a user comes from its place; the ceiling, shadowing and fading act on top of it.
Leaves out interference from other cells (it enters as the ceiling).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .beamforming import Beamforming, NoBeamforming
from .delay_profiles import DELAY_PROFILES
from .fields import Each, Flag, Number, Section, Text, about

DECIBELS = Number(at_least=-200, at_most=200)
METRES = Number(above=0, at_most=1e6)


class Disc(Section):
    """Users are placed uniformly over a ring; their mean SNR follows from `[channel.path_loss]`."""

    kind: Annotated[Literal["disc"], about("Uniform over the area of a ring, redrawn for every seed")] = "disc"
    radius_m: Annotated[float, METRES, about("Outer radius of the ring", "m", "paper 001, given: 2000")]
    inner_radius_m: Annotated[
        float,
        Number(at_least=0, at_most=1e6),
        about("Inner radius of the ring, below `radius_m`", "m", "airlink default: a full disc; K3: 70"),
    ] = 0.0
    order: Annotated[
        Literal["random", "by_distance"],
        about(
            '"random": every user anywhere in the ring; "by_distance": user i of n in the i-th of n rings of equal '
            "area, user 0 nearest",
            "",
            "airlink default; paper 002, given: ten groups by distance",
        ),
    ] = "random"


class Distances(Section):
    """Users at given distances; their mean SNR follows from `[channel.path_loss]`."""

    kind: Annotated[Literal["distances"], about("One given distance per user")] = "distances"
    distances_m: Annotated[
        tuple[float, ...], Each(METRES, at_least=1), about("Distance of each user, one number per user", "m")
    ]


class MeanSnr(Section):
    """Users with given mean SNR; distances and path loss play no part."""

    kind: Annotated[Literal["mean_snr"], about("One given mean SNR per user")] = "mean_snr"
    mean_snr_db: Annotated[
        float | tuple[float, ...],
        Each(DECIBELS, at_least=1, single=True),
        about("Mean SNR, before the ceiling: one for all, or a list of one per user", "dB"),
    ]


class MeanSnrRange(Section):
    """Users whose mean SNRs fill a range of decibels; distances and path loss play no part."""

    kind: Annotated[Literal["mean_snr_range"], about("Mean SNRs that fill a range")] = "mean_snr_range"
    low_db: Annotated[float, DECIBELS, about("Lowest mean SNR", "dB", "paper 000: -10.8 (inferred)")]
    high_db: Annotated[float, DECIBELS, about("Highest mean SNR, at least `low_db`", "dB", "paper 000: 12.24 (given)")]
    spacing: Annotated[
        Literal["equal", "random"],
        about(
            '"equal": equal steps in dB, user 0 at `low_db`, the last at `high_db` (one user: at `low_db`); '
            '"random": drawn uniformly in dB, redrawn for every seed',
            "",
            "airlink default",
        ),
    ] = "equal"


class Trace(Section):
    """Users ride measured traces of SNR or rate; user i rides `files[i % number of files]`."""

    kind: Annotated[Literal["trace"], about("Replay of recorded traces")] = "trace"
    files: Annotated[
        tuple[str, ...],
        Each(Text(longest=4096, shortest=1, meaning="the path of a file"), at_least=1),
        about(
            "Paths of the files; relative ones count from the folder of the TOML file. `${AIRLINK_TRACES}` stands "
            "for that environment variable"
        ),
    ]
    format: Annotated[
        Literal["csv", "mahimahi"],
        about(
            '"csv": comma separated, one row per sample, with or without a header line; lines that start with # and '
            'empty lines are skipped. "mahimahi": one whole number a line, the millisecond of an opportunity to send '
            "1500 bytes; the last line is the length of the trace",
            "",
            "airlink default",
        ),
    ] = "csv"
    quantity: Annotated[
        Literal["snr_db", "rate_bps"],
        about(
            'What the values are (after `value_scale`): an SNR in dB or a rate in b/s. Mahimahi needs "rate_bps"',
            "",
            "airlink default",
        ),
    ] = "snr_db"
    value_column: Annotated[
        str,
        Text(longest=200),
        about(
            "CSV: name of the column of values in the header line, or its number from 1; empty: the last column",
            "",
            "airlink default",
        ),
    ] = ""
    time_column: Annotated[
        str,
        Text(longest=200),
        about(
            "CSV: name or number of the column of times, which must increase strictly; the first row is time 0 of the "
            "trace. Empty: rows are `row_interval_s` apart",
            "",
            "airlink default",
        ),
    ] = ""
    time_unit: Annotated[Literal["s", "ms"], about("CSV: unit of the column of times", "", "airlink default")] = "s"
    row_interval_s: Annotated[
        float,
        Number(at_least=1e-6, at_most=1e6),
        about(
            "CSV: time from row to row without `time_column`; with it, how long the last row lasts",
            "s",
            "airlink default: drive tests log once a second",
        ),
    ] = 1.0
    value_scale: Annotated[
        float,
        Number(above=0, at_most=1e12),
        about("Values of the file are multiplied by this (1000 for a column in kb/s)", "", "airlink default"),
    ] = 1.0
    missing: Annotated[
        str,
        Text(longest=100),
        about(
            "CSV: the mark of a value that was not reported; the value before holds on (at the start of the file: the "
            "first that was reported). An empty cell counts as missing too",
            "",
            "UCC 5G data set",
        ),
    ] = "-"
    averaging_ms: Annotated[
        float,
        Number(at_least=1, at_most=1e6),
        about(
            "Mahimahi: opportunities are averaged over windows of this length; the total is kept, and the trace "
            "is filled up to whole windows",
            "ms",
            "airlink default",
        ),
    ] = 100.0
    at_end: Annotated[
        Literal["loop", "stop"],
        about(
            'After the last row: "loop" starts again at the first, "stop" leaves the user without a channel (no rate)',
            "",
            "Mahimahi loops",
        ),
    ] = "loop"
    between: Annotated[
        Literal["hold", "linear"],
        about('Between two rows: "hold" the earlier value, or "linear" in the unit of the file', "", "airlink default"),
    ] = "hold"
    offset_s: Annotated[
        float | tuple[float, ...],
        Each(Number(at_least=0, at_most=1e9), at_least=1, single=True),
        about("Where in the trace a user starts: one for all, or a list of one per user", "s", "airlink default"),
    ] = 0.0
    random_offset: Annotated[
        Flag,
        about(
            "true: each user starts at a place drawn uniformly over the trace, redrawn for every seed, and `offset_s` "
            "is not used",
            "",
            "airlink default",
        ),
    ] = False
    equivalent_bandwidth_hz: Annotated[
        float,
        Number(at_least=0, at_most=1e12),
        about(
            'Rate traces: 0 = the user rides the rate itself (needs link.rate.kind = "trace"); above 0 = the rate is '
            "turned into the SNR 2^(rate / bandwidth) - 1 and the whole link model applies",
            "Hz",
            "airlink default",
        ),
    ] = 0.0
    sha256: Annotated[
        tuple[str, ...],
        Each(Text(longest=64, shortest=64, pattern="[0-9a-f]{64}", meaning="64 hexadecimal digits")),
        about("SHA-256 of each file; filled in when the files are read, and checked when given", "", "airlink default"),
    ] = ()

    def with_numbers(self) -> Trace:
        """The trace with `row_interval_s` as the engine takes it: how long the last row of the arrays lasts."""
        windows = {"row_interval_s": self.averaging_ms / 1000} if self.format == "mahimahi" else {}
        return self.model_copy(update=windows)

    def rides_rates(self) -> bool:
        """True when the replayed rate is used as it is, without an SNR."""
        return self.quantity == "rate_bps" and self.equivalent_bandwidth_hz == 0


Placement = Annotated[
    Disc | Distances | MeanSnr | MeanSnrRange | Trace,
    Field(discriminator="kind"),
    about("Where the users are, or what their mean SNR is", "", "airlink default: every user at 10 dB"),
]


class PathLoss(Section):
    """Mean SNR(d) = reference_snr_db - 10 exponent log10(d / reference_distance_m)."""

    exponent: Annotated[
        float, Number(above=0, at_most=20), about("Path-loss exponent", "", "profile K3 of paper 001")
    ] = 3.5
    reference_distance_m: Annotated[
        float, METRES, about("Distance at which the mean SNR is known", "m", "paper 001, given: radius of the disc")
    ] = 2000.0
    reference_snr_db: Annotated[
        float, DECIBELS, about("Mean SNR at that distance", "dB", "profile K3 of paper 001")
    ] = -4.5


class Ceiling(Section):
    """1/SINR = 1/SNR + 1/ceiling, as power ratios: self-interference and transmitter noise."""

    sinr_db: Annotated[
        float,
        Number(at_least=-200, at_most=200, infinite=True),
        about('Largest SINR that a receiver can see; "inf" for none', "dB", "airlink default: none; K3: 10 log10 20"),
    ] = float("inf")
    applies_to: Annotated[
        Literal["mean", "instantaneous"],
        about(
            '"mean": to the mean SNR (from place or list; not to a trace), before shadowing and fading; '
            '"instantaneous": to the SNR of each slot, after both',
            "",
            "profile K3 of paper 001",
        ),
    ] = "mean"


class Shadowing(Section):
    """A Gauss-Markov process in dB: correlation exp(-v T / decorrelation_m) from slot to slot."""

    sd_db: Annotated[
        float,
        Number(at_least=0, at_most=50),
        about("Standard deviation of log-normal shadowing; 0 = none", "dB", "airlink default: none, as in K3"),
    ] = 0.0
    decorrelation_m: Annotated[
        float,
        Number(above=0, at_most=1e6),
        about("Way after which the correlation has fallen to 1/e (speed 0: it stays)", "m", "airlink default"),
    ] = 50.0


class Motion(Section):
    """How fast users move; it sets Doppler and how fast shadowing changes, not the mean SNR."""

    speed_kmh: Annotated[
        float, Number(at_least=0, at_most=1000), about("Speed of every user", "km/h", "airlink default; paper 001: 30")
    ] = 3.0
    carrier_hz: Annotated[
        float, Number(at_least=1e6, at_most=1e12), about("Carrier frequency", "Hz", "paper 001, given: 2 GHz")
    ] = 2e9


class NoFading(Section):
    """The SNR stays at its mean."""

    kind: Annotated[Literal["none"], about("No fast fading")] = "none"


class Rayleigh(Section):
    """Flat Rayleigh fading of mean power 1 with Jakes spectrum, by a sum of sinusoids, independent for each user."""

    kind: Annotated[Literal["rayleigh"], about("Flat Rayleigh fading")] = "rayleigh"
    terms: Annotated[
        int,
        Number(at_least=4, at_most=64, whole=True),
        about(
            "Number of sinusoids; with few, deep fades and high peaks are rarer than exact Rayleigh",
            "",
            "profile K3 of paper 001",
        ),
    ] = 16
    doppler_hz: Annotated[
        float | str,
        Number(at_least=0, at_most=1e6, words=("from_motion",)),
        about(
            'Maximum Doppler shift; "from_motion" = speed / (speed of light) x carrier. 0 = one draw for the run',
            "Hz",
            "airlink default",
        ),
    ] = "from_motion"


class Jakes(Section):
    """Flat fading of mean power 1 as a sum of weighted cosines, the form of paper 004, independent for each user.

    Each cosine has a random phase of its own, without which all users would fade alike.
    """

    kind: Annotated[Literal["jakes"], about("Flat fading in the form of paper 004")] = "jakes"
    terms: Annotated[int, Number(at_least=4, at_most=32, whole=True), about("Number of cosines", "", "paper 004")] = 20
    doppler_hz: Annotated[
        float | str,
        Number(at_least=0, at_most=1e6, words=("from_motion",)),
        about(
            'Maximum Doppler shift; "from_motion" = speed / (speed of light) x carrier. 0 = one draw for the run',
            "Hz",
            "airlink default; paper 004: 0.6 and 60",
        ),
    ] = "from_motion"


class TappedDelayLine(Section):
    """Frequency-selective Rayleigh fading of mean power 1: paths of a power-delay profile, each with Jakes spectrum.

    A subchannel's gain is that at its centre. Paths and users are independent. With one subchannel the paths add up to
    flat fading.
    """

    kind: Annotated[
        Literal["tapped_delay_line"], about("Frequency-selective Rayleigh fading, with a gain for every subchannel")
    ] = "tapped_delay_line"
    profile: Annotated[
        Literal[
            "custom",
            "tu6",
            "pedestrian-a",
            "pedestrian-b",
            "vehicular-a",
            "vehicular-b",
            "epa",
            "eva",
            "etu",
            "tdl-a",
            "tdl-b",
            "tdl-c",
        ],
        about(
            '"custom": the two lists of this table; the others bring theirs along (leave the lists out): GSM typical '
            "urban; ITU-R pedestrian and vehicular, LTE extended pedestrian A, vehicular A, typical urban; NR TDL",
            "",
            "paper 002, given: six paths, GSM typical urban",
        ),
    ] = "tu6"
    delay_spread_ns: Annotated[
        float,
        Number(at_least=0, at_most=1e6),
        about(
            "Root-mean-square delay spread to which the delays of TDL profiles are scaled; other profiles have their "
            "own and don't use it",
            "ns",
            "TR 38.901, table 7.7.3-1: nominal",
        ),
    ] = 100.0
    delays_ns: Annotated[
        tuple[float, ...],
        Each(Number(at_least=0, at_most=1e6)),
        about("Delay of each path behind the first", "ns", "airlink default: those of `profile`"),
    ] = ()
    powers_db: Annotated[
        tuple[float, ...],
        Each(DECIBELS),
        about(
            "Mean power of each path, as many as delays; only their ratios count",
            "dB",
            "airlink default: those of `profile`",
        ),
    ] = ()
    terms: Annotated[
        int,
        Number(at_least=4, at_most=64, whole=True),
        about("Number of sinusoids of each path", "", "profile W1 of paper 002"),
    ] = 16
    doppler_hz: Annotated[
        float | str,
        Number(at_least=0, at_most=1e6, words=("from_motion",)),
        about(
            'Maximum Doppler shift of every path; "from_motion" = speed / (speed of light) x carrier. 0 = one draw '
            "for the run",
            "Hz",
            "airlink default",
        ),
    ] = "from_motion"

    def with_numbers(self) -> TappedDelayLine:
        """The fading with the paths of its profile filled in."""
        named = DELAY_PROFILES.get(self.profile)
        if named is None:
            return self
        paths = {"delays_ns": named.delays_ns(self.delay_spread_ns), "powers_db": named.powers_db}
        return self.model_copy(update=paths)


Fading = Annotated[
    NoFading | Rayleigh | Jakes | TappedDelayLine,
    Field(discriminator="kind"),
    about("Fast fading", "", "airlink default: nothing unasked"),
]


class Channel(Section):
    """The channel of every user, without what the base station knows of it."""

    placement: Placement = MeanSnr(mean_snr_db=10.0)
    path_loss: Annotated[PathLoss, about('Used by placements "disc" and "distances"')] = PathLoss()
    ceiling: Annotated[Ceiling, about("A limit on the SINR")] = Ceiling()
    shadowing: Annotated[Shadowing, about("Slow fading")] = Shadowing()
    motion: Annotated[Motion, about("Speed and carrier")] = Motion()
    fading: Fading = NoFading()
    beamforming: Beamforming = NoBeamforming()

    def with_numbers(self) -> Channel:
        """The channel as the engine takes it: times of a trace and paths of a named profile in numbers."""
        placement = self.placement.with_numbers() if isinstance(self.placement, Trace) else self.placement
        fading = self.fading.with_numbers() if isinstance(self.fading, TappedDelayLine) else self.fading
        return self.model_copy(update={"placement": placement, "fading": fading})
