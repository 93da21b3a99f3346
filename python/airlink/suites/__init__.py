"""Suites: scenarios that judge a scheduler of one's own, public ones and hidden ones.

    found = suites.judge(suites.read_candidate("mine.toml"), suites.suite_of("schedulers"), suites.Ledger(path))
    print(suites.text_of(found))

The hidden scenarios are drawn from a seed that is made after the candidate's hash was written into a ledger. docs:
how-to/judge.md. Left out: how a candidate is found.
"""

from airlink.suites.aim import Aim
from airlink.suites.candidate import Candidate, read_candidate
from airlink.suites.cases import Case, cases_of
from airlink.suites.family import Axis, Family
from airlink.suites.judging import Judging, Terms, judge, summary
from airlink.suites.ledger import Count, Ledger
from airlink.suites.rivals import built_ins
from airlink.suites.suite import SUITES, Suite, suite_of
from airlink.suites.tuning import Tuned
from airlink.suites.verdicts import CaseVerdict, Outcome
from airlink.suites.wording import text_of
from airlink.suites.worst import Worst

__all__ = [
    "SUITES",
    "Aim",
    "Axis",
    "Candidate",
    "Case",
    "CaseVerdict",
    "Count",
    "Family",
    "Judging",
    "Ledger",
    "Outcome",
    "Suite",
    "Terms",
    "Tuned",
    "Worst",
    "built_ins",
    "cases_of",
    "judge",
    "read_candidate",
    "suite_of",
    "summary",
    "text_of",
]
