"""What is called the cause where the true one is known by construction, with wrong words beside the right ones."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

import airlink
from airlink.explain import CELL, FlowExplanation, explain, hints
from airlink.explain.causes import BY_NAME
from airlink.explain.schedulers import METRICS, metric_of, remedy
from airlink.scenario import Scenario
from airlink.scenario.sections import SchedulerKind
from explain_cases import CELL as CELL_TEXT
from explain_cases import FOUR_PACKETS, WIRE, changed

PAGE = Path(__file__).parent.parent / "docs/models/scheduler.md"
NARROW: dict[str, Any] = {"link__rate__bandwidth_hz": 1e6}
FADING: dict[str, Any] = {"channel__fading": {"kind": "rayleigh", "terms": 16}}
PAGES: dict[str, Any] = {
    "kind": "sessions",
    "think_s": 2.0,
    "think": "constant",
    "size": {"kind": "constant", "bytes": 20_000},
}
BACKLOGGED = [{"traffic": {"kind": "backlogged"}}]
BULK = {"users": [0]}
BEHIND_IT = {"users": [0], "start_s": 10.0, "traffic": {"kind": "file", "bytes": 50_000}}
ONE_WEAK: dict[str, Any] = {**NARROW, **FADING, "channel__placement__mean_snr_db": [3.0, 12.0, 12.0], "users": 3}
KINDS = [kind.model_fields["kind"].default for kind in get_args(SchedulerKind)]


def explained(scenario: Scenario, flow: int = 0) -> FlowExplanation:
    return explain(airlink.run(scenario, record=["limits"]), flow=flow).flows[0]


def cell(**fields: Any) -> Scenario:
    return changed(CELL_TEXT, **fields)


KNOWN = {
    "one of four whose wire has 1 Mb/s": (
        cell(
            users=4,
            slot__duration_ms=1,
            flows=[{"users": [0], "path": {"downlink_rate_bps": 1e6}}, {"users": [1, 2, 3]}],
        ),
        ("held back by the wired path", "path.downlink_rate_bps is 1000000"),
        ("held back by the cell", "Fewer users", "better channel"),
    ),
    "a window of four packets": (
        cell(users=2, slot__duration_ms=1, flows__0__tcp__receiver_window_bytes=FOUR_PACKETS),
        ("held back by the receiver's window", "A larger receiver window would help"),
        ("held back by the cell", "passed over"),
    ),
    "pages with long times to think": (
        cell(flows__0__traffic=PAGES, **NARROW),
        ("its user read for", "held back by the cell", "while it loaded"),
        ("application", "More to send"),
    ),
    "pages of one packet with long times to think": (
        changed(WIRE, flows__0__traffic={**PAGES, "size": {"kind": "constant", "bytes": 1000}}),
        ("its user read for", "held back by the wired path", "all it had to send was on its way"),
        ("application", "More to send", "bottleneck.rate_bps"),
    ),
    "a full cell of equal users": (
        cell(users=4, **NARROW),
        (
            "It is slow because the cell is shared",
            "3.99 users had data, an even share is 25.1 % of the slots and it won 25.1 %",
            "alone it would be given 3.46 Mb/s, an even share of that is 86",
        ),
        ("passed over", "lacks", "held back by the scheduler"),
    ),
    "a user of low SNR under PF": (
        cell(scheduler__kind="proportional_fair", **ONE_WEAK),
        ("It is slow because the cell is shared", "Its channel is weak (mean SNR 3.0 dB, the median user's 12.0 dB)"),
        ("passed over", "exponent"),
    ),
    "a user of low SNR under MAX": (
        cell(scheduler__kind="max_rate", **ONE_WEAK),
        ("It was passed over", "of an even share. max_rate serves the largest R:", "Its channel is weak"),
        ("because the cell is shared",),
    ),
    "alone, half of the frames lost and repeated": (
        cell(link__errors__probability=0.5, link__arq__max_retransmissions="inf", **NARROW),
        ("repeated or awaited for 74 %", "Fewer lost frames would help (49.8 %", "a smaller link.errors.probability"),
        ("shared", "passed over", "another scheduler", "backoff_db", "feedback that comes sooner"),
    ),
    "alone on a channel that fades below its only rate": (
        cell(**FADING, link__rate={"kind": "table", "thresholds_db": [8.0], "rates_bps": [1e6]}, flows=BACKLOGGED),
        ("no other user had data, it waited for a slot in which its channel allows a rate for ",),
        ("turn", "shared", "passed over"),
    ),
    "alone behind CoDel": (
        cell(queue__kind="codel", **NARROW),
        ("It had the cell for itself, but", "The AQM (queue.kind is codel) dropped", "queue.codel.target_ms"),
        ("filled what it was given", "larger windows or another scheduler hardly"),
    ),
    "a file behind its own user's bulk transfer": (
        cell(flows=[BEHIND_IT, BULK], **NARROW),
        ("No other user had data", "It waited behind its own user's other flows: for ", "queue.limit_packets is"),
        ("for itself", "turn"),
    ),
    "a bulk transfer before its own user's file": (
        cell(flows=[BULK, BEHIND_IT], **NARROW),
        ("It had the cell for itself and filled",),
        ("behind",),
    ),
    "three who share each slot of twenty subchannels": (
        cell(users=3, carrier__subchannels=20, flows=BACKLOGGED, duration_s=5.0),
        ("others had the slot or the rest of it for 67 %; its user was on air for 33 %", "because the cell is shared"),
        ("on air for 100 %",),
    ),
    "alone on twenty subchannels": (
        cell(carrier__subchannels=20, flows=BACKLOGGED, duration_s=5.0),
        ("its user was on air for 100 %", "It had the cell for itself"),
        ("others had", "shared"),
    ),
}


@pytest.mark.parametrize("case", KNOWN)
def test_the_true_cause_is_named_and_the_wrong_one_is_not(case: str) -> None:
    scenario, right, wrong = KNOWN[case]
    said = "\n".join(explained(scenario).sentences)
    assert [part for part in right if part not in said] == [], said
    assert [part for part in wrong if part in said] == [], said


def test_the_cell_is_one_cause_before_any_is_called_the_largest() -> None:
    flow = explained(cell(duration_s=2))
    parts = {"scheduler": 0.25, "air": 0.2, "arq": 0.15, "receiver_window": 0.4}
    split = replace(flow, active_s=1.0, seconds={**dict.fromkeys(flow.seconds, 0.0), **parts})
    assert split.largest is CELL
    assert split.held == pytest.approx({"receiver_window": 0.4, "cell": 0.6})
    assert split.share(BY_NAME["air"]) == pytest.approx(0.2)


def test_the_time_of_pages_is_that_from_their_requests_to_their_ends() -> None:
    result = airlink.run(cell(flows__0__traffic=PAGES, **NARROW), record=["limits", "downloads"])
    (flow,) = explain(result).flows
    pages = result.series("downloads")
    loading = float((pages["completed_s"] - pages["requested_s"])[pages["completed_s"] > 0].sum())
    unfinished = pages["completed_s"] != pages["completed_s"]
    loading += float((20.0 - pages["requested_s"])[unfinished].sum())
    assert flow.waited_s == pytest.approx(loading, abs=1e-6)
    assert flow.think_s == pytest.approx(20.0 - loading, abs=1e-6)
    assert flow.think_s > 10 * flow.waited_s
    assert sum(flow.held.values()) == pytest.approx(flow.waited_s)


def test_who_thinks_takes_no_share_of_the_cell() -> None:
    """Of 20 users who read for 100 s after a page one at a time has data: the even share is most of the cell."""
    traffic = {**PAGES, "think_s": 100.0, "size": {"kind": "constant", "bytes": 200_000}}
    flows = [{"users": [user], "start_s": 1.0 * user, "traffic": traffic} for user in range(20)]
    assert explained(cell(users=20, duration_s=22, flows=flows, **NARROW), 3).facts.even_share > 0.99


def test_those_who_compete_without_data_take_their_share() -> None:
    fields = {"scheduler__serve_empty_queues": True, "users": 4, "flows": [{"users": [0]}], **NARROW}
    flow = explained(cell(**fields))
    assert flow.facts.even_share == pytest.approx(0.25)
    said = "\n".join(flow.sentences)
    assert "It is slow because the cell is shared, and it had its share of it: 4 users compete" in said
    assert flow.facts.cell_share == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("users", [1, 2, 5])
def test_a_shared_slot_is_air_for_the_part_of_the_band_that_was_won(users: int) -> None:
    flow = explained(cell(users=users, carrier__subchannels=20, flows=BACKLOGGED, duration_s=5.0))
    assert flow.shares["air"] == pytest.approx(1 / users, abs=0.01)
    assert flow.shares["scheduler"] == pytest.approx(1 - 1 / users, abs=0.01)


class TestSchedulers:
    def test_every_scheduler_of_the_package_has_a_metric(self) -> None:
        assert list(METRICS) == [*KINDS, "ideal_tcp_pf", "unapproximated_tcp_pf"]

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_metric_is_that_of_the_page(self, kind: str) -> None:
        (formula,) = re.findall(rf"^\| `{kind}` \| (.*?) \|", PAGE.read_text(), re.MULTILINE)
        metric = METRICS[kind]
        assert bool(metric.divides_by_service) == bool(re.search(r" A\b|\bA\)|/ A|Gamma", formula))
        assert metric.remembers_gaps == bool(re.search(r"\bD\b|T_p", formula))
        assert (metric.weighs_queue and metric.channel_aware) == bool(re.search(r"\bD\b|T_p|W", formula))
        assert metric.channel_aware == bool(re.search(r"\bR\b|SNR", formula))

    @pytest.mark.parametrize("kind", KINDS)
    def test_it_serves_as_its_properties_say(self, kind: str) -> None:
        """A metric that knows the channel serves a user on its peaks; a fair one gives the weakest as many slots."""
        facts = weakest(kind).facts
        gain = facts.given_bps / facts.cell_share / facts.alone_bps
        metric = METRICS[kind]
        assert gain > 1.15 if metric.channel_aware else abs(gain - 1) < 0.1
        if metric.fair_in_slots:
            assert facts.cell_share / facts.even_share == pytest.approx(1, abs=0.1)

    @pytest.mark.parametrize("kind", KINDS)
    def test_its_user_is_blamed_on_it_below_an_even_share_and_only_there(self, kind: str) -> None:
        flow = weakest(kind)
        said = "\n".join(flow.sentences)
        assert ("It was passed over" in said) == (flow.facts.of_even < hints.FAIR)
        assert ("It is slow because the cell is shared" in said) == (flow.facts.of_even >= hints.FAIR)

    @pytest.mark.parametrize("kind", KINDS)
    def test_nobody_is_sent_to_the_scheduler_that_is_there(self, kind: str) -> None:
        serves, _, advice = remedy(scheduler(kind)).partition(": ")
        assert serves == f"{kind} serves {METRICS[kind].serves}"
        assert re.search(rf"\b{kind}\b", advice.replace("scheduler.exponent", "")) is None
        if METRICS[kind].divides_by_service:
            assert "proportional_fair" not in advice

    def test_settings_change_the_metric(self) -> None:
        of = {exponent: scheduler("lambda", exponent=exponent) for exponent in (0.0, 3.0)}
        assert [metric_of(of[exponent]).divides_by_service for exponent in of] == [0, 3]
        assert "a larger scheduler.exponent (it is 3)" in remedy(of[3.0])
        vacation, queue = scheduler("tcp_pf", terms="vacation"), scheduler("tcp_pf", terms="queue")
        assert [metric_of(one).weighs_queue for one in (vacation, queue)] == [False, True]
        assert [metric_of(one).remembers_gaps for one in (vacation, queue)] == [True, False]
        assert remedy(vacation).endswith("larger windows would not.")
        assert remedy(queue).endswith("larger windows would help as far as they lengthen its queue.")


NEEDED: dict[str, dict[str, object]] = {"formula": {"metric": "rate / average"}}
"""Fields of a kind that must be written."""


def scheduler(kind: str, **fields: Any) -> SchedulerKind:
    radio = cell(scheduler={"kind": kind, **NEEDED.get(kind, {}), **fields}).radio()
    assert radio is not None
    return radio.scheduler


@cache
def weakest(kind: str) -> FlowExplanation:
    """The user of 3 dB beside two of 12 dB, all with greedy TCPs and Rayleigh fading."""
    return explained(cell(scheduler={"kind": kind, **NEEDED.get(kind, {})}, **ONE_WEAK))


TAKEN: dict[str, dict[str, object]] = {
    "SACK": {"sack": True},
    "a tail loss probe": {"sack": True, "rules": {"tail_loss_probe": True, "rack": True}},
    "their detection": {"rules": {"eifel_detection": True}, "timestamps": True},
    "a window that grows faster": {"congestion_control": "cubic"},
}
"""Advice on TCP, and the fields with which it is taken."""


def all_hints(scenario: Scenario, **facts: Any) -> str:
    """Every hint of a flow of the scenario, as if each cause were the largest."""
    flow = explained(scenario)
    flow = replace(flow, facts=replace(flow.facts, retransmissions=5, timeouts=4, **facts))
    names = [name for name in hints.HINTS if name != "grant" or scenario.uplink is not None]
    return "\n".join(hints.hint(replace(flow, seconds=largest(flow, name)), BY_NAME[name]) for name in names)


def largest(flow: FlowExplanation, name: str) -> dict[str, float]:
    causes = dict.fromkeys(flow.seconds, 0.0)
    return {**causes, "arq" if name == CELL.name else name: flow.active_s}


@pytest.mark.parametrize("advice", TAKEN)
@pytest.mark.parametrize("spurious", [0, 4])
def test_advice_on_tcp_that_is_taken_is_not_given(advice: str, spurious: int) -> None:
    fields = {f"flows__0__tcp__{name}": value for name, value in TAKEN[advice].items()}
    assert advice not in all_hints(cell(duration_s=1, **fields), spurious_timeouts=spurious)


@pytest.mark.parametrize("advice", TAKEN)
def test_advice_on_tcp_that_is_not_taken_is_given(advice: str) -> None:
    scenario = cell(duration_s=1)
    assert advice in all_hints(scenario) + all_hints(scenario, spurious_timeouts=4)


LOSSY: dict[str, Any] = {"link__errors__probability": 0.2, "link__arq__max_retransmissions": "inf", "duration_s": 2}
STILL: dict[str, Any] = {"flows__0__path__downlink_delay_ms": 0, "flows__0__path__uplink_delay_ms": 0}
OF_PLACES = {
    "a shorter round trip": (cell(duration_s=1), cell(duration_s=1, **STILL)),
    "Shorter delays": (cell(duration_s=1), cell(duration_s=1, **STILL)),
    "fewer flows": (changed(WIRE, users=2, duration_s=1), changed(WIRE, duration_s=1)),
    "feedback that comes sooner": (cell(**LOSSY, link__arq__feedback_delay_slots=5), cell(**LOSSY)),
    "link.report.backoff_db": (cell(**LOSSY, link__errors__threshold_rule=True), cell(**LOSSY)),
    "path.downlink_rate_bps": (
        cell(duration_s=1, flows__0__path__downlink_rate_bps=1e5),
        cell(duration_s=1, flows__0__path__downlink_rate_bps=1e12),
    ),
    "window_scaling": (
        cell(duration_s=1, flows__0__tcp={"window_scaling": False, "receiver_window_bytes": 65_535}),
        cell(duration_s=1, flows__0__tcp={"window_scaling": True, "receiver_window_bytes": 65_535}),
    ),
}
"""Advice, a scenario in which it can be followed, and one in which nothing is left of it."""


@pytest.mark.parametrize("advice", OF_PLACES)
def test_advice_is_given_where_it_can_be_followed_and_nowhere_else(advice: str) -> None:
    open_, taken = OF_PLACES[advice]
    assert advice in all_hints(open_)
    assert advice not in all_hints(taken)


def test_a_timeout_that_was_no_least_one_is_not_blamed_on_the_least() -> None:
    flow = explained(cell(duration_s=1))
    for silence_s, is_least in ((1.0, True), (8.0, False)):
        seconds = {**flow.seconds, "rto": silence_s}
        facts = replace(flow.facts, timeouts=1)
        said = hints.hint(replace(flow, seconds=seconds, facts=facts), BY_NAME["rto"])
        assert ("a shorter least timeout" in said) == is_least
        assert ("well above the least timeout" in said) == (not is_least)
