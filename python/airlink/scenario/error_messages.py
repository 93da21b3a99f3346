"""Turns pydantic's errors into problems that say what is allowed, and finds the rest of the mistakes too.

Checks between fields need a complete scenario. When single fields are wrong, they are replaced by
something harmless, and only those findings are kept that don't depend on a replaced field.
Leaves out trace files (`traces`).
"""

from __future__ import annotations

import copy
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from . import introspection, moved
from .errors import NOTHING, Problem, ScenarioError
from .fields import Section
from .introspection import Step

UNITS = re.compile(r"_(s|ms|us|ns|k?hz|mhz|ghz|dbm?|[kmg]?bps|bytes|bits|k?m|mps|kmh|slots2?|packets|segments)$")
HARMLESS = {("duration_s",): 1.0, ("users",): 1, ("slot",): {"duration_ms": 1000}, ("flows",): [{}]}
ROUNDS = 20
MOST_TOLD = 100
"""Most mistakes reported of one scenario: a file with thousands is another file."""


def explained(root: type[Section], data: Mapping[str, Any], error: ValidationError) -> ScenarioError:
    """Every mistake in `data`, of which `error` is what pydantic found."""
    if error.error_count() > MOST_TOLD:
        told = list(itertools.islice(_problems(root, data, error), MOST_TOLD))
        return ScenarioError(told, more=error.error_count() - MOST_TOLD)
    problems = list(_problems(root, data, error))
    repaired, replaced = data, set[str]()
    for _ in range(ROUNDS):
        repaired = _repaired(repaired, error, replaced)
        try:
            root.__pydantic_validator__.validate_python(repaired)
            break
        except ValidationError as remaining:
            error, details = remaining, remaining.errors(include_url=False)
            if all(detail["type"] == "scenario_checks" for detail in details):
                found = [problem for detail in details for problem in detail["ctx"]["problems"]]
                problems += [problem for problem in found if not _depends(problem, replaced)]
                break
    return ScenarioError(dict.fromkeys(problems) if _hashable(problems) else problems)


def path_of(steps: Sequence[Step]) -> str:
    """Steps as an override names them: flows.0.tcp.mss_bytes."""
    return ".".join(map(str, steps))


def _hashable(problems: list[Problem]) -> bool:
    try:
        return bool({hash(problem) for problem in problems}) or True
    except TypeError:
        return False


def _problems(root: type[Section], data: object, error: ValidationError) -> Iterator[Problem]:
    for detail in error.errors(include_url=False):
        if detail["type"] == "scenario_checks":
            yield from detail["ctx"]["problems"]
        elif not _follows_from_items(detail):
            yield _problem(root, data, detail)
            yield from _moved_with_their_kind(data, detail)


def _moved_with_their_kind(data: object, detail: ErrorDetails) -> Iterator[Problem]:
    """The new places of the fields beside a kind of `[scheduler]` that is in `[experimental]` now."""
    table = detail["input"]
    if detail["type"] != "union_tag_invalid" or not isinstance(table, Mapping):
        return
    if not moved.experimental_place("", "kind", table.get("kind")):
        return
    steps = _steps(data, detail["loc"])
    for name, value in table.items():
        place = f"experimental.scheduler.{name}"
        if name == "kind" or name in moved.OF_EVERY_SCHEDULER:
            continue
        if (renamed := moved.new_place("Scheduler", name)) is not None:
            place = path_of([*steps, renamed])
        word = moved.new_word(name, value)
        yield Problem(
            path_of([*steps, name]), value, f"is now {place}" + (f" = {json.dumps(word)}" if word is not None else "")
        )


def _follows_from_items(detail: ErrorDetails) -> bool:
    """True for "too short" of a list whose items were refused: it isn't short."""
    return detail["type"] == "too_short" and bool(detail["input"])


