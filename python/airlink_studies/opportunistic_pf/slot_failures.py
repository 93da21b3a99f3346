"""Slots that fail: the paper has a symbol for their probability and no value; here it is swept.

Section V's cell under PF, a slot being lost with probability p whatever the SNR: lost for TCP to notice, or
retransmitted by the link until it arrives. MAC rate: what is granted, and what arrives, while queues are never empty.
Closed forms beside it: with retransmission 1 - p of what is sent arrives; without, TCP by [Padhye00] with the losses
and the round trips that each flow had. Left out: failures that depend on the SNR, limits of retransmission, late
feedback.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from airlink.campaign import CampaignResult, Plan
from airlink.models import padhye_throughput
from airlink.plots import style
from airlink.plots.sweep import banded
from airlink.report import Bounds, Claim, Illustration, Sheet, Statement, at_least, at_most, between, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf.quarters import EDGE, Floats
from airlink_studies.opportunistic_pf.setting import MSS_BYTES, backlogged, section_v, seeds
from airlink_studies.opportunistic_pf.tcp_events import goodput_kbps, per_flow_minute

FAILURES = (0.0, 0.003, 0.01, 0.03, 0.1)
NONE, ONE_IN_100, MOST = 0.0, 0.01, 0.1
TO_TCP, BY_LINK = "left to TCP", "retransmitted by the link"
LINKS: Mapping[str, Mapping[str, object]] = {TO_TCP: {}, BY_LINK: {"link.arq.max_retransmissions": "inf"}}
SHORT = {TO_TCP: "to TCP", BY_LINK: "by the link"}
DROPS, QUICK_DROPS = 10, 3
RUN_S, QUICK_S = 120.0, 30.0
WINDOW_PACKETS, LEAST_RTO_S = 64.0, 0.2
LITTLE = 0.05
"""What "next to nothing" is: within 5 % (chosen before anything was run)."""


def _label(failure: float, link: str) -> str:
    return f"p={failure:g}, {link}"


def _scenario(failure: float, link: str, duration_s: float) -> Scenario:
    return section_v(duration_s=duration_s, **{"link.errors.probability": failure}, **LINKS[link])


def _plans(request: Request) -> Mapping[str, Plan]:
    length = QUICK_S if request.quick else RUN_S
    tcp = {_label(one, link): _scenario(one, link, length) for link in LINKS for one in FAILURES}
    drops = seeds(request.seed, QUICK_DROPS if request.quick else DROPS)
    return {
        "tcp": Plan(tcp, drops),
        "backlogged": Plan({name: backlogged(scenario) for name, scenario in tcp.items()}, drops),
    }


def _show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    tcp, never_empty = results["tcp"], results["backlogged"]
    sheet = _sheet(tcp, never_empty)
    return PartResult(
        claims=_claims(tcp, never_empty),
        items=[_figure(tcp, never_empty), sheet],
        printed=[sheet],
        sentences=[_sentence(tcp)],
        depends=[_sentence(tcp)],
        tables={"slot-failures": _table(tcp, never_empty)},
    )


def _of_none(result: CampaignResult, failure: float, link: str, column: str) -> Estimate:
    """A rate of the cell over that without failures."""
    return paired_ratio(result.cell(_label(failure, link), column), result.cell(_label(NONE, link), column))


def _edge_of_none(tcp: CampaignResult, failure: float, link: str) -> Estimate:
    """Goodput of edge users over that without failures."""
    return paired_ratio(goodput_kbps(tcp, _label(failure, link), EDGE), goodput_kbps(tcp, _label(NONE, link), EDGE))


def _arrived(never_empty: CampaignResult, failure: float) -> Floats:
    """Of the bits that are sent while queues are never empty and the link retransmits, what arrives: array [seed]."""
    label = _label(failure, BY_LINK)
    return never_empty.cell(label, "delivered_bps") / never_empty.cell(label, "sent_bps")


def _claims(tcp: CampaignResult, never_empty: CampaignResult) -> list[Claim]:
    """The paper: recovery by the link "brings the packet loss probability down to 1 %", which is then left out."""
    profile = f"Section V, {len(tcp.plan.seeds)} seeds"
    same = between("rate, 0.1 / 0", 0.99, 1.01)
    return [
        Statement("000-15a", "slots that fail do not change what PF grants (queues never empty, p = 0.1)").against(
            _of_none(never_empty, MOST, TO_TCP, "granted_bps"), same, profile
        ),
        Statement("000-15b", "retransmitted by the link, 1 - p of what is sent arrives (p = 0.1, within 1 %)").against(
            mean_interval(_arrived(never_empty, MOST) / (1 - MOST)), between("arrived / (1 - p)", 0.99, 1.01), profile
        ),
        Statement("000-15c", "with that TCP loses no more than the slots: goodput over 1 - p at p = 0.1").against(
            _scaled(_of_none(tcp, MOST, BY_LINK, "goodput_bps"), 1 / (1 - MOST)),
            at_least("goodput / (1 - p)", 1 - LITTLE),
            profile,
        ),
        Statement("000-15d", "left to TCP, one slot in 100 costs next to nothing (within 5 %)").against(
            _of_none(tcp, ONE_IN_100, TO_TCP, "goodput_bps"), at_least("goodput, 0.01 / 0", 1 - LITTLE), profile
        ),
        Statement("000-15e", "left to TCP, one slot in ten costs more than half of the goodput").against(
            _of_none(tcp, MOST, TO_TCP, "goodput_bps"), at_most("goodput, 0.1 / 0", 0.5), profile
        ),
        Statement("000-15f", "there edge users, whose packets take many slots, keep less than a tenth").against(
            _edge_of_none(tcp, MOST, TO_TCP),
            Bounds("edge goodput, 0.1 / 0", high=0.1, high_open=True),
            profile,
        ),
    ]


def _scaled(found: Estimate, by: float) -> Estimate:
    return Estimate(by * found.mean, by * found.low, by * found.high, found.n, found.level)


def _padhye_kbps(tcp: CampaignResult, label: str) -> Floats:
    """What the closed form gives all flows together, each with its own losses and round trips: array [seed]."""
    lost = sum(tcp.users(label, name) for name in ("drops_air_error", "drops_queue_full"))
    share = lost / tcp.users(label, "packets_in")
    rtt_s, spread_s = tcp.flows(label, "rtt_mean_s"), tcp.flows(label, "rtt_sd_s")
    rto_s = np.fmax(rtt_s + 4 * spread_s, LEAST_RTO_S)
    cells = np.stack([share, rtt_s, rto_s], axis=-1)

    def of_flow(p: float, rtt: float, rto: float) -> float:
        # A flow without an RTT of its own got next to nothing.
        return padhye_throughput(p, rtt, rto, MSS_BYTES, WINDOW_PACKETS) if 0 < p < 1 and rtt > 0 else 0.0

    return np.array([sum(of_flow(*flow) for flow in of_seed) / 1e3 for of_seed in cells])


def _sentence(tcp: CampaignResult) -> str:
    left, helped = (
        [100 * (_of_none(tcp, one, link, "goodput_bps").mean - 1) for one in (ONE_IN_100, MOST)] for link in LINKS
    )
    edge = _edge_of_none(tcp, ONE_IN_100, TO_TCP)
    return (
        f"Slots that fail [000-15d]: left to TCP, one in 100 takes {100 * (1 - edge.mean):.0f} % from edge users, "
        f"whose slots the others use ({left[0]:+.0f} % for the cell), and one in ten changes the cell's goodput by "
        f"{left[1]:+.0f} %; retransmitted by the link, they change it by {helped[0]:+.1f} and {helped[1]:+.0f} %."
    )


def _figure(tcp: CampaignResult, never_empty: CampaignResult) -> Illustration:
    figure, (cell, edge) = style.blank(rows=2, height_in=3.8)
    places = np.arange(len(FAILURES))
    granted = [_of_none(never_empty, one, TO_TCP, "granted_bps") for one in FAILURES]
    banded(cell, places, granted, 0, "granted, queues never empty")
    for index, link in enumerate(LINKS, 1):
        banded(cell, places, [_of_none(tcp, one, link, "goodput_bps") for one in FAILURES], index, f"goodput, {link}")
        shares = [_edge_of_none(tcp, one, link) for one in FAILURES]
        banded(edge, places, shares, index, link)
    cell.plot(
        places,
        [1 - one for one in FAILURES],
        color=style.GREY,
        linestyle=":",
        label="the part that does not fail, 1 - p",
    )
    for axes in (cell, edge):
        axes.set_ylim(bottom=0)
        style.legend(axes, loc="lower left")
    edge.set_xticks(places, [f"{one:g}" for one in FAILURES])
    style.label(cell, "", "cell: rate /\nthat at p = 0")
    style.label(edge, "probability that a slot fails (steps not to scale)", "edge users: goodput /\nthat at p = 0")
    caption = (
        "PF against the probability that a slot fails: what it grants, and TCP's goodput where losses are left to TCP "
        "or are retransmitted by the link; cell and edge users (lowest 4 of 16 in SNR). "
        f"{len(tcp.plan.seeds)} seeds, bands: 95 %."
    )
    return Illustration(
        "failures-goodput", caption, figure, "Granted rate and goodput against the share of slots that fail."
    )


def _sheet(tcp: CampaignResult, never_empty: CampaignResult) -> Sheet:
    rows = []
    for link in LINKS:
        for one in FAILURES:
            label = _label(one, link)
            goodput = goodput_kbps(tcp, label)
            padhye = _padhye_kbps(tcp, label) / goodput
            rows.append(
                (
                    f"{one:g} {SHORT[link]}",
                    f"{never_empty.cell(label, 'granted_bps').mean() / 1e3:.0f}",
                    f"{never_empty.cell(label, 'delivered_bps').mean() / 1e3:.0f}",
                    plus_minus(mean_interval(goodput), 0),
                    f"{goodput_kbps(tcp, label, EDGE).mean():.1f}",
                    f"{per_flow_minute(tcp, label, 'timeouts').mean():.2f}",
                    f"{padhye.mean():.2f}",
                )
            )
    columns = ("p, losses", "granted", "delivered", "goodput", "edge", "timeouts", "Padhye/ours")
    note = (
        "kb/s; granted, delivered: queues never empty; goodput, edge: TCP, the lowest 4 of 16 users in SNR together; "
        "timeouts per flow and minute; Padhye/ours: [Padhye00] with each flow's own losses and mean round trip, over "
        "the cell's goodput"
    )
    return Sheet("Slots that fail", columns, rows, note)


def _table(tcp: CampaignResult, never_empty: CampaignResult) -> Table:
    drops = tcp.plan.seeds
    settings = [(one, link) for link in LINKS for one in FAILURES]
    return Table(
        {
            "failure": [one for one, _ in settings for _ in drops],
            "link": [link for _, link in settings for _ in drops],
            "seed": [seed for _ in settings for seed in drops],
            "granted_bps": np.concatenate([never_empty.cell(_label(*one), "granted_bps") for one in settings]),
            "delivered_bps": np.concatenate([never_empty.cell(_label(*one), "delivered_bps") for one in settings]),
            "goodput_kbps": np.concatenate([goodput_kbps(tcp, _label(*one)) for one in settings]),
            "edge_goodput_kbps": np.concatenate([goodput_kbps(tcp, _label(*one), EDGE) for one in settings]),
        }
    )


PART = Part(
    name="slot-failures",
    heading="Open symbol: slots that fail",
    figures=("failures",),
    plans=_plans,
    show=_show,
)
