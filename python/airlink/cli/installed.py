"""What is installed for what: versions, cores, the width of the engine's loops, traces, packages, programs.

What is missing comes with the words that install it. Left out: versions of programs, which would have to be run.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import which
from typing import NamedTuple

from airlink import engine
from airlink.scenario import ready_names, template

TRACES = "AIRLINK_TRACES"
"""The environment variable that names the folder of measured traces."""

EXTRAS = {
    "pandas": "Result.to_pandas: a table as a pandas frame",
    "polars": "Result.to_polars: a table as a polars frame",
    "xarray": "Result.to_xarray: all tables as a dataset",
    "distributed": "a cluster: --engine dask:ADDRESS",
    "gymnasium": "learning environments: airlink.gym",
    "jupyterlab": "notebooks: the tutorials",
    "cma": "a search for a scheduler: airlink.search",
    "numba": "compiled code of one's own: airlink.own.compiled",
}
"""Packages that airlink does without, and what each is for."""

EXTRA_OF = {"cma": "search", "distributed": "dask", "gymnasium": "gym", "jupyterlab": "notebooks"}
"""The extra that brings a package, where it has another name."""

PROGRAMS = {
    "tshark": "captures: their packets in the terminal",
    "wireshark": "captures: their packets in a window",
    "tcptrace": "captures: each connection in figures",
}
"""Programs that read what `airlink run --record pcap` writes, and what each is for; Debian names its packages so."""


class Fact(NamedTuple):
    """One thing that is or isn't there: its name, what was found (empty if nothing), what it is for."""

    name: str
    found: str
    purpose: str
    missing: str = ""


def facts() -> Iterator[Fact]:
    """What is installed.

    Raises
    ------
    RequestError : AIRLINK_SIMD asks for loops that this machine can't run.
    """
    yield Fact("airlink", engine.engine_version(), "the engine and the command")
    yield Fact("Python", platform.python_version(), "")
    yield Fact("threads", str(engine.thread_count(None)), "cores for replicas; --threads takes fewer")
    left = engine.memory_left()
    yield Fact("memory", "" if left is None else f"{left / 1e9:.1f} GB", "what a run may take", "unknown")
    path = engine.choose_vector_path()
    yield Fact("vector path", path, f"how wide the engine's loops run; {engine.SIMD} chooses, numbers stay the same")
    with_traces = [name for name in ready_names() if f"${{{TRACES}}}" in template(name)]
    traces, scenarios = _traces(), f"folder of measured traces: {', '.join(with_traces)}"
    yield Fact(TRACES, traces, scenarios if traces else f"{scenarios}; export {TRACES}=FOLDER", "not set")
    for name, purpose in PROGRAMS.items():
        yield _optional(name, "found" if which(name) else "", purpose, f"apt install {name}")
    for name, purpose in EXTRAS.items():
        yield _optional(name, _version(name), purpose, f"pip install 'airlink[{EXTRA_OF.get(name, name)}]'")


def _optional(name: str, found: str, purpose: str, how: str) -> Fact:
    """What airlink does without; the purpose says how to install what is missing."""
    return Fact(name, found, purpose if found else f"{purpose}; {how}", "not installed")


def _traces() -> str:
    folder = os.environ.get(TRACES, "")
    return folder if folder and Path(folder).is_dir() else f"{folder}: no such folder" if folder else ""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
