"""The arms of a comparison as they are written.

    lte  cell.toml                                ready names, scenario files
    scheduler.kind=max_rate                       overrides, of the first arm's scenario
    'scheduler.kind=max_rate, users=4'            several, joined by commas
    airlink-results/k3-1                          the stored result of `airlink run`: its seeds, its numbers
    max=scheduler.kind=max_rate                   any of them with a name of its own

A word before "=" is a name unless it is a field of a scenario; a name has no dot. Left out: what is compared
(`compare`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airlink.campaign.plan import label_of_changes, split
from airlink.campaign.question import Arm
from airlink.engine import RequestError
from airlink.own import NONE, Parts, With, parts_of
from airlink.result import Result
from airlink.result.folder import MANIFEST
from airlink.scenario import Problem, Scenario, ScenarioError, parse_settings, read_scenario, ready_names
from airlink.scenario.introspection import sections
from airlink.scenario.sections import ScenarioFields


@dataclass(frozen=True)
class Arms:
    """What is compared.

    Attributes
    ----------
    arms : label -> scenario.
    results : label -> stored result, of the arms that are not to be run.
    """

    arms: Mapping[str, Arm]
    results: Mapping[str, Result]


def read_arms(texts: Sequence[str], settings: Sequence[str] = ()) -> Arms:
    """The arms of those texts.

    Parameters
    ----------
    texts : as above.
    settings : overrides of every scenario.

    Raises
    ------
    ScenarioError : all mistakes of all scenarios at once.
    RequestError : no scenario to override, two arms of one name, settings for a stored result.
    ResultError : a stored result can't be read.
    """
    arms: dict[str, Arm] = {}
    results: dict[str, Result] = {}
    problems: list[Problem] = []
    first: Scenario | None = None
    for text in texts:
        name, source = _named(text)
        if problems and first is None and _is_change(source):
            continue  # The scenario that it changes is refused: its problems are the ones to tell.
        try:
            label, scenario, result = _read(source, first, settings)
        except ScenarioError as error:
            problems += _as_setting(text, name, source, first, error).problems
            continue
        if (label := name or label) in arms:
            raise RequestError(f"two arms are called {label!r}; name one of them, as in NAME={source}")
        first = first or scenario
        arms[label] = Arm(scenario, source=source, kept=() if result is None else result.own_code)
        if result is not None:
            results[label] = result
    if problems:
        raise ScenarioError({str(problem): problem for problem in problems}.values())
    return Arms(arms, results)


def with_own(given: Arms, code: Mapping[str, Sequence[str] | None]) -> Arms:
    """The arms, and one more for each piece of code of one's own: the first one's scenario with it.

    Parameters
    ----------
    given : the arms so far.
    code : "--scheduler", "--congestion-control" (of all flows with TCP) and "--queue" -> texts "FILE.py:NAME".
    """
    arms = dict(given.arms)
    for option, place in ((option, place) for option, places in code.items() for place in places or ()):
        label = place.rpartition(":")[2]
        if not arms or label in arms:
            raise RequestError(f"{option} {place}: " + ("two arms have this name" if arms else "no arm before it"))
        scenario = next(iter(given.arms.values())).scenario
        parts = _PARTS[option](place, [group for group, flow in enumerate(scenario.flows) if flow.has_tcp()])
        arms[label] = Arm(scenario, source=place, parts=parts)
    return Arms(arms, given.results)


_PARTS: Mapping[str, Callable[[str, Sequence[int]], Parts]] = {
    "--scheduler": lambda place, _: parts_of(place),
    "--congestion-control": lambda place, groups: parts_of(None, dict.fromkeys(groups, place)),
    "--queue": lambda place, _: parts_of(queue=place),
}


def arms_of(given: Mapping[str, Any] | Sequence[Any]) -> Arms:
    """The arms that a caller in Python gives: by label, or in a sequence, where texts are read as `read_arms` does.

    A text beside scenarios by their labels changes the scenario of the first one.
    """
    if isinstance(given, Mapping):
        named = _changed({str(label): each for label, each in given.items()})
    else:
        texts = [each for each in given if isinstance(each, str)]
        if len(texts) == len(given):
            return read_arms(texts)
        named = {}
        for place, each in enumerate(given):
            if isinstance(each, str):
                raise RequestError(f"arm {place} is {each!r}; arms are scenarios and results, or texts all of them")
            scenario = each.scenario if isinstance(each, Result | With) else each
            name = getattr(scenario, "name", "") or f"arm {place}"
            named[name if name not in named else f"{name} {place}"] = each
    parts = {label: each.parts for label, each in named.items() if isinstance(each, With)}
    named = {label: each.scenario if isinstance(each, With) else each for label, each in named.items()}
    wrong = [label for label, each in named.items() if not isinstance(each, Scenario | Result)]
    if wrong:
        raise RequestError(f"arm {wrong[0]!r} is {named[wrong[0]]!r}; it must be a Scenario, a Result or an own.With")
    results = {label: each for label, each in named.items() if isinstance(each, Result)}
    scenarios = {label: each.scenario if isinstance(each, Result) else each for label, each in named.items()}
    arms = {
        label: Arm(scenario, parts=parts.get(label, NONE), kept=results[label].own_code if label in results else ())
        for label, scenario in scenarios.items()
    }
    return Arms(arms, results)


def _changed(named: Mapping[str, Any]) -> dict[str, Any]:
    """The arms, with the first one's scenario, changed, in the place of each text."""
    if not any(isinstance(each, str) for each in named.values()):
        return dict(named)
    first = next(iter(named.values()))
    scenario = first.scenario if isinstance(first, Result | With) else first
    if not isinstance(scenario, Scenario):
        raise RequestError(
            f"arm {next(iter(named))!r} is {first!r}; where texts change the first arm, it is a Scenario"
        )
    return {label: scenario.override(split(each)) if isinstance(each, str) else each for label, each in named.items()}


