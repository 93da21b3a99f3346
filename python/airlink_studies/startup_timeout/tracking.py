"""Does the RTO follow the RTT, and how sharply does the RTT rise where it does not? PF also over the link of Fig. 4.

The paper says that the RTO tracks the RTT in most cases, that several long RTTs raise the RTO, so that few RTTs above
the minimum end in a timeout, and that an initial timeout takes a sharp rise of consecutive RTTs. Each sentence has a
verdict under both time constants. PF over the constant 2 Mb/s of Fig. 4 is the control: it has no fading to wait for.

Left out: the RTT of segments that were sent twice, which TCP cannot measure; the timeout itself stands for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.report import Claim, Illustration, Sheet, Statement, above, at_most, exactly, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, cdf, mean_interval
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.startup_timeout import setting
from airlink_studies.startup_timeout.measures import Floats

PF, LONG = "PF", "PF, long t_c"
LINK, LINK_LONG = "PF, 2 Mb/s link", "PF, 2 Mb/s link, long t_c"
LINK_12 = "PF, 2 Mb/s link, window 12"
SERIES = ("timeouts", "rtt")
RUNS, QUICK_RUNS = 40, 2
START_S = 3.0
"""A session's first seconds, "the start" (chosen: half of the paper's initial RTO, before anything was run)."""
OFTEN = 0.1
""""Not often": at most this share (chosen before anything was run)."""
SHARP = 2.0
"""A sharp rise: the next RTT is more than this times the RTT before (chosen before anything was run)."""


@dataclass(frozen=True)
class Tracking:
    """How the RTO of one setting follows its RTT; arrays are [seed].

    Attributes
    ----------
    below : share of the RTT samples that lie below the RTO in force when they were taken.
    expired : of RTTs above the least RTO, the share that expired the timer.
    start, later : timeouts per session and second, in a session's first START_S and after them.
    sharp : of the initial timeouts after an RTT sample, the share with an RTT more than SHARP times that sample.
    rise : the median of RTO / the RTT before over those timeouts, a lower bound: the RTT is larger than the RTO.
    met : of all samples of all seeds, RTT / RTO in force.
    rises : of all those timeouts of all seeds, RTO / the RTT before.
    """

    below: Floats
    expired: Floats
    start: Floats
    later: Floats
    sharp: Floats
    rise: Floats
    met: Floats
    rises: Floats

    @classmethod
    def of(cls, result: CampaignResult, label: str) -> Tracking:
        """Of a setting of a campaign that recorded SERIES."""
        begun = result.flows(label, "start_s")
        one = result.result(label)
        least_s = one.scenario.flows[0].tcp.rto.min_ms / 1e3
        duration_s = float(one.scenario.duration_s)
        tables = [(Table(each.series["rtt"]), fresh(Table(each.series["timeouts"]))) for each in one.replicas]
        rows = [
            numbers_of(samples, timeouts, start, least_s, duration_s)
            for (samples, timeouts), start in zip(tables, begun, strict=True)
        ]
        met = np.concatenate([samples["rtt_s"] / _in_force(samples) for samples, _ in tables])
        rises = np.concatenate([_rises(samples, timeouts) for samples, timeouts in tables])
        return cls(*[*np.array(rows, dtype=float).T, met[~np.isnan(met)], rises])


def numbers_of(
    samples: Table, timeouts: Table, begun_s: Floats, least_s: float, duration_s: float
) -> tuple[float, ...]:
    """The six numbers of one run, in the order of `Tracking`; NaN where nothing is there to count.

    Parameters
    ----------
    samples, timeouts : the series `rtt`, and of the series `timeouts` the first one of each segment.
    begun_s : array [flow], when it started.
    least_s : the least RTO.
    duration_s : of the run.
    """
    in_force = _in_force(samples)
    known = ~np.isnan(in_force)
    age_s = timeouts["time_s"] - begun_s[timeouts["flow"].astype(int)]
    rises = _rises(samples, timeouts)
    long = int(np.sum(samples["rtt_s"] > least_s)) + timeouts.rows
    later_s = np.sum(np.maximum(duration_s - begun_s - START_S, 0.0))
    return (
        float(np.mean(samples["rtt_s"][known] <= in_force[known])) if known.any() else np.nan,
        timeouts.rows / long if long else np.nan,
        float(np.sum(age_s < START_S)) / (START_S * begun_s.size),
        float(np.sum(age_s >= START_S)) / float(later_s),
        float(np.mean(rises > SHARP)) if rises.size else np.nan,
        float(np.median(rises)) if rises.size else np.nan,
    )


def fresh(timeouts: Table) -> Table:
    """Without repetitions for the same segment, those held, and those of a SYN."""
    return timeouts.where((timeouts["repeated"] == 0) & (timeouts["held"] == 0) & (timeouts["sequence"] >= 0))


def _rises(samples: Table, timeouts: Table) -> Floats:
    """RTO / the RTT before, of the initial timeouts before which there was one."""
    initial = timeouts.where(timeouts["initial"] == 1)
    rises = initial["rto_s"] / _last_sample(samples, initial)
    return np.asarray(rises[~np.isnan(rises)], dtype=float)


def _in_force(samples: Table) -> Floats:
    """The RTO that each sample met: the one that its flow's sample before it left; NaN for a flow's first."""
    met = np.full(samples.rows, np.nan)
    for flow in np.unique(samples["flow"]):
        mine = np.flatnonzero(samples["flow"] == flow)
        met[mine[1:]] = samples["rto_s"][mine[:-1]]
    return met


def _last_sample(samples: Table, timeouts: Table) -> Floats:
    """The RTT sample of the same flow before each timeout, s; NaN where there was none."""
    found = np.full(timeouts.rows, np.nan)
    for row in range(timeouts.rows):
        mine = samples.where((samples["flow"] == timeouts["flow"][row]) & (samples["time_s"] < timeouts["time_s"][row]))
        if mine.rows:
            found[row] = mine["rtt_s"][-1]
    return found


def plans(request: Request) -> Mapping[str, Plan]:
    """PF under both time constants, on the fading channel and over the constant link."""
    long = setting.LONG_TIME_CONSTANT_SLOTS
    scenarios: dict[str, Scenario] = {
        PF: setting.cell(),
        LONG: setting.cell(time_constant_slots=long),
        LINK: setting.constant_link(),
        LINK_LONG: setting.constant_link(time_constant_slots=long),
        LINK_12: setting.constant_link(**setting.window(setting.FIFO_SEGMENTS)),
    }
    return {"tracking": Plan(scenarios, setting.seeds(request.seed, QUICK_RUNS if request.quick else RUNS), SERIES)}


def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    """Judges the sentences and lists the numbers."""
    result = results["tracking"]
    found = {label: Tracking.of(result, label) for label in result.plan.scenarios}
    profile = f"startup-timeout, {len(result.plan.seeds)} seeds"
    sheet = _sheet(result, found)
    return PartResult(
        claims=[*_tracking_claims(found, profile), *_link_claims(result, profile)],
        items=[_figure(found), sheet],
        printed=[sheet],
        sentences=[_sentence(result, found)],
        tables={"tracking": _table(result, found)},
    )


PART = Part("tracking", "Does the RTO follow the RTT?", ("tracking",), plans, show)


def _tracking_claims(found: Mapping[str, Tracking], profile: str) -> list[Claim]:
    """[003-8], each sentence under both time constants."""
    made: list[Claim] = []
    for (below, rare, start, sharp), label, which in (("abcd", PF, "t_c 1000"), ("efgh", LONG, "t_c 10 000")):
        one = found[label]
        made += [
            Statement(
                f"003-8{below}", f"The RTO tracks the RTT: a sample lies below the RTO in force, {which}", "most cases"
            ).against(_over(one.below), above("share", 1 - OFTEN), profile),
            Statement(
                f"003-8{rare}", f"Of RTTs above the least RTO few expire the timer, {which}", "not often"
            ).against(_over(one.expired), at_most("share", OFTEN), profile),
            Statement(
                f"003-8{start}", f"Timeouts are more frequent in a session's first {START_S:g} s than later, {which}"
            ).against(mean_interval(one.start - one.later), above("difference", 0), profile),
            Statement(
                f"003-8{sharp}",
                f"At most initial timeouts the RTT more than doubles from one to the next, {which}",
                "sharply",
            ).against(_over(one.sharp), above("share", 0.5), profile),
        ]
    return made


def _link_claims(result: CampaignResult, profile: str) -> list[Claim]:
    """PF over the link of Fig. 4: with equal, constant rates it is a round robin."""
    timed_out = {label: mean_interval(_timed_out(result, label)) for label in (LINK, LINK_LONG, LINK_12)}
    asked = (
        ("i", "PF over the constant 2 Mb/s of Fig. 4 has no initial timeout, t_c 1000", LINK),
        ("j", "The same, t_c 10 000", LINK_LONG),
        ("k", "The same with windows of 12 segments, t_c 1000", LINK_12),
    )
    return [
        Statement(f"003-8{letter}", sentence).against(timed_out[label], exactly("sessions timed out", 0), profile)
        for letter, sentence, label in asked
    ]


def _timed_out(result: CampaignResult, label: str) -> Floats:
    return np.asarray(np.sum(result.flows(label, "initial_timeouts") > 0, axis=1), dtype=float)


def _over(samples: Floats) -> Estimate:
    """The mean over the seeds that have a value."""
    kept = samples[~np.isnan(samples)]
    return mean_interval(kept) if kept.size else Estimate(np.nan, np.nan, np.nan, 0)


def _figure(found: Mapping[str, Tracking]) -> Illustration:
    figure, (samples, timeouts) = style.blank(2, 4.2)
    for index, (label, one) in enumerate(found.items()):
        if label == LINK_LONG:  # the constant link makes every t_c a round robin
            continue
        name = setting.in_slots(label)
        samples.step(*cdf(one.met), where="post", label=name, **style.line_style(index))
        if one.rises.size:
            timeouts.step(*cdf(one.rises), where="post", **style.line_style(index))
    samples.axvline(1.0, color=style.GREY, linewidth=0.8, label="the timer would expire")
    timeouts.axvline(SHARP, color=style.GREY, linewidth=0.8, linestyle="--", label="claim: above this")
    samples.set_xlim(0, 4)
    timeouts.set_xlim(0, 4)
    style.label(samples, "RTT / RTO in force", "CDF over RTT samples")
    style.label(timeouts, "RTO / RTT before", "CDF over initial timeouts")
    style.legend_above(figure, samples, timeouts, columns=2)
    caption = (
        "Above: each RTT sample over the RTO that the sample before it left. Right of 1 the RTT exceeds the RTO, and "
        "the timer has not expired, because every ACK restarts it. Below: at each initial timeout the RTO over the RTT "
        "before, a lower bound of the rise of the RTT."
    )
    told = "Distributions of RTT over RTO for all samples, and of RTO over the RTT before at initial timeouts."
    return Illustration("tracking-rto", caption, figure, told)


def _sheet(result: CampaignResult, found: Mapping[str, Tracking]) -> Sheet:
    rows = [
        (
            label,
            plus_minus(mean_interval(_timed_out(result, label)), 1),
            _percent(one.below),
            _percent(one.expired),
            f"{1e3 * one.start.mean():.1f}",
            f"{1e3 * one.later.mean():.1f}",
            f"{_over(one.rise).mean:.1f}" if one.rises.size else "",
        )
        for label, one in found.items()
    ]
    note = (
        f"Means of {len(result.plan.seeds)} runs. below: % of the RTT samples below the RTO in force; expired: % of "
        "the RTTs above the least RTO that expired the timer; start, later: timeouts per 1000 session-seconds in a "
        f"session's first {START_S:g} s and after them; rise: median of RTO / RTT before at initial timeouts, a lower "
        "bound of the rise of the RTT."
    )
    return Sheet("RTO against RTT", ("", "timed out", "below", "expired", "start", "later", "rise"), rows, note)


def _percent(shares: Floats) -> str:
    return f"{100 * _over(shares).mean:.1f}"


def _sentence(result: CampaignResult, found: Mapping[str, Tracking]) -> str:
    short, long = found[PF], found[LONG]
    on_link = sum(float(_timed_out(result, label).sum()) for label in (LINK, LINK_LONG))
    return (
        f"[003-8] {_percent(short.below)} % of the RTTs lie below the RTO in force with t_c = 1000 slots and "
        f"{_percent(long.below)} % with 10 000; at an initial timeout the RTT is at least {_over(short.rise).mean:.1f} "
        f"and {_over(long.rise).mean:.1f} times the one before. Over a constant 2 Mb/s {on_link:.0f} sessions time out "
        f"under PF in {2 * len(result.plan.seeds)} runs."
    )


def _table(result: CampaignResult, found: Mapping[str, Tracking]) -> Table:
    """One row a setting and seed."""
    seeds = result.plan.seeds
    columns = ("below", "expired", "start", "later", "sharp", "rise")
    return Table(
        {
            "setting": np.repeat(list(found), len(seeds)),
            "seed": np.tile(seeds, len(found)),
            **{name: np.concatenate([getattr(one, name) for one in found.values()]) for name in columns},
        }
    )
