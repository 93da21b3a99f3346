"""A result as a folder: result.json (scenario, seeds, version, digests) and Parquet tables.

    result.json        what was run, by which version, and the digest of each replica
    users.parquet      flows.parquet    cell.parquet    one row per replica and user, flow; per replica
    series/KIND.parquet                                 recorded series, with columns replica and seed in front
    captures/POINT-SEED.pcapng                          packets, written while the run went on

A folder appears whole or not at all (`airlink.result.atomic_write`). Captures may be in their place before it;
result.json is written last then: without it a folder holds no result.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from airlink.engine import RECORD_KINDS, CutShort, Replica, Table
from airlink.engine.arrow import arrow
from airlink.own import Text
from airlink.result.atomic_write import Destination, claimed, recover, sync
from airlink.result.captures import Captures, give_room
from airlink.result.errors import ResultError
from airlink.result.folder import (
    CAPTURES,
    DISK_FULL,
    INTERRUPTED,
    MANIFEST,
    NEW,
    PARTS,
    TABLES,
    UNNAMED_MANIFEST,
    check_free,
    description,
    is_filled,
    reading,
    writing,
)
from airlink.result.parquet import LEAST_GROUP_ROWS, changes, group_bounds, opened, schema_of, writer
from airlink.scenario import Scenario, ScenarioError
from airlink.scenario.errors import as_written
from airlink.scenario.moved import of_now

if TYPE_CHECKING:
    from airlink.result.result import Result

FORMAT = 1
FIRST_ROOM = 1 << 18
"""Bytes cut from captures first when the disk is full; doubled each time that this is not enough."""

KEYS = ("replica", "seed")
MANIFEST_KINDS = {"version": str, "interrupted": bool, "record": list, "replicas": list, "scenario": dict}
REPLICA_KINDS = {"seed": int, "digest": str}
CUT_KINDS = {"seed": int, "file": str, "reason": str}
OWN_CODE = "own_code"
OWN_CODE_KINDS = {"role": str, "name": str, "sha256": str, "text": str}
SEAL = "sha256"
"""Key of result.json: a hash of all other keys."""

Types = Mapping[str, str]
"""The columns of a table, and how their numbers are stored."""


@dataclass(frozen=True)
class Stored:
    """What a folder holds."""

    scenario: Scenario
    replicas: list[Replica]
    record: tuple[str, ...]
    version: str
    interrupted: bool
    captures: Captures | None
    own_code: tuple[Text, ...] = ()


def save(result: Result, directory: Path, overwrite: bool) -> Path:
    """Writes the result to the folder; raises ResultExists or ResultError and leaves nothing behind but captures."""
    with claimed(directory) as place:
        return put(result, place, overwrite)


def put(result: Result, place: Destination, overwrite: bool) -> Path:
    """Writes the result to a claimed place, which may already hold its captures; returns its folder.

    An interrupted run does not replace an older result: it is written beside it.
    """
    captures = result.captures
    if captures is not None and captures.folder.resolve() == (place.target / CAPTURES).resolve():
        with writing(place.asked):
            _write_around(captures, result, place.target, place.asked)
            sync(place.target)
        return place.asked
    check_free(place.asked, overwrite)
    return _put(result, place, INTERRUPTED if result.interrupted and is_filled(place.target) else "")


def put_beside(result: Result, place: Destination) -> Path:
    """Writes the result beside its place, which is taken by now; returns its folder."""
    return _put(result, place, NEW)


def _put(result: Result, place: Destination, ending: str) -> Path:
    """Writes the result beside its place and moves it there; with `ending`, keeps it beside under that name."""
    captures = result.captures
    has_captures = captures is not None and captures.folder.resolve() == (place.new / CAPTURES).resolve()
    with writing(place.asked):
        if captures is not None and has_captures:
            _write_around(captures, result, place.new, place.asked)
        else:
            place.new.mkdir()
            _write_all(result, place.new)
    if ending:
        folder = place.put_beside(ending)
    else:
        place.put()
        folder = place.asked
    if captures is not None and has_captures:
        result.captures = captures.moved(folder / CAPTURES)
    return folder


def _write_around(captures: Captures, result: Result, directory: Path, asked: Path) -> None:
    """Writes the tables beside the captures; on a full disk the ends of captures are cut."""
    room = FIRST_ROOM
    while True:
        try:
            return _write_all(result, directory)
        except OSError as error:
            _remove_tables(directory)
            if error.errno not in DISK_FULL:
                raise
            cut = give_room(captures.folder, room)
            if cut is None:
                raise ResultError(f"{asked}: the disk is full; no tables were written") from None
        if cut not in captures.cut_short:
            captures.cut_short.append(cut)
        room *= 2


def _remove_tables(directory: Path) -> None:
    for name in PARTS - {CAPTURES}:
        path = directory / name
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def load(directory: Path) -> Stored:
    """Reads a folder; series are read when used."""
    recover(directory)
    manifest = _manifest(directory)
    with reading(directory):
        count = len(manifest["replicas"])
        seeds = [entry["seed"] for entry in manifest["replicas"]]
        types = manifest.get("columns", {})
        tables = {name: _parts(directory / f"{name}.parquet", seeds, types.get(name)) for name in TABLES}
        for name, parts in tables.items():
            rows = manifest.get("rows", {}).get(name)
            if rows is not None and rows != sum(len(next(iter(part.values()))) for part in parts):
                raise ResultError(
                    f"{directory}: not a whole result: {name}.parquet has not the {rows} rows of {MANIFEST}"
                )
            if len(parts) != count:
                told = f"{count} replicas in {MANIFEST}, {len(parts)} in {name}.parquet"
                raise ResultError(f"{directory}: not a whole result: {told}")
        replicas = [
            Replica(
                seed=entry["seed"],
                users=tables["users"][index],
                flows=tables["flows"][index],
                cell={name: values[0] for name, values in tables["cell"][index].items()},
                series=StoredSeries(directory / "series", manifest, index),
                stored_digest=entry["digest"],
            )
            for index, entry in enumerate(manifest["replicas"])
        ]
    scenario = _scenario(directory / MANIFEST, manifest)
    captures = None
    if manifest.get(CAPTURES) is not None:
        folder = directory / CAPTURES
        cut_short = [CutShort(cut["seed"], folder / cut["file"], cut["reason"]) for cut in manifest[CAPTURES]]
        captures = Captures(folder, cut_short)
    return Stored(
        scenario,
        replicas,
        tuple(manifest["record"]),
        manifest["version"],
        manifest["interrupted"],
        captures,
        tuple(Text(**code) for code in manifest.get(OWN_CODE, ())),
    )


class StoredSeries(Mapping[str, Table]):
    """The series of one stored replica, read when used."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any], replica: int) -> None:
        kinds, types = tuple(manifest["record"]), manifest.get("columns", {})
        self._groups: Mapping[str, Sequence[int]] = manifest.get("groups", {})
        self._folder = folder
        self._kinds = kinds
        self._replica = replica
        self._types = types

    def __getitem__(self, kind: str) -> Table:
        if kind not in self._kinds:
            raise KeyError(kind)
        with reading(self._folder):
            return _without_keys(
                _read(
                    self._folder / f"{kind}.parquet", self._types.get(kind), self._replica, self._groups.get(kind, ())
                )
            )

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


