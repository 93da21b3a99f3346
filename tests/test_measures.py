"""Measures: how they are written, what they read of a run, which a scenario has, which way is better."""

from __future__ import annotations

import json
import math
from functools import lru_cache

import numpy as np
import pytest

import airlink
from airlink import RequestError, Scenario
from airlink.engine import Replica
from airlink.measures import (
    POPULATIONS,
    Measure,
    MeasureError,
    check,
    defaults,
    differences,
    estimate,
    found,
    lacking,
    measure,
    measures,
    readable_unit,
    remark,
)
from airlink.measures.conditions import CONDITIONS, RECORDED
from airlink.scenario import ready
from airlink.statistics import Sample, jain_index, paired_difference, quantile
from airlink.tables import BY_NAME
from airlink.tables.kinds import SUMMARIES
from test_cli import Answer

CELL = """
duration_s = 12
warmup_s = 3
users = 4
slot.duration_ms = 5
channel.placement = {kind = "mean_snr_range", low_db = -6, high_db = 10}
channel.fading = {kind = "rayleigh", doppler_hz = 5}
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
scheduler.kind = "proportional_fair"
"""
PAGES = """
[[flows]]
traffic = {kind = "sessions", size = {kind = "constant", bytes = 120_000}, think_s = 0.5}
path = {downlink_delay_ms = 20, uplink_delay_ms = 20}
"""


@lru_cache(maxsize=1)
def pages() -> tuple[Replica, ...]:
    return airlink.run(Scenario.from_toml(CELL + PAGES), replicas=3, record=["downloads"]).replicas


FORMS = {
    "cell.goodput_bps": ("cell", "goodput_bps", "", None, None),
    "users.mean(goodput_bps)": ("users", "goodput_bps", "mean", None, None),
    "users.p05(goodput_bps)": ("users", "goodput_bps", "p05", None, 0.05),
    "flows.p99.9(rtt_mean_s)": ("flows", "rtt_mean_s", "p99.9", None, 0.999),
    "users.12.goodput_bps": ("users", "goodput_bps", "", 12, None),
    "downloads.p95(time_s)": ("downloads", "time_s", "p95", None, 0.95),
    "downloads.share_unfinished": ("downloads", "share_unfinished", "", None, None),
}


@pytest.mark.parametrize("text", FORMS)
def test_a_measure_is_read_as_it_is_written(text: str) -> None:
    made = measure(text)
    read = (made.population, made.column, made.aggregate, made.member, made.share)
    assert (made.text, str(made), read) == (text, text, FORMS[text])


