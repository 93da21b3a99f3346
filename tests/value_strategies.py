"""Random values and tables of them, from which hypothesis makes scenarios (`strategies.py`)."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

Values = dict[str, Any]


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_infinity=False)


def or_infinite(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return values | st.sampled_from(["inf", math.inf])


def some_of(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Values]:
    """Tables that hold any of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


def table(kind: str, required: dict[str, st.SearchStrategy[Any]], **fields: st.SearchStrategy[Any]) -> Any:
    return st.fixed_dictionaries({"kind": st.just(kind), **required}, optional=fields)
