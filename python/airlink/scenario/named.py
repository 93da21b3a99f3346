"""Scenarios that come with the package, by name: a TOML file in `ready`, and its title here.

`first-cell` is what `airlink init` writes. `drive` and `drive-5g` replay measured traces; the environment variable
AIRLINK_TRACES names the folder of those. Leaves out runs of them: see `airlink reproduce`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path

from .errors import NOTHING, Problem, ScenarioError
from .introspection import one_of
from .scenario import Scenario
from .toml import commented_toml

FIRST = "first-cell"
"""The ready scenario that `airlink init` writes if none is named."""

READY: Mapping[str, str] = {
    FIRST: "what airlink init writes: web pages beside downloads",
    "evdo": "1xEV-DO: 16 users who walk, PF, a CUBIC download each",
    "lte": "10 MHz of LTE from a link budget: downloads, web pages",
    "nr": "100 MHz of NR from a link budget: downloads, web pages",
    "nr-like": "100 MHz of NR: 273 resource blocks, 256QAM, HARQ, PF",
    "dumbbell": "TCP alone, through a wired bottleneck of 10 Mb/s",
    "k3": "[Klein04]: 21 users in a disc of 2 km, 700 kB each",
    "k3-lossless": "[Klein04] Figs 2, 3: k3 with retransmission of lost frames",
    "opportunistic-pf": "study opportunistic-pf: 16 users on 1xEV-DO, Reno, PF",
    "imt-advanced": "study imt-advanced: 400 subchannels, 10 downloads, MC-PF",
    "startup-timeout": "[Choi05]: 20 downloads start within a second, PF",
    "clamp": "[Andrew08]: 3 mobile users, windows follow a price",
    "drive": "8 downloads over measured rates of 1xEV-DO, UMTS, LTE",
    "drive-5g": "8 downloads over the measured SNR of a 5G network",
}
"""The ready scenarios, each with a title of one line."""


def ready_names() -> tuple[str, ...]:
    """The names of the ready scenarios."""
    return tuple(READY)


def ready(name: str, overrides: Sequence[str] = ()) -> Scenario:
    """A ready scenario, with changes as `Scenario.override` takes them; its trace files are read when it is run.

    Raises
    ------
    ScenarioError : there is none of that name.
    """
    return (
        Scenario.from_toml(ready_toml(name), read_traces=False, overrides=overrides) if overrides else _unchanged(name)
    )


@cache
def _unchanged(name: str) -> Scenario:
    """Read once: a study asks for the same one dozens of times, and a scenario never changes."""
    return Scenario.from_toml(ready_toml(name), read_traces=False)


def ready_toml(name: str) -> str:
    """The text of a ready scenario, with its comments on where each value comes from."""
    if name not in READY:
        near = get_close_matches(name, READY, 1)
        perhaps = f'; did you mean "{near[0]}"?' if near else ""
        raise ScenarioError([Problem("ready scenario", name, f"must be {one_of(tuple(READY))}{perhaps}")])
    return (files(__package__) / "ready" / f"{name}.toml").read_text(encoding="utf-8")


def read_scenario(source: str, overrides: Sequence[str] = ()) -> Scenario:
    """The scenario of that file or ready name; every mistake in it is one ScenarioError.

    The overrides are made first: only what they result in must be valid.
    """
    path = Path(source)
    if not path.is_file() and source in ready_names():
        return ready(source, overrides)
    # A device or pipe is refused by what reads it.
    if path.exists() and not path.is_dir():
        return Scenario.from_toml(path, overrides=overrides)
    names = ", ".join(ready_names())
    raise ScenarioError([Problem("", NOTHING, f"{source}: no such file, and no ready scenario ({names})")])


def template(name: str = FIRST, full: bool = False) -> str:
    """The text of a scenario to edit: as it stands in the package, or with a comment on every field.

    Raises
    ------
    ScenarioError : there is no ready scenario of that name.
    """
    if not full:
        return ready_toml(name)
    return f"# The ready scenario {name}, with every field.\n\n{commented_toml(ready(name))}"