@pytest.mark.parametrize(
    "text",
    ["users.p5(goodput_bps)", " users . p05 ( goodput_bps ) ", "users.p5.0(goodput_bps)", "users.p05(goodput_bps)"],
)
def test_the_same_measure_has_one_text(text: str) -> None:
    assert measure(text) == measure("users.p05(goodput_bps)")
    assert measures([text, "cell.goodput_bps", "users.p05(goodput_bps)"]) == [
        measure("users.p05(goodput_bps)"),
        measure("cell.goodput_bps"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "cell.goodput",
            'cell has no column "goodput"; did you mean "cell.goodput_bps" or "cell.goodput_up_bps"? '
            "airlink list measures has all",
        ),
        (
            "goodput_bps",
            "does not say whose; write cell.goodput_bps or users.mean(goodput_bps) or flows.mean(goodput_bps)",
        ),
        ("users.goodput_bps", "say what of all users, e.g. users.mean(goodput_bps), or users.0.goodput_bps of one"),
        ("cell.mean(goodput_bps)", "there is one cell, and so nothing to take mean of; write cell.goodput_bps"),
        ("cel.goodput_bps", 'no "cel"; choose from cell, users, flows, downloads; did you mean "cell"?'),
        ("users", "says nothing of users; write e.g. users.mean(distance_m)"),
        (
            "users.p100(goodput_bps)",
            'no "p100" of users; choose from mean, min, max, sum, sd, jain and p01..p99, p99.9',
        ),
        ("users.p0(goodput_bps)", 'no "p0" of users; choose from mean, min, max, sum, sd, jain and p01..p99, p99.9'),
        (
            "users.mea(goodput_bps)",
            'choose from mean, min, max, sum, sd, jain and p01..p99, p99.9; did you mean "mean"?',
        ),
        ("users.mean(jain_index)", 'users has no column "jain_index"; there is cell.jain_index'),
        (
            "users.7.goodput",
            'did you mean "users.7.goodput_bps" or "users.7.goodput_bytes"? airlink list measures has all',
        ),
        (
            "downloads.p95(time)",
            'choose from count, share_unfinished, time_s, bytes; did you mean "downloads.p95(time_s)"?',
        ),
        ("downloads.3.time_s", "only users and flows have numbers"),
        ("downloads.min(time_s)", 'no "min" of downloads; choose from mean, max, sum and p01..p99, p99.9'),
        (
            "flows.p95(completion_s)",
            "what has not ended has no completion_s and would be left out; downloads.p95(time_s) counts it",
        ),
        ("users.mean(user)", 'users has no column "user"; airlink list measures has all'),
        ("completion_s", "does not say whose; write flows.0.completion_s"),
        ("", 'no ""; choose from cell, users, flows, downloads; airlink list measures has all'),
        ("downloads.p50", "say of what, e.g. downloads.p50(time_s)"),
        ("users.mean", "say of what, e.g. users.mean(goodput_bps)"),
    ],
)
def test_a_mistake_says_what_there_is(text: str, message: str) -> None:
    with pytest.raises(MeasureError) as told:
        measure(text)
    assert str(told.value).startswith(f'measure "{text}": ')
    assert str(told.value).endswith(message)
    assert isinstance(told.value, RequestError)


def test_a_mistake_shows_nothing_that_a_terminal_obeys() -> None:
    with pytest.raises(MeasureError, match=r"^measure \"\\x1b\[31m\\nusers\": "):
        measure("\x1b[31m\nusers")


def test_numbers_of_members_are_made_one_as_numpy_does() -> None:
    for replica in pages():
        rates = replica.users["goodput_bps"]
        expected = {
            "mean": np.mean(rates),
            "min": np.min(rates),
            "max": np.max(rates),
            "sum": replica.cell["goodput_bps"],
            "sd": np.std(rates, ddof=1),
            "jain": jain_index(rates),
            "p50": quantile(rates, 0.5),
        }
        for aggregate, value in expected.items():
            assert measure(f"users.{aggregate}(goodput_bps)").value(replica) == pytest.approx(value, rel=1e-12)
        assert measure("users.2.goodput_bps").value(replica) == rates[2]
        assert measure("users.p50(goodput_bps)").sample(replica).values.tolist() == rates.tolist()
        assert measure("cell.jain_index").value(replica) == pytest.approx(float(jain_index(rates)))


def test_members_without_a_number_are_left_out() -> None:
    table = airlink.Table({"user": [0, 1, 2], "queueing_delay_mean_s": [0.1, math.nan, 0.3]})
    replica = Replica(1, table, airlink.Table({}), {}, {})
    assert measure("users.mean(queueing_delay_mean_s)").value(replica) == pytest.approx(0.2)
    assert measure("users.p99(queueing_delay_mean_s)").sample(replica).values.tolist() == [0.1, 0.3]
    assert math.isnan(measure("users.1.queueing_delay_mean_s").value(replica))
    assert math.isnan(measure("users.5.queueing_delay_mean_s").value(replica))
    nobody = Replica(1, table.where([False, True, False]), airlink.Table({}), {}, {})
    assert math.isnan(measure("users.mean(queueing_delay_mean_s)").value(nobody))
    assert measure("users.sum(queueing_delay_mean_s)").value(nobody) == 0


