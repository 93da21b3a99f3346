"""Which of a scenario's parts code of one's own takes the place of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from airlink.own.code import CONGESTION_CONTROL, QUEUE, SCHEDULER, Part, Text
from airlink.own.errors import OwnError
from airlink.own.roles import Given, Run, Stream
from airlink.scenario import Scenario


@dataclass(frozen=True)
class Parts:
    """Code of one's own for a scenario; by default none.

    Attributes
    ----------
    scheduler : decides the slots.
    congestion_controls : by group of flows.
    queue : keeps each user's queue at the base station.
    """

    scheduler: Part | None = None
    congestion_controls: Mapping[int, Part] = field(default_factory=dict)
    queue: Part | None = None

    def __bool__(self) -> bool:
        return bool(self.scheduler or self.congestion_controls or self.queue)

    @property
    def all(self) -> tuple[Part, ...]:
        """Every part."""
        return tuple(part for part in (self.scheduler, *self.congestion_controls.values(), self.queue) if part)

    @property
    def has_python(self) -> bool:
        """Whether Python code runs, which holds the interpreter."""
        return any(not part.address for part in self.all)

    @property
    def texts(self) -> tuple[Text, ...]:
        """What a result keeps of the code."""
        told = [self.scheduler.told()] if self.scheduler else []
        told += [part.told(group) for group, part in sorted(self.congestion_controls.items())]
        return (*told, *([self.queue.told()] if self.queue else ()))

    @property
    def hashes(self) -> tuple[str, ...]:
        """What the key of a stored result has of the code."""
        return tuple(told.key for told in self.texts)

    def for_engine(self, scenario: Scenario, seed: int, make_stream: Callable[[int, int], Stream]) -> dict[str, Any]:
        """The objects of one run, as the engine takes them; raises OwnError if one can't be made."""
        radio = scenario.radio()
        subchannels = radio.carrier.subchannels if radio else 0
        slot_s = float(radio.slot.exact_ms()) / 1e3 if radio else float("nan")

        def begun(part: Part, flow: int | None = None, user: int | None = None, **values: float) -> Any:
            made = part.make()
            for name, value in values.items():
                setattr(made, name, value)
            if hasattr(made, "start"):
                run = Run(seed, scenario.users, subchannels, slot_s, flow, user, make_stream)
                try:
                    made.start(run)
                except Exception as error:
                    told = f"{type(error).__name__}: {error}"
                    raise OwnError(f"{part.role} {part.name}: start raised {told} (seed {seed})") from error
            return made

        def control_of(part: Part) -> Callable[[int, float, float, float], Any]:
            return lambda flow, mss, window, threshold: begun(
                part, flow, mss_bytes=mss, window_bytes=window, slow_start_threshold_bytes=threshold
            )

        scheduler, queue = (part if part and not part.address else None for part in (self.scheduler, self.queue))
        controls = self.congestion_controls.items()
        return {
            "scheduler": begun(scheduler) if scheduler else None,
            "controls": {group: control_of(part) for group, part in controls if not part.address},
            "queue": (lambda user: begun(queue, user=user)) if queue else None,
            "compiled": self.addresses,
        }

    @property
    def addresses(self) -> dict[str, Any]:
        """The addresses of compiled code, as the engine takes them."""
        controls = self.congestion_controls.items()
        return {
            "scheduler": self.scheduler.address or None if self.scheduler else None,
            "controls": {group: part.address for group, part in controls if part.address},
            "queue": self.queue.address or None if self.queue else None,
        }


NONE = Parts()


def parts_of(
    scheduler: Given = None,
    congestion_control: Given | Mapping[int, Given] = None,
    queue: Given = None,
    groups: int = 1,
) -> Parts:
    """The parts that were given.

    Parameters
    ----------
    scheduler, queue : a class, an object, a function that makes one, compiled code, or "file.py:Name"; None: none.
    congestion_control : one of these for all groups of flows, or by the number of the group.
    groups : how many groups of flows the scenario has.

    Raises
    ------
    OwnError : something of it can't be used.
    """
    by_group: Mapping[int, Given] = (
        congestion_control
        if isinstance(congestion_control, Mapping)
        else {}
        if congestion_control is None
        else dict.fromkeys(range(groups), congestion_control)
    )
    return Parts(
        None if scheduler is None else Part.of(scheduler, SCHEDULER),
        {group: Part.of(given, CONGESTION_CONTROL) for group, given in by_group.items()},
        None if queue is None else Part.of(queue, QUEUE),
    )


def check(parts: Parts, scenario: Scenario) -> None:
    """Raises OwnError for a part that the scenario has no place for."""
    radio = scenario.radio()
    if radio is None and (parts.scheduler or parts.queue):
        what = SCHEDULER if parts.scheduler else QUEUE
        raise OwnError(f"a {what} of one's own needs a cell; this scenario has a wired bottleneck")
    if parts.queue and scenario.queue is not None and scenario.queue.scope != "user":
        raise OwnError(
            f"queue.scope is {scenario.queue.scope!r}; it must be 'user' with a queue of one's own, one a user"
        )
    controls = scenario.experimental
    if parts.scheduler and controls is not None and controls.scheduler.kind != "none":
        raise OwnError(
            "experimental.scheduler decides the slots already: it must be none with a scheduler of one's own"
        )
    updates = getattr(radio.scheduler, "average_updates", "slot") if radio else "slot"
    if parts.scheduler and updates != "slot":
        raise OwnError(
            f"scheduler.average_updates is {updates!r}; it must be 'slot' with a scheduler of "
            "one's own, which is asked once a slot"
        )
    for group in parts.congestion_controls:
        named: Any = group
        if isinstance(named, bool) or not isinstance(named, Integral):
            raise OwnError(f"congestion_control names group {group!r}; it must be a whole number")
        if not 0 <= group < len(scenario.flows):
            raise OwnError(f"congestion_control names group {group!r}; there are 0..{len(scenario.flows) - 1}")
        if not scenario.flows[group].has_tcp():
            raise OwnError(f"congestion_control: flows.{group} has no TCP")


@dataclass(frozen=True)
class With:
    """A scenario with code of one's own, as an arm of `airlink.compare`.

    Parameters
    ----------
    scenario : all else.
    scheduler, congestion_control, queue : as `airlink.run` takes them.

    Raises
    ------
    OwnError : the scenario is none.

    Examples
    --------
    >>> from airlink.scenario import ready
    >>> class MaxRate:
    ...     def metric(self, view):
    ...         return view.rate_bps
    >>> With(ready("k3"), scheduler=MaxRate).parts.scheduler.name
    'MaxRate'
    """

    scenario: Scenario
    scheduler: Given = None
    congestion_control: Given | Mapping[int, Given] = None
    queue: Given = None

    def __post_init__(self) -> None:
        given: Any = self.scenario
        if not isinstance(given, Scenario):
            what = "a With already" if isinstance(given, With) else repr(given)
            raise OwnError(f"scenario is {what}; a Scenario is needed: airlink.Scenario.from_toml(...) reads one")

    @property
    def parts(self) -> Parts:
        """The parts, read."""
        return parts_of(self.scheduler, self.congestion_control, self.queue, len(self.scenario.flows))
