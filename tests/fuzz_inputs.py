"""Inputs that nobody wrote, read by every reader: a value or the project's own error comes out, and soon.

A case is a target and a seed, such as `scenario 17`; its input is grown from a grammar of that target by that seed.
`python tests/fuzz_inputs.py SECONDS [SEED]` reads the cases kept in fuzz_inputs.txt, then new ones; with `case scenario
17` it reads that one. A case that fails is printed with what came out: mend the cause and append the case to
fuzz_inputs.txt.

Left out: what the engine does with a valid scenario (crates/model/tests/tcp_fuzz), and the numbers.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import airlink
from airlink import RequestError, Result, ResultError, Scenario, ScenarioError, engine
from airlink.scenario import Script, json_schema, parse_settings, ready, ready_names
from airlink.scenario.traces import trace_arrays

KEPT = Path(__file__).with_suffix(".txt")
EXPECTED = (ScenarioError, ResultError, RequestError)
MOST_S = 2.0
MOST_BYTES = 500_000_000
BATCH = 20
"""Cases of a target before the next target's turn."""

LETTERS = [
    "",
    "a",
    "[red]",
    "$",
    "\x1b[31m",
    "\u202e",
    "\x00",
    "\udcff",
    "..",
    "/",
    "\n",
    '"',
    "'''",
    "\\",
    "\u0663",
    "=",
    "#",
]
NUMBERS = [
    "0",
    "-1",
    "1",
    "2",
    "5/3",
    "1e308",
    "-0.0",
    "nan",
    "inf",
    "-inf",
    "1e-320",
    "9" * 25,
    "9" * 4301,
    "0x7f",
    "1_0",
    "true",
]


@cache
def names() -> list[str]:
    """Every name of the schema: fields, kinds and choices."""
    found: set[str] = set()

    def gather(held: Any) -> None:
        if isinstance(held, dict):
            found.update(held.get("properties", {}))
            found.update(text for text in held.get("enum", []) if isinstance(text, str))
            found.update([held["const"]] if isinstance(held.get("const"), str) else [])
            for each in held.values():
                gather(each)
        elif isinstance(held, list):
            for each in held:
                gather(each)

    gather(json_schema())
    return sorted(found)


@cache
def bases() -> list[str]:
    """Texts that are valid."""
    return [ready(name).to_toml() for name in ready_names() if "trace" not in name]


@cache
def scripts() -> list[str]:
    return [path.read_text() for path in sorted((Path(__file__).parent / "scripts").glob("*.tcp"))]


def value(draw: random.Random, depth: int = 0) -> str:
    """A value of TOML, or what looks like one."""
    match draw.randrange(9 if depth < 3 else 6):
        case 0 | 1:
            return draw.choice(NUMBERS)
        case 2:
            return repr(draw.uniform(-1, 1) * 10.0 ** draw.randint(-9, 9))
        case 3 | 4:
            return json.dumps(draw.choice(names()))
        case 5:
            return json.dumps(draw.choice(LETTERS) * draw.choice([1, 1, 1, 300]), ensure_ascii=draw.random() < 0.5)
        case 6 | 7:
            inner = ", ".join(value(draw, depth + 1) for _ in range(draw.choice([0, 1, 2, 3])))
            return "[" * (repeated := draw.choice([1, 1, 1, 1, 60])) + inner + "]" * repeated
        case _:
            pairs = (f"{key(draw)} = {value(draw, depth + 1)}" for _ in range(draw.randrange(4)))
            return "{" + ", ".join(pairs) + "}"


def key(draw: random.Random) -> str:
    """A key, dotted now and then."""
    parts = [
        draw.choice(names()) if draw.random() < 0.9 else json.dumps(draw.choice(LETTERS))
        for _ in range(draw.choice([1, 1, 1, 2, 3]))
    ]
    return ".".join(parts)


