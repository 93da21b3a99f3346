"""The interface to the engine: a request in, finished replicas out.

Only this package imports `airlink._rust`, but for `scenario.formula`, which asks whether a text is a formula, and
`cli.root`, which asks for the version. Every (scenario, seed) is one job; jobs run in parallel on all cores with the
GIL released. `stream` hands out each replica when it ends, `run` collects them.
"""

from airlink.engine.environments import Arrays, DeclaredPart, Environments, EnvironmentSetting, Sizes, declared_parts
from airlink.engine.extras import MissingExtra, extra
from airlink.engine.questions import Difference, answer_script, play_script, rate_table
from airlink.engine.replica import RecordedSeries, Replica, Size, column_digests, digest
from airlink.engine.request import (
    LEAST_SNAP,
    MOST_JOBS,
    MOST_SNAP,
    MOST_THREADS,
    PCAP,
    RECORD_KINDS,
    Request,
    RequestError,
    checked_record,
    lacking,
    recordable,
    seeds_from,
    thread_count,
)
from airlink.engine.streaming import (
    SIMD,
    CutShort,
    Outcome,
    Progress,
    Stream,
    choose_vector_path,
    collected,
    engine_build,
    engine_version,
    memory_left,
    run,
    stream,
)
from airlink.engine.table import Columns, Table

__all__ = [
    "LEAST_SNAP",
    "MOST_JOBS",
    "MOST_SNAP",
    "MOST_THREADS",
    "PCAP",
    "RECORD_KINDS",
    "SIMD",
    "Arrays",
    "Columns",
    "CutShort",
    "DeclaredPart",
    "Difference",
    "EnvironmentSetting",
    "Environments",
    "MissingExtra",
    "Outcome",
    "Progress",
    "RecordedSeries",
    "Replica",
    "Request",
    "RequestError",
    "Size",
    "Sizes",
    "Stream",
    "Table",
    "answer_script",
    "checked_record",
    "choose_vector_path",
    "collected",
    "column_digests",
    "declared_parts",
    "digest",
    "engine_build",
    "engine_version",
    "extra",
    "lacking",
    "memory_left",
    "play_script",
    "rate_table",
    "recordable",
    "run",
    "seeds_from",
    "stream",
    "thread_count",
]