def test_downloads_are_those_of_the_measured_time_with_ages_of_the_open_ones() -> None:
    open_ones = 0
    for replica in pages():
        users, rows = replica.users, replica.series["downloads"]
        counted = rows.where(rows["requested_s"] >= 3)
        sample = measure("downloads.p95(time_s)").sample(replica)
        ages = np.where(np.isnan(counted["completed_s"]), 12.0, counted["completed_s"]) - counted["requested_s"]
        assert sample.values == pytest.approx(ages, abs=1e-9)
        assert sample.ended.tolist() == (~np.isnan(counted["completed_s"])).tolist()
        assert rows.rows > counted.rows
        assert measure("downloads.count").value(replica) == users["downloads"].sum()
        unfinished = users["downloads_unfinished"].sum()
        open_ones += unfinished
        assert measure("downloads.share_unfinished").value(replica) == unfinished / users["downloads"].sum()
        means = users["download_mean_s"] * users["downloads"]
        assert measure("downloads.mean(time_s)").value(replica) == pytest.approx(means.sum() / users["downloads"].sum())
        assert measure("downloads.sum(bytes)").value(replica) == 120_000 * users["downloads"].sum()
    assert open_ones > 0


def test_the_quantile_of_one_users_downloads_is_that_of_the_engine() -> None:
    scenario = Scenario.from_toml(CELL + PAGES, overrides=["users=1", "channel.placement.high_db=-6"])
    for replica in airlink.run(scenario, replicas=3, record=["downloads"]).replicas:
        for share in ("p50", "p95"):
            own = float(replica.users[f"download_{share}_s"][0])
            assert measure(f"downloads.{share}(time_s)").value(replica) == pytest.approx(own, abs=1e-9)


def test_a_drained_run_knows_the_end_of_the_drain() -> None:
    scenario = Scenario.from_toml(CELL + PAGES, overrides=["drain_s=1", "flows.0.traffic.size.bytes=800_000"])
    replica = airlink.run(scenario, record=["downloads"]).replicas[0]
    sample, rows = measure("downloads.p95(time_s)").sample(replica), replica.series["downloads"]
    assert not sample.ended.all()
    still_open = np.isnan(rows["completed_s"]) & (rows["requested_s"] >= 3)
    assert sample.values[~sample.ended] == pytest.approx(13 - rows["requested_s"][still_open], abs=1e-9)


def test_a_run_without_downloads_has_no_time_and_no_share() -> None:
    scenario = Scenario.from_toml(CELL + PAGES, overrides=["flows.0.start_s=11.99", "flows.0.stop_s=12"])
    scenario = scenario.with_(**{"flows.0.traffic": {"kind": "poisson", "arrivals_per_s": 1e-6}})
    replica = airlink.run(scenario, record=["downloads"]).replicas[0]
    texts = ("downloads.mean(time_s)", "downloads.p95(time_s)", "downloads.share_unfinished", "downloads.max(bytes)")
    assert all(math.isnan(measure(text).value(replica)) for text in texts)
    assert [measure(text).value(replica) for text in ("downloads.count", "downloads.sum(bytes)")] == [0, 0]


def test_a_mean_is_over_runs_and_a_quantile_over_all_members_of_all_runs() -> None:
    mean, edge = measure("users.mean(goodput_bps)"), measure("users.p25(goodput_bps)")
    values = [found(mean, replica) for replica in pages()]
    assert estimate(mean, values) == airlink.statistics.mean_interval([float(value) for value in values])  # type: ignore[arg-type]
    everybody = np.concatenate([replica.users["goodput_bps"] for replica in pages()])
    pooled = estimate(edge, [found(edge, replica) for replica in pages()])
    assert (pooled.mean, pooled.n) == (quantile(everybody, 0.25), 3)
    assert pooled.mean != np.mean([edge.value(replica) for replica in pages()])
    assert (mean.method, edge.method) == ("Student-t", "quantile over replicas")
    with pytest.raises(MeasureError, match="at least one run"):
        estimate(mean, [])


