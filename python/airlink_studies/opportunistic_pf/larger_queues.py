"""Open question of Section VII: what do larger queues bring, and how large is the bandwidth-delay product.

Section V's cell with greedy Reno downloads; queues of 2 to 200 packets a user, at two alphas. The paper: the product
is "about 10 packets or less", so larger queues "only serve to increase delay without improving TCP throughput".
Left out: queues shared by users, active queue management.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.plots.sweep import banded, paper_level
from airlink.report import Claim, Illustration, Sheet, Statement, above, at_least, at_most, plus_minus
from airlink.result import Table
from airlink.scenario import Scenario
from airlink.statistics import Estimate, mean_interval, paired_ratio
from airlink.study import Part, PartResult, Request, Runner
from airlink_studies.opportunistic_pf.quarters import CENTRE, EDGE, Floats
from airlink_studies.opportunistic_pf.setting import ALPHA, PACKET_BYTES, PAPER, section_v, seeds
from airlink_studies.opportunistic_pf.tcp_events import goodput_kbps, per_flow_minute, ratio, user_mean

SIZES, QUICK_SIZES = (2, 5, 10, 20, 50, 100, 200), (2, 10, 50)
OWN, LARGE, TINY = 10, 50, 2
"""Packets: of the paper; five times as many; the least that TCP can work with."""
ALPHAS = (ALPHA, 0.001)
DROPS, QUICK_DROPS = 10, 3
RUN_S, QUICK_S = 120.0, 30.0
WINDOW_BYTES = 1_000_000
"""Receiver's window, beyond all queues: 64 kB would stop at 138 packets."""
FIXED_DELAY_S = 0.035
"""Two-way delay of the wires, inferred from Section V."""
NO_GAIN = 1.02
"""`Without improving throughput` is read as at most 2 % more."""


def _label(alpha: float, packets: int) -> str:
    return f"alpha={alpha:g}, {packets} packets"


def _sizes(request: Request) -> tuple[int, ...]:
    return QUICK_SIZES if request.quick else SIZES


def _scenario(alpha: float, packets: int, duration_s: float) -> Scenario:
    return section_v(
        duration_s=duration_s,
        **{
            "scheduler.time_constant_slots": 1 / alpha,
            "queue.limit_packets": packets,
            "flows.0.tcp.receiver_window_bytes": WINDOW_BYTES,
        },
    )


def _plans(request: Request) -> Mapping[str, Plan]:
    drops = seeds(request.seed, QUICK_DROPS if request.quick else DROPS)
    length = QUICK_S if request.quick else RUN_S
    pairs = [(alpha, packets) for alpha in ALPHAS for packets in _sizes(request)]
    return {"queues": Plan({_label(*pair): _scenario(*pair, length) for pair in pairs}, drops)}


def _show(results: Mapping[str, CampaignResult], runner: Runner) -> PartResult:
    result, sizes = results["queues"], _sizes(runner.request)
    sheet, products = _sheet(result, sizes), product_sheet(result)
    return PartResult(
        claims=_claims(result, f"Section V, {len(result.plan.seeds)} seeds"),
        items=[_figure(result, sizes), sheet, products],
        printed=[sheet, products],
        sentences=[_sentence(result)],
        depends=[_sentence(result)],
        tables={"larger-queues": _table(result, sizes)},
    )


def product_packets(rate_kbps: Floats) -> Estimate:
    """Bandwidth-delay product of a rate over the wires' two-way delay, packets of 512 bytes."""
    return mean_interval(rate_kbps * 1e3 * FIXED_DELAY_S / (8 * PACKET_BYTES))


