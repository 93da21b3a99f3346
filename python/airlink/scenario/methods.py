"""What tables of a scenario can do beside holding fields: bases of the classes of `sections.py` with the same names.

Leaves out fields, which the engine declares, and checks between them (`validation`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from pydantic import PrivateAttr, model_validator
from typing_extensions import Self

from .delay_profiles import DELAY_PROFILES
from .fields import Section, exact
from .held import Held
from .mcs_sets import MCS_SETS
from .profiles import completed
from .tables import TABLES

if TYPE_CHECKING:
    from . import sections

NOISE_DBM_PER_HZ = -174.0
"""Density of thermal noise: k T at 290 K, rounded as 3GPP does."""

RADIO = ("slot", "carrier", "channel", "link", "rlc", "queue", "scheduler")
"""The sections of a cell; a scenario has all of them, or a bottleneck."""


@dataclass(frozen=True)
class Radio:
    """The sections of a cell."""

    slot: sections.Slot
    carrier: sections.Carrier
    channel: sections.Channel
    link: sections.Link
    rlc: sections.Rlc
    queue: sections.Queue
    scheduler: sections.SchedulerKind
    has_experimental_scheduler: bool


class Slot(Section):
    """What the length of a slot says."""

    if TYPE_CHECKING:
        duration_ms: float | str

    def exact_ms(self) -> Fraction:
        """The length as an exact fraction, ms."""
        return exact(self.duration_ms)


class Link(Section):
    """What parts of the link say together."""

    if TYPE_CHECKING:
        errors: sections.Errors
        harq: sections.Harq

    def has_code_blocks(self) -> bool:
        """Whether a user's slot is cut into code blocks, each with a fate of its own."""
        return self.errors.curve.kind != "none" or self.harq.kind != "none" or self.harq.unit == "pdu"


class RateFromTable(Section):
    """Tables that have a name."""

    if TYPE_CHECKING:
        name: str

    def with_numbers(self) -> Self:
        """The table with the numbers of its name filled in."""
        named = TABLES.get(self.name)
        if named is None:
            return self
        return self.model_copy(update={"thresholds_db": named.thresholds_db, "rates_bps": named.rates_bps})


class RateFromMcs(Section):
    """Sets of schemes that have a name, and what their rates are."""

    if TYPE_CHECKING:
        set: str
        bandwidth_hz: float
        overhead: float
        bits_per_symbol: tuple[int, ...]
        code_rates: tuple[float, ...]

    def with_numbers(self) -> Self:
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


class Trace(Section):
    """Which traces users replay."""

    if TYPE_CHECKING:
        format: str
        quantity: str
        averaging_ms: float
        equivalent_bandwidth_hz: float

    _held: Held = PrivateAttr(default_factory=Held)

    def with_numbers(self) -> Self:
        """The trace with `row_interval_s` as the engine takes it: how long the last row of the arrays lasts."""
        windows = {"row_interval_s": self.averaging_ms / 1000} if self.format == "mahimahi" else {}
        return self.model_copy(update=windows)

    def replays_rates(self) -> bool:
        """True when the replayed rate is used as it is, without an SNR."""
        return self.quantity == "rate_bps" and self.equivalent_bandwidth_hz == 0


class TappedDelayLine(Section):
    """Fading with the paths of a profile."""

    if TYPE_CHECKING:
        profile: str
        delay_spread_ns: float

    def with_numbers(self) -> Self:
        """The fading with the paths of its profile filled in."""
        named = DELAY_PROFILES.get(self.profile)
        if named is None:
            return self
        paths = {"delays_ns": named.delays_ns(self.delay_spread_ns), "powers_db": named.powers_db}
        return self.model_copy(update=paths)


class Channel(Section):
    """Where users are and how their signal varies."""

    if TYPE_CHECKING:
        placement: sections.Placement
        path_loss: sections.PathLoss
        link_budget: sections.LinkBudget | None
        motion: sections.Motion
        fading: sections.Fading

    def with_numbers(self) -> Self:
        """The channel as the engine takes it: times of a trace and paths of a named profile in numbers."""
        placement = self.placement.with_numbers() if isinstance(self.placement, Trace) else self.placement
        fading = self.fading.with_numbers() if isinstance(self.fading, TappedDelayLine) else self.fading
        return self.model_copy(update={"placement": placement, "fading": fading})

    def mean_snr_db(self, distance_m: float) -> float:
        """The mean SNR at a distance above 0, from the link budget or the path loss, before the ceiling, dB."""
        if self.link_budget is not None:
            return self.link_budget.mean_snr_db(distance_m, self.motion.carrier_hz)
        law = self.path_loss
        return law.reference_snr_db - 10 * law.exponent * math.log10(distance_m / law.reference_distance_m)


