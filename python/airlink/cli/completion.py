"""Words that a shell can complete: scenarios, series, measures, studies; `listing` has those of its own.

Each function gets the word as far as it was typed. Left out: folders of results, which shells complete as files,
measures with brackets, which a shell wants quoted, and figures of a study, which would have to be imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import entry_points
from pathlib import Path


def scenarios(incomplete: str) -> list[tuple[str, str]]:
    """Ready scenarios with their titles, and files and folders beside them."""
    from airlink.scenario import READY

    ready = [(name, title) for name, title in READY.items() if name.startswith(incomplete)]
    return ready + [(path, "") for path in _scenario_files(incomplete)]


def ready_scenarios(incomplete: str) -> list[tuple[str, str]]:
    """Ready scenarios with their titles."""
    from airlink.scenario import READY

    return [(name, title) for name, title in READY.items() if name.startswith(incomplete)]


def studies(incomplete: str) -> list[str]:
    """Names of installed studies; none is imported."""
    # Not by `airlink.study`, which draws: a shell waits for this.
    return beginning(sorted({each.name for each in entry_points(group="airlink.studies")}), incomplete)


def series(incomplete: str) -> list[str]:
    """Names of series after the last comma, each once."""
    from airlink.engine import RECORD_KINDS

    before, comma, last = incomplete.rpartition(",")
    taken = set(before.split(","))
    words = [word for word in (*RECORD_KINDS, "all", "pcap") if word not in taken and (word != "all" or not comma)]
    return [before + comma + word for word in beginning(words, last)]


def measures(incomplete: str) -> list[str]:
    """Measures that are a number of each run, as `cell.goodput_bps`."""
    from airlink.measures import POPULATIONS

    numbers = (f"{each.name}.{name}" for each in POPULATIONS.values() for name in each.numbers)
    return beginning(numbers, incomplete)


def beginning(words: Iterable[str], incomplete: str) -> list[str]:
    """Those of the words that begin with what was typed."""
    return [word for word in words if word.startswith(incomplete)]


def _scenario_files(incomplete: str) -> list[str]:
    """Files that end in .toml, and folders, whose paths begin with the word."""
    typed = incomplete.rpartition("/")[0] + "/" if "/" in incomplete else ""
    folder = Path(typed or ".").expanduser()
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    names = [path.name + ("/" if path.is_dir() else "") for path in found if path.suffix == ".toml" or path.is_dir()]
    return beginning((typed + name for name in names if not name.startswith(".")), incomplete)
