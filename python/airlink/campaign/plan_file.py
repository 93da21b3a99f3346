"""A sweep as a file, PLAN.toml.

    scenario = "lte"                          # a ready name, a file (from the plan's folder on), or a table [scenario]
    set = ["duration_s=20"]                   # overrides of the scenario
    seeds = "1-20"                            # or a list
    measures = ["users.p05(goodput_bps)"]
    until = "users.p05(goodput_bps): 2 %"
    most = 400
    hold = ["placement"]
    controls = true

    [axes]                                    # at least one; lists, or texts as -x takes them
    scheduler.kind = ["proportional_fair", "max_rate"]
    scheduler.time_constant_slots = "10..10000:log7"

Only `scenario` is required; the others are as `airlink sweep` has them. Left out: how it is run (engine, store,
folder), which is the command's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from airlink.campaign.asking import Wishes
from airlink.campaign.axes import parse_axes
from airlink.campaign.question import SEEDS
from airlink.campaign.seeds import seeds_of
from airlink.scenario import NOTHING, Problem, Scenario, ScenarioError, read_scenario, ready_names
from airlink.scenario.source import Unreadable, read_bytes
from airlink.scenario.toml import LARGEST_FILE, TomlError, loads

KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "scenario": ((str, dict), "the name of a ready scenario or a file, or a table"),
    "set": ((list,), 'a list of overrides, as ["duration_s=20"]'),
    "axes": ((dict,), "a table of fields with their values"),
    "seeds": ((str, list), 'a text such as "1-20", or a list of whole numbers'),
    "measures": ((list,), 'a list of measures, as ["cell.goodput_bps"]'),
    "until": ((str,), 'a text such as "cell.goodput_bps: 1 %"'),
    "most": ((int,), "a whole number"),
    "hold": ((list,), 'a list, as ["placement"]'),
    "controls": ((bool,), "true or false"),
}
"""The keys of a plan: kinds of values, and the same in words."""

TEXTS = ("set", "measures", "hold")
"""Lists of texts."""


@dataclass(frozen=True)
class PlanFile:
    """What a plan asks: `sweep_question` takes its parts."""

    scenario: Scenario
    axes: Mapping[str, Sequence[Any]]
    wishes: Wishes


def is_plan(path: Path) -> bool:
    """Whether a file is a plan rather than a scenario: it has a key `scenario` or `axes`, which no scenario has."""
    if path.suffix != ".toml" or not path.is_file():
        return False
    try:
        return not {"scenario", "axes"}.isdisjoint(loads(read_bytes(path, LARGEST_FILE).decode("utf-8-sig")))
    except (Unreadable, TomlError, UnicodeDecodeError):
        return False


def read_plan(path: Path) -> PlanFile:
    """The plan in a file.

    Raises
    ------
    ScenarioError : all mistakes, each with its path in the file.
    """
    data = _loaded(path)
    problems = list(_problems(data))
    if problems:
        raise ScenarioError(problems)
    axes, wrong = _axes(data.get("axes", {}))
    try:
        scenario = _scenario(data["scenario"], data.get("set", []), path.parent)
    except ScenarioError as error:
        raise ScenarioError([*error.problems, *wrong], error.more) from None
    if wrong:
        raise ScenarioError(wrong)
    seeds = data.get("seeds", SEEDS)
    wishes = Wishes(
        seeds=seeds_of(seeds) if isinstance(seeds, str) else seeds,
        measures=data.get("measures", []),
        until=data.get("until"),
        most=data.get("most"),
        hold=data.get("hold", []),
        controls=data.get("controls", False),
    )
    return PlanFile(scenario, axes, wishes)


def _loaded(path: Path) -> dict[str, Any]:
    try:
        return loads(read_bytes(path, LARGEST_FILE).decode("utf-8-sig").replace("\r\n", "\n"))
    except Unreadable as error:
        raise ScenarioError([Problem("", NOTHING, f"{path}: {error}")]) from None
    except UnicodeDecodeError:
        raise ScenarioError([Problem("", NOTHING, f"{path}: must be text in UTF-8")]) from None
    except TomlError as error:
        raise ScenarioError([Problem("", NOTHING, f"{path}: is not valid TOML: {error}")]) from None


def _problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    if "scenario" not in data:
        yield Problem("scenario", NOTHING, f"is required; it must be {KINDS['scenario'][1]}")
    for name, value in data.items():
        if name not in KINDS:
            near = get_close_matches(name, KINDS, 1)
            perhaps = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(KINDS)}"
            yield Problem(name, value, f"is not a key of a plan{perhaps}")
            continue
        kinds, words = KINDS[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            yield Problem(name, value, f"must be {words}")
        elif isinstance(value, list):
            yield from _of_list(name, value)


def _of_list(name: str, values: Sequence[Any]) -> Iterator[Problem]:
    kind, noun = (str, "text") if name in TEXTS else (int, "a whole number")
    for place, value in enumerate(values):
        if not isinstance(value, kind) or isinstance(value, bool):
            yield Problem(f"{name}.{place}", value, f"must be {noun}")


def _axes(table: Mapping[str, Any]) -> tuple[dict[str, tuple[Any, ...]], list[Problem]]:
    """The axes of the table, by path, and what is wrong with them."""
    axes: dict[str, tuple[Any, ...]] = {}
    problems: list[Problem] = []
    for path, value in _leaves(table):
        if isinstance(value, str):
            try:
                axes |= parse_axes([f"{path}={value}"])
            except ScenarioError as error:
                problems += [Problem(f"axes.{each.path}", each.value, each.message) for each in error.problems]
        elif isinstance(value, list) and value:
            axes[path] = tuple(value)
        else:
            problems.append(Problem(f"axes.{path}", value, 'must be a list of values, or a text such as "1..5"'))
    return axes, problems


def _leaves(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        path = f"{above}.{name}" if above else name
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, path)
        else:
            yield path, value


def _scenario(source: str | dict[str, Any], overrides: Sequence[str], folder: Path) -> Scenario:
    if isinstance(source, dict):
        scenario = Scenario(**source)
        return scenario.override(overrides) if overrides else scenario
    beside = folder / source
    return read_scenario(str(beside) if beside.is_file() or source not in ready_names() else source, overrides)