def test_differences_are_paired_by_run() -> None:
    of, arms = measure("cell.goodput_bps"), {"a": [1.0, 2.0, 4.0], "b": [1.5, 2.4, 4.6]}
    difference = differences(of, arms, "a")["b"].absolute
    assert difference == paired_difference(arms["b"], arms["a"])
    # Of a the third of 1, 2, 2, 3, 4, 5; of b that of 1.5, 2.4, 2.5, 3.4, 4.6, 5.6.
    edge = measure("users.p50(goodput_bps)")
    samples = {label: [Sample([value, value + 1]) for value in values] for label, values in arms.items()}
    assert differences(edge, samples, "a")["b"].absolute.mean == 0.5


def test_what_a_reader_must_know_is_said() -> None:
    page_time, delay = measure("downloads.p95(time_s)"), measure("users.3.queueing_delay_mean_s")
    assert remark(page_time, [Sample([1.0, 2.0], [True, False]), Sample([3.0])]) == (
        "1 of 3 have not ended: longer than their age"
    )
    assert remark(page_time, [Sample([1.0])]) == remark(delay, [0.1]) == ""
    assert remark(delay, [0.1, math.nan, math.nan]) == "2 of 3 runs have no such number"


def test_a_measure_says_what_must_be_recorded() -> None:
    needs = {
        "cell.goodput_bps": (),
        "downloads.count": ("downloads",),
        "users.p50(download_slowdown_p95)": ("downloads",),
        "flows.sum(time_rto_s)": ("limits",),
        "flows.sum(initial_timeouts)": ("timeouts",),
        "users.p50(download_p95_s)": (),
    }
    assert {text: measure(text).record for text in needs} == needs


def test_no_warm_up_is_cut_off_what_it_would_change() -> None:
    never = (
        "downloads.p95(time_s)",
        "users.p95(download_mean_s)",
        "cell.timeouts",
        "flows.3.completion_s",
        "flows.mean(initial_timeouts)",
        "flows.mean(first_timeout_s)",
        "users.sum(downloads)",
    )
    allowed = {text: measure(text).allows_warm_up for text in never}
    assert allowed == dict.fromkeys(never, False) | {"cell.timeouts": True}
    assert measure("users.p95(download_mean_s)").is_of_downloads
    assert not measure("flows.3.completion_s").is_of_downloads


DIRECTIONS = {
    "higher": "goodput_bps granted_bps delivered_bps cell_edge_goodput_bps jain_index mean_log10_goodput_kBps "
    "min_max_resource_share goodput_up_bps jain_index_up",
    "lower": "slots_wasted frame_errors timeouts spurious_timeouts fast_retransmits retransmissions drops_queue_full "
    "drops_aqm drops_air_error drops_retry_limit drops_wire_loss drops_outage upstream_queue_mean_bytes datagrams_lost "
    "datagram_loss_rate deadline_misses deadline_miss_rate",
    "": "measured_s sent_bps slots slots_idle slots_padded packets_doubled segments_sent padded_bps subchannel_slots "
    "subchannels_granted subchannels_idle_no_data subchannels_idle_no_rate subchannels_idle_covered slots_uplink "
    "subchannels_idle_uplink datagrams_sent datagrams_received datagrams_doubled bursts_sent bursts_on_time",
}


def test_every_number_of_the_cell_has_its_direction() -> None:
    directions = {name: each for each, names in DIRECTIONS.items() for name in names.split()}
    delays = ("queueing_delay_", "datagram_delay_", "burst_delay_")
    later = {name: "lower" for name in POPULATIONS["cell"].numbers if name.startswith(delays)}
    later = {name: "" if name.endswith("_count") else each for name, each in later.items()}
    made = {name: measure(f"cell.{name}").better for name in POPULATIONS["cell"].numbers}
    assert made == directions | later


