"""Results in memory and on disk: tables, conversions, folders that appear whole or not at all."""

from __future__ import annotations

import builtins
import errno
import importlib
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import airlink
from airlink import Result, ResultError, ResultExists, Scenario
from airlink.engine.arrow import arrow, numbers
from airlink.result import MissingExtra, columns, folder
from airlink.result.atomic_write import claimed
from airlink.tables import BY_NAME

SCENARIO = """
name = "tiny"
duration_s = 2
users = 2
slot.duration_ms = 5
channel.placement = {kind = "mean_snr", mean_snr_db = [5, 15]}
channel.fading.kind = "rayleigh"
link.rate = {kind = "capacity", bandwidth_hz = 1e6}
link.errors.probability = 0.02
scheduler.kind = "round_robin"
queue.price.kind = "clamp"
flows = [{users = "all"}]
"""
ALL = list(airlink.RECORD_KINDS)
WIRED = ["packets", "acks", "sacks", "queue", "cwnd", "rtt", "events"]


@pytest.fixture(scope="module")
def result() -> Result:
    return airlink.run(Scenario.from_toml(SCENARIO), replicas=3, record=ALL)


@pytest.fixture(scope="module")
def wired() -> Result:
    settings = [
        "duration_s=2",
        "flows.0.path.uplink_impairments.drop_numbers=[5]",
        "experimental.hold_timeouts=initial",
        "flows.0.tcp.rules.limited_transmit=true",
        "upstream.rate_bps=5e6",
        "flows.0.path.upstream=true",
        "hops=[{name = 'a', kind = 'codel', rate_bps = 20e6}]",
        "flows.0.path.hops=['a']",
    ]
    return airlink.run(airlink.scenario.ready("dumbbell").override(settings), record=WIRED)


@pytest.fixture(scope="module")
def shared_back() -> Result:
    settings = ["duration_s=1", "hops=[{name = 'back'}]", "flows.0.path.uplink_hops=['back']"]
    return airlink.run(airlink.scenario.ready("dumbbell").override(settings), record=["hops"])


@pytest.fixture(scope="module")
def web() -> Result:
    more = [{"users": [0], "traffic": {"kind": "poisson"}}, {"users": [1], "traffic": {"kind": "sessions"}}]
    scenario = Scenario.from_toml(SCENARIO).with_(flows=more, **{"queue.kind": "codel", "channel.shadowing.sd_db": 4})
    return airlink.run(scenario, record=["downloads"])


@pytest.fixture(scope="module")
def rest() -> Result:
    """What no other run has: marks, packets over UDP, an uplink with grants, slots without downlink."""
    scenario = Scenario.from_toml(SCENARIO).with_(
        flows=[{"tcp": {"ecn": "rfc3168"}}, {"traffic": {"kind": "voice"}}, {"traffic": {"kind": "requests"}}],
        **{"slot.tdd": "DDU", "uplink": {}, "carrier.subchannels": 4, "queue.mark_above_packets": 3},
    )
    return airlink.run(scenario, record=["bursts", "limits"])


@pytest.fixture(scope="module")
def wide() -> Result:
    return airlink.run(
        Scenario.from_toml(SCENARIO).with_(
            **{"carrier.subchannels": 4, "link.harq.kind": "chase", "link.outer_loop.kind": "steps"}
        ),
        replicas=2,
        record=ALL,
    )


def test_tables_have_a_row_per_replica_and_user(result: Result) -> None:
    assert (result.users.rows, result.flows.rows, result.cell.rows) == (6, 6, 3)
    assert list(result.users)[:3] == ["replica", "seed", "user"]


def test_the_summary_is_the_mean_over_replicas_with_its_interval(result: Result) -> None:
    estimate = result.summary["goodput_bps"]
    assert estimate.n == 3
    assert estimate.mean == pytest.approx(float(np.mean(result.cell["goodput_bps"])))
    assert estimate.low < estimate.mean < estimate.high


def test_the_numbers_of_the_cell_are_those_of_its_users(result: Result) -> None:
    by_replica = result.users["goodput_bps"].reshape(3, 2)
    np.testing.assert_allclose(result.cell["goodput_bps"], by_replica.sum(axis=1))
    np.testing.assert_allclose(result.cell["jain_index"], airlink.statistics.jain_index(by_replica))
    f = airlink.statistics.mean_log_throughput(by_replica)
    np.testing.assert_allclose(result.cell["mean_log10_goodput_kBps"], f)


