"""airlink: what a wireless downlink's scheduler, buffers and TCP do to its users, packet by packet.

    import airlink

    scenario = airlink.Scenario.from_toml("cell.toml")
    result = airlink.run(scenario, seed=1, replicas=10)
    print(result.users["goodput_bps"], result.summary["goodput_bps"])

    print(airlink.sweep(scenario, {"scheduler.kind": ["max_rate", "proportional_fair"]}))
    print(airlink.compare({"now": scenario, "fair": scenario.with_(**{"scheduler.kind": "proportional_fair"})}))

`airlink.own` is for a scheduler, congestion control or queue of one's own, `airlink.campaign` runs many scenarios and
compares them, `airlink.statistics` has the intervals, `airlink.explain` says why a flow was slow, `airlink.fairness`
who got how much when, `airlink.plots` draws, `airlink.models` holds closed forms to check against, `airlink.study`
builds the study of a paper.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from airlink import answers_shown as _answers_shown

if TYPE_CHECKING:
    from airlink import campaign, explain, fairness, models, own, plots, statistics
    from airlink.campaign.answer import Answer, Comparison, Sweep
    from airlink.campaign.compare import compare
    from airlink.campaign.sweep import sweep
    from airlink.engine import RECORD_KINDS, RequestError
    from airlink.resources import Resources, resources_of
    from airlink.result import Estimate, Result, ResultError, ResultExists, Table
    from airlink.result.run import run
    from airlink.scenario import Problem, Scenario, ScenarioError, ScenarioWarning

    __version__: str

__all__ = [
    "RECORD_KINDS",
    "Answer",
    "Comparison",
    "Estimate",
    "Problem",
    "RequestError",
    "Resources",
    "Result",
    "ResultError",
    "ResultExists",
    "Scenario",
    "ScenarioError",
    "ScenarioWarning",
    "Sweep",
    "Table",
    "__version__",
    "campaign",
    "compare",
    "explain",
    "fairness",
    "models",
    "own",
    "plots",
    "resources_of",
    "run",
    "statistics",
    "sweep",
]


def _answer_as_html(answer: "Answer") -> str:
    # Loaded when a notebook first shows an answer.
    from airlink.report.in_notebook import of_answer

    return of_answer(answer)


_answers_shown.show_by(_answer_as_html)

if not TYPE_CHECKING:
    # Each name is loaded when it is first asked for: `airlink --version` needs none of them, and a run no figures.
    _HOMES = {
        "airlink": (
            *("campaign", "engine", "explain", "fairness", "measures", "models", "own", "plots", "resources"),
            *("result", "scenario", "statistics", "store", "tables"),
        ),
        "airlink.campaign.answer": ("Answer", "Comparison", "Sweep"),
        "airlink.campaign.compare": ("compare",),
        "airlink.campaign.sweep": ("sweep",),
        "airlink.engine": ("RECORD_KINDS", "RequestError"),
        "airlink.resources": ("Resources", "resources_of"),
        "airlink.result": ("Estimate", "Result", "ResultError", "ResultExists", "Table"),
        "airlink.result.run": ("run",),
        "airlink.scenario": ("Problem", "Scenario", "ScenarioError", "ScenarioWarning"),
    }
    _HOME = {name: home for home, names in _HOMES.items() for name in names}

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            value: Any = _installed_version()
        elif name in _HOME:
            home = _HOME[name]
            value = import_module(f"airlink.{name}") if home == "airlink" else getattr(import_module(home), name)
        else:
            raise AttributeError(f"module 'airlink' has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


def _installed_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("airlink")
    except PackageNotFoundError:
        return "0+unknown"