class LinkBudget(Section):
    """The mean SNR at a distance from power, path loss and noise.

    >>> from airlink.scenario.sections import LinkBudget
    >>> round(LinkBudget(bandwidth_hz=9e6).mean_snr_db(1000, carrier_hz=2e9), 3)
    27.336
    """

    if TYPE_CHECKING:
        power_dbm: float
        gain_db: float
        loss_at_1_km_db: float
        distance_exponent: float
        frequency_exponent: float
        noise_figure_db: float
        bandwidth_hz: float
        interference_margin_db: float

    def mean_snr_db(self, distance_m: float, carrier_hz: float) -> float:
        """The mean SNR at a distance above 0 on a carrier, before the ceiling, dB."""
        loss_db = (
            self.loss_at_1_km_db
            + 10 * self.distance_exponent * math.log10(distance_m / 1e3)
            + 10 * self.frequency_exponent * math.log10(carrier_hz / 1e9)
        )
        noise_dbm = NOISE_DBM_PER_HZ + 10 * math.log10(self.bandwidth_hz) + self.noise_figure_db
        return self.power_dbm + self.gain_db - loss_db - noise_dbm - self.interference_margin_db


class ConstantSize(Section):
    """Sizes that are all the same.

    >>> from airlink.scenario.sections import ConstantSize
    >>> ConstantSize(bytes=500_000).mean_bytes
    500000.0
    """

    if TYPE_CHECKING:
        bytes: int

    @property
    def mean_bytes(self) -> float:
        """The mean."""
        return float(self.bytes)


class LognormalSize(Section):
    """Sizes whose natural logarithm is normal.

    >>> from airlink.scenario.sections import LognormalSize
    >>> round(LognormalSize(median_bytes=20_000, sigma=1).mean_bytes)
    32974
    """

    if TYPE_CHECKING:
        median_bytes: float
        sigma: float

    @property
    def mean_bytes(self) -> float:
        """The mean, before sizes are rounded up."""
        return self.median_bytes * math.exp(self.sigma**2 / 2)


class ParetoSize(Section):
    """Sizes of a bounded Pareto law.

    >>> from airlink.scenario.sections import ParetoSize
    >>> round(ParetoSize(shape=1, min_bytes=10, max_bytes=1000).mean_bytes, 3)
    46.517
    """

    if TYPE_CHECKING:
        shape: float
        min_bytes: float
        max_bytes: float

    @property
    def mean_bytes(self) -> float:
        """The mean, before sizes are rounded up."""
        if self.max_bytes <= self.min_bytes:
            return self.min_bytes
        octaves = math.log1p((self.max_bytes - self.min_bytes) / self.min_bytes)
        rising, falling = (1 - self.shape) * octaves, self.shape * octaves
        growth = math.expm1(rising) / rising if rising != 0 else 1.0
        return self.min_bytes * growth * falling / -math.expm1(-falling)


class TriangularSize(Section):
    """Sizes with a triangular density.

    >>> from airlink.scenario.sections import TriangularSize
    >>> TriangularSize(min_bytes=1460, mode_bytes=2_920_730, max_bytes=5_840_000).mean_bytes
    2920730.0
    """

    if TYPE_CHECKING:
        min_bytes: float
        mode_bytes: float
        max_bytes: float

    @property
    def mean_bytes(self) -> float:
        """The mean, before sizes are rounded up."""
        return (self.min_bytes + self.mode_bytes + self.max_bytes) / 3


class TruncatedNormalSize(Section):
    """Normal sizes between two bounds.

    >>> from airlink.scenario.sections import TruncatedNormalSize
    >>> size = TruncatedNormalSize(center_bytes=1000, sd_bytes=500, min_bytes=1000, max_bytes=1e9)
    >>> round(size.mean_bytes - 1000 - 500 * (2 / 3.141592653589793) ** 0.5, 6)
    0.0
    """

    if TYPE_CHECKING:
        center_bytes: float
        sd_bytes: float
        min_bytes: float
        max_bytes: float

    @property
    def mean_bytes(self) -> float:
        """The mean, before sizes are rounded up."""
        if self.sd_bytes == 0:
            return self.center_bytes
        bounds = [(bound - self.center_bytes) / self.sd_bytes for bound in (self.min_bytes, self.max_bytes)]
        share = 0.5 * (math.erfc(-bounds[1] / math.sqrt(2)) - math.erfc(-bounds[0] / math.sqrt(2)))
        if share <= 0:
            return 0.5 * (self.min_bytes + self.max_bytes)
        density = [math.exp(-0.5 * bound**2) / math.sqrt(2 * math.pi) for bound in bounds]
        mean = self.center_bytes + self.sd_bytes * (density[0] - density[1]) / share
        return min(max(mean, self.min_bytes), self.max_bytes)


class Poisson(Section):
    """Files that arrive at random.

    >>> from airlink.scenario.sections import ConstantSize, Poisson
    >>> Poisson(arrivals_per_s=2, size=ConstantSize(bytes=100_000)).offered_bps
    1600000.0
    """

    if TYPE_CHECKING:
        arrivals_per_s: float
        size: Any

    @property
    def offered_bps(self) -> float:
        """Payload offered to each user in the mean, b/s: arrivals a second x mean size."""
        return 8 * self.arrivals_per_s * float(self.size.mean_bytes)


