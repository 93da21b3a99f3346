"""What is said of a flow's time: moments, sentences, hints, the command."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import airlink
from airlink.cli import app
from airlink.explain import CAUSES, Moment, explain
from airlink.explain.moments import moments
from airlink.explain.presence import user_presence
from airlink.explain.sentences import of_flow
from airlink.result import Table
from airlink.scenario import Scenario
from explain_cases import CELL, FOUR_PACKETS, WIRE, changed

LOSSY = {"loss": {"kind": "random", "p": 0.05}}
CELL_OF_ONE = changed(CELL)


def explained(scenario: Scenario, flow: int | None = None) -> str:
    return "\n".join(explain(airlink.run(scenario, record=["limits"]), flow=flow).sentences)


def struck(*spans: tuple[float, float], share: float) -> list[tuple[float, float]]:
    begins, ends = (np.array(side, dtype=float) for side in zip(*spans, strict=True))
    return [(moment.from_s, moment.to_s) for moment in moments(begins, ends, share, 10)]


def test_a_cause_that_always_holds_has_one_moment() -> None:
    assert struck((0.0, 60.0), share=1.0) == [(0, 60)]


def test_short_breaks_do_not_end_a_moment_and_long_ones_do() -> None:
    assert struck((0, 2), (2.1, 4), (9, 10), share=0.5) == [(0, 4), (9, 10)]


def test_the_moment_in_which_it_held_longest_comes_first() -> None:
    assert struck((0, 1), (5, 9), (20, 22), share=0.2) == [(5, 9), (20, 22), (0, 1)]


def test_turns_slot_by_slot_stay_apart() -> None:
    turns = [(float(slot), slot + 0.5) for slot in range(20)]
    begins, ends = (np.array(side) for side in zip(*turns, strict=True))
    assert len(moments(begins, ends, 0.5, 100)) == 20


def test_no_more_moments_than_asked_for() -> None:
    assert moments(np.array([0.0, 5.0]), np.array([1.0, 7.0]), 0.1, 1) == (Moment(5, 7, 2),)


@settings(deadline=None)
@given(
    lengths=st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=14),
    share=st.sampled_from([0.0, 0.25, 0.5, 0.75]),
)
def test_moments_are_the_highest_scores_and_those_beside_them(lengths: list[tuple[int, int]], share: float) -> None:
    edges = np.cumsum([length for pair in lengths for length in pair])
    begins, ends = np.concatenate([[0], edges[1:-1:2]]).astype(float), edges[::2].astype(float)
    found = sorted((moment.from_s, moment.to_s) for moment in moments(begins, ends, share, 100))
    assert found == sorted(by_hand(list(zip(begins, ends, strict=True)), (1 + share) / 2))


def by_hand(spans: list[tuple[float, float]], density: float) -> list[tuple[float, float]]:
    """The stretch of highest score, the shortest of several, then the same on both sides of it."""

    def score(first: int, last: int) -> float:
        held = sum(end - begin for begin, end in spans[first : last + 1])
        return held - density * (spans[last][1] - spans[first][0])

    if not spans:
        return []
    pairs = [(first, last) for first in range(len(spans)) for last in range(first, len(spans))]
    first, last = max(pairs, key=lambda pair: (round(score(*pair), 9), pair[0] - pair[1]))
    beside = by_hand(spans[:first], density) + by_hand(spans[last + 1 :], density)
    return [(spans[first][0], spans[last][1]), *beside]


WINDOW = {"flows__0__tcp__receiver_window_bytes": FOUR_PACKETS}
BACKLOGGED = [{"traffic": {"kind": "backlogged"}}]
CLAMPED = changed(CELL, duration_s=10.0, queue__price={"kind": "clamp", "free_a_bytes": 0.0})
SAID = [
    (
        changed(CELL, **WINDOW),
        ("the receiver's window for 19.9 of 20.0 s", "receiver_window_bytes is 5840", "all along"),
    ),
    (changed(WIRE), ("the wired path", "waited at the bottleneck", "bottleneck.rate_bps")),
    (
        changed(CELL, link__rate__bandwidth_hz=1e6),
        ("the cell for", "its user was on air for over 99 %", "It had the cell for itself", "better channel"),
    ),
    (
        changed(CELL, users=4, flows=BACKLOGGED),
        ("its data waited for a turn for 75 %", "It is slow because the cell is shared, and it had its share of it"),
    ),
    (
        changed(CELL, users=2, scheduler__kind="max_rate", channel__placement__mean_snr_db=[5, 10], flows=BACKLOGGED),
        ("Flow 0 (user 0) was held back by the cell", "It was passed over: 2 users had data", "and it won 0 %"),
    ),
    (
        changed(
            CELL, link__rate__bandwidth_hz=1e6, link__errors__probability=0.5, link__arq__max_retransmissions="inf"
        ),
        (
            "what was lost on air was repeated or awaited for",
            "% of its user's were lost",
            "its user was on air for 25 %",
        ),
    ),
    (changed(CELL, flows__0__path__uplink_rate_bps=8e3), ("a wire", "flows.0.path.uplink_rate_bps is 8000")),
    (changed(CELL, flows__0__tcp__reader={"kind": "stalling", "rate_bps": 1e5}), ("that reads faster would help",)),
    (
        CLAMPED.with_(**{"flows.0.tcp.clamp": {"side": "receiver"}}),
        ("the receiver's window for", "smaller of the buffer and CLAMP's window", "tau_bytes is 500"),
    ),
    (
        CLAMPED.with_(**{"flows.0.tcp.clamp": {"side": "sender"}}),
        ("its congestion window for", "smaller of cwnd and CLAMP's window", "a larger receiver window would not."),
    ),
    (
        changed(CELL, flows__0__path__upstream=True, upstream={"rate_bps": 1e5}),
        ("a wire", "the queues that its data and ACKs pass (upstream.rate_bps)"),
    ),
]


SHARED: dict[str, object] = {"carrier__subchannels": 20, "duration_s": 5.0}
TABLE = {"kind": "table", "thresholds_db": [0.0], "rates_bps": [1e7]}
THIN = {"traffic": {"kind": "stream", "rate_bps": 1.6e6, "message_bytes": 200}}
SELECTIVE = {"kind": "tapped_delay_line", "profile": "tu6"}
THREE: dict[str, object] = {**SHARED, "users": 3, "flows": BACKLOGGED}
SAID_OF_SUBCHANNELS = [
    (
        changed(CELL, **THREE),
        (
            "the cell for 5.000 of 5.000 s",
            "others had the slot or the rest of it for 67 %; its user was on air for 33 %",
            "an even share is 33.3 % of the subchannels and it won 33.3 %",
            "another scheduler only at the cost of others",
        ),
    ),
    (
        changed(CELL, **THREE, scheduler__kind="max_rate", channel__fading=SELECTIVE).with_(
            **{"channel.placement.mean_snr_db": [4.0, 10.0, 10.0]}
        ),
        (
            "Flow 0 (user 0) was held back by",
            "It was passed over: 3 users had data",
            " % of the subchannels and it won",
        ),
    ),
    (
        changed(
            CELL,
            **{**THREE, "flows": [{"users": [0, 1], "traffic": {"kind": "backlogged"}}, {"users": [2]}]},
            channel__placement__mean_snr_db=[-9.0, 10.0, 10.0],
            link__rate=TABLE,
        ),
        ("seldom allows a rate: its mean SNR is -9.0 dB, the lowest rate needs 0.0 dB",),
    ),
    (
        changed(
            CELL, **{**THREE, "flows": [{"users": [0], "traffic": {"kind": "backlogged"}}, {"users": [1, 2], **THIN}]}
        ),
        ("of what the cell granted went to users who had nothing left to fill it", "release_satisfied_users"),
    ),
    (
        changed(
            CELL,
            **THREE,
            scheduler__kind="max_rate",
            channel__fading=SELECTIVE,
            rlc__segment_bytes=2000,
        ).with_(**{"channel.placement.mean_snr_db": [4.0, 10.0, 10.0]}),
        ("It was passed over: ", "of the slots that its user won nothing was sent"),
    ),
    (
        changed(CELL, **THREE, scheduler__kind="lambda", channel__fading=SELECTIVE).with_(
            **{"scheduler.exponent": 0.1, "channel.placement.mean_snr_db": [4.0, 10.0, 10.0]}
        ),
        ("It was passed over: ", "a larger scheduler.exponent (it is 0.1) would help it"),
    ),
    (
        changed(CELL, **SHARED, users=1, flows=BACKLOGGED),
        ("its user was on air for 100 %", "or another scheduler hardly"),
    ),
    (
        changed(CELL, **SHARED, link__rate=TABLE, link__harq={"kind": "chase", "processes": 1, "round_trip_slots": 20}),
        ("repeated or awaited, or all processes were busy", "link.harq.processes is 1, link.harq.round_trip_slots 20"),
    ),
    (
        changed(
            CELL,
            **{**SHARED, "flows": [{"users": [0]}]},
            link__rate={**TABLE, "thresholds_db": [9.0]},
            link__report__error_sd_db=2.0,
            link__errors__threshold_rule=True,
            channel__fading={"kind": "tapped_delay_line", "profile": "tu6", "doppler_hz": 50.0},
        ),
        (" % of its user's frames were lost: by link.errors.threshold_rule one subchannel",),
    ),
    (
        changed(CELL, **SHARED, link__rate=TABLE, rlc__segment_bytes=10_000),
        ("It was chosen in vain. In 100 % of the slots that its user won nothing was sent", "segment_bytes is 10000"),
    ),
    (
        changed(CELL, **SHARED, queue__limit_packets=10),
        ("segments were retransmitted; of its user's packets ", " were refused by a full queue), so would"),
    ),
]


@pytest.mark.parametrize(
    ("scenario", "parts"),
    SAID_OF_SUBCHANNELS,
    ids=[
        "shared",
        "passed",
        "weak",
        "padded",
        "passed in vain",
        "exponent",
        "alone",
        "processes",
        "too fast",
        "vain",
        "queue",
    ],
)
def test_the_sentences_know_that_users_share_a_slot(scenario: Scenario, parts: tuple[str, ...]) -> None:
    said = explained(scenario, flow=0)
    for part in parts:
        assert part in said


def test_shares_are_those_of_the_time_in_which_a_user_had_data() -> None:
    file = {"users": [0], "start_s": 8.0, "traffic": {"kind": "file", "bytes": 500_000}}
    long = {"users": [1, 2], "traffic": {"kind": "backlogged"}}
    later = {"users": [3], "start_s": 15.0, "traffic": {"kind": "backlogged"}}
    scenario = changed(CELL, users=4, link__rate__bandwidth_hz=1e6, flows=[file, long, later], warmup_s=4.0)
    short, first, *_ = explain(airlink.run(scenario, record=["limits"])).flows
    assert short.active_s > short.held["cell"] > 3.5
    assert short.facts.even_share == pytest.approx(1 / 3)
    with_three = short.held["cell"] + 5
    assert first.facts.even_share == pytest.approx(((16 - with_three) / 2 + with_three / 3) / 16)


def test_stays_of_a_user_that_overlap_are_one() -> None:
    flows = np.array([0, 1, 2, 3])
    begins, ends = np.array([0.0, 2, 6, 4]), np.array([3.0, 4, 8, 8])
    limits = Table({"flow": flows, "from_s": begins, "to_s": ends, "cause": np.array([5, 6, 7, 6])})
    present = user_presence(limits, np.array([5, 5, 5, 7]), begin_s=1.0)
    assert present.of(5) == pytest.approx((5.0, (3 * 1 + 2 / 2) / 5))
    assert present.of(7) == pytest.approx((4.0, (2 * 1 + 2 / 2) / 4))
    assert present.of(6)[0] == 0


def test_causes_of_several_flows_are_theirs() -> None:
    said = explained(changed(CELL, users=2, **WINDOW))
    assert said.startswith("Together the 2 flows were held back by the receiver's window")
    lost = {"loss": {"kind": "random", "p": 0.02}}
    assert "held back by their congestion window" in explained(
        changed(CELL, users=2, flows__0__path__downlink_impairments=lost)
    )


@pytest.mark.parametrize(("scenario", "parts"), SAID, ids=[parts[0] for _, parts in SAID])
def test_the_sentences_name_cause_time_and_what_would_help(scenario: Scenario, parts: tuple[str, ...]) -> None:
    said = explained(scenario, flow=0)
    for part in parts:
        assert part in said
    assert "It carried" in said


def test_what_reached_a_user_and_is_not_counted_is_said() -> None:
    result = airlink.run(changed(CELL, flows__0__path__downlink_impairments=LOSSY), record=["limits"])
    user, flow = result.replicas[0].users, result.replicas[0].flows
    found = explain(result, flow=0)
    waits = user["delivered_bytes"][0] - 40 * user["packets_delivered"][0] - flow["goodput_bytes"][0]
    assert found.flows[0].facts.uncounted_bytes == max(waits, 0)
    said = "\n".join(found.sentences)
    assert ("had reached the user and are not counted" in said) == (waits >= 0.05 * flow["goodput_bytes"][0])


@pytest.mark.parametrize(("uncounted", "is_said"), [(49_000.0, False), (51_000.0, True)])
def test_a_twentieth_that_is_not_counted_is_worth_a_word(uncounted: float, is_said: bool) -> None:
    found = explain(airlink.run(CELL_OF_ONE, record=["limits"]), flow=0).flows[0]
    facts = replace(found.facts, goodput_bytes=1_000_000, uncounted_bytes=uncounted)
    said = "\n".join(of_flow(replace(found, facts=facts)))
    assert ("51 kB more had reached the user and are not counted" in said) == is_said


def test_a_moment_is_pointed_at() -> None:
    late = [{"users": [0]}, {"users": [1], "start_s": 10.0, "traffic": {"kind": "backlogged"}}]
    said = explained(
        changed(
            CELL,
            users=2,
            link__rate__bandwidth_hz=1e6,
            scheduler__kind="max_rate",
            channel__placement__mean_snr_db=[5, 10],
            flows=late,
        ),
        flow=0,
    )
    assert "was held back by the cell for 19.9 of 20.0 s (over 99 %)" in said
    assert "its data waited for a turn for 50 %, most of all at 10.0-20.0 s; its user was on air for 49 %" in said


def test_spurious_timeouts_are_told() -> None:
    spike = {"delay_spikes": [{"at_s": 5.0, "for_s": 0.1, "extra_ms": 3000.0}]}
    said = explained(changed(CELL, **WINDOW, flows__0__path__downlink_impairments=spike))
    assert "spurious" in said


def test_the_slowest_flow_is_named() -> None:
    said = explained(
        changed(CELL, users=2, scheduler__kind="max_rate", channel__placement__mean_snr_db=[5, 10], flows=BACKLOGGED)
    )
    assert "Together the 2 flows were held back by" in said
    assert "The slowest was flow 0 (user 0) with 0 b/s" in said


class Answer:
    """What the command answered."""

    def __init__(self, *arguments: str) -> None:
        result = CliRunner().invoke(
            app, ["explain", *arguments], env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
        )
        self.code, self.out, self.err = result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A result of 3 users and 4 flows, without the series."""
    flows = [{}, {"users": [2], "traffic": {"kind": "backlogged"}}]
    scenario = changed(CELL, users=3, duration_s=2, channel__fading={"kind": "rayleigh"}, flows=flows)
    return str(airlink.run(scenario, replicas=2).save(tmp_path_factory.mktemp("stored") / "result"))


