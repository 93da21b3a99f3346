"""Open question of Section VIII: the service-interval distribution from a model, laid over the measured one.

Measured: how long each packet stands at the head of its queue, of users B and W of Section V with greedy Reno
downloads, in slow (4 Hz) and fast (240 Hz) fading, at two alphas. Models (`airlink.models`): slots won independently,
with shares and rates that follow from the SNRs for a long memory; the same with a lead that lasts as long as fading
lets it; independent slots with the shares and rates that were measured; a mean field of users, with the scheduler's
memory and with fading that lasts. Measure of distance: Kolmogorov's, the
largest difference of the two distribution functions. Left out: the other users, round robin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan, Replica
from airlink.models import FadingCell, MeanField, ServiceInterval, SlotGaps, fair_sharing, lead_slots, mean_field
from airlink.report import Bounds, Claim, Statement, at_most
from airlink.scenario import TABLES, RateTable, Scenario
from airlink.statistics import Estimate, mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf import interval_figures
from airlink_studies.opportunistic_pf.quarters import Floats
from airlink_studies.opportunistic_pf.setting import (
    ALPHA,
    PACKET_BYTES,
    SEGMENT_BYTES,
    SLOTS_PER_S,
    USER_B,
    USER_W,
    USERS,
    section_v,
    seeds,
)

SLOW_HZ, FAST_HZ = 4.0, 240.0
"""Section V's fit; and so fast that the next slot is nearly a new draw (J0(2.5) is -0.05)."""
LONG_ALPHA = 0.001
DROPS, QUICK_DROPS = 6, 2
RUN_S, QUICK_S = 200.0, 40.0
DESCRIBES = 0.1
"""Largest distance at which a model is taken to describe what was measured."""
USERS_SHOWN: Mapping[str, int] = {"B": USERS - 1, "W": 0}
INDEPENDENT, LEADING, FITTED, MEAN_FIELD = "independent slots", "with leads", "measured shares", "mean field"
STEP, LONG_STEP = 0.02, 0.1
"""Of the mean field's grid, coarser than its default, with a long memory more so: quicker, within a percent or two."""
LONGEST_SLOTS = 4095
"""Up to which laws are compared, 6.8 s: beyond any interval seen; a power of two less one is quick to transform."""


@dataclass(frozen=True)
class Setting:
    """How fast fading is, and how long the scheduler remembers."""

    doppler_hz: float
    alpha: float

    @property
    def label(self) -> str:
        """In plans, tables and legends."""
        return f"{self.doppler_hz:g} Hz, alpha={self.alpha:g}"

    def scenario(self, duration_s: float) -> Scenario:
        """Section V with it."""
        changes = {"channel.fading.doppler_hz": self.doppler_hz, "scheduler.time_constant_slots": 1 / self.alpha}
        return section_v(duration_s=duration_s, **changes)


PAPER_SETTING, FAST = Setting(SLOW_HZ, ALPHA), Setting(FAST_HZ, ALPHA)
LONG, FAST_LONG = Setting(SLOW_HZ, LONG_ALPHA), Setting(FAST_HZ, LONG_ALPHA)
SETTINGS = (PAPER_SETTING, FAST, LONG, FAST_LONG)