def _write_all(result: Result, folder: Path) -> None:
    columns = {name: _write(name, iter([result.table(name)]), folder / f"{name}.parquet") for name in TABLES}
    if result.record:
        (folder / "series").mkdir(exist_ok=True)
    for kind in result.record:
        pieces = result.pieces(kind, LEAST_GROUP_ROWS)
        columns[kind] = _write(kind, pieces, folder / "series" / f"{kind}.parquet")
    text = json.dumps(_described(result, columns), indent=2, allow_nan=False)
    (folder / UNNAMED_MANIFEST).write_text(text + "\n", encoding="utf-8")
    sync(folder)
    (folder / UNNAMED_MANIFEST).rename(folder / MANIFEST)


def _described(result: Result, columns: Mapping[str, Written]) -> dict[str, Any]:
    told = {
        "format": FORMAT,
        "version": result.version,
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "interrupted": result.interrupted,
        "record": list(result.record),
        "replicas": [{"seed": replica.seed, "digest": replica.digest} for replica in result.replicas],
        "scenario": json.loads(result.scenario.to_json()),
        "columns": {name: written.types for name, written in columns.items()},
        "rows": {name: columns[name].rows for name in TABLES},
        "groups": {kind: columns[kind].firsts for kind in result.record},
    }
    if result.own_code:
        told[OWN_CODE] = [asdict(code) for code in result.own_code]
    if result.captures is not None:
        told[CAPTURES] = [
            {"seed": cut.seed, "file": cut.file.name, "reason": cut.reason} for cut in result.captures.cut_short
        ]
    return {**told, SEAL: _seal(told)}