def _problem(root: type[Section], data: object, detail: ErrorDetails) -> Problem:
    steps = _steps(data, detail["loc"])
    context = detail.get("ctx", {})
    above = introspection.section_at(root, data, steps[:-1])
    info = above.model_fields.get(str(steps[-1])) if above and steps else None
    allowed = introspection.allowed(info) if info is not None else ""
    match detail["type"]:
        case "airlink" if "index" in context:
            return Problem(path_of([*steps, context["index"]]), context["item"], context["message"])
        case "airlink":
            return Problem(path_of(steps), detail["input"], _old_word(steps, detail["input"]) or context["message"])
        case "missing":
            meaning = f" ({info.description})" if info is not None and info.description else ""
            return Problem(path_of(steps), NOTHING, f"is missing{meaning}; must be {allowed}")
        case "extra_forbidden":
            message = _moved(above, steps, detail["input"]) or _unknown(root, above, str(steps[-1]), steps[:-1])
            return Problem(path_of(steps), detail["input"], message)
        case "union_tag_not_found":
            return Problem(path_of([*steps, "kind"]), NOTHING, f"is missing; must be {_kinds(root, data, steps)}")
        case "union_tag_invalid":
            return _no_kind(root, data, steps, introspection.child(detail["input"], "kind"))
        case "too_short":
            return Problem(path_of(steps), detail["input"], "must be a list of tables, at least one")
        case "literal_error":
            if old := _old_word(steps, detail["input"]):
                return Problem(path_of(steps), detail["input"], old)
            near = get_close_matches(str(detail["input"]), allowed.replace('"', "").replace(",", "").split(), 1)
            return Problem(path_of(steps), detail["input"], f"must be {allowed}{_perhaps(near)}")
        case _:
            message = _no_table(info, steps, detail["input"]) or f"must be {detail['msg']}"
            return Problem(path_of(steps), detail["input"], message)


def _no_table(info: FieldInfo | None, steps: Sequence[Step], given: object) -> str:
    """What to say of something that should be a table; of the word of a kind, where it is written."""
    if info is not None and isinstance(given, str) and given in introspection.kinds_of(info):
        return f'must be a table; write {path_of(steps)}.kind = "{given}"'
    if isinstance(steps[-1] if steps else "", int):
        return "must be a table"
    allowed = introspection.allowed(info) if info is not None else ""
    return f"must be {allowed}" if allowed else ""


def _no_kind(root: type[Section], data: object, steps: Sequence[Step], given: object) -> Problem:
    """What to say of a kind that a table does not have."""
    path = path_of([*steps, "kind"])
    if control := moved.experimental_place("", "kind", given):
        return Problem(path, given, f'is now {control} = "{given}"')
    near = get_close_matches(str(given), _kind_names(root, data, steps), 1)
    return Problem(path, given, f"must be {_kinds(root, data, steps)}{_perhaps(near)}")


def _steps(data: object, location: Sequence[Step]) -> list[Step]:
    """The location without the tags that pydantic puts in after a field with a `kind`."""
    steps: list[Step] = []
    for step in location:
        if isinstance(data, Mapping) and step not in data and step == data.get("kind"):
            continue
        steps.append(step)
        data = introspection.child(data, step)
    return steps


def _kind_names(root: type[Section], data: object, steps: Sequence[Step]) -> list[str]:
    above = introspection.section_at(root, data, steps[:-1])
    info = above.model_fields.get(str(steps[-1])) if above else None
    return list(introspection.kinds_of(info)) if info is not None else []


def _kinds(root: type[Section], data: object, steps: Sequence[Step]) -> str:
    return introspection.one_of(_kind_names(root, data, steps))


def _perhaps(near: Sequence[str]) -> str:
    return f'; did you mean "{near[0]}"?' if near else ""


def _unknown(root: type[Section], section: type[Section] | None, name: str, above: Sequence[Step]) -> str:
    """What to say of a field that doesn't exist: the nearest name, where it belongs, or all names."""
    names = list(section.model_fields) if section else []
    same_stem = [known for known in names if _stem(known) == _stem(name)]
    if same_stem:
        return f"is not a field here; did you mean {same_stem[0]}? (mind the unit)"
    near = get_close_matches(name, names, 1, 0.75)
    near = near or [known for known in names if _stem(known).endswith("_" + _stem(name))]
    if not near:
        homes = _homes(root, name)
        if homes:
            return (
                f"is not a field here; {_delete(above, homes)}it belongs to {' or '.join(homes)}{_as_path(homes, name)}"
            )
        near = get_close_matches(name, names, 1)
    if near:
        return f"is not a field here; did you mean {' or '.join(near)}?"
    place = "the top of the file"
    if above:
        head = path_of([step for step in above if not isinstance(step, int)])
        place = f"[[{head}]]" if isinstance(above[-1], int) else f"[{head}]"
    return f"is not a field here; {place} may hold {', '.join(names)}"


