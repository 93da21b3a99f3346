"""Tables of block error rates: their files, and what the engine loses by them.

Tolerances of counts are 4.5 standard errors of what the closed form says. How rates between rows follow, and tables of
every scheme against the curve that they sample, are tested beside the model (error_table.rs, link_block_errors.rs).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import airlink
from airlink import Scenario
from airlink.models import CodedBlock, block_error_rate, harq_error_rates
from airlink.scenario import ScenarioError, ready
from airlink.scenario.block_error_table import TableProblem, read
from frames import fits, frames

BLOCK_BITS = 96
HEADER = "sinr_db,mcs,bler"
# One user who always has something to get. A slot holds BLOCK_BITS; reports are 40 dB too good, so it's always sent.
CONSTANT = f"""
duration_s = 20
users = 1
slot.duration_ms = 1
channel.placement = {{ kind = "mean_snr", mean_snr_db = 0 }}
scheduler = {{ kind = "round_robin" }}
flows = [{{ traffic = {{ kind = "backlogged", packet_bytes = {BLOCK_BITS // 8} }} }}]

[link]
report.backoff_db = -40
rate = {{ kind = "table", thresholds_db = [3], rates_bps = [{1000 * BLOCK_BITS}] }}
errors.curve = {{ kind = "table", file = "bler.csv" }}
"""


def cell(folder: Path, rows: str, **changes: Any) -> Scenario:
    """The constant channel with a table of these rows."""
    (folder / "bler.csv").write_text(rows)
    (folder / "cell.toml").write_text(CONSTANT)
    return Scenario.from_toml(folder / "cell.toml").with_(**changes)


def coded(snr_db: float) -> float:
    return float(block_error_rate(snr_db, BLOCK_BITS, 2, 0.5, gap_db=1.0))


def sampled() -> str:
    levels = np.arange(-8, 8, 0.05)
    rows = "\n".join(f"{db:.2f},0,{coded(float(db))}" for db in levels)
    return f"{HEADER}\n{rows}\n"


# A quarter of the way from 0.5 to 0.05 by logarithms is 0.5 / 10^(1/4); by rates 0.3875.
@pytest.mark.parametrize(
    ("snr_db", "interpolation", "expected"),
    [
        (1, "log_bler", 0.5),
        (2.5, "log_bler", 0.281171),
        (2.5, "bler", 0.3875),
        (4, "bler", 0.05),
        (9, "log_bler", 0.05),
    ],
)
def test_two_rows_lose_what_they_say(tmp_path: Path, snr_db: float, interpolation: str, expected: float) -> None:
    changes = {"channel.placement.mean_snr_db": snr_db, "link.errors.curve.interpolation": interpolation}
    sent, again, errors, _ = frames(cell(tmp_path, f"{HEADER}\n2,0,0.5\n4,0,0.05\n", **changes))
    assert (sent, again) == (20_000, 0)
    assert fits(errors / sent, expected, sent)


@pytest.mark.parametrize("snr_db", [-2.0, 0.5, 1.3])
def test_a_table_of_the_curve_loses_and_combines_as_the_curve_does(tmp_path: Path, snr_db: float) -> None:
    scenario = cell(tmp_path, sampled(), **{"channel.placement.mean_snr_db": snr_db})
    sent, _, errors, _ = frames(scenario)
    assert fits(errors / sent, coded(snr_db), sent)
    expected = harq_error_rates(CodedBlock(BLOCK_BITS, 2, 0.5, 1.0), snr_db, "chase", 2)
    chase = {"link.harq.kind": "chase", "link.harq.max_retransmissions": 1}
    sent, again, _, given_up = frames(scenario.with_(**chase))
    first = sent - again
    # What is still in flight at the end, 8 blocks, counts for nothing.
    assert fits(given_up / first, expected.prod(), first) or abs(given_up - first * expected.prod()) <= 8
    assert abs(again / first - expected[0]) <= 4.5 * math.sqrt(expected[0] * (1 - expected[0]) / first) + 8 / first


def test_a_step_at_the_threshold_is_the_threshold_rule_block_by_block(tmp_path: Path) -> None:
    fading = {
        "channel.fading": {"kind": "rayleigh", "doppler_hz": 20},
        "channel.placement.mean_snr_db": 6,
        "duration_s": 5,
    }
    blocks = {"link.harq.unit": "pdu", "rlc.segment_bytes": 12}
    step = cell(tmp_path, f"{HEADER}\n2.9999999,0,1\n3,0,0\n", **fading, **blocks)
    rule = step.with_(**{"link.errors": {"threshold_rule": True, "curve": {"kind": "none"}}})
    slots = [airlink.run(one, seed=1, record=["slots"]).series("slots") for one in (step, rule)]
    columns = [{name: np.asarray(values).tolist() for name, values in dict(each).items()} for each in slots]
    assert columns[0] == columns[1]
    assert 1000 < frames(step)[2] < 4000


def test_parquet_and_csv_in_any_order_are_one_table(tmp_path: Path) -> None:
    rows = [(4, 0, 0.05, 96), (2, 0, 0.5, 96), (3, 1, 1.0, 48), (3, 0, 0.9, 48)]
    text = "# a comment\nmcs, sinr_db, bler, cbs_bits\n\n" + "\n".join(
        f"{m}, {db}, {rate}, {bits}" for db, m, rate, bits in rows
    )
    (tmp_path / "a.csv").write_text(text)
    db, mcs, bler, bits = zip(*rows, strict=True)
    parquet.write_table(pa.table({"sinr_db": db, "mcs": mcs, "bler": bler, "cbs_bits": bits}), tmp_path / "a.parquet")
    of_text, of_parquet = (read(str(tmp_path / name)) for name in ("a.csv", "a.parquet"))
    expected = {
        "mcs": [0, 0, 0, 1],
        "cbs_bits": [48, 96, 96, 48],
        "sinr_db": [3, 2, 4, 3],
        "bler": [0.9, 0.5, 0.05, 1.0],
    }
    for found in (of_text, of_parquet):
        assert {name: values.tolist() for name, values in found.columns.items()} == expected
    assert of_text.sha256 == hashlib.sha256((tmp_path / "a.csv").read_bytes()).hexdigest()


def test_a_run_keeps_the_rows_and_the_hash_and_a_changed_file_is_refused(tmp_path: Path) -> None:
    scenario = cell(tmp_path, f"{HEADER}\n2,0,0.5\n4,0,0.05\n", duration_s=1)
    resolved = scenario.resolved()
    curve: Any = resolved.link.errors.curve if resolved.link else None
    assert (curve.mcs, curve.sinr_db, curve.bler, curve.cbs_bits) == ((0, 0), (2.0, 4.0), (0.5, 0.05), ())
    (tmp_path / "bler.csv").write_text(f"{HEADER}\n2,0,0.4\n")
    # What was read once runs again without the file; a scenario with the hash alone asks for the same file.
    assert (
        airlink.run(resolved, seed=1).digest() == airlink.run(Scenario.from_json(resolved.to_json()), seed=1).digest()
    )
    asked = scenario.with_(**{"link.errors.curve.sha256": curve.sha256})
    with pytest.raises(ScenarioError, match="has changed: its SHA-256 is"):
        asked.resolved()
    # Another file takes the place of rows and hash.
    (tmp_path / "other.csv").write_text(f"{HEADER}\n2,0,0.4\n")
    other: Any = resolved.with_(**{"link.errors.curve.file": str(tmp_path / "other.csv")}).resolved().link
    assert other.errors.curve.bler == (0.4,)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("", "has the columns (none); must have mcs, sinr_db and bler, may have cbs_bits, each once and no others"),
        ("sinr_db,mcs\n1,0\n", "has the columns sinr_db, mcs; must have mcs, sinr_db and bler"),
        ("sinr_db,mcs,bler,cbs\n1,0,1,9\n", "has the columns sinr_db, mcs, bler, cbs; must have"),
        (f"{HEADER}\n", "has 0 rows; must have 1 to 200000"),
        (f"{HEADER}\n1,0,0.5\n2,0\n", "line 3: has 2 values; must have 3 (sinr_db, mcs, bler)"),
        (f"{HEADER}\n\n1,0,some\n", 'line 3: bler "some" must be a number'),
        (f"{HEADER}\n1,0,1.5\n", "line 2: bler 1.5 must be a number from 0 to 1"),
        (f"{HEADER}\n1,0.5,1\n", "line 2: mcs 0.5 must be a whole number from 0 to 254"),
        (f"{HEADER}\nnan,0,1\n", "line 2: sinr_db nan must be a number from -200 to 200"),
        (f"{HEADER}\n1,0,1\n2,0,0\n1,0,1\n", "line 4: has the mcs, sinr_db of line 2; must have one rate for each"),
        (f"{HEADER}\n3,0,1\n2,0,0\n", "line 2: bler 1 must be at most that of the next lower sinr_db (0, line 3)"),
        (f"{HEADER}\n1,7,0.5\n", "has no row of mcs 0; must have some of each of 0 to 0 (link.rate)"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_is_explained_by_line_and_value(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        cell(tmp_path, rows)
    (problem,) = error.value.problems
    assert problem.path == "link.errors.curve.file"
    assert message in problem.message


def test_parquet_of_text_or_with_holes_is_refused(tmp_path: Path) -> None:
    made: list[tuple[Callable[[], Any], str]] = [
        (
            lambda: pa.table({"sinr_db": ["a"], "mcs": [0], "bler": [1.0]}),
            "has string in column sinr_db; must have numbers",
        ),
        (lambda: pa.table({"sinr_db": [1.0, None], "mcs": [0, 0], "bler": [1.0, 1.0]}), "row 2: sinr_db nan must be"),
    ]
    twice = ["sinr_db", "mcs", "bler", "bler"]
    made.append((lambda: pa.table([[1.0], [0], [1.0], [1.0]], names=twice), "each once and no others"))
    for table, message in made:
        parquet.write_table(table(), tmp_path / "a.parquet")
        with pytest.raises(TableProblem) as error:
            read(str(tmp_path / "a.parquet"))
        assert message in str(error.value)
    (tmp_path / "b.parquet").write_bytes(b"text")
    with pytest.raises(TableProblem, match="is no Parquet file"):
        read(str(tmp_path / "b.parquet"))
    (tmp_path / "b.csv").write_text("sinr_db,mcs,bler\n" + "x" * 200_000)
    with pytest.raises(TableProblem, match="line 2: can't be read as CSV: field larger than field limit"):
        read(str(tmp_path / "b.csv"))


def test_the_engine_refuses_a_table_without_a_scheme_and_rates_without_thresholds(tmp_path: Path) -> None:
    scenario = cell(tmp_path, f"{HEADER}\n2,0,0.5\n", duration_s=1).resolved()
    two_rates = {"link.rate.thresholds_db": [3, 5], "link.rate.rates_bps": [1e5, 2e5]}
    with pytest.raises(ScenarioError, match="a table without scheme 1 is not allowed"):
        airlink.run(scenario.with_(**two_rates), seed=1)
    with pytest.raises(ScenarioError, match=r'must be "none" with link\.rate\.kind = "capacity"'):
        scenario.with_(**{"link.rate": {"kind": "capacity", "bandwidth_hz": 1e6}})


def test_the_cell_of_the_study_with_a_table_of_its_curve_retransmits_as_with_the_curve(tmp_path: Path) -> None:
    """[Kakuda] has block errors from a table by SINR and scheme; here it samples the study's curve every 0.05 dB."""
    cell = ready("imt-advanced").with_(duration_s=2.5)
    link: Any = cell.link
    curve, thresholds = link.errors.curve, link.rate.with_numbers().thresholds_db
    rows = [
        f"{threshold + margin:.4f},{mcs},{1 / (1 + math.exp(curve.slope_per_db * (margin + curve.offset_db)))}"
        for mcs, threshold in enumerate(thresholds)
        for margin in np.arange(-25, 25, 0.05)
    ]
    (tmp_path / "bler.csv").write_text("\n".join([HEADER, *rows]))
    of_table = cell.with_(**{"link.errors.curve": {"kind": "table", "file": str(tmp_path / "bler.csv")}})
    found = [airlink.run(one, seed=1).users for one in (cell, of_table)]
    sent, errors = ([float(users[name].sum()) for users in found] for name in ("frames_sent", "frame_errors"))
    shares = [lost / count for lost, count in zip(errors, sent, strict=True)]
    assert min(sent) > 1e5
    assert shares[1] == pytest.approx(shares[0], abs=4.5 * math.sqrt(2 * shares[0] / min(sent)))