def mutated(draw: random.Random, text: str) -> str:
    """A text with some lines changed, doubled, moved, cut or left out."""
    lines = text.splitlines()
    for _ in range(draw.choice([1, 1, 2, 3, 8])):
        place = draw.randrange(len(lines))
        match draw.randrange(7):
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, draw.choice(lines))
            case 2:
                lines.insert(place, f"{key(draw)} = {value(draw)}")
            case 3:
                lines[place] = lines[place].split("=")[0] + "= " + value(draw)
            case 4:
                cut = draw.randrange(len(lines[place]) + 1)
                lines[place] = lines[place][:cut] + draw.choice([*LETTERS, *NUMBERS]) + lines[place][cut + 1 :]
            case 5:
                lines.insert(place, draw.choice(["[{}]", "[[{}]]"]).format(key(draw)))
            case _:
                lines[place] = lines[place] * draw.choice([2, 50])
        if not lines:
            lines = [""]
    return "\n".join(lines) + "\n"


def of_scenario(draw: random.Random, _: Path) -> tuple[str, Callable[[], object]]:
    text = mutated(draw, draw.choice(bases()))
    return text, lambda: Scenario.from_toml(text).to_json()


def of_settings(draw: random.Random, _: Path) -> tuple[str, Callable[[], object]]:
    settings = []
    for _number in range(draw.choice([1, 1, 2, 4])):
        path = ".".join(
            draw.choice([*names(), "0", "1", "*", "99", "", "\u0663"]) for _ in range(draw.choice([1, 2, 2, 3, 60]))
        )
        path = path.replace(".0", "[0]") if draw.random() < 0.3 else path
        settings.append(draw.choice(["{}={}", "{}={}", "{} = {}", "{}{}", "{}={}\n"]).format(path, value(draw)))
    base = draw.choice(bases())
    return "\n".join(settings), lambda: Scenario.from_toml(base, overrides=settings).to_json()


def of_trace(draw: random.Random, place: Path) -> tuple[str, Callable[[], object]]:
    cell = [*NUMBERS, "", "-", "NaN", '"1"', " 1 ", "time", "snr", *LETTERS]
    separator = draw.choice([",", ",", ";", "\t", " ", "  "])
    rows = [
        separator.join(
            draw.choice(cell) if draw.random() < 0.3 else str(row * draw.choice([1, 1, 1, -1]))
            for _ in range(draw.choice([1, 2, 2, 3]))
        )
        for row in range(draw.randrange(12))
    ]
    data = draw.choice(["\n", "\n", "\r\n", "\r"]).join(rows).encode("utf-8", "surrogateescape")
    match draw.randrange(10):
        case 0:
            data = gzip.compress(data, mtime=0)
        case 1:
            columns = {name: [draw.choice([row, row / 3, None]) for row in range(9)] for name in ("time", "snr", "1")}
            sink = io.BytesIO()
            pq.write_table(pa.table(columns), sink, compression=draw.choice(["none", "snappy", "gzip"]))
            data = sink.getvalue()
    data = bytes(byte ^ (draw.random() < 0.002) * draw.randrange(256) for byte in data)
    (place / "t").write_bytes(data)
    fields = {
        "kind": '"trace"',
        "files": json.dumps([str(place / "t")]),
        "quantity": draw.choice(['"snr_db"', '"rate_bps"']),
        "format": draw.choice(['"csv"', '"mahimahi"']),
    }
    for name in (
        "separator",
        "value_column",
        "time_column",
        "time_unit",
        "row_interval_s",
        "missing",
        "value_scale",
        "averaging_ms",
    ):
        if draw.random() < 0.3:
            fields[name] = draw.choice(
                ['"1"', '"2"', '"time"', '"ms"', '"tab"', '"blanks"', "1.0", "1e-3", "1e9", value(draw)]
            )
    if draw.random() < 0.1:
        fields["value_columns"] = draw.choice(['["1"]', '["*"]', '["s*"]', '["2", "1"]', value(draw)])
    placement = ", ".join(f"{name} = {text}" for name, text in fields.items())
    rate = 'link.rate = {kind = "trace"}\n' if "rate" in fields["quantity"] else ""
    text = f"duration_s = 1\nusers = 1\nslot.duration_ms = 1\n{rate}channel.placement = {{{placement}}}\n[[flows]]\n"
    return f"{text}\n{data!r}", lambda: trace_arrays(Scenario.from_toml(text))


def of_script(draw: random.Random, _: Path) -> tuple[str, Callable[[], object]]:
    text = mutated(draw, draw.choice(scripts()))
    changes = [f"{key(draw)}={value(draw)}"] if draw.random() < 0.3 else []
    return f"{changes}\n{text}", lambda: engine.play_script(Script.from_text(text).with_tcp(parse_settings(changes)))