@pytest.mark.parametrize(
    ("text", "better"),
    [
        ("users.p95(queueing_delay_p95_s)", "lower"),
        ("users.sum(queueing_delay_count)", ""),
        ("users.mean(gap_max_slots)", "lower"),
        ("users.mean(download_slowdown_p95)", "lower"),
        ("users.sum(downloads_unfinished)", "lower"),
        ("users.sum(downloads)", ""),
        ("users.mean(mean_snr_db)", ""),
        ("users.sd(goodput_bps)", ""),
        ("users.jain(queueing_delay_mean_s)", "higher"),
        ("flows.mean(rtt_p95_s)", "lower"),
        ("flows.mean(time_rto_s)", "lower"),
        ("flows.mean(time_application_s)", ""),
        ("flows.sum(initial_timeouts)", "lower"),
        ("downloads.p95(time_s)", "lower"),
        ("downloads.share_unfinished", "lower"),
        ("downloads.count", ""),
    ],
)
def test_less_delay_and_loss_is_better_and_of_counts_nobody_knows(text: str, better: str) -> None:
    assert measure(text).better == better


def test_a_unit_is_that_of_the_column_and_shares_have_none() -> None:
    units = {"cell.goodput_bps": "b/s", "users.jain(goodput_bps)": "", "users.sd(goodput_bps)": "b/s"}
    assert {text: measure(text).unit for text in units} == units
    assert measure("downloads.p95(time_s)").unit == "s"


@pytest.mark.parametrize(
    ("unit", "values", "shown"),
    [
        ("b/s", [2e6, math.inf], (1e6, "Mb/s")),
        ("b/s", [999.0], (1e3, "kb/s")),
        ("s", [0.999], (1e-3, "ms")),
        ("s", [-0.2, 1.0], (1.0, "s")),
        ("s", [math.inf, math.nan], (1e-3, "ms")),
        ("B", [1500], (1e3, "kB")),
        ("B", [3], (1.0, "B")),
        ("dB", [0.1], (1.0, "dB")),
        ("", [], (1.0, "")),
    ],
)
def test_numbers_are_shown_in_a_unit_that_fits_them(unit: str, values: list[float], shown: tuple[float, str]) -> None:
    assert readable_unit(unit, values) == shown


def test_every_condition_of_a_column_can_be_asked_of_a_scenario() -> None:
    declared = {column.only for table in SUMMARIES for column in BY_NAME[table].columns}
    declared |= {column.only for each in POPULATIONS.values() for column in each.all_columns.values()}
    assert declared - {""} == {*CONDITIONS, *RECORDED}