@dataclass(frozen=True)
class UserSample:
    """A user of one replica.

    Attributes
    ----------
    intervals : array [packet], time at the head of the queue, slots, rising.
    gaps : array [gap], slots, rising.
    share : of all slots.
    segments, probabilities : array [rate], what its slots carried, and how often.
    """

    intervals: Floats
    gaps: Floats
    share: float
    segments: Floats
    probabilities: Floats

    @classmethod
    def of(cls, replica: Replica, user: int) -> UserSample:
        """Reads the series of a replica."""
        packets, slots, gaps = (replica.series[kind] for kind in ("packets", "slots", "gaps"))
        own = (packets["user"] == user) & (packets["fate"] == 0)
        ended = np.sort(packets["ended_s"][own])
        queued = np.sort(packets["queued_s"][own])  # first in, first out
        begun = np.maximum(queued, np.concatenate([[0.0], ended[:-1]]))
        won = slots["user"] == user
        segments, counts = np.unique(slots["granted_bytes"][won] // SEGMENT_BYTES, return_counts=True)
        return cls(
            np.sort((ended - begun) * SLOTS_PER_S),
            np.sort(gaps["gap_slots"][gaps["user"] == user]).astype(float),
            float(won.mean()),
            segments.astype(float),
            counts / counts.sum(),
        )


@dataclass(frozen=True)
class Law:
    """A model, worked out.

    Attributes
    ----------
    mean_slots, variation : of the service interval, slots; coefficient of variation.
    cdf, gap_cdf : array [slots], P(service interval, gap between slots <= n) for n = 0 ... `LONGEST_SLOTS`.
    """

    mean_slots: float
    variation: float
    cdf: Floats
    gap_cdf: Floats

    @classmethod
    def of(cls, segments: Floats, probabilities: Floats, gaps: SlotGaps) -> Law:
        """The law of a user whose slots carry so many segments, so often, and are so far apart."""
        interval = ServiceInterval(PACKET_BYTES, segments * SEGMENT_BYTES, probabilities, gaps)
        at = np.arange(LONGEST_SLOTS + 1)
        return cls(interval.mean(), interval.variation(), interval.cdf(LONGEST_SLOTS), gaps.cdf(at))

    @classmethod
    def sampled(cls, field: MeanField, user: int, segments: Floats) -> Law:
        """The law of a user of a mean field; its intervals are 10 000 that it draws."""
        sizes = (segments * SEGMENT_BYTES).astype(np.int64)
        drawn = np.sort(field.service_intervals(user, PACKET_BYTES, sizes)).astype(float)
        cdf = np.searchsorted(drawn, np.arange(LONGEST_SLOTS + 1), side="right") / drawn.size
        return cls(float(drawn.mean()), variation(drawn), cdf, np.cumsum(field.gap_pmf(user, LONGEST_SLOTS)))


@dataclass(frozen=True)
class Comparison:
    """One user in one setting: what was measured on each seed, and each model beside it.

    Attributes
    ----------
    seen : one a seed.
    models : name -> one law a seed.
    """

    setting: Setting
    user: str
    seen: Sequence[UserSample]
    models: Mapping[str, Sequence[Law]]

    def distance(self, model: str) -> Estimate:
        """Kolmogorov's distance between model and measured service intervals."""
        pairs = zip(self.seen, self.models[model], strict=True)
        return mean_interval([distance(one.intervals, law.cdf) for one, law in pairs])

    def gap_distance(self, model: str) -> Estimate:
        """The same of the gaps between slots."""
        pairs = zip(self.seen, self.models[model], strict=True)
        return mean_interval([distance(one.gaps, law.gap_cdf) for one, law in pairs])

    def mean_ratio(self, model: str) -> Estimate:
        """Mean interval of the model / measured."""
        pairs = zip(self.seen, self.models[model], strict=True)
        return mean_interval([law.mean_slots / one.intervals.mean() for one, law in pairs])

    def variation_ratio(self, model: str) -> Estimate:
        """Coefficient of variation of the model / measured."""
        pairs = zip(self.seen, self.models[model], strict=True)
        return mean_interval([law.variation / variation(one.intervals) for one, law in pairs])


def distance(samples: Floats, cdf: Floats) -> float:
    """Kolmogorov's distance between samples, in slots and rising, and a law of whole slots: cdf[n] = P(<= n)."""
    share = np.searchsorted(samples, np.arange(cdf.size) + 0.5) / samples.size
    return float(np.abs(share - cdf).max())


def variation(samples: Floats) -> float:
    """Coefficient of variation."""
    return float(samples.std(ddof=1) / samples.mean())


def settings_of(request: Request) -> tuple[Setting, ...]:
    """What is run."""
    return (PAPER_SETTING, FAST) if request.quick else SETTINGS


def _plans(request: Request) -> Mapping[str, Plan]:
    drops = seeds(request.seed, QUICK_DROPS if request.quick else DROPS)
    length = QUICK_S if request.quick else RUN_S
    scenarios = {one.label: one.scenario(length) for one in settings_of(request)}
    return {"intervals": Plan(scenarios, drops, ("packets", "slots", "gaps"))}


def _show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    result = results["intervals"]
    compared = {
        (setting, user): one
        for setting in settings_of(runner.request)
        for user, one in compare(result, setting, with_field=not runner.request.quick).items()
    }
    sheet = interval_figures.sheet(list(compared.values()))
    shown = {user: (compared[PAPER_SETTING, user], compared[FAST, user]) for user in USERS_SHOWN}
    picture = interval_figures.figure(shown, {"B": USER_B.jitter.mean, "W": USER_W.jitter.mean})
    return PartResult(
        claims=_claims(compared, f"Section V, {len(result.plan.seeds)} seeds"),
        paragraphs=_paragraphs(compared),
        items=[picture, sheet],
        printed=[sheet],
        sentences=[_sentence(compared)],
        tables={"service-interval": interval_figures.table(list(compared.values()))},
    )


def compare(result: CampaignResult, setting: Setting, *, with_field: bool) -> dict[str, Comparison]:
    """Measured and modelled intervals of both users in a setting.

    The mean field takes some seconds; with a long memory in fast fading its grid would have to be finer than that.
    """
    replicas = result.result(setting.label).replicas
    snr_db = result.users(setting.label, "mean_snr_db")[0]
    rates = TABLES["1xev-do"]
    segments = np.floor(np.asarray(rates.rates_bps) / (8 * SEGMENT_BYTES * SLOTS_PER_S) + 1e-9)
    sharing = fair_sharing(rates.thresholds_db, rates.rates_bps, snr_db)
    lead = lead_slots(USERS, setting.doppler_hz, 1 / SLOTS_PER_S)
    field = _field(rates, snr_db, setting) if with_field and setting != FAST_LONG else None
    found = {}
    for user, index in USERS_SHOWN.items():
        seen = [UserSample.of(replica, index) for replica in replicas]
        share, likely = float(sharing.slot_shares()[index]), sharing.given_selected()[index]
        free, led = (Law.of(segments, likely, SlotGaps(share, slots)) for slots in (0.0, lead))
        fitted = [Law.of(one.segments, one.probabilities, SlotGaps(one.share)) for one in seen]
        models = {INDEPENDENT: [free] * len(seen), LEADING: [led] * len(seen), FITTED: fitted}
        if field is not None:
            models[MEAN_FIELD] = [Law.sampled(field, index, segments)] * len(seen)
        found[user] = Comparison(setting, user, seen, models)
    return found


def _field(rates: RateTable, snr_db: Floats, setting: Setting) -> MeanField:
    cell = FadingCell(
        rates.thresholds_db,
        rates.rates_bps,
        tuple(snr_db.tolist()),
        doppler_hz=setting.doppler_hz,
        slot_s=1 / SLOTS_PER_S,
        time_constant_slots=1 / setting.alpha,
    )
    return mean_field(cell, step=STEP if setting.alpha >= ALPHA else LONG_STEP)


Found = Mapping[tuple[Setting, str], Comparison]


def _claims(found: Found, profile: str) -> list[Claim]:
    """[000-10] "characterizing opportunistic scheduling delay jitter ... in an analytical ... framework"."""
    near = at_most("Kolmogorov distance", DESCRIBES)
    about_right = Bounds("mean, model / measured", 0.85, 1.15)
    asked = [
        ("c", PAPER_SETTING, "B", INDEPENDENT, "independent slots describe B's service intervals (4 Hz, alpha = 0.01)"),
        ("d", PAPER_SETTING, "W", INDEPENDENT, "they describe W's"),
        ("e", PAPER_SETTING, "W", FITTED, "they describe W's once its shares and rates are taken as measured"),
        ("f", FAST_LONG, "B", INDEPENDENT, "they describe B's in fast fading with a long memory (alpha = 0.001)"),
        ("g", LONG, "B", INDEPENDENT, "they describe B's at 4 Hz with a long memory"),
        ("h", LONG, "B", LEADING, "leads that last as fading does describe those"),
    ]
    claims = [
        Statement(f"000-10{letter}", words).against(found[setting, user].distance(model), near, profile)
        for letter, setting, user, model, words in asked
        if (setting, user) in found
    ]
    for letter, setting in (("i", PAPER_SETTING), ("j", FAST_LONG)):
        if (setting, "W") in found:
            words = f"shares and rates of a long memory give W's mean service interval (within 15 %), {setting.label}"
            ratio = found[setting, "W"].mean_ratio(INDEPENDENT)
            claims.append(Statement(f"000-10{letter}", words).against(ratio, about_right, profile))
    return [*claims, *_field_claims(found, profile)]


def _field_claims(found: Found, profile: str) -> list[Claim]:
    """What a model with the scheduler's memory and with fading that lasts makes of the same intervals."""
    claims = []
    asked = [
        (
            "s",
            PAPER_SETTING,
            "W",
            "mean",
            "a mean field gives W's mean interval (4 Hz, alpha = 0.01; within 15 %)",
        ),
        ("t", PAPER_SETTING, "B", "mean", "it gives B's"),
        ("u", PAPER_SETTING, "B", "CoV", "it gives B's coefficient of variation"),
        ("v", PAPER_SETTING, "W", "CoV", "it gives W's coefficient of variation"),
        ("w", LONG, "B", "CoV", "it gives B's coefficient of variation with a long memory (alpha = 0.001)"),
    ]
    for letter, setting, user, what, words in asked:
        one = found.get((setting, user))
        if one is not None and MEAN_FIELD in one.models:
            measured = one.mean_ratio(MEAN_FIELD) if what == "mean" else one.variation_ratio(MEAN_FIELD)
            bounds = Bounds(f"{what}, model / measured", 0.85, 1.15)
            claims.append(Statement(f"000-10{letter}", words).against(measured, bounds, profile))
    return claims


def _sentence(found: Found) -> str:
    b, w = (found[PAPER_SETTING, user] for user in ("B", "W"))
    ratio = 1 / w.mean_ratio(INDEPENDENT).mean
    text = (
        "Service intervals from a model [000-10c]: independent slots with shares and rates from the SNRs come within "
        f"{b.distance(INDEPENDENT).mean:.2f} (largest difference of the distribution functions) of B's at alpha = "
        f"0.01, but not of W's ({w.distance(INDEPENDENT).mean:.2f}), which are {ratio:.1f} times as long"
    )
    if (LONG, "B") in found:
        far = found[LONG, "B"].distance(INDEPENDENT).mean
        text += f"; with a longer memory fading clusters the slots, and they fail for B, too ({far:.2f})"
    if MEAN_FIELD in w.models:
        means = [each.mean_ratio(MEAN_FIELD).mean for each in (b, w)]
        text += (
            f"; a mean field with memory and lasting fades gives both means ({means[0]:.2f} and {means[1]:.2f} times "
            f"the measured ones), its laws within {b.distance(MEAN_FIELD).mean:.2f} and "
            f"{w.distance(MEAN_FIELD).mean:.2f}"
        )
    return text + "."


def _paragraphs(found: Found) -> list[str]:
    b, w = (found[PAPER_SETTING, user] for user in ("B", "W"))
    seen = [variation(np.concatenate([one.intervals for one in each.seen])) for each in (b, w)]
    return [
        "Where the model fails. At alpha = 0.01 the memory of 0.17 s is shorter than a fade at 4 Hz. W's average "
        "falls while it fades, so it wins slots before its channel is good and they carry less than with a long "
        "memory: that is its mean. Its rates in slots that follow are alike, so its intervals vary more (CoV "
        f"{seen[1]:.2f}) than with independent rates ({w.models[FITTED][0].variation:.2f}). B needs about one slot a "
        "packet; fading clusters its slots and the short memory evens them out again, which happens to leave a "
        f"nearly geometric law (CoV {seen[0]:.2f}, model {b.models[INDEPENDENT][0].variation:.2f}).",
        "The law with leads takes the mean time for which a user stays the best of 16 equal ones, and no memory: at "
        "alpha = 0.01 that is far too much clustering, and gaps that are too long.",
    ]


PART = Part(
    name="service-interval",
    heading="Open question: service intervals from a model",
    figures=("interval",),
    plans=_plans,
    show=_show,
)