def test_the_command_prints_a_line_for_each_flow_and_why_the_slowest_was_slow(stored: str) -> None:
    answer = Answer(stored)
    assert answer.code == 0
    assert answer.err == "airlink: limits not recorded: simulating seed 1 again (2 s)\n"
    numbers = [line.split()[0] for line in answer.out.split("Together")[0].splitlines() if line.strip()]
    assert [number for number in numbers if number in {"0", "1", "2", "3", "all"}] == ["0", "1", "2", "3", "all"]
    assert "The slowest was flow" in answer.out


@pytest.mark.parametrize("which", [(), ("--user", "2"), ("--flow", "1"), ("--replica", "1")])
def test_what_is_printed_fits_80_columns(stored: str, which: tuple[str, ...]) -> None:
    answer = Answer(stored, *which)
    assert answer.code == 0
    assert max(map(len, answer.out.splitlines())) <= 80
    assert "\u2026" not in answer.out


def test_many_flows_are_shown_by_the_fastest_and_the_slowest(tmp_path: Path) -> None:
    scenario = changed(CELL, users=60, duration_s=1, flows=BACKLOGGED)
    answer = Answer(str(airlink.run(scenario).save(tmp_path / "many")))
    assert answer.code == 0
    assert "fastest and slowest of 60 flows" in answer.out
    assert len(answer.out.splitlines()) < 50