def test_every_column_of_the_engine_is_explained_and_every_explained_column_exists(
    result: Result, wired: Result, shared_back: Result, web: Result, wide: Result, rest: Result
) -> None:
    for name, declared in BY_NAME.items():
        runs = (result, wired, shared_back, web, wide, rest)
        tables = [each.table(name) for each in runs if name in ("users", "flows", "cell", *each.record)]
        found = {column for table in tables for column in table} - {"replica", "seed"}
        assert found == {column.name for column in declared.columns}, name
        for table in tables:
            there = [column for column in declared.columns if column.name in table]
            assert [column.name for column in there] == [own for own in table if own not in ("replica", "seed")]
            types = {"whole": np.int64, "real": np.float64}
            assert [table[column.name].dtype for column in there] == [types[column.type] for column in there], name


def test_columns_appear_only_where_they_mean_something(result: Result, wired: Result) -> None:
    assert "drops_wire_loss" not in result.users
    assert not {"uplink_outage", "tail_loss_probes"} & set(result.flows)
    assert not {"mean_snr_db", "slots_won", "granted_bps", "drops_air_error"} & set(wired.users)
    assert not {"slots", "min_max_resource_share"} & set(wired.cell)
    assert {"packets_doubled", "drops_outage"} <= set(wired.users)
    assert not {"subchannels_won", "backlogged_s", "first_frame_errors"} & set(result.users)
    assert "subchannel_slots" not in result.cell
    assert "subchannels" not in result.series("slots", 0)


def test_a_series_has_the_columns_that_its_carrier_has(result: Result, wide: Result) -> None:
    for kind in ALL:
        assert columns.of_series(kind, 1) == frozenset(result.series(kind, 0)), kind
        assert columns.of_series(kind, 4) == frozenset(wide.series(kind, 0)), kind


def test_subchannels_add_up_over_users_and_series(wide: Result) -> None:
    for index, replica in enumerate(wide.replicas):
        grants, slots = wide.series("grants", index), wide.series("slots", index)
        won = np.bincount(grants["user"], minlength=2)
        np.testing.assert_array_equal(won, replica.users["subchannels_won"])
        assert int(slots["subchannels"].sum()) == int(won.sum()) == int(replica.cell["subchannels_granted"])
        np.testing.assert_allclose(grants["granted_bytes"].sum(), slots["granted_bytes"].sum(), rtol=1e-6)
        assert int(wide.series("mcs", index)["grants"].sum()) == int((grants["granted_bytes"] > 0).sum())


def test_what_newer_rules_did_is_counted_where_a_flow_has_them() -> None:
    # 20 segments on an empty path, the SYN is packet 0: SACK repairs one loss, a probe that of the very last.
    file = ["duration_s=2", "flows.0.traffic.kind=file", "flows.0.traffic.bytes=28960", "flows.0.tcp.profile=linux"]
    lossy = "flows.0.path.downlink_impairments.drop_numbers=[3, 21]"
    flows = airlink.run(airlink.scenario.ready("dumbbell").override([*file, lossy])).flows
    assert (flows["retransmissions"][0], flows["sack_retransmissions"][0], flows["tail_loss_probes"][0]) == (2, 1, 1)
    assert (flows["timeouts"][0], flows["recoveries_undone"][0]) == (0, 0)


def test_series_tell_the_same_story_as_the_tables(result: Result) -> None:
    for index, replica in enumerate(result.replicas):
        slots = result.series("slots", index)
        won = np.bincount(slots["user"][slots["user"] >= 0], minlength=2)
        np.testing.assert_array_equal(won, replica.users["slots_won"])
        assert int(slots["error"].sum()) == int(replica.users["frame_errors"].sum())
        packets = result.series("packets", index)
        assert int((packets["fate"] == 0).sum()) == int(replica.users["packets_delivered"].sum())
        assert int((packets["fate"] == 2).sum()) == int(replica.users["drops_air_error"].sum())
        gaps = result.series("gaps", index)
        np.testing.assert_array_equal(np.bincount(gaps["user"], minlength=2), replica.users["gap_count"])


def test_a_series_that_was_not_recorded_says_how_to_get_it() -> None:
    bare = airlink.run(Scenario.from_toml(SCENARIO))
    for kind in (KeyError, ResultError):
        with pytest.raises(kind, match=r"^series 'slots' was not recorded; run again with record=\['slots'\]$"):
            bare.series("slots")
    with pytest.raises(
        airlink.RequestError, match=r"^record: prices needs a queue with a price; queue.price.kind is 'none'$"
    ):
        airlink.run(Scenario.from_toml(SCENARIO).with_(**{"queue.price.kind": "none"}), record=["slots", "prices"])
    with pytest.raises(ResultError, match="'packets' was not recorded"):
        airlink.plots.delay_cdf(bare)
    with pytest.raises(airlink.RequestError, match="choose from"):
        bare.series("slotz")


