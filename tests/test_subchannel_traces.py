"""Traces with an SNR of its own for each subchannel: which value holds when, and what a cell makes of them.

What a run met is exported by runs in which one user has all subchannels: draws are named by user, so its channel is the
same there. Replayed as traces, it must give the run again.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import airlink
from airlink import Scenario, ScenarioError, engine
from airlink.scenario import trace_facts

USERS, SUBCHANNELS, SLOTS, SLOT_S = 3, 6, 400, 1e-3
NAMES = [f"sinr_{subchannel}" for subchannel in range(SUBCHANNELS)]

CELL = Scenario.from_toml(f"""
duration_s = {SLOTS * SLOT_S}
users = {USERS}
slot.duration_ms = {SLOT_S * 1e3:g}
carrier = {{ subchannels = {SUBCHANNELS}, subchannel_hz = 500e3 }}
channel.placement = {{ kind = "mean_snr", mean_snr_db = [14, 8, 3] }}
link.rate = {{ kind = "capacity", bandwidth_hz = 3e6, max_rate_bps = "inf" }}
scheduler = {{ kind = "round_robin" }}
flows = [{{ traffic = {{ kind = "backlogged", packet_bytes = 1500 }} }}]
""")
PF = {"kind": "proportional_fair", "time_constant_slots": 50}
MCS = {"kind": "mcs", "set": "cqi-64qam", "bandwidth_hz": 3e6}
LINKS: dict[str, dict[str, Any]] = {
    "capacity": {},
    "late, noisy reports of pairs": {
        "link.report": {"delay_slots": 3, "period_slots": 2, "error_sd_db": 1, "group_subchannels": 2}
    },
    "MCS with HARQ of code blocks": {
        "link.rate": MCS,
        "link.report.delay_slots": 2,
        "link.errors.curve": {"kind": "coded", "effective": "eesm"},
        "link.harq": {"kind": "chase", "max_retransmissions": 3},
        "flows": [{"traffic": {"kind": "greedy"}}],
    },
    "lost frames and an outer loop": {
        "link.rate": MCS,
        "link.report.delay_slots": 2,
        "link.errors.threshold_rule": True,
        "link.outer_loop": {"kind": "steps", "target_bler": 0.2},
        "link.arq.max_retransmissions": 3,
        "flows": [{"traffic": {"kind": "greedy"}}],
    },
}
links = pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, snr_db: NDArray[np.float64]) -> str:
    """A file of these values, array [row, subchannel], dB, with all their digits."""
    rows = [",".join(map(repr, row)) for row in snr_db.tolist()]
    Path(name).write_text("\n".join([",".join(NAMES[: snr_db.shape[1]]), *rows]) + "\n")
    return name


def replayed(cell: Scenario, files: list[str], **fields: Any) -> Scenario:
    trace = {"kind": "trace", "files": files, "row_interval_s": SLOT_S, **fields}
    return cell.with_(**{"channel.placement": trace, "channel.fading": {"kind": "none"}})


def met(cell: Scenario, user: int, seed: int = 1) -> NDArray[np.float64]:
    """The true SNR of each subchannel as a user meets it, dB, array [slot, subchannel]."""
    alone = cell.with_(flows=[{"users": [user], "traffic": {"kind": "backlogged"}}], link=CELL.link)
    alone = alone.with_(scheduler={"kind": "round_robin"})
    rows = airlink.run(alone, seed=seed, record=["grants"]).series("grants")
    assert cell.carrier is not None
    found = np.full((round(cell.duration_s / SLOT_S), cell.carrier.subchannels), np.nan)
    found[rows["slot"], rows["subchannel"]] = rows["true_db"]
    assert not np.isnan(found).any()
    return found


def columns_of(scenario: Scenario, seed: int = 1) -> dict[str, dict[str, str]]:
    """The digest of everything that a run records."""
    record = [kind for kind in engine.recordable(scenario) if kind != "downloads"]
    return engine.column_digests(airlink.run(scenario, seed=seed, record=record).replicas[0])


def differing(one: dict[str, dict[str, str]], other: dict[str, dict[str, str]]) -> list[str]:
    assert one.keys() == other.keys()
    return [
        f"{table}.{name}" for table, columns in one.items() for name in columns if columns[name] != other[table][name]
    ]


@links
def test_what_a_run_met_gives_the_run_again(link: dict[str, Any]) -> None:
    fading = {"kind": "tapped_delay_line", "profile": "tu6"}
    cell = CELL.with_(**{"channel.fading": fading, "channel.motion.speed_kmh": 60, "scheduler": PF, **link})
    files = [written(f"user-{user}.csv", met(cell, user)) for user in range(USERS)]
    # The mean of what was met is not the mean around which it faded.
    assert differing(columns_of(cell), columns_of(replayed(cell, files, value_columns=NAMES))) == ["users.mean_snr_db"]
    other = [written("other.csv", met(cell, 0, seed=2))]
    assert len(differing(columns_of(cell), columns_of(replayed(cell, other, value_columns=NAMES)))) > 10


@links
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"between": "linear", "row_interval_s": 0.0137},
        {"at_end": "stop", "offset_s": [0, 0.1, 0.35]},
        {"between": "linear", "row_interval_s": 0.0137, "random_offset": True},
    ],
    ids=str,
)
def test_columns_that_are_all_equal_give_the_run_of_one(link: dict[str, Any], fields: dict[str, Any]) -> None:
    snr_db = np.random.default_rng(1).normal(9, 5, (300, 1))
    files = [written("t.csv", snr_db)]
    cell = CELL.with_(**{"scheduler": PF, **link})
    one = replayed(cell, files, **fields).with_(**{"channel.shadowing.sd_db": 4, "channel.ceiling.sinr_db": 20})
    one = one.with_(**{"channel.ceiling.applies_to": "instantaneous", "channel.fading": {"kind": "rayleigh"}})
    many = one.with_(**{"channel.placement.value_columns": ["sinr_0"] * SUBCHANNELS})
    assert differing(columns_of(one), columns_of(many)) == []


def test_a_subchannel_follows_its_column_as_numpy_has_it() -> None:
    snr_db = np.random.default_rng(2).normal(9, 5, (50, SUBCHANNELS))
    times_s = np.cumsum(np.random.default_rng(3).uniform(0.001, 0.02, 50))
    table = {"time_s": times_s, **{name: snr_db[:, at] for at, name in enumerate(NAMES)}}
    pq.write_table(pa.table(table), "t")
    period_s, offset_s = times_s[-1] - times_s[0] + 0.01, 0.2
    into_s = (np.arange(SLOTS) * SLOT_S + offset_s) % period_s
    fields = {"value_columns": ["sinr_*"], "time_column": "time_s", "row_interval_s": 0.01, "offset_s": offset_s}
    starts_s = np.append(times_s - times_s[0], period_s)
    rows = np.searchsorted(starts_s, into_s + 1e-9, side="right") - 1
    assert np.array_equal(met(replayed(CELL, ["t"], **fields), 0), snr_db[rows].astype(np.float32))
    around = np.vstack([snr_db, snr_db[:1]])
    lines = np.column_stack([np.interp(into_s, starts_s, around[:, at]) for at in range(SUBCHANNELS)])
    found = met(replayed(CELL, ["t"], between="linear", **fields), 0)
    # Single precision, and slopes of at most 40 dB in a millisecond over the nanosecond to which slots are rounded.
    np.testing.assert_allclose(found, lines, atol=1e-4)


def test_two_subchannels_of_constant_snr_carry_what_is_computed_by_hand() -> None:
    """Half of 3 MHz at 10 dB, half at 0 dB: 1.5e6 (log2 11 + log2 2) b/s for one; two have the better halves."""
    cell = CELL.with_(**{"carrier.subchannels": 2, "users": 2, "channel.placement.mean_snr_db": 0})
    good, bad = 1.5e6 * math.log2(11), 1.5e6
    files = [written("a", np.array([[10.0, 0.0]])), written("b", np.array([[0.0, 10.0]]))]
    names = {"value_columns": ["sinr_*"]}

    def granted_bps(scenario: Scenario) -> list[float]:
        users = airlink.run(scenario).users
        return [8 * float(each) / scenario.duration_s for each in users["granted_bytes"]]

    alone = replayed(cell, files, **names).with_(**{"flows.0.users": [1]})
    assert granted_bps(alone) == pytest.approx([0, good + bad], rel=1e-6)
    best = replayed(cell, files, **names).with_(scheduler={"kind": "max_rate"})
    assert granted_bps(best) == pytest.approx([good, good], rel=1e-6)
    same = replayed(cell, files[:1], **names).with_(scheduler={"kind": "max_rate", "ties": "lowest_index"})
    assert granted_bps(same) == pytest.approx([good + bad, 0], rel=1e-6)


def test_the_columns_are_as_many_as_the_subchannels() -> None:
    file = written("t", np.zeros((2, 5)))

    def refusal(**fields: Any) -> str:
        with pytest.raises(ScenarioError) as error:
            replayed(CELL, [file], **fields).resolved()
        [problem] = error.value.problems
        return str(problem)

    many = "must have one for each subchannel (carrier.subchannels = 6)"
    assert f'channel.placement.files.0 = "t": has 5 columns ["sinr_*"]; {many}' in refusal(value_columns=["sinr_*"])
    assert f'value_columns = ["1", "2"]: has 2 columns; {many}' in refusal(value_columns=["1", "2"])
    assert 'has no column "snr_*"; its first line holds: sinr_0, sinr_1' in refusal(value_columns=["snr_*"])
    assert "must be left out with value_column" in refusal(value_columns=["sinr_0"] * 6, value_column="sinr_0")
    fine = replayed(CELL, [file], value_columns=["sinr_*", "1"])
    [facts] = trace_facts(fine)
    assert (facts.rows, facts.columns) == (2, 6)
    Path("cell.toml").write_text(fine.with_(**{"carrier.subchannels": 5}).to_toml())
    with pytest.raises(ScenarioError, match="has 6 columns"):
        Scenario.from_toml("cell.toml")


def test_a_tapped_delay_line_or_a_rate_is_refused() -> None:
    cell = replayed(CELL, ["t"], value_columns=["sinr_*"])
    with pytest.raises(ScenarioError, match="the trace has the fading of each subchannel"):
        cell.with_(**{"channel.fading": {"kind": "tapped_delay_line", "profile": "tu6"}})
    with pytest.raises(ScenarioError, match='must be left out unless quantity is "snr_db"'):
        cell.with_(**{"channel.placement.quantity": "rate_bps", "channel.placement.equivalent_bandwidth_hz": 1e6})