CUBIC = "flows.0.tcp.profile=linux"
SCENARIOS = {
    "plain": Scenario.from_toml(CELL + "flows = [{traffic = {kind = 'backlogged'}}]"),
    "pages": Scenario.from_toml(CELL + PAGES),
    "linux, CoDel, shadowing": Scenario.from_toml(
        CELL + PAGES, overrides=[CUBIC, "queue.kind=codel", "channel.shadowing.sd_db=4"]
    ),
    "slots again, random files, held timeouts": Scenario.from_toml(
        CELL + PAGES,
        overrides=[
            "link.arq={max_retransmissions=2, unit='slot'}",
            "link.errors.probability=0.1",
            "flows.0.traffic={kind='poisson', arrivals_per_s=1}",
            "experimental.hold_timeouts='spurious'",
        ],
    ),
    "impaired, limited transmit": Scenario.from_toml(
        CELL + PAGES,
        overrides=[
            "flows.0.path.downlink_impairments.loss={kind='random', p=0.01}",
            "flows.0.tcp.rules.limited_transmit=true",
        ],
    ),
    "dumbbell": ready("dumbbell", ["duration_s=1"]),
    "lte": ready("lte", ["duration_s=2.1", "warmup_s=2"]),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_has_the_columns_that_its_runs_have(name: str) -> None:
    scenario = SCENARIOS[name]
    replica = airlink.run(scenario, record=["downloads", "limits", "timeouts"]).replicas[0]
    tables = {"cell": replica.cell, "users": replica.users, "flows": replica.flows}
    for whose, columns in tables.items():
        form = "{}" if whose == "cell" else "0.{}"
        asked = [measure(f"{whose}.{form.format(column)}") for column in POPULATIONS[whose].all_columns]
        promised = {each.column for each in asked if not lacking(each, scenario)}
        assert promised == {*columns} & {*POPULATIONS[whose].all_columns}


def test_what_a_scenario_lacks_is_said_before_it_runs() -> None:
    wire = ready("dumbbell")
    with pytest.raises(
        MeasureError, match=r'^measure "cell.slots": scenario \'a\' has none; only where users share a cell$'
    ):
        check(measures(["cell.goodput_bps", "cell.slots"]), wire, "a")
    with pytest.raises(MeasureError, match=r"scenario 'dumbbell' has none; there are users 0..0$"):
        check([measure("users.1.goodput_bps")], wire)
    with pytest.raises(MeasureError, match=r"there are flows 0..0$"):
        check([measure("flows.1.timeouts")], wire)
    with pytest.raises(MeasureError, match=r"only where there are files or sessions$"):
        check([measure("users.mean(download_slowdown_p95)")], wire)
    check(measures(["cell.goodput_bps", "users.0.goodput_bps", "flows.0.timeouts"]), wire)
    check([measure("flows.99.timeouts")], SCENARIOS["slots again, random files, held timeouts"])


def test_a_run_without_the_column_says_so() -> None:
    with pytest.raises(
        MeasureError, match=r'^measure "flows.sum\(time_rto_s\)": the run has no column time_rto_s of flows;'
    ):
        measure("flows.sum(time_rto_s)").value(pages()[0])


def test_defaults_are_what_a_scenario_has() -> None:
    usual = [str(each) for each in defaults(SCENARIOS["pages"])]
    delay = "cell.queueing_delay_p95_s"
    assert usual == [
        *("cell.goodput_bps", "users.p05(goodput_bps)", "cell.jain_index", delay),
        *("downloads.p95(time_s)", "cell.timeouts"),
    ]
    assert [str(each) for each in defaults(SCENARIOS["plain"])] == usual[:4]
    assert all(not lacking(each, scenario) for scenario in SCENARIOS.values() for each in defaults(scenario))


def test_packets_over_udp_are_compared_by_losses_delays_and_deadlines() -> None:
    call = ready("dumbbell", ["duration_s=1", "users=1", "flows=[{traffic = {kind = 'voice'}}]"])
    of_udp = ["cell.datagram_loss_rate", "cell.datagram_delay_p95_s"]
    assert [str(each) for each in defaults(call)][-3:] == [*of_udp, "cell.deadline_miss_rate"]
    paced = call.with_(flows=[{"traffic": {"kind": "constant_rate", "rate_bps": 1e5}}])
    assert [str(each) for each in defaults(paced)][-2:] == of_udp


def test_a_measure_can_be_a_key_and_be_pickled() -> None:
    import pickle

    made = measure("users.p05(goodput_bps)")
    assert pickle.loads(pickle.dumps(made)) == made
    assert {made: 1}[measure("users.p5(goodput_bps)")] == 1
    assert isinstance(made, Measure)


def test_the_list_has_the_forms_and_every_column_in_80_letters() -> None:
    answer = Answer("list", "measures")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert max(map(len, lines)) <= 80
    words = {line.split()[0] for line in lines if line.strip()}
    columns = {name for each in POPULATIONS.values() for name in each.all_columns}
    assert columns | {"cell.goodput_bps", "users.p05(goodput_bps)", "downloads.p95(time_s)"} <= words


def test_the_list_of_one_column_names_its_measures() -> None:
    out = Answer("list", "measures", "jain_index").out
    assert out.startswith("cell.jain_index\n")
    assert "higher" in out
    assert "users.p05(goodput_bps)" in Answer("list", "measures", "goodput_bps").out
    assert Answer("list", "measures", "users.p7(goodput_bps)").out.startswith("users.p07(goodput_bps)\n")
    wrong = Answer("list", "measures", "goodput")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.startswith('airlink: list: measure "goodput": ')


def test_the_list_as_json_has_every_measure_of_a_column() -> None:
    content = json.loads(Answer("list", "measures", "--json").out)
    assert content["cell"]["columns"]["goodput_bps"]["better"] == "higher"
    texts = [text for each in content.values() for of in each["columns"].values() for text in of["measures"]]
    assert len(texts) > 500
    assert all(measure(text).text == text for text in texts)