def test_series_of_several_replicas_are_all_of_them_and_say_whose_a_row_is(result: Result) -> None:
    rows = result.series("slots")
    assert rows.rows == sum(result.series("slots", index).rows for index in range(3))
    for index, seed in enumerate(result.seeds):
        own = rows.where(rows["replica"] == index)
        assert set(own["seed"].tolist()) == {seed}
        np.testing.assert_array_equal(own["user"], result.series("slots", index)["user"])


def test_delay_over_the_least_and_the_5_percent_user(result: Result) -> None:
    users = result.users
    over = users["queueing_delay_mean_s"] - users["queueing_delay_min_s"]
    np.testing.assert_allclose(users["queueing_delay_over_least_s"], over, rtol=1e-9)
    for low, high in (("p90", "p95"), ("p95", "p99")):
        assert (users[f"queueing_delay_{low}_s"] <= users[f"queueing_delay_{high}_s"]).all()
    packets = result.series("packets", 0)
    delay = (packets["ended_s"] - packets["queued_s"])[(packets["fate"] == 0) & (packets["user"] == 0)]
    # Half a bin of 16 an octave.
    assert users["queueing_delay_p95_s"][0] == pytest.approx(float(np.quantile(delay, 0.95)), rel=0.035)
    np.testing.assert_array_equal(result.cell["cell_edge_goodput_bps"], users["goodput_bps"].reshape(3, 2).min(axis=1))


def test_the_5_percent_user_of_40_is_the_second_from_below() -> None:
    scenario = Scenario.from_toml(SCENARIO).with_(users=40, **{"channel.placement.mean_snr_db": 10})
    result = airlink.run(scenario)
    assert result.cell["cell_edge_goodput_bps"][0] == np.sort(result.users["goodput_bps"])[1]


def test_the_snr_with_shadowing_is_the_mean_of_the_channel_in_db() -> None:
    still = {"channel.fading": {"kind": "none"}, "channel.shadowing.sd_db": 6, "warmup_s": 0.5}
    for speed_kmh in (0, 60):
        scenario = Scenario.from_toml(SCENARIO).with_(**still, **{"channel.motion.speed_kmh": speed_kmh})
        result = airlink.run(scenario, record=["snr"])
        snr = result.series("snr")
        late = snr["slot"] >= 100
        for user, shadowed_db in enumerate(result.users["shadowed_snr_db"]):
            measured = snr["true_db"][late & (snr["user"] == user)]
            assert shadowed_db == pytest.approx(measured.mean(dtype=float), abs=1e-4)
            assert abs(shadowed_db - result.users["mean_snr_db"][user]) > 0.01


def test_a_replica_that_does_not_exist_is_refused(result: Result) -> None:
    with pytest.raises(IndexError, match="there are 3"):
        result.series("slots", 3)


def test_a_stored_result_comes_back_whole(result: Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "out")
    loaded = Result.load(folder)
    assert loaded.scenario == result.scenario
    assert (loaded.seeds, loaded.record, loaded.version) == (result.seeds, result.record, result.version)
    for name in BY_NAME:
        here, there = result.table(name), loaded.table(name)
        assert list(here) == list(there)
        for column in here:
            assert here[column].dtype == there[column].dtype
            np.testing.assert_array_equal(here[column], there[column])
    assert loaded.digests() == [replica.digest for replica in result.replicas]
    assert loaded.digest() == result.digest()


def test_a_stored_result_can_be_run_again_to_the_same_digest(result: Result, tmp_path: Path) -> None:
    loaded = Result.load(result.save(tmp_path / "out"))
    again = airlink.run(loaded.scenario, loaded.seeds[0], len(loaded.seeds), record=loaded.record)
    assert again.digest() == result.digest()


def test_parquet_columns_carry_their_unit_and_meaning(result: Result, tmp_path: Path) -> None:
    schema = pq.read_schema(result.save(tmp_path / "out") / "users.parquet")
    about = schema.field("goodput_bps").metadata
    assert about[b"unit"] == b"b/s"
    assert b"application" in about[b"meaning"]