def _named(text: str) -> tuple[str, str]:
    """The name that an arm is given, and the arm."""
    name, equals, rest = text.partition("=")
    is_field = name.strip().split(".")[0] in ScenarioFields.model_fields or "." in name
    if not equals or Path(text).exists() or is_field:
        if _is_a_name_with_a_dot(name.strip(), rest.strip()) and not Path(text).exists():
            asked, allowed = name.strip(), name.strip().replace(".", "_")
            raise RequestError(f"{asked!r}: the name of an arm may not have a dot; write {allowed}={rest.strip()}")
        return "", text.strip()
    return name.strip(), rest.strip()


def _is_change(source: str) -> bool:
    """Whether an arm changes the first one's scenario: it has values, and is no file or folder."""
    return "=" in source and not Path(source).exists()


def _as_setting(text: str, name: str, source: str, first: Scenario | None, error: ScenarioError) -> ScenarioError:
    """The mistake of an arm; of a name that is a field's without its table, where the field belongs."""
    if first is None or "=" in source or not any(name in each.model_fields for _, _, each in sections(ScenarioFields)):
        return error
    try:
        first.override([text])
    except ScenarioError as mistake:
        return mistake
    return error


def _is_a_name_with_a_dot(name: str, source: str) -> bool:
    """Whether a word with a dot is meant as a name: no field begins so, and what follows is an arm by itself."""
    fields = ScenarioFields.model_fields
    if "." not in name or name.split(".")[0] in fields:
        return False
    path, equals, _ = source.partition("=")
    return (bool(equals) and path.split(".")[0] in fields) or source in ready_names() or Path(source).exists()


def _read(source: str, first: Scenario | None, settings: Sequence[str]) -> tuple[str, Scenario, Result | None]:
    """The label, the scenario and the stored result of an arm."""
    path = Path(source)
    if path.is_dir() and source not in ready_names():
        return _stored(path, settings)
    if not _is_change(source):
        scenario = read_scenario(source, settings)
        return (path.stem if path.is_file() else source), scenario, None
    if first is None:
        raise RequestError(f"{source} changes the first arm's scenario, but no scenario stands before it")
    changes = split(source)
    return label_of_changes(parse_settings(changes)), first.override(changes), None


def _stored(folder: Path, settings: Sequence[str]) -> tuple[str, Scenario, Result]:
    from airlink.campaign.folder import holds_answer

    if holds_answer(folder) and not (folder / MANIFEST).is_file():
        raise RequestError(f"{folder} is an answer; arms are scenarios, overrides and results of airlink run")
    if settings:
        raise RequestError(f"{folder} is a stored result: settings can't change it; give its scenario instead")
    result = Result.load(folder)
    return folder.resolve().name, result.scenario, result