def _types(table: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(values.dtype) for name, values in table.items()}


def _seal(told: Mapping[str, Any]) -> str:
    text = json.dumps({name: value for name, value in told.items() if name != SEAL}, sort_keys=True)
    return sha256(text.encode()).hexdigest()


def is_as_written(directory: Path) -> bool:
    """Whether result.json is unchanged since it was written; true for a file of an earlier version."""
    manifest = _manifest(directory)
    return bool(manifest.get(SEAL, _seal(manifest)) == _seal(manifest))


def _scenario(path: Path, manifest: Mapping[str, Any]) -> Scenario:
    try:
        return Scenario.from_json(json.dumps(of_now(manifest["scenario"])))
    except (ScenarioError, TypeError, RecursionError) as error:
        first = (str(error).splitlines() or [""])[0]
        made = f"made by airlink {manifest['version']}"
        raise ResultError(f"{path} ({made}): its scenario is not one of this version: {first}") from None


class Written(NamedTuple):
    """The metadata of a stored table; `firsts` is the first replica of each row group."""

    types: Types
    rows: int
    firsts: Sequence[int]


def _write(name: str, pieces: Iterator[Table], path: Path) -> Written:
    """Writes the pieces of a table one after the other; a large piece is split into groups of whole replicas."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    first = next(pieces)
    types = _types(first)
    replicas: list[int] = []
    ends: list[int] = [0]
    arrow_types = {column: pa.from_numpy_dtype(values.dtype) for column, values in first.items()}
    schema = schema_of(name, arrow_types, {"airlink_table": name, "airlink_format": str(FORMAT)})
    with writer(path, schema) as file:
        piece: Table | None = first
        del first
        while piece is not None:
            whole = pa.Table.from_arrays([arrow(values) for values in piece.values()], schema=schema)
            bounds = group_bounds(changes(piece["replica"]), piece.rows, LEAST_GROUP_ROWS)
            for start, stop in itertools.pairwise(bounds):
                file.write_table(whole.slice(start, stop - start))
            ids, counts = np.unique(piece["replica"], return_counts=True)
            replicas += ids.tolist()
            ends += (ends[-1] + np.cumsum(counts)).tolist()
            # One piece in memory at a time.
            del whole, piece
            piece = next(pieces, None)
    groups = pq.read_metadata(path)
    starts = np.cumsum([0, *(groups.row_group(group).num_rows for group in range(groups.num_row_groups))])[:-1]
    places = np.searchsorted(ends[1:], starts, side="right")
    return Written(types, ends[-1], [replicas[place] if place < len(replicas) else 0 for place in places])


def _read(path: Path, types: Types | None, replica: int | None = None, firsts: Sequence[int] = ()) -> Table:
    """A table, or the rows of one replica; `firsts` has the first replica of each group of rows."""
    with opened(path) as file:
        groups = range(file.num_row_groups)
        if replica is not None and len(firsts) == len(groups):
            groups = groups[max(0, bisect_left(firsts, replica) - 1) : bisect_right(firsts, replica)]
        stored = file.read_row_groups(list(groups), use_threads=False)
        table = Table({name: stored[name].to_numpy() for name in stored.column_names})
        if replica is not None:
            own = table["replica"] == replica
            table = Table({name: values[own] for name, values in table.items()})
    found = _types(table)
    if types is None:
        unfit = [name for name in found if np.dtype(found[name]).kind not in "biuf"]
    else:
        unfit = [name for name in {**found, **types} if found.get(name) != types.get(name)]
    if unfit:
        wrong = unfit[0]
        is_there = f"holds {found[wrong]}" if wrong in found else "is missing"
        raise ResultError(f"{path}: not a whole result: column {wrong} {is_there}")
    return table


def _parts(path: Path, seeds: Sequence[int], types: Types | None) -> list[Table]:
    """The table of each of `count` replicas, or of as many as it has rows of.

    A replica may have no flows at all if no file has arrived.
    """
    table, count = _read(path, types), len(seeds)
    replica = table["replica"].astype(np.int64)
    found = np.unique(replica)
    if (np.diff(replica, prepend=0) < 0).any():
        raise ResultError(f"{path}: not a whole result: its replicas are out of order")
    if path.stem != "flows" or (found >= count).any():
        count = found.size
    elif not np.array_equal(table["seed"], np.array(seeds, dtype=np.uint64)[replica]):
        raise ResultError(f"{path}: not a whole result: its seeds are others than those in {MANIFEST}")
    bounds = [*np.searchsorted(replica, np.arange(count)).tolist(), replica.size]
    columns = _without_keys(table)
    return [
        Table({name: values[start:stop] for name, values in columns.items()})
        for start, stop in itertools.pairwise(bounds)
    ]


def _without_keys(table: Table) -> Table:
    return Table({name: values for name, values in table.items() if name not in KEYS})


def _manifest(directory: Path) -> dict[str, Any]:
    path = directory / MANIFEST
    manifest = description(path, "result", FORMAT)
    _check_kinds(path, "", manifest, MANIFEST_KINDS)
    for index, entry in enumerate(manifest["replicas"]):
        _check_kinds(path, f"replicas.{index}.", entry, REPLICA_KINDS)
        if not 0 <= entry["seed"] < 2**64:
            raise ResultError(f"{path} is not a result's description: replicas.{index}.seed is no seed")
    _check_lists(path, manifest)
    return manifest


def _check_lists(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raises ResultError for names that no result has, as these names become paths."""
    where = f"{path} is not a result's description:"
    if not manifest["replicas"]:
        raise ResultError(f"{where} replicas is empty")
    record = manifest["record"]
    if not all(isinstance(kind, str) and kind in RECORD_KINDS for kind in record) or len(set(record)) < len(record):
        raise ResultError(f"{where} record is {as_written(record)}; it names kinds of series, each once")
    cuts = manifest.get(CAPTURES, [])
    if not isinstance(cuts, list):
        raise ResultError(f"{where} {CAPTURES} is {as_written(cuts)}")
    for index, code in enumerate(manifest.get(OWN_CODE, [])):
        _check_kinds(path, f"{OWN_CODE}.{index}.", code, OWN_CODE_KINDS)
    for index, cut in enumerate(cuts):
        _check_kinds(path, f"{CAPTURES}.{index}.", cut, CUT_KINDS)
        if not re.fullmatch(r"[a-z]+-[0-9]+\.pcapng", cut["file"]):
            raise ResultError(f"{where} {CAPTURES}.{index}.file is {as_written(cut['file'])}")
    if not isinstance(manifest.get("rows", {}), dict):
        raise ResultError(f"{where} rows is {as_written(manifest['rows'])}")
    groups = manifest.get("groups", {})
    firsts = groups.values() if isinstance(groups, dict) else [None]
    if not all(isinstance(of, list) and all(type(each) is int for each in of) for of in firsts):
        raise ResultError(f"{where} groups is {as_written(groups)}")
    types = manifest.get("columns", {})
    tables = types.values() if isinstance(types, dict) else [types]
    if not all(isinstance(of, dict) and all(isinstance(each, str) for each in of.values()) for of in tables):
        raise ResultError(f"{where} columns is {as_written(types)}")


def _check_kinds(path: Path, where: str, entry: Any, kinds: Mapping[str, type]) -> None:
    for name, kind in kinds.items():
        if not isinstance(entry, dict) or name not in entry:
            raise ResultError(f"{path} is not a whole result's description: {where}{name} is missing")
        if not isinstance(entry[name], kind) or (kind is int and isinstance(entry[name], bool)):
            raise ResultError(f"{path} is not a result's description: {where}{name} is {as_written(entry[name])}")
