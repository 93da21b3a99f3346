"""A scenario: everything that a run depends on, except the seed.

Its fields are declared in the engine (`sections.py`), which takes every one explicitly (`to_json`).
Leaves out seeds, the number of replicas and what to record: they belong to a run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from pydantic import model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import Self

from .block_error_table import with_rows
from .errors import ScenarioError
from .methods import RADIO
from .overrides import change, parse
from .reading import read
from .sections import RateFromMcs, RateFromTable, ScenarioFields
from .toml import write
from .traces import hashed, keep
from .validation import check


class Scenario(ScenarioFields):
    """A cell or a wired bottleneck, its users and their traffic, complete and unchangeable.

    With `[bottleneck]` the sections of the cell (`slot`, `carrier`, `channel`, `link`, `rlc`, `queue`, `scheduler`) are
    left out, and are None in Python.

    Raises
    ------
    ScenarioError : with every mistake at once, when the data are not a valid scenario.
    """

    @model_validator(mode="before")
    @classmethod
    def _without_a_cell(cls, data: Any) -> Any:
        """With a bottleneck the sections of a cell that are not written have no defaults."""
        if not isinstance(data, Mapping) or data.get("bottleneck") is None:
            return data
        return {**dict.fromkeys(RADIO), **data}

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        problems = list(check(self))
        if problems:
            text = "; ".join(str(problem) for problem in problems)
            raise PydanticCustomError("scenario_checks", "{text}", {"text": text, "problems": problems})
        return self

    @classmethod
    def from_toml(
        cls, source: str | PathLike[str], read_traces: bool = True, overrides: Sequence[str] = ()
    ) -> Scenario:
        """The scenario in a TOML file, or in a text of TOML.

        Parameters
        ----------
        source : the file's path, or the text itself (a str with a line break or an equals sign).
        read_traces : also read the trace files, so that their mistakes are reported with the others.
        overrides : changes as `override` takes them, made before anything is checked: only their result must be
            valid. Relative trace paths in them count from the working directory.

        Raises
        ------
        ScenarioError : with every mistake at once.
        """
        data, problems = read(source, read_traces, overrides)
        try:
            scenario = cls(**data)
        except ScenarioError as error:
            raise ScenarioError([*error.problems, *problems], error.more) from None
        if problems:
            raise ScenarioError(problems)
        return scenario

    def to_toml(self) -> str:
        """The scenario as TOML, every field explicit; `from_toml` gives back an equal scenario."""
        return write(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: its name and what it is, with every field folded away."""
        # Loaded when first needed: only a notebook asks for it.
        from html import escape

        told = self.description or f"{self.users} users over {self.duration_s:g} s"
        summary = f"<summary><code>{escape(self.name or 'unnamed')}</code>: {escape(told)}</summary>"
        return f'<details>{summary}<pre style="overflow-x: auto">{escape(self.to_toml())}</pre></details>'

    def to_json(self) -> str:
        """The scenario as the engine takes it: every field explicit, named tables in numbers, infinity "inf".

        Sections that the scenario does without (a cell or a bottleneck, impairments) are left out.
        """
        return json.dumps(self._with_numbers().model_dump(mode="json", exclude_none=True), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Scenario:
        """The scenario that `to_json` wrote."""
        return cls(**json.loads(text))

    def with_(self, **changes: Any) -> Scenario:
        """A copy with changes by path: ``with_(**{"scheduler.kind": "tcp_pf", "flows.0.start_s": 1})``.

        A path step is a field, a number from 0 in a list, or ``*`` for all of a list. A new ``kind``
        drops the fields of the old kind that the new one lacks.
        """
        return self._changed(changes)

    def override(self, settings: Sequence[str]) -> Scenario:
        """A copy with changes written as on the command line: ``override(["scheduler.kind=tcp_pf"])``.

        Values are TOML; a bare word is taken as text.
        """
        return self._changed(parse(settings))

    def _changed(self, changes: Mapping[str, Any]) -> Scenario:
        data = self.model_dump()
        problems = change(data, changes)
        if problems:
            raise ScenarioError(problems)
        changed = Scenario(**data)
        keep(self, changed)
        return changed

    def resolved(self) -> Scenario:
        """A copy with named tables in numbers and the SHA-256 of files, which are read and checked."""
        numbers = self._with_numbers()
        radio, placement = numbers.radio(), hashed(numbers)
        if radio is None or placement is None:
            return numbers
        channel = radio.channel.model_copy(update={"placement": placement})
        return numbers.model_copy(update={"channel": channel})

    def _with_numbers(self) -> Scenario:
        radio = self.radio()
        if radio is None:
            return self
        link = with_rows(radio.link)
        if isinstance(link.rate, RateFromTable | RateFromMcs):
            link = link.model_copy(update={"rate": link.rate.with_numbers()})
        return self.model_copy(update={"channel": radio.channel.with_numbers(), "link": link})
