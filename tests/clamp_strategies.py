"""Random settings of CLAMP for hypothesis: what queues tell, and who follows it."""

from __future__ import annotations

from hypothesis import strategies as st

from value_strategies import Values, numbers, or_infinite, table


def prices() -> st.SearchStrategy[Values]:
    """What departing packets tell receivers of a queue."""
    measured: dict[str, st.SearchStrategy[object]] = {
        "gain_b": numbers(0.1, 3),
        "averaging_ms": numbers(1, 1000),
        "rate_memory_ms": numbers(1, 1000),
    }
    clamp: st.SearchStrategy[Values] = table(
        "clamp",
        {},
        **measured,
        free_a_bytes=numbers(0, 20_000),
        per_flow_bytes=st.one_of(st.just(0.0), numbers(1, 2000)),
        flow_memory_ms=numbers(1, 5000),
    )
    delay: st.SearchStrategy[Values] = table(
        "clamp_delay",
        {},
        **measured,
        target_ms=numbers(1, 200),
        speed_hz=numbers(0.001, 10),
        initial_free_a_bytes=numbers(0, 20_000),
        least_free_a_bytes=numbers(-20_000, 0),
        most_free_a_bytes=numbers(20_000, 1e6),
        hold_ms=numbers(1, 50_000),
    )
    return st.one_of(clamp, delay)


def clamps() -> st.SearchStrategy[Values | None]:
    """Receivers or senders that follow a price, or neither."""
    values: Values = {
        "side": st.sampled_from(["receiver", "sender"]),
        "tau_bytes": numbers(1, 5000),
        "rate_packets": st.integers(1, 2000),
        "delay_weight": numbers(0.001, 1),
        "most_increase_bytes": st.integers(1, 20_000),
        "slow_start_threshold_bytes": or_infinite(st.integers(1, 100_000)),
    }
    return st.none() | st.fixed_dictionaries({}, optional=values)