def _claims(result: CampaignResult, profile: str) -> list[Claim]:
    """[000-9] "Larger queue sizes only serve to increase delay without improving TCP throughput"."""
    small, own, large = (_label(ALPHA, packets) for packets in (TINY, OWN, LARGE))
    longer = ratio(lambda one: user_mean(result, one, "queueing_delay_mean_s", CENTRE), large, own)
    return [
        Statement(
            "000-9a", "alpha = 0.01: queues of 50 packets carry no more (within 2 %) than of 10", "no gain"
        ).against(_ratio(result, ALPHA, LARGE, OWN), at_most("goodput 50/10", NO_GAIN), profile),
        Statement(
            "000-9b", "the bandwidth-delay product of the link is about 10 packets or less", "10 or less"
        ).against(
            product_packets(result.cell(own, "granted_bps") / 1e3),
            at_most("packets", PAPER.product_packets * 1.15),
            profile,
        ),
        Statement(
            "000-9j", "alpha = 0.01: queues of 50 packets delay central users at least twice as long", "longer"
        ).against(longer, at_least("delay 50/10", 2), profile),
        Statement(
            "000-9k", "alpha = 0.001: queues of 50 packets carry no more (within 2 %) than of 10", "no gain"
        ).against(_ratio(result, 0.001, LARGE, OWN), at_most("goodput 50/10", NO_GAIN), profile),
        Statement("000-9l", "alpha = 0.01: 2 packets, a user's own product, carry as much as 10 (within 2 %)").against(
            paired_ratio(goodput_kbps(result, small), goodput_kbps(result, own)),
            at_least("goodput 2/10", 2 - NO_GAIN),
            profile,
        ),
        Statement("000-9m", "alpha = 0.001: queues of 50 packets carry more than of 10").against(
            _ratio(result, 0.001, LARGE, OWN), above("goodput 50/10", 1), profile
        ),
    ]


def _ratio(result: CampaignResult, alpha: float, a: int, b: int) -> Estimate:
    return ratio(lambda packets: goodput_kbps(result, _label(alpha, packets)), a, b)


def _sentence(result: CampaignResult) -> str:
    own, large = (_label(ALPHA, packets) for packets in (OWN, LARGE))
    gains = [100 * (_ratio(result, alpha, LARGE, OWN).mean - 1) for alpha in ALPHAS]
    delays = [float(user_mean(result, one, "queueing_delay_mean_s", CENTRE).mean()) for one in (own, large)]
    product = product_packets(result.cell(own, "granted_bps") / 1e3).mean
    return (
        f"Larger queues [000-9a]: at alpha = 0.01, 50 packets instead of 10 carry {gains[0]:+.1f} % and delay central "
        f"users {delays[1]:.2f} s instead of {delays[0]:.2f} s, as the paper says (product of the link: {product:.1f} "
        f"packets); at alpha = 0.001 they carry {gains[1]:+.1f} %, because the queue must bridge longer gaps."
    )


def _figure(result: CampaignResult, sizes: tuple[int, ...]) -> Illustration:
    figure, (gain, delay, timeouts) = style.blank(rows=3, height_in=4.8)
    for index, alpha in enumerate(ALPHAS):
        ratios = [_ratio(result, alpha, packets, OWN) for packets in sizes]
        banded(gain, sizes, ratios, index, f"alpha = {alpha:g}")
        labels = [_label(alpha, packets) for packets in sizes]
        counts = [mean_interval(per_flow_minute(result, label, "timeouts")) for label in labels]
        banded(timeouts, sizes, counts, index, f"alpha = {alpha:g}")
    labels = [_label(ALPHA, packets) for packets in sizes]
    for index, (which, name) in enumerate(((EDGE, "edge users"), (CENTRE, "central users")), start=2):
        waits = [mean_interval(user_mean(result, label, "queueing_delay_mean_s", which)) for label in labels]
        banded(delay, sizes, waits, index, f"{name}, alpha = 0.01")
    paper_level(gain, 1.0, "paper: no gain beyond 10")
    gain.axvline(PAPER.product_packets, color=style.GREY, linewidth=0.6, label="paper: rate x delay")
    style.log_axis(delay, [0.02, 20])
    timeouts.set_yscale("symlog", linthresh=0.1)
    timeouts.set_ylim(bottom=0)
    style.log_x(gain)
    timeouts.set_xticks(sizes, [str(packets) for packets in sizes])
    timeouts.minorticks_off()
    style.label(gain, "", "cell goodput / that\nat 10 packets")
    style.label(delay, "", "queueing delay (s)")
    style.label(timeouts, "queue limit (packets)", "timeouts per flow\nand minute")
    style.legend_above(figure, gain, columns=2)
    for axes in (delay, timeouts):
        style.legend(axes, loc="best")
    caption = (
        "Larger queues. Cell goodput against that with 10 packets on the same seeds; mean queueing delay; timeouts. "
        f"16 greedy Reno downloads, {len(result.plan.seeds)} seeds, bands: 95 %."
    )
    return Illustration("queues-goodput", caption, figure, "Goodput, queueing delay and timeouts against queue limit.")