@pytest.mark.parametrize(
    "values",
    [
        *(np.array([0, 1, 100], dtype=kind) for kind in ("i1", "u1", "i4", "u4", "i8", "u8", "f4", "f8", "?")),
        np.array([math.nan, -math.inf, 0.1]),
        np.array([2**63, 2**64 - 1], dtype=np.uint64),
        np.arange(20)[::3],
        np.arange(20) % 3 == 0,
        np.array(["fast", "", "größer als 1 µs"]),
        np.array([]),
        np.array([], dtype=np.str_),
        np.array([1, 2], dtype=np.int16).astype(object),
    ],
)
def test_arrow_columns_are_what_pyarrow_makes_of_them(values: np.ndarray[Any, Any]) -> None:
    made, expected = arrow(values), pa.array(values)
    made.validate(full=True)
    assert made.type == expected.type
    np.testing.assert_array_equal(made.to_numpy(zero_copy_only=False), expected.to_numpy(zero_copy_only=False))


@pytest.mark.parametrize("kind", ["int8", "uint16", "int64", "float32", "float64", "bool"])
def test_columns_that_arrow_has_read_come_back_in_parts_and_with_gaps(kind: str) -> None:
    values = (np.arange(23) % 3).astype(kind)
    parts = pa.chunked_array([arrow(values), arrow(values[:0]), arrow(values).slice(5, 11)])
    back = numbers(parts)
    np.testing.assert_array_equal(back, np.concatenate([values, values[5:16]]))
    assert back.dtype == values.dtype
    gaps = pa.array(values.tolist(), type=parts.type, mask=np.arange(23) % 4 == 0).slice(3)
    np.testing.assert_array_equal(numbers(pa.chunked_array([gaps])), np.where(np.arange(23) % 4 == 0, 0, values)[3:])
    assert numbers(pa.chunked_array([], type=parts.type)).dtype == values.dtype


@pytest.mark.parametrize(
    "values", [np.ones((2, 2)), np.array([1.0, 2.0], dtype=np.dtype("f8").newbyteorder())], ids=str
)
def test_columns_that_arrow_cannot_hold_are_refused_by_pyarrow(values: np.ndarray[Any, Any]) -> None:
    with pytest.raises((pa.ArrowInvalid, pa.ArrowNotImplementedError)):
        arrow(values)


def test_a_run_that_is_stored_does_not_wait_for_pandas(tmp_path: Path) -> None:
    code = (
        "import airlink, sys\n"
        f"scenario = airlink.Scenario.from_toml({SCENARIO!r})\n"
        f"airlink.run(scenario, record=['slots']).save({str(tmp_path / 'out')!r})\n"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_the_description_of_a_result_is_strict_json(result: Result, tmp_path: Path) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    text = (result.save(tmp_path / "out") / "result.json").read_text()
    described = json.loads(text, parse_constant=refuse)
    assert [entry["seed"] for entry in described["replicas"]] == [1, 2, 3]
    assert described["scenario"]["queue"]["limit_packets"] == "inf"


def test_a_folder_with_results_is_kept(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "out")
    before = (tmp_path / "out/result.json").read_bytes()
    with pytest.raises(ResultExists, match="holds results already"):
        result.save(tmp_path / "out")
    assert (tmp_path / "out/result.json").read_bytes() == before


def test_a_folder_with_results_is_replaced_when_asked(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "out")
    airlink.run(Scenario.from_toml(SCENARIO), seed=9).save(tmp_path / "out", overwrite=True)
    assert Result.load(tmp_path / "out").seeds == (9,)
    assert not (tmp_path / "out/series").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_with_other_files_is_never_touched(result: Result, tmp_path: Path, overwrite: bool) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ResultExists, match="other files"):
        result.save(tmp_path, overwrite)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_empty_folder_is_a_place_for_results(result: Result, tmp_path: Path) -> None:
    assert Result.load(result.save(tmp_path)).seeds == result.seeds


