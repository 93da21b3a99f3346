"""Search for a scheduler: constants of a formula, numbers of a built-in one, or whole formulas.

    limit = search.Limit("cell.goodput_bps", at_least=0.99, than=["tcp_pf"])
    goal = search.Goal(cell, "downloads.p95(time_s)", range(1, 9), [limit])
    found = search.formulas(goal, search.Effort(10_000, log="search.jsonl"), start=["rate / average"])
    print(found)
    airlink.suites.judge(found.candidate(), ...)

A search draws by named streams, so one seed gives one winner. Left out: whether the winner is good elsewhere, which
`airlink.suites` judges.
"""

from airlink.search.blind import compared
from airlink.search.constants import constants, tuned
from airlink.search.evaluation import Effort, Scored
from airlink.search.formulas import formulas
from airlink.search.found import Found
from airlink.search.goal import Goal, Limit
from airlink.search.grammar import COLUMNS, FUNCTIONS, OPERATORS, Grammar
from airlink.search.picture import cloud

__all__ = [
    "COLUMNS",
    "FUNCTIONS",
    "OPERATORS",
    "Effort",
    "Found",
    "Goal",
    "Grammar",
    "Limit",
    "Scored",
    "cloud",
    "compared",
    "constants",
    "formulas",
    "tuned",
]