def test_of_many_flows_those_over_before_the_measured_time_are_not_listed(tmp_path: Path) -> None:
    files = [{"traffic": {"kind": "file", "bytes": 1000}}] * 2
    late = [{"users": [0], "start_s": 4, "traffic": {"kind": "file", "bytes": 1000}}]
    scenario = changed(CELL, users=40, duration_s=5, warmup_s=3, flows=files + late)
    answer = Answer(str(airlink.run(scenario).save(tmp_path / "over")))
    assert answer.code == 0
    numbers = [line.split()[0] for line in answer.out.splitlines() if line.split()[0:1] and line.split()[0].isdigit()]
    assert numbers == ["80"]
    assert "those with any time of 81 flows" in answer.out


def test_one_user_is_shown_cause_by_cause(stored: str) -> None:
    answer = Answer(stored, "--user", "2")
    assert "Flow 2 (user 2), 2 s" in answer.out
    assert "Flow 3 (user 2), 2 s" in answer.out
    assert "held back by" in answer.out


def test_json_holds_the_same_numbers(stored: str) -> None:
    answer = Answer(stored, "--json", "--replica", "1")
    content = json.loads(answer.out)
    known = explain(airlink.Result.load(stored), replica=1)
    assert content["seconds"] == pytest.approx(dict(known.seconds))
    assert [flow["flow"] for flow in content["flows"]] == [0, 1, 2, 3]
    for flow in content["flows"]:
        assert list(flow["seconds"]) == [cause.name for cause in CAUSES if cause.name != "grant"]
        assert sum(flow["seconds"].values()) == pytest.approx(flow["active_s"])
        assert sum(flow["shares"].values()) == pytest.approx(1)
        assert all(0 <= moment["from_s"] < moment["to_s"] <= 2 for held in flow["moments"].values() for moment in held)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--user", "7"), "user 7 does not exist; there are 3, from 0 to 2"),
        (("--flow", "9"), "flow 9 does not exist"),
        (("--replica", "2"), "replica 2 does not exist"),
        (("--user", "0", "--flow", "3"), "flow 3 goes to user 2; user 0 has 0"),
    ],
)
def test_a_wrong_question_gets_one_message(stored: str, arguments: tuple[str, ...], message: str) -> None:
    answer = Answer(stored, *arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert message in answer.err
    assert len(answer.err.strip().splitlines()) == 1


def test_a_folder_without_a_result_is_told() -> None:
    answer = Answer("nowhere")
    assert answer.code == 2
    assert "holds no result" in answer.err


def test_more_than_an_even_share_is_said_with_the_rates_before_the_slots() -> None:
    """A user that wins its good slots has more than an even share of the rate with fewer slots than one."""
    said = explained(airlink.scenario.ready("first-cell", ["duration_s=10"]), flow=0)
    assert "it had more than an even share of it: in slots better than its average one, it was given " in said
    given, alone, even = (float(each) for each in re.findall(r"([\d.]+) [kM]b/s", said)[:3])
    assert said.index("an even share of the ") < said.index("users had data, an even share is ")
    even_slots, won = re.findall(r"an even share is ([\d.]+) % of the slots and it won ([\d.]+) %", said)[0]
    assert float(won) < float(even_slots)
    assert given < alone
    assert given * 1e3 > even


def test_a_wait_for_downlink_is_told_and_packets_over_udp_count_as_data_of_others() -> None:
    alone = Scenario(
        users=2,
        duration_s=1,
        slot={"duration_ms": 1, "tdd": "DUUUU"},
        channel={"placement": {"kind": "mean_snr", "mean_snr_db": 20}},
        flows=[{"users": [0]}],
    )
    words = explained(alone)
    assert "for slots of downlink" in words
    assert 'slot.tdd is "DUUUU"' in words
    load = {"users": [1], "traffic": {"kind": "constant_rate", "rate_bps": 2e7}}
    words = explained(alone.with_(flows=[{"users": [0]}, load]), flow=0)
    assert "other user had data" not in words
    assert "Nobody else had data" not in words
    assert "its data waited for a turn" in words
    assert "users had data, an even share is" in words


UPLINK = Scenario(
    users=2,
    duration_s=4,
    slot={"duration_ms": 1, "tdd": "DDDSU"},
    link={"rate": {"kind": "capacity", "bandwidth_hz": 5e6}},
    uplink={"request_period_ms": 20},
    flows=[{"direction": "up", "traffic": {"kind": "file", "bytes": 200_000}, "tcp": {"profile": "linux"}}],
)


def lasted(scenario: Scenario) -> float:
    return float(airlink.run(scenario).flows["completion_s"].max())


def test_who_waits_for_one_grant_after_another_is_told_what_helps() -> None:
    """What is named first shortens the upload by a third and more, and what is said to help hardly does hardly."""
    said = explained(UPLINK, flow=0)
    assert "Data waited for one grant after another: larger grants (uplink.grant_bytes is 1500), grants that" in said
    assert "uplink.grant_period_ms is 8" in said
    assert "opportunities to ask (uplink.request_period_ms), an earlier first grant or a faster downlink hardly" in said
    before = lasted(UPLINK)
    for helps in ({"uplink.grant_bytes": 6000}, {"uplink.grant_period_ms": 5.0}):
        assert lasted(UPLINK.with_(**helps)) < 0.67 * before
    for hardly in ({"uplink.request_period_ms": 1.0}, {"uplink.grant_delay_ms": 0.0}):
        assert lasted(UPLINK.with_(**hardly)) > 0.9 * before
    with_all = explained(UPLINK.with_(**{"uplink.grant_bytes": math.inf}), flow=0)
    assert "one grant after another" not in with_all


def test_an_upload_whose_acks_queue_at_the_bottleneck_is_told_so() -> None:
    """Its own way up, a hop of 3 Mb/s, is none of its trouble: tenfold it helps less than twice the bottleneck."""
    load = {"users": [1], "traffic": {"kind": "constant_rate", "rate_bps": 2.5e6}}
    scenario = Scenario(
        users=2,
        duration_s=6,
        slot=None,
        bottleneck={"rate_bps": 2e6, "delay_ms": 5, "limit_packets": 200},
        hops=[{"name": "other", "rate_bps": 1e7}, {"name": "way up", "rate_bps": 3e6, "delay_ms": 5}],
        flows=[{"users": [0], "direction": "up", "path": {"uplink_hops": ["way up"]}}, load],
    )
    said = explained(scenario, flow=0)
    assert "its ACKs waited at the bottleneck" in said
    assert "The bottleneck, through which its ACKs come down, was in use: a higher rate there" in said
    goodput = [
        float(airlink.run(each).flows["goodput_up_bytes"][0])
        for each in (
            scenario,
            scenario.with_(**{"hops.1.rate_bps": 3e7}),
            scenario.with_(**{"bottleneck.rate_bps": 4e6}),
        )
    ]
    assert goodput[2] > 2 * goodput[1]
    assert goodput[2] > 2 * goodput[0]
    alone = explained(scenario.with_(flows=[{"direction": "up", "path": {"uplink_hops": ["way up"]}}]), flow=0)
    assert "(hops.1.rate_bps, bottleneck.rate_bps) would help where they were in use" in alone
    assert "hops.N" not in alone


VOICE = {"direction": "up", "traffic": {"kind": "voice"}}
PACED = [
    ({"path": {"uplink_rate_bps": 2e4}}, "(flows.0.path.uplink_rate_bps is 20000) would help; so would sending less"),
    ({"path": {"uplink_delay_ms": 60.0}}, "Shorter delays of its wires would help."),
    (
        {"path": {"uplink_impairments": LOSSY}},
        "fewer losses on its wires (flows.0.path.uplink_impairments) would help",
    ),
    ({}, ""),
]


@pytest.mark.parametrize(("of_flow", "helps"), PACED, ids=["rate", "delay", "loss", "in time"])
def test_packets_over_udp_late_or_lost_are_told_what_would_help(of_flow: dict[str, object], helps: str) -> None:
    wire = {"rate_bps": 1e7, "delay_ms": 5}
    said = explained(Scenario(users=1, duration_s=5, slot=None, bottleneck=wire, flows=[VOICE | of_flow]), flow=0)
    assert helps.lower() in said.lower()
    assert ("would help" in said) == bool(helps)


def test_zeros_are_not_told() -> None:
    """A file that ended is said to have, and nothing is said of no segment or of no bytes that are not counted."""
    found = explain(airlink.run(changed(CELL, flows=[{"traffic": {"kind": "file", "bytes": 50_000}}])), flow=0).flows[0]
    said = "\n".join(found.sentences)
    assert "Its one file or page has ended: " in said
    assert "segments were retransmitted" in said
    none = "\n".join(of_flow(replace(found, facts=replace(found.facts, segments=0, goodput_bytes=0))))
    assert "segments were retransmitted" not in none
    assert "are not counted" not in none