@cache
def stored(place: Path) -> dict[str, bytes]:
    """The files of a whole result."""
    result = airlink.run(ready("dumbbell", ["duration_s=0.1"]), replicas=2, record=["acks"])
    folder = result.save(place / "whole")
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def changed(draw: random.Random, held: Any) -> Any:
    """A description with one of its values, at any depth, replaced."""
    if isinstance(held, dict | list) and held and draw.random() < 0.9:
        step = draw.choice(list(held) if isinstance(held, dict) else range(len(held)))
        if draw.random() < 0.1:
            del held[step]
        else:
            held[step] = changed(draw, held[step])
        return held
    return draw.choice(
        [
            None,
            True,
            0,
            -1,
            2**64,
            1.5,
            float("inf"),
            "",
            "../users",
            "/etc/passwd",
            "\x1b",
            [],
            {},
            [[]],
            {"a": {}},
            ["acks"],
            "9" * 99,
        ]
    )


def of_result(draw: random.Random, place: Path) -> tuple[str, Callable[[], object]]:
    files = dict(stored(place))
    name = draw.choice([*files, "result.json", "result.json", "result.json"])
    if name == "result.json" and draw.random() < 0.8:
        files[name] = json.dumps(changed(draw, json.loads(files[name]))).encode()
    else:
        data = bytearray(files[name])
        for _ in range(draw.choice([1, 1, 4, 40])):
            data[draw.randrange(len(data))] = draw.randrange(256)
        files[name] = bytes(data[: draw.choice([len(data), len(data), draw.randrange(len(data))])])
    folder = place / "o"
    shutil.rmtree(folder, ignore_errors=True)
    for each, content in files.items():
        (folder / each).parent.mkdir(parents=True, exist_ok=True)
        (folder / each).write_bytes(content)
    return f"{name}: {files[name]!r}", lambda: Result.load(folder).digest()


TARGETS: dict[str, Callable[[random.Random, Path], tuple[str, Callable[[], object]]]] = {
    "scenario": of_scenario,
    "settings": of_settings,
    "trace": of_trace,
    "script": of_script,
    "result": of_result,
}


def failure(target: str, seed: int, place: Path) -> str:
    """What a case shows that it must not; empty if nothing."""
    text, read = TARGETS[target](random.Random(f"{target} {seed}"), place)
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        read()
    except EXPECTED as error:
        told = str(error)
        if not told.strip() or not all(letter.isprintable() or letter == "\n" for letter in told):
            return f"a message that must not be shown: {told!r}\n{text}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{traceback.format_exc()}\n{text}"
    if time.process_time() - began > MOST_S:
        return f"{time.process_time() - began:.1f} s\n{text}"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return f"{grown / 1e6:.0f} MB\n{text}" if grown > MOST_BYTES else ""


def searched(seconds: float, seed: int, place: Path) -> int:
    """Reads kept and new cases; returns how many failed."""
    counts, failed = Counter[str](), 0
    cases = [(line.split()[0], int(line.split()[1])) for line in KEPT.read_text().splitlines() if line]
    end, first = time.monotonic() + seconds, seed * 1_000_000_000
    while True:
        for target, number in cases:
            counts[target] += 1
            if wrong := failure(target, number, place):
                failed += 1
                sys.stdout.write(f"FAILED {target} {number}\n{wrong[:3000]}\n")
        if time.monotonic() > end:
            break
        cases = [(target, first + counts[target] + step) for target in TARGETS for step in range(BATCH)]
    done = ", ".join(f"{count} {target}" for target, count in counts.items())
    sys.stdout.write(f"{sum(counts.values())} inputs read from seed {seed}: {done}; {failed} failed\n")
    return failed


def main(words: list[str]) -> int:
    """The exit code: 1 if a case failed."""
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    place = Path(tempfile.mkdtemp(prefix="airlink-fuzz-"))
    try:
        stored(place)
        if words[0] == "case":
            wrong = failure(words[1], int(words[2]), place)
            sys.stdout.write(f"{wrong}\n" if wrong else "holds\n")
            return bool(wrong)
        seed = int(words[1]) if len(words) > 1 and words[1] else int(time.time())
        return bool(searched(float(words[0]), seed, place))
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(place)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