def _moved(section: type[Section] | None, steps: Sequence[Step], value: object) -> str:
    """What to say of a field of version 1 that has another place now; nothing of any other."""
    if section is None:
        return ""
    name = str(steps[-1])
    if control := moved.experimental_place(section.__name__, name, value):
        return f"is now {control}"
    if section.__name__ == "Clamp" and name == "kind" and value == moved.NO_CLAMP:
        return "is now no [flows.tcp.clamp] at all"
    place = moved.new_place(section.__name__, name)
    if place is None or (name in moved.RENAMED and place not in section.model_fields):
        return ""
    word = moved.new_word(name, value)
    return f"is now {path_of([*steps[:-1], place])}" + (f" = {json.dumps(word)}" if word is not None else "")


def _old_word(steps: Sequence[Step], value: object) -> str:
    """What to say of the version, or of a word, of version 1; nothing of any other value."""
    if steps == ["scenario_version"] and value == 1:
        return f"is now {moved.VERSION}: fields have moved and defaults have changed, see docs/version-2.md"
    word = moved.new_word(str(steps[-1]), value) if steps else None
    return f'is now "{word}"' if word is not None else ""


def _homes(root: type[Section], name: str) -> list[str]:
    """The tables that hold a field of that name, or else of that name without its unit."""
    held = [
        (known, _title(path, kind))
        for path, kind, table in introspection.sections(root)
        for known in table.model_fields
    ]
    exact = {title for known, title in held if known == name}
    nearly = {f"{title} as {known}" for known, title in held if _stem(known) == _stem(name)}
    return sorted(exact or nearly)


def _delete(above: Sequence[Step], homes: Sequence[str]) -> str:
    """What to do with a field that only other kinds of the same table have."""
    table = f"[{path_of([step for step in above if not isinstance(step, int)])}]"
    same = any(home.startswith((f"{table} with kind", f"[experimental.{table[1:]}")) for home in homes)
    return "delete it, or choose another kind: " if same else ""


def _as_path(homes: Sequence[str], name: str) -> str:
    """How the field is written in one line, where one table has it."""
    if len(homes) != 1 or " " in homes[0] or homes[0].startswith(("[[", "[flows")):
        return ""
    return f": write {homes[0].strip('[]')}.{name}"


def _title(path: str, kind: str) -> str:
    table = f"[[{path[:-2]}]]" if path.endswith("[]") else f"[{path.replace('[]', '')}]" if path else "the top"
    return f'{table} with kind = "{kind}"' if kind else table


def _stem(name: str) -> str:
    """The name without its unit."""
    return UNITS.sub("", name)


def _repaired(data: Any, error: ValidationError, replaced: set[str]) -> Any:
    """A copy of the data without what the error complains about; `replaced` collects the paths."""
    repaired = _plain(data)
    for detail in error.errors(include_url=False):
        if detail["type"] == "scenario_checks" or _follows_from_items(detail):
            continue
        steps = _steps(data, detail["loc"])
        if detail["type"] == "missing" and tuple(steps) not in HARMLESS:
            steps = steps[:-1]
        while steps and isinstance(steps[-1], int):
            steps = steps[:-1]
        replaced.add(path_of(steps))
        _replace(repaired, steps)
    return repaired


def _replace(data: Any, steps: Sequence[Step]) -> None:
    for step in steps[:-1]:
        data = introspection.child(data, step)
    if not isinstance(data, dict) or not steps:
        return
    data.pop(steps[-1], None)
    if tuple(steps) in HARMLESS:
        data[steps[-1]] = copy.deepcopy(HARMLESS[(str(steps[-1]),)])


def _plain(data: Any) -> Any:
    """A deep copy of tables and lists; everything else is kept."""
    if isinstance(data, Section):
        return data.model_dump()
    if isinstance(data, Mapping):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    return data


def _depends(problem: Problem, replaced: set[str]) -> bool:
    """True when the problem rests on a field that was replaced."""
    paths = (problem.path, *problem.reads)
    return any(_touches(path, other) for path in paths for other in replaced)


def _touches(path: str, other: str) -> bool:
    short, long = sorted((path, other), key=len)
    return not short or long == short or (long.startswith(short) and long[len(short)] == ".")
