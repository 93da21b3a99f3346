"""Trace files: read once, in every format, with the same numbers as a plain reader, and mistakes by their line."""

from __future__ import annotations

import copy
import gzip
import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import airlink
from airlink.cli import app
from airlink.scenario import Scenario, ScenarioError, trace_arrays, trace_facts
from airlink.scenario.traces import files, text
from plain_traces import Form, Mistake, plain

TEXT = """
duration_s = 2
users = 2
slot.duration_ms = 1
link.rate = {kind = "table", name = "1xev-do"}
[channel.placement]
kind = "trace"
files = ["t"]
[[flows]]
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def scenario(**fields: Any) -> Scenario:
    rate = {"link.rate": {"kind": "trace"}} if fields.get("quantity") == "rate_bps" else {}
    return Scenario.from_toml(TEXT, read_traces=False).with_(
        **{f"channel.placement.{name}": value for name, value in fields.items()}, **rate
    )


def read(data: str | bytes, **fields: Any) -> tuple[list[float], list[float]]:
    """Times and values of a file with this content."""
    Path("t").write_bytes(data.encode() if isinstance(data, str) else data)
    arrays = trace_arrays(scenario(**fields))
    return arrays["times_s"][0].tolist(), arrays["values"][0].tolist()


def values(data: str | bytes, **fields: Any) -> list[float]:
    return read(data, **fields)[1]


def refusal(data: str | bytes, **fields: Any) -> str:
    with pytest.raises(ScenarioError) as error:
        read(data, **fields)
    [problem] = error.value.problems
    assert problem.path == "channel.placement.files.0"
    return problem.message


def outcome(action: Callable[[], Any], refused: type[Exception]) -> Any:
    """What comes out of an action, or the text of its refusal."""
    try:
        return action()
    except refused as error:
        return str(error)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were read, in order."""
    paths: list[str] = []
    read_file = files.read

    def counted(path: str) -> bytes:
        paths.append(path)
        return read_file(path)

    monkeypatch.setattr(files, "read", counted)
    return paths


def old(name: str, content: str) -> Path:
    """A file that has not just been written."""
    path = Path(name)
    path.write_text(content)
    os.utime(path, (1, 1))
    return path


