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
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as _installed_version
from types import ModuleType
from typing import TYPE_CHECKING

from airlink import campaign, own, statistics
from airlink.campaign import in_notebook as _answers_in_notebooks
from airlink.campaign.answer import Answer, Comparison, Sweep
from airlink.campaign.compare import compare
from airlink.campaign.sweep import sweep
from airlink.engine import RECORD_KINDS, RequestError
from airlink.resources import Resources, resources_of
from airlink.result import Estimate, Result, ResultError, ResultExists, Table, run
from airlink.scenario import Problem, Scenario, ScenarioError, ScenarioWarning

if TYPE_CHECKING:
    from airlink import explain, fairness, models, plots

try:
    __version__ = _installed_version("airlink")
except PackageNotFoundError:
    __version__ = "0+unknown"

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


def _answer_as_html(answer: Answer) -> str:
    # Charts and sentences stand above campaigns; they are loaded when a notebook first shows an answer.
    from airlink.report.in_notebook import of_answer

    return of_answer(answer)


_answers_in_notebooks.show_by(_answer_as_html)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> ModuleType:
        # Loaded when first asked for: a plain run needs neither them nor matplotlib.
        if name in {"explain", "fairness", "models", "plots"}:
            return import_module(f"airlink.{name}")
        raise AttributeError(f"module 'airlink' has no attribute {name!r}")