def test_a_file_in_the_way_is_kept(result: Result, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(ResultExists, match="not a folder"):
        result.save(tmp_path / "out", overwrite=True)


def test_a_full_disk_is_one_message_and_leaves_nothing(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []

    def full(*_: Any, **__: Any) -> None:
        written.append(1)
        if len(written) > 3:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    with pytest.raises(ResultError, match="disk is full"):
        result.save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_one_message(result: Result, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultError, match=r"file/out can't be written: (File exists|Not a directory)$"):
        result.save(tmp_path / "file/out")


@pytest.mark.parametrize("place", ["out", "new/folders/out", "empty"])
def test_a_place_is_tried_before_it_is_needed(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    with claimed(tmp_path / place):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


@pytest.mark.parametrize("place", ["file/out", "file/new/out", "x" * 300])
def test_a_place_that_cannot_be_written_is_told_by_the_name_it_was_given(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultError, match=f"{place} can't be written: [^/]*$"), claimed(tmp_path / place):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["file"]


@pytest.mark.parametrize("content", ["", "not json", "[]", "{}", '{"format": 99}', '{"format": 1}'])
def test_a_broken_description_is_one_message(tmp_path: Path, content: str) -> None:
    (tmp_path / folder.MANIFEST).write_text(content)
    with pytest.raises(ResultError, match=r"result\.json"):
        Result.load(tmp_path)


@pytest.mark.parametrize("key", ["version", "interrupted", "record", "replicas", "scenario"])
def test_a_key_that_a_description_lacks_is_named(result: Result, tmp_path: Path, key: str) -> None:
    path = result.save(tmp_path / "out") / folder.MANIFEST
    whole = json.loads(path.read_text())
    for broken in ({name: value for name, value in whole.items() if name != key}, {**whole, key: 7}):
        path.write_text(json.dumps(broken))
        with pytest.raises(ResultError, match=rf"result\.json is not .*: {key} is (missing|7)$"):
            Result.load(tmp_path / "out")


@pytest.mark.parametrize("key", ["seed", "digest"])
def test_a_key_that_a_stored_replica_lacks_is_named(result: Result, tmp_path: Path, key: str) -> None:
    path = result.save(tmp_path / "out") / folder.MANIFEST
    whole = json.loads(path.read_text())
    del whole["replicas"][1][key]
    path.write_text(json.dumps(whole))
    with pytest.raises(ResultError, match=rf"replicas\.1\.{key} is missing$"):
        Result.load(tmp_path / "out")


def test_a_replica_that_only_the_description_knows_is_told(result: Result, tmp_path: Path) -> None:
    path = result.save(tmp_path / "out") / folder.MANIFEST
    whole = json.loads(path.read_text())
    whole["replicas"].append(whole["replicas"][0])
    path.write_text(json.dumps(whole))
    with pytest.raises(ResultError, match=r"4 replicas in result\.json, 3 in users\.parquet"):
        Result.load(tmp_path / "out")


def test_a_broken_table_is_one_message(result: Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "out")
    (folder / "users.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(ResultError, match=r"users\.parquet"):
        Result.load(folder)
    (folder / "users.parquet").unlink()
    with pytest.raises(ResultError, match=r"users\.parquet: No such file"):
        Result.load(folder)


def test_a_folder_without_results_says_so(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="holds no result"):
        Result.load(tmp_path)


def test_a_result_opens_as_pandas_and_polars(result: Result) -> None:
    pandas, polars = result.to_pandas(), result.to_polars("slots")
    assert pandas.groupby("replica")["goodput_bps"].sum().tolist() == pytest.approx(result.cell["goodput_bps"].tolist())
    assert polars.height == sum(result.series("slots", index).rows for index in range(3))
    pandas.loc[0, "goodput_bps"] = 0.0
    assert result.users["goodput_bps"][0] > 0


def test_a_result_opens_as_xarray(result: Result) -> None:
    dataset = result.to_xarray()
    assert dict(dataset.sizes) == {"replica": 3, "user": 2, "flow": 2}
    total = dataset["users_goodput_bps"].sum("user")
    np.testing.assert_allclose(total, dataset["cell_goodput_bps"])
    assert dataset["seed"].values.tolist() == [1, 2, 3]


@pytest.mark.parametrize("package", ["pandas", "polars", "xarray"])
def test_a_missing_package_is_named_with_its_extra(
    result: Result, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    def absent(name: str, *rest: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return real(name, *rest)

    real = importlib.import_module
    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(MissingExtra, match=rf"pip install 'airlink\[{package}\]'"):
        getattr(result, f"to_{package}")()


def test_tables_are_read_only(result: Result) -> None:
    with pytest.raises(ValueError, match="read-only"):
        result.users["goodput_bps"][0] = 1.0


def test_an_unknown_column_is_answered_with_those_that_exist(result: Result) -> None:
    with pytest.raises(KeyError, match="goodput_bps"):
        result.users["godput_bps"]


def test_no_module_of_results_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def watch(name: str, *rest: Any, **named: Any) -> Any:
        asked.append(name.split(".")[0])
        return real(name, *rest, **named)

    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", watch)
    airlink.run(Scenario.from_toml(SCENARIO))
    assert not {"pandas", "polars", "xarray"} & set(asked)


def test_one_replica_has_an_infinite_interval() -> None:
    estimate = airlink.run(Scenario.from_toml(SCENARIO)).summary["goodput_bps"]
    assert (estimate.low, estimate.high) == (-math.inf, math.inf)
