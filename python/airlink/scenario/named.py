"""Scenarios that come with the package, by name.

`k3` and `k3-lossless` are paper 001's profile, `opportunistic-pf` is paper 000's Section V, `imt-advanced` paper 002's
cell of 400 subchannels, `startup-timeout` paper 003's, `clamp` the mobile cell of paper 004, `nr-like` a cell of
100 MHz with NR's numbers. `drive` and `drive-5g` are cells whose users ride measured traces; the folder of those is
named by the environment variable AIRLINK_TRACES. `dumbbell` is TCP alone, through a wired bottleneck. Leaves out runs
of them: see `airlink reproduce`.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from .problems import Problem, ScenarioError
from .scenario import Scenario
from .shape import one_of
from .toml import commented_toml, read

READY = (
    "k3",
    "k3-lossless",
    "opportunistic-pf",
    "imt-advanced",
    "nr-like",
    "startup-timeout",
    "clamp",
    "drive",
    "drive-5g",
    "dumbbell",
)


def ready_names() -> tuple[str, ...]:
    """The names of the ready scenarios."""
    return READY


def ready(name: str, overrides: Sequence[str] = ()) -> Scenario:
    """A ready scenario, with changes as `Scenario.override` takes them; its trace files are read when it is run.

    Raises
    ------
    ScenarioError : there is none of that name.
    """
    return read(ready_toml(name), read_traces=False, overrides=overrides) if overrides else _unchanged(name)


@cache
def _unchanged(name: str) -> Scenario:
    """Read once: a study asks for the same one dozens of times, and a scenario never changes."""
    return read(ready_toml(name), read_traces=False)


def ready_toml(name: str) -> str:
    """The text of a ready scenario, with its comments on where each value comes from."""
    if name not in READY:
        near = get_close_matches(name, READY, 1)
        perhaps = f'; did you mean "{near[0]}"?' if near else ""
        raise ScenarioError([Problem("ready scenario", name, f"must be {one_of(READY)}{perhaps}")])
    return (files(__package__) / "ready" / f"{name}.toml").read_text(encoding="utf-8")


TEMPLATE = """
name = "first-cell"
description = "Eight users at different distances, one endless download each"
duration_s = 30
warmup_s = 5
users = 8
slot.duration_ms = "5/3"
channel.placement = { kind = "mean_snr_range", low_db = -5, high_db = 12 }
channel.fading = { kind = "rayleigh" }
link.rate = { kind = "table", name = "1xev-do" }
[[flows]]
start_spread_s = 1
"""


HEAD = """# A cell, with every field that it has. Without radio a scenario has a [bottleneck] in place of slot,
# channel, link, queue and scheduler: airlink init wire.toml --ready dumbbell

"""


def template(name: str = "") -> str:
    """A scenario to edit: a small cell with a comment on every field, or a ready scenario with its own comments."""
    return ready_toml(name) if name else HEAD + commented_toml(read(TEMPLATE))