class TestReadOnce:
    def test_the_command_run_reads_a_file_once(self, opened: list[str]) -> None:
        old("t", "5\n7\n")
        Path("cell.toml").write_text(TEXT)
        done = CliRunner().invoke(app, ["run", "cell.toml", "--replicas", "3"], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert opened == ["t"]

    def test_run_and_campaign_read_a_file_once(self, opened: list[str]) -> None:
        old("t", "5\n7\n")
        cell = scenario()
        airlink.run(cell, replicas=2)
        assert opened == ["t"]
        loaded = Scenario.from_toml(TEXT)
        plan = {"pf": loaded, "late": loaded.with_(**{"flows.0.start_s": 1})}
        airlink.campaign.run(airlink.campaign.Plan(plan, seeds=(1, 2)))
        assert opened == ["t"] * 2

    def test_what_decides_how_a_file_is_read_is_read_anew(self, opened: list[str]) -> None:
        old("t", "1,5\n2,7\n")
        cell = Scenario.from_toml(TEXT)
        assert trace_arrays(cell.with_(**{"channel.placement.offset_s": 1, "duration_s": 3}))
        assert len(opened) == 1
        for change, expected in (
            ({"value_column": "1"}, [1, 2]),
            ({"value_scale": 2}, [10, 14]),
            ({"missing": "7"}, [5, 5]),
            ({"row_interval_s": 2}, [5, 7]),
        ):
            changed = cell.with_(**{f"channel.placement.{name}": value for name, value in change.items()})
            assert trace_arrays(changed)["values"][0].tolist() == expected
        assert len(opened) == 5
        assert trace_arrays(cell)["values"][0].tolist() == [5, 7]
        assert len(opened) == 5

    def test_a_file_that_changes_is_read_anew_and_what_runs_is_what_is_hashed(self, opened: list[str]) -> None:
        old("t", "5\n7\n")
        cell = Scenario.from_toml(TEXT)
        old("t", "5\n8\n")
        resolved = cell.resolved()
        assert trace_arrays(resolved)["values"][0].tolist() == [5, 8]
        placement = resolved.model_dump()["channel"]["placement"]
        assert placement["sha256"] == (hashlib.sha256(b"5\n8\n").hexdigest(),)
        assert len(opened) == 2

    def test_a_file_named_twice_is_read_once(self, opened: list[str]) -> None:
        old("t", "5\n7\n")
        assert len(trace_arrays(scenario(files=["t", "t"]))["values"]) == 2
        assert opened == ["t"]

    def test_copies_are_equal_whatever_was_read_and_pickles_read_anew(self, opened: list[str]) -> None:
        old("t", "5\n7\n")
        read, unread = Scenario.from_toml(TEXT), Scenario.from_toml(TEXT, read_traces=False)
        assert read == unread
        assert hash(read) == hash(unread)
        for copied in (pickle.loads(pickle.dumps(read)), copy.deepcopy(read)):
            assert copied == read
            assert trace_arrays(copied)["values"][0].tolist() == [5, 7]
        assert len(opened) == 3
        assert len(pickle.dumps(read)) == len(pickle.dumps(unread))

    def test_pyarrow_is_not_imported_without_traces(self) -> None:
        code = (
            "import sys; from airlink.scenario import Scenario;"
            "Scenario.from_toml('duration_s = 1\\nusers = 1\\nslot.duration_ms = 1\\n[[flows]]\\n').resolved();"
            "assert 'pyarrow' not in sys.modules"
        )
        subprocess.run([sys.executable, "-c", code], check=True)


class TestFormats:
    @pytest.mark.parametrize(
        "data",
        [
            "time,snr\n0,5\n1,7\n",
            "time\tsnr\n0\t5\n1\t7\n",
            "time;snr\n0;5\n1;7\n",
            "time snr\n0 5\n1 7\n",
            "  time   snr \n  0\t  5\n 10    7  \n",
            '"time","snr"\n"0","5"\n"1","7"\n',
            '"time, s";"snr"\n0;5\n1;7\n',
            "\ufefftime,snr\r\n0,5\r\n1,7\r\n",
            "# of a drive\ntime,snr\n0,5\n  # a tunnel, 7\n\n1,7",
            "time,snr\r0,5\r1,7\r",
            "time;snr\n0;5,0\n1;7,0\n",
            "5\n7\n",
            "snr (dB)\n5\n7\n",
        ],
    )
    def test_the_separator_is_seen(self, data: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(text, "_line_by_line", None)
        assert values(data) == [5, 7]

    def test_a_separator_is_forced(self) -> None:
        data = "a b,c\n1 2,5\n1 2,7\n"
        assert values(data) == [5, 7]
        assert "2,5" in refusal(data, separator="blanks")
        assert values("1;9\n1;9\n", separator="semicolon", value_column="1") == [1, 1]

    @pytest.mark.parametrize("data", [b"snr\n5\n-\n7\n", b"\xef\xbb\xbfsnr\r\n5\r\n-\r\n7\r\n"])
    def test_gzip_is_told_by_its_content(self, data: bytes) -> None:
        assert values(gzip.compress(data)) == [5, 5, 7]
        path = Path("t")
        assert scenario().resolved().model_dump()["channel"]["placement"]["sha256"] == (
            hashlib.sha256(path.read_bytes()).hexdigest(),
        )

    def test_a_damaged_or_endless_gzip_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        packed = gzip.compress(b"5\n7\n" * 1000)
        assert "can't be unpacked" in refusal(packed[:-9])
        assert "can't be unpacked" in refusal(packed[:12] + b"x" + packed[13:])
        monkeypatch.setattr(files, "LARGEST_FILE", 3999)
        assert "is too large; must have at most 3999 bytes unpacked" in refusal(packed)
        monkeypatch.setattr(files, "LARGEST_FILE", 4000)
        assert len(values(packed)) == 2000

    def test_mahimahi_may_be_packed(self) -> None:
        fields = {"format": "mahimahi", "quantity": "rate_bps"}
        plain_text = b"0\n0\n99\n100\n100\n150\n250\n"
        assert read(gzip.compress(plain_text), **fields) == read(plain_text, **fields)

    def test_parquet_is_told_by_its_content(self) -> None:
        columns = {"time_ms": [0, 500, 1500], "snr": [5.5, None, 7.0], "place": ["a", "b", "c"]}
        pq.write_table(pa.table(columns), "t.parquet")
        data = Path("t.parquet").read_bytes()
        assert read(data, value_column="snr", time_column="time_ms") == ([0, 0.5, 1.5], [5.5, 5.5, 7])
        assert values(data, value_column="1", value_scale=0.1) == [0, 50, 150]
        assert 'its column "place" holds string; must hold numbers' in refusal(data)
        assert 'has no column "SNR"; it has: time_ms, snr, place' in refusal(data, value_column="SNR")
        assert "row 2: the time is missing" in refusal(data, value_column="1", time_column="snr")
        assert "is no readable Parquet file" in refusal(data[:50], value_column="snr")
        pq.write_table(pa.table([[1.0], [2.0]], names=["snr", "snr"]), "t.parquet")
        assert 'has 2 columns "snr"; must have one of that name' in refusal(Path("t.parquet").read_bytes())
        pq.write_table(pa.table({"snr": [5, 400, 7]}), "t.parquet")
        assert "row 2: 400 must be from -200 to 200" in refusal(Path("t.parquet").read_bytes())
        pq.write_table(pa.table({"snr": [5, float("nan")]}), "t.parquet")
        assert "row 2: nan must be a number" in refusal(Path("t.parquet").read_bytes())
        pq.write_table(pa.table({"snr": pa.array([], pa.float64())}), "t.parquet")
        assert "has no rows" in refusal(Path("t.parquet").read_bytes())


class TestDecimalCommas:
    def test_they_are_read_between_semicolons(self) -> None:
        assert values("t;snr\n0;5,25\n1;-7,5\n2;9\n") == [5.25, -7.5, 9]
        assert values("0,5;5\n1,5;7\n", time_column="1", value_column="2") == [5, 7]

    def test_one_that_may_stand_between_thousands_is_refused(self) -> None:
        message = 'line 2: "1,250" must be a number with a decimal point: a comma could also stand between thousands'
        assert message in refusal("t;snr\n0;1,250\n1;2,500\n", value_column="snr")
        assert values("t;snr\n0;1,250\n1;2,5\n", value_column="snr") == [1.25, 2.5]

    def test_points_and_commas_in_one_file_are_refused(self) -> None:
        message = 'line 3: "7.5" must be a number with a decimal comma, as others of this file'
        assert message in refusal("t;snr\n0;5,25\n1;7.5\n")

    def test_with_other_separators_they_are_refused(self) -> None:
        assert 'line 1: "5,25" must be a number with a decimal point' in refusal("0\t5,25\n1\t7,5\n", value_column="2")


class TestUnits:
    @pytest.mark.parametrize(
        ("name", "factor"),
        [
            ("rate_bps", 1),
            ("rate_kbps", 1e3),
            ("rate_mbps", 1e6),
            ("Throughput [Mb/s]", 1e6),
            ("throughput (kbit/s)", 1e3),
            ("Mbps", 1e6),
            ("MBPS", 1e6),
            ("dl.Gbps", 1e9),
            ("DL_bitrate", 1e3),
            ("UL_bitrate", 1e3),
            ("rate", 1),
            ("bitrate", 1),
            ("kb", 1),
        ],
    )
    def test_a_rate_has_the_unit_of_its_name_unless_a_scale_is_given(self, name: str, factor: float) -> None:
        data = f'"{name}"\n5\n'
        assert values(data, quantity="rate_bps") == [5 * factor]
        assert values(data, quantity="rate_bps", value_scale=1) == [5]
        assert values(data, quantity="rate_bps", value_scale=8000) == [40_000]
        assert values(data, value_scale=1) == [5]

    @pytest.mark.parametrize(
        "name",
        ["KiB/s", "Kibps", "avg Mbps (dl)", "mbps_valid", "throughput in kbit per second", "Mb / s", "rate_mbit"],
    )
    def test_a_unit_that_is_not_understood_is_refused(self, name: str) -> None:
        assert f'has a unit in "{name}" that is not understood' in refusal(f"{name}\n5\n", quantity="rate_bps")
        assert values(f"{name}\n5\n", quantity="rate_bps", value_scale=1000) == [5000]

    def test_rates_are_no_snrs_and_finer_times_are_refused(self) -> None:
        assert 'has rates ("rate_Mbps"), not SNRs: give quantity = "rate_bps"' in refusal("rate_Mbps\n5\n")
        assert 'has rates ("DL_bitrate"), not SNRs' in refusal("DL_bitrate\n5\n")
        for name in ("time_us", "Timestamp [ns]"):
            message = f'has times in a unit that is not understood ("{name}"): they must be in s or ms'
            assert message in refusal(f"{name},snr\n0,5\n9,6\n", time_column=name)

    @pytest.mark.parametrize("name", ["rate_MBps", "kB/s", "Rate [MB/s]", "kbytes/s"])
    def test_bytes_are_refused(self, name: str) -> None:
        assert f'has rates in bytes ("{name}"): give value_scale' in refusal(f"{name}\n5\n", quantity="rate_bps")
        assert values(f"{name}\n5\n", quantity="rate_bps", value_scale=8000) == [40_000]

    @pytest.mark.parametrize(
        ("name", "unit_s"),
        [("time_ms", 1e-3), ("time [ms]", 1e-3), ("ms", 1e-3), ("time", 1), ("time_s", 1), ("items", 1)],
    )
    def test_times_have_the_unit_of_their_name_unless_one_is_given(self, name: str, unit_s: float) -> None:
        data = f"{name},snr\n0,5\n250,7\n"
        assert read(data, time_column=name)[0] == [0, 250 * unit_s]
        assert read(data, time_column=name, time_unit="s")[0] == [0, 250]
        assert read(data, time_column=name, time_unit="ms")[0] == [0, 0.25]

    def test_the_measured_rates_of_a_drive_are_in_kb_per_s(self, requires_traces: Path) -> None:
        [file, *_] = sorted((requires_traces / "ucc-5g").glob("*.csv"))
        fields = {"files": [str(file)], "value_column": "DL_bitrate", "quantity": "rate_bps"}
        by_name, given = (trace_arrays(scenario(**fields, **scale)) for scale in ({}, {"value_scale": 1000.0}))
        assert np.array_equal(by_name["values"][0], given["values"][0])


class TestCheck:
    def test_it_says_rows_length_values_and_unit(self) -> None:
        Path("t").write_text("time_ms,rate_kbps\n0,100\n500,-\n1500,2100\n")
        fields = {"quantity": "rate_bps", "time_column": "time_ms"}
        [facts] = trace_facts(scenario(**fields))
        assert (facts.rows, facts.length_s, facts.lowest, facts.highest) == (3, 2.5, 1e5, 2.1e6)
        Path("cell.toml").write_text(scenario(**fields).to_toml())
        done = CliRunner().invoke(app, ["check", "cell.toml"], env={"COLUMNS": "200"}, catch_exceptions=False)
        assert 'trace   t: 3 rows, 2.5 s, 100000 to 2.1e+06 b/s: "rate_kbps" is in kb/s' in done.output
        done = CliRunner().invoke(app, ["check", "cell.toml", "--json"], catch_exceptions=False)
        assert '"rows": 3' in done.output


NUMBER = st.one_of(
    st.integers(5, 150).map(str),
    st.floats(-150, 150).map(repr),
    st.decimals(-150, 150, places=2).map(str),
    st.sampled_from(["1e1", "-2.5E-3", ".5", "5.", "1e-320", "00012.50", "-0"]),
)
UNUSUAL = st.sampled_from(["+9", " 9", "1_0", "nan", "inf", "1e400", "", "x", "0x1f", "-", "\u0667"])


@st.composite
def texts(draw: st.DrawFn, cell: st.SearchStrategy[str]) -> tuple[str, Form, dict[str, Any]]:
    """A file of random rows, what the plain reader must know of it, and how a scenario says which columns are read."""
    separator = draw(st.sampled_from([",", ";", "\t", "blanks"]))
    columns = draw(st.integers(1, 4))
    decimal = draw(st.sampled_from([".", ","])) if separator == ";" and columns > 1 else "."
    first = draw(st.lists(NUMBER, min_size=columns, max_size=columns))
    rows = [first, *draw(st.lists(st.lists(cell, min_size=columns, max_size=columns), max_size=12))]
    timed = columns > 1 and draw(st.booleans())
    if timed:
        for place, row in enumerate(rows):
            row[0] = f"{100 * place + draw(st.integers(0, 90))}"
    header = draw(st.booleans())
    value_at = draw(st.integers(int(timed), columns - 1))
    lines = [[f"c{column}" for column in range(columns)]] * header + rows
    if decimal == ",":
        lines = [[each.replace(".", ",") for each in line] for line in lines]
        lines.insert(header, ["0,25" if place != 0 or not timed else "-1" for place in range(columns)])
    return (
        _written(draw, lines, separator),
        Form(separator, decimal, header, value_at, 0 if timed else None),
        {
            "separator": {",": "comma", ";": "semicolon", "\t": "tab"}.get(separator, separator)
            if columns == 1 or draw(st.booleans())
            else "auto",
            "value_column": f"c{value_at}" if header else str(value_at + 1),
            "time_column": ("c0" if header else "1") if timed else "",
        },
    )


def _written(draw: st.DrawFn, lines: list[list[str]], separator: str) -> str:
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    quoted = draw(st.booleans())
    noise = st.sampled_from(["", "", "", "# 1,2;3\t4", "  # x", " "])
    out = ["\ufeff"] if draw(st.booleans()) else []
    for line in lines:
        between = draw(st.sampled_from([" ", "  ", "\t", " \t "])) if separator == "blanks" else separator
        cells = [
            f'"{each}"' if quoted and '"' not in each else each or ("-" if separator == "blanks" else "")
            for each in line
        ]
        out += [*_noise(draw(noise), end), between.join(cells), end]
    return "".join(out)


def _noise(line: str, end: str) -> list[str]:
    return [line, end] if line else []


class TestAgainstThePlainReader:
    @given(case=texts(NUMBER))
    @settings(max_examples=300, deadline=None)
    def test_any_regular_file_has_the_same_numbers(self, case: tuple[str, Form, dict[str, Any]]) -> None:
        written, form, fields = case
        times, expected = plain(written, form)
        for data in (written.encode(), gzip.compress(written.encode())):
            assert read(data, **fields) == (times, expected)

    @given(case=texts(st.one_of(NUMBER, NUMBER, NUMBER, UNUSUAL)))
    @settings(max_examples=300, deadline=None)
    def test_any_other_file_has_the_same_numbers_or_a_mistake_in_the_same_line(
        self, case: tuple[str, Form, dict[str, Any]]
    ) -> None:
        written, form, fields = case
        expected = outcome(lambda: plain(written, form), Mistake)
        found = outcome(lambda: read(written, **fields), ScenarioError)
        if isinstance(expected, str):
            assert f'"t": line {expected}: ' in str(found)
        else:
            assert found == expected

    @pytest.mark.filterwarnings("error")
    def test_numbers_that_overflow_are_refused_without_a_warning(self) -> None:
        assert "line 1: inf must be from -200 to 200" in refusal("1e308\n", value_scale=1e9)
        far = "-1e308,5\n1e308,5\n1.5e308,5\n"
        assert "must last at most 1e+08 s" in refusal(far, time_column="1")

    def test_a_mistake_in_a_long_file_is_found_by_its_line(self) -> None:
        rows = [f"{row},{row % 100}" for row in range(20_000)]
        rows[12_345] = "12345,3000"
        rows[100] = "# a comment"
        assert "line 12346: 3000 must be from -200 to 200" in refusal("\n".join(rows))
        rows[12_345] = "12345,x"
        assert 'line 12346: "x" must be a number' in refusal("\n".join(rows))
        rows[12_345] = "12300,5"
        assert "line 12346: the time 12300 must be after" in refusal("\n".join(rows), time_column="1")
