"""A candidate: a name, what it makes of `[scheduler]`, and the hash that is written down before the hidden seed is.

    tcp_pf                                              a kind
    'scheduler.kind=lambda, scheduler.exponent=0.6'     settings, as `airlink compare` takes them
    mine.toml                                           a file with a table [scheduler] and nothing else
    mine.py:Mine                                        a class of one's own (`airlink.own`): this runs the file
    mine=...                                            any of them with a name of its own

Other fields of `[scheduler]` stay as a suite's scenario has them, such as its users' delay budgets. Left out: what a
candidate is compared with (`rivals`), and how (`judging`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from airlink.campaign.plan import split
from airlink.engine import RequestError
from airlink.own import NONE, Parts, parts_of
from airlink.scenario import Problem, Scenario, ScenarioError, parse_settings
from airlink.scenario.fields import json_form
from airlink.scenario.sections import ScenarioFields
from airlink.scenario.toml import TomlError, loads
from airlink.suites.cells import cell, downloads

SECTION = "scheduler"
SHORT = 12
"""Letters of a hash that people read."""


@dataclass(frozen=True)
class Candidate:
    """A scheduler that can be put into any scenario of a suite.

    Attributes
    ----------
    name : in tables.
    settings : path of a field below `scheduler` -> its value.
    text : what it is made of, as it is hashed.
    hash : SHA-256 of the text; of code that of `airlink.own.Part`.
    file : the name of the file that it was read from; empty without one.
    own : code that decides instead of `[scheduler]`; none by default.
    place : what names that code, as "mine.py:Mine".
    """

    name: str
    settings: Mapping[str, Any]
    text: str
    hash: str
    file: str = ""
    own: Parts = NONE
    place: str = ""

    @staticmethod
    def of_code(place: str, name: str = "") -> Candidate:
        """The candidate whose slots the code at "FILE.py:NAME" decides; this runs the file.

        Raises
        ------
        OwnError : there is no such code, or it is no scheduler.
        """
        own = parts_of(place)
        assert own.scheduler is not None, "one was given"
        file, _, inner = place.rpartition(":")
        part = own.scheduler
        return Candidate(name or inner, {}, part.text, part.sha256, Path(file).name, own, place)

    @staticmethod
    def of(name: str, settings: Mapping[str, Any], file: str = "") -> Candidate:
        """The candidate with these settings.

        Raises
        ------
        RequestError : a setting of another section, or none that says who gets a slot.
        ScenarioError : settings that no scenario may have.

        Examples
        --------
        >>> Candidate.of("half", {"scheduler.kind": "lambda", "scheduler.exponent": 0.5}).text
        '{"scheduler.exponent": 0.5, "scheduler.kind": "lambda"}'
        """
        elsewhere = [path for path in settings if path.split(".")[0] != SECTION or path == SECTION]
        if elsewhere:
            raise RequestError(f"candidate {name!r} sets {elsewhere[0]}; it may set fields of scheduler only")
        if f"{SECTION}.kind" not in settings:
            raise RequestError(f"candidate {name!r} has no scheduler.kind: airlink list schedulers has them")
        text = json.dumps({path: json_form(value) for path, value in settings.items()}, sort_keys=True)
        made = Candidate(name, dict(settings), text, sha256(text.encode()).hexdigest(), file)
        made.in_place(cell(2, 5, 10, 0, [downloads()]))
        return made

    @property
    def short(self) -> str:
        """The first letters of the hash."""
        return self.hash[:SHORT]

    @property
    def kind(self) -> str:
        """The kind of scheduler; empty of code."""
        return str(self.settings.get(f"{SECTION}.kind", ""))

    @property
    def argument(self) -> str:
        """What was given: the settings as an arm of `airlink compare`, or the place of the code."""
        return self.place or ", ".join(f"{path}={_written(value)}" for path, value in self.settings.items())

    def in_place(self, scenario: Scenario) -> Scenario:
        """The scenario with this scheduler."""
        return scenario.with_(**self.settings)

    def tuned(self, values: Mapping[str, float]) -> Candidate:
        """The same scheduler with other values of its fields."""
        settings = {**self.settings, **{f"{SECTION}.{name}": value for name, value in values.items()}}
        return replace(Candidate.of(self.name, settings), file=self.file)


def read_candidate(text: str) -> Candidate:
    """The candidate that a text names.

    Parameters
    ----------
    text : as above.

    Raises
    ------
    RequestError, ScenarioError : it names none, or one that can't be run.

    Examples
    --------
    >>> read_candidate("mine=scheduler.kind=max_rate").name, read_candidate("tcp_pf").settings
    ('mine', {'scheduler.kind': 'tcp_pf'})
    """
    name, source = _named(text.strip())
    path = Path(source)
    if path.suffix == ".toml":
        return Candidate.of(name or path.stem, _table(path), path.name)
    if ".py:" in source:
        return Candidate.of_code(source, name)
    if path.suffix == ".py":
        raise RequestError(f"{source} names no class of the file: {source}:NAME")
    if "=" in source:
        settings = parse_settings(split(source))
        return Candidate.of(name or str(settings.get(f"{SECTION}.kind", "candidate")), settings)
    if not source:
        raise RequestError(
            "candidate is empty; it must be a kind of scheduler, settings such as "
            "'scheduler.kind=lambda, scheduler.exponent=0.6', a file with a table [scheduler], or mine.py:Mine"
        )
    return Candidate.of(name or source, {f"{SECTION}.kind": source})


def _named(text: str) -> tuple[str, str]:
    """The name that a candidate is given, and the candidate."""
    name, equals, rest = text.partition("=")
    if not equals or "." in name or name.strip() in ScenarioFields.model_fields:
        return "", text
    return name.strip(), rest.strip()


def _table(path: Path) -> dict[str, Any]:
    """The settings in a file's table [scheduler]."""
    try:
        data = loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"{path}: can't be read: {getattr(error, 'strerror', None) or 'no text in UTF-8'}") from None
    except TomlError as error:
        raise ScenarioError([Problem("", None, f"{path}: is not valid TOML: {error}")]) from None
    if set(data) != {SECTION} or not isinstance(data[SECTION], dict):
        held = ", ".join(data) or "nothing"
        raise RequestError(f"{path} has {held}; a candidate's file has a table [scheduler] and nothing else")
    return {f"{SECTION}.{name}": value for name, value in data[SECTION].items()}


def _written(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(json_form(value))
