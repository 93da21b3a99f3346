"""A scenario's file or text, with changes: read into tables that need be neither complete nor valid.

Leaves out what the tables mean: `Scenario` is made of them, and finds the other mistakes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from . import block_error_table, introspection
from .errors import NOTHING, Problem, ScenarioError
from .overrides import change, parse
from .source import Unreadable, read_bytes
from .toml import LARGEST_FILE, TomlError, loads
from .traces import read_in


def read(
    source: str | PathLike[str], read_traces: bool = True, overrides: Sequence[str] = ()
) -> tuple[dict[str, Any], list[Problem]]:
    """The tables in a file or a text, changed; and what is wrong with the changes and the trace files.

    A placement whose traces were read stands in the tables as such, with what was read.

    Parameters
    ----------
    source, read_traces, overrides : as `Scenario.from_toml` takes them.

    Raises
    ------
    ScenarioError : the file can't be read or is no TOML; a change is not written as one.
    """
    changes = parse(overrides)
    text, folder = _text_and_folder(source)
    try:
        data = loads(text)
    except TomlError as error:
        file = "" if folder is None else f"{source}: "
        raise ScenarioError([Problem("", NOTHING, f"{file}is not valid TOML: {error}")]) from None
    if folder is not None:
        _find_files_beside(data, folder)
    problems = change(data, changes)
    files = [*read_in(data), *block_error_table.problems_in(data)] if read_traces else []
    return data, [*problems, *files]


def _text_and_folder(source: str | PathLike[str]) -> tuple[str, Path | None]:
    if isinstance(source, str) and ("\n" in source or "=" in source):
        return source, None
    path = Path(source)
    try:
        return read_bytes(path, LARGEST_FILE).decode("utf-8-sig").replace("\r\n", "\n"), path.parent
    except UnicodeDecodeError:
        raise ScenarioError([Problem("", NOTHING, f"{path}: must be text in UTF-8")]) from None
    except Unreadable as error:
        raise ScenarioError([Problem("", NOTHING, f"{path}: {error}")]) from None


def _find_files_beside(data: Mapping[str, Any], folder: Path) -> None:
    """Makes relative paths of traces and of a table of errors count from the folder of the TOML file."""
    placement = introspection.child(introspection.child(data, "channel"), "placement")
    files = introspection.child(placement, "files")
    if isinstance(placement, dict) and isinstance(files, list):
        placement["files"] = [_beside(file, folder) for file in files]
    curve = introspection.child(introspection.child(introspection.child(data, "link"), "errors"), "curve")
    if isinstance(curve, dict) and "file" in curve:
        curve["file"] = _beside(curve["file"], folder)


def _beside(file: Any, folder: Path) -> Any:
    if not isinstance(file, str) or not file or file.startswith("$") or Path(file).is_absolute():
        return file
    return str(folder / file)