class Tcp(Section):
    """Fields that aren't given have the values of the profile."""

    @model_validator(mode="before")
    @classmethod
    def _completed(cls, data: Any) -> Any:
        return completed(data)


class Flow(Section):
    """What a group of flows amounts to."""

    if TYPE_CHECKING:
        users: Literal["all"] | tuple[int, ...]
        start_s: float
        stop_s: float
        traffic: sections.Traffic
        tcp: sections.Tcp

    def count(self, users: int) -> int:
        """How many flows it has in a scenario with so many users: of `pages` one a connection, else one a user."""
        served = users if isinstance(self.users, str) else len(self.users)
        return served * self.connections

    @property
    def connections(self) -> int:
        """Flows of each of its users."""
        return self.traffic.connections if self.traffic.kind == "pages" else 1

    def expected_files(self, users: int, duration_s: float) -> float:
        """Files that arrive for all its users in the mean; 0 without `poisson` traffic.

        A draw of `start_spread_s` is not counted: it only makes them fewer.
        """
        if self.traffic.kind != "poisson":
            return 0.0
        open_s = max(min(self.stop_s, duration_s) - self.start_s, 0.0)
        return self.traffic.arrivals_per_s * open_s * self.count(users)

    def is_over_udp(self) -> bool:
        """Whether its packets go over wires without TCP."""
        return self.traffic.kind in ("constant_rate", "voice", "frames")

    def has_tcp(self) -> bool:
        """Whether TCP carries it."""
        return self.traffic.kind != "backlogged" and not self.is_over_udp()

    def deadline_ms(self) -> float:
        """How late what goes over UDP may be; infinite without a deadline."""
        traffic = self.traffic
        if traffic.kind == "constant_rate" or traffic.kind == "voice" or traffic.kind == "frames":
            return traffic.deadline_ms
        return math.inf

    def largest_packet_bytes(self) -> int:
        """The largest packet of the flow, headers included, bytes."""
        traffic = self.traffic
        if traffic.kind == "backlogged" or traffic.kind == "constant_rate":
            return traffic.packet_bytes
        if traffic.kind == "voice":
            return max(traffic.packet_bytes, traffic.descriptor_bytes)
        if traffic.kind == "frames":
            return traffic.mtu_bytes
        return self.tcp.mss_bytes + self.tcp.header_bytes


class ScenarioFields(Section):
    """What the sections of a scenario say together."""

    if TYPE_CHECKING:
        duration_s: float
        drain_s: float
        slot: sections.Slot | None
        carrier: sections.Carrier | None
        channel: sections.Channel | None
        link: sections.Link | None
        rlc: sections.Rlc | None
        queue: sections.Queue | None
        scheduler: sections.SchedulerKind | None
        flows: tuple[sections.Flow, ...]
        experimental: sections.Experimental | None

    @property
    def longest_s(self) -> float:
        """The longest that a run may take: `duration_s` and `drain_s`, s."""
        return self.duration_s + self.drain_s

    def has_uploads_only(self) -> bool:
        """Whether all data goes from users to the server: nothing but ACKs goes to users."""
        return all(flow.direction == "up" for flow in self.flows)

    def has_deadlines(self) -> bool:
        """Whether packets or frames of some flow over UDP have a deadline."""
        return any(flow.is_over_udp() and math.isfinite(flow.deadline_ms()) for flow in self.flows)

    def holds_timeouts(self) -> bool:
        """True when spurious timeouts are held, a control that no sender could run."""
        return self.experimental is not None and self.experimental.hold_timeouts != "off"

    def experimental_scheduler(self) -> sections.IdealTcpPf | sections.UnapproximatedTcpPf | None:
        """The scheduler in the place of `scheduler`, which no base station could run; None if there is none."""
        scheduler = None if self.experimental is None else self.experimental.scheduler
        return None if scheduler is None or scheduler.kind == "none" else scheduler

    def experimental_controls(self) -> list[str]:
        """The controls that no network could run, as settings; none of most scenarios."""
        scheduler = self.experimental_scheduler()
        named = [] if scheduler is None else [f"experimental.scheduler.kind={scheduler.kind}"]
        if self.experimental is not None and self.holds_timeouts():
            named.append(f"experimental.hold_timeouts={self.experimental.hold_timeouts}")
        return named

    def radio(self) -> Radio | None:
        """The sections of the cell; None with a bottleneck, or when one of them is None."""
        if (
            self.slot is None
            or self.carrier is None
            or self.channel is None
            or self.link is None
            or self.rlc is None
            or self.queue is None
            or self.scheduler is None
        ):
            return None
        radio = self.slot, self.carrier, self.channel, self.link, self.rlc, self.queue, self.scheduler
        return Radio(*radio, has_experimental_scheduler=self.experimental_scheduler() is not None)