def _sheet(result: CampaignResult, sizes: tuple[int, ...]) -> Sheet:
    rows = []
    for alpha in ALPHAS:
        for packets in sizes:
            label = _label(alpha, packets)
            waits = [user_mean(result, label, "queueing_delay_mean_s", which).mean() for which in (EDGE, CENTRE)]
            rows.append(
                (
                    f"{alpha:g}, {packets}",
                    plus_minus(mean_interval(goodput_kbps(result, label)), 0),
                    f"{_ratio(result, alpha, packets, OWN).mean:.3f}",
                    *(f"{wait:.2f}" for wait in waits),
                    f"{result.interval(label, 'drops_queue_full').mean:.0f}",
                    f"{per_flow_minute(result, label, 'timeouts').mean():.2f}",
                )
            )
    columns = ("alpha, packets", "cell kb/s", "of 10", "edge s", "centre s", "drops", "timeouts")
    note = "edge s, centre s: mean queueing delay; drops: packets a run; timeouts: per flow and minute"
    return Sheet("Larger queues", columns, rows, note)


def product_sheet(result: CampaignResult) -> Sheet:
    """Bandwidth-delay products: of the link as one, and of single users, by what each of them gets and by its peak."""
    label = _label(ALPHA, OWN)
    goodput = result.users(label, "goodput_bps") / 1e3
    granted, won = result.users(label, "granted_bps") / 1e3, result.users(label, "slots_won")
    peak = granted * result.cell(label, "slots")[:, None] / won
    users = {"W (lowest SNR)": 0, "user 8": 8, "B (highest SNR)": goodput.shape[1] - 1}
    rows: list[Sequence[str]] = [
        ("the link, all users", plus_minus(product_packets(result.cell(label, "granted_bps") / 1e3), 1), "")
    ]
    for name, user in users.items():
        values = (product_packets(goodput[:, user]), product_packets(peak[:, user]))
        rows.append((name, *(plus_minus(value, 2) for value in values)))
    columns = ("whose", "mean rate x 35 ms", "rate in own slots x 35 ms")
    note = "packets of 512 bytes; alpha = 0.01, queues of 10; the paper: about 10 packets or less"
    return Sheet("Bandwidth-delay products", columns, rows, note)


def _table(result: CampaignResult, sizes: tuple[int, ...]) -> Table:
    keys = [(alpha, packets, _label(alpha, packets)) for alpha in ALPHAS for packets in sizes]
    drops = result.plan.seeds
    delay = "queueing_delay_mean_s"
    return Table(
        {
            "alpha": [alpha for alpha, *_ in keys for _ in drops],
            "limit_packets": [packets for _, packets, _ in keys for _ in drops],
            "seed": [seed for _ in keys for seed in drops],
            "goodput_kbps": [value for *_, label in keys for value in goodput_kbps(result, label)],
            "edge_delay_s": [value for *_, label in keys for value in user_mean(result, label, delay, EDGE)],
            "centre_delay_s": [value for *_, label in keys for value in user_mean(result, label, delay, CENTRE)],
            "drops": [value for *_, label in keys for value in result.cell(label, "drops_queue_full")],
        }
    )


PART = Part(
    name="larger-queues",
    heading="Open question: larger queues",
    figures=("queues",),
    plans=_plans,
    show=_show,
)
