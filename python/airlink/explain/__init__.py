"""Why was it slow: what held each flow back, in seconds, in words, and when.

    from airlink.explain import explain

    for sentence in explain(result, user=3).sentences:
        print(sentence)

The rule of the accounting is in docs/explain.md.
"""

from airlink.explain.causes import BY_NAME, CAUSES, CELL, OF_THE_CELL, Cause
from airlink.explain.explanation import Explanation, FlowExplanation, explain
from airlink.explain.facts import Facts
from airlink.explain.moments import Moment

__all__ = [
    "BY_NAME",
    "CAUSES",
    "CELL",
    "OF_THE_CELL",
    "Cause",
    "Explanation",
    "Facts",
    "FlowExplanation",
    "Moment",
    "explain",
]
