"""A scenario: everything that a run depends on, except the seed.

Defaults exist here and nowhere else. The engine takes every field explicitly (`to_json`).
Leaves out seeds, the number of replicas and what to record: they belong to a run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import Self

from .checks import check
from .fields import Number, Section, Text, about
from .sections import (
    Bottleneck,
    Carrier,
    Channel,
    Link,
    ProportionalFair,
    Queue,
    RateFromMcs,
    RateFromTable,
    Rlc,
    SchedulerKind,
    Slot,
    Trace,
    Upstream,
)
from .traffic import Flow

RADIO = ("slot", "carrier", "channel", "link", "rlc", "queue", "scheduler")
"""The sections of a cell; a scenario has all of them, or a bottleneck."""


@dataclass(frozen=True)
class Radio:
    """The sections of a cell."""

    slot: Slot
    carrier: Carrier
    channel: Channel
    link: Link
    rlc: Rlc
    queue: Queue
    scheduler: SchedulerKind


class Scenario(Section):
    """A cell or a wired bottleneck, its users and their traffic, complete and unchangeable.

    With `[bottleneck]` the sections of the cell (`slot`, `carrier`, `channel`, `link`, `rlc`, `queue`, `scheduler`) are
    left out, and are None in Python.

    Raises
    ------
    ScenarioError : with every mistake at once, when the data are not a valid scenario.
    """

    scenario_version: Annotated[
        Literal[1],
        about("Version of this format; results hold it so that later versions can read them", "", "airlink default"),
    ] = 1
    name: Annotated[str, Text(longest=200), about("A short name, for tables and pictures", "", "airlink default")] = ""
    description: Annotated[str, Text(), about("What it is about", "", "airlink default")] = ""
    duration_s: Annotated[
        float,
        Number(above=0, at_most=1e6),
        about("Simulated time, at least one slot; only whole slots are run", "s", "paper 001, given: 25"),
    ]
    warmup_s: Annotated[
        float,
        Number(at_least=0, at_most=1e6),
        about("Statistics leave out what happens before; must leave at least one whole slot", "s", "airlink default"),
    ] = 0.0
    drain_s: Annotated[
        float,
        Number(at_least=0, at_most=1e6),
        about(
            "After `duration_s` the run goes on for at most so long, traffic and all, until the files and pages "
            "requested in the measured time have ended; nothing else is measured then",
            "s",
            "airlink default",
        ),
    ] = 0.0
    users: Annotated[
        int,
        Number(at_least=1, at_most=100_000, whole=True),
        about("Number of users (terminals), numbered from 0", "", "paper 000, given: 16; paper 001: 21"),
    ]
    slot: Annotated[Slot | None, about("The clock of the air interface; required unless there is a bottleneck")]
    carrier: Annotated[Carrier | None, about("The band and its subchannels")] = Carrier()
    channel: Annotated[Channel | None, about("The radio channel")] = Channel()
    link: Annotated[Link | None, about("From the channel to bits")] = Link()
    rlc: Annotated[Rlc | None, about("How packets fill slots")] = Rlc()
    queue: Annotated[Queue | None, about("What waits at the base station")] = Queue()
    scheduler: Annotated[
        SchedulerKind | None,
        Field(discriminator="kind"),
        about("Who gets a slot", "", "airlink default: proportional fair"),
    ] = ProportionalFair()
    bottleneck: Annotated[
        Bottleneck | None, about("A wired queue instead of the cell", "", "airlink default: a cell")
    ] = None
    upstream: Annotated[Upstream | None, about("A queue that some flows pass first", "", "airlink default: none")] = (
        None
    )
    flows: Annotated[
        tuple[Flow, ...], Field(min_length=1), about("What is sent; numbered in the order of [[flows]], then of users")
    ]

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

    @property
    def longest_s(self) -> float:
        """The longest that a run may take: `duration_s` and `drain_s`, s."""
        return self.duration_s + self.drain_s

    def radio(self) -> Radio | None:
        """The sections of the cell; None with a bottleneck, or when one of them is None."""
        if (
            self.slot is None
            or self.carrier is None
            or self.channel is None
            or self.link is None
            or self.rlc is None
            or self.queue is None
            or self.scheduler is None
        ):
            return None
        return Radio(self.slot, self.carrier, self.channel, self.link, self.rlc, self.queue, self.scheduler)

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
        from .toml import read

        return read(source, read_traces, overrides)

    def to_toml(self) -> str:
        """The scenario as TOML, every field explicit; `from_toml` gives back an equal scenario."""
        from .toml import write

        return write(self)

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
        from .overrides import changed

        return changed(self, changes)

    def override(self, settings: Sequence[str]) -> Scenario:
        """A copy with changes written as on the command line: ``override(["scheduler.kind=tcp_pf"])``.

        Values are TOML; a bare word is taken as text.
        """
        from .overrides import changed, parse

        return changed(self, parse(settings))

    def resolved(self) -> Scenario:
        """A copy with named tables in numbers and the SHA-256 of the trace files, which are read and checked."""
        from .traces import hashed

        numbers = self._with_numbers()
        radio = numbers.radio()
        if radio is None or not isinstance(radio.channel.placement, Trace):
            return numbers
        return numbers._with_channel(radio.channel, hashed(radio.channel.placement))

    def _with_numbers(self) -> Scenario:
        radio = self.radio()
        if radio is None:
            return self
        rate = radio.link.rate
        numbers = self.model_copy(update={"channel": radio.channel.with_numbers()})
        if not isinstance(rate, RateFromTable | RateFromMcs):
            return numbers
        return numbers.model_copy(update={"link": radio.link.model_copy(update={"rate": rate.with_numbers()})})

    def _with_channel(self, channel: Channel, placement: Trace) -> Scenario:
        return self.model_copy(update={"channel": channel.model_copy(update={"placement": placement})})
