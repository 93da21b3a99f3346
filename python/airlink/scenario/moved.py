"""Where fields of version 1 of the format are now: one table, for messages and for stored results.

Leaves out files of version 1 as input: they get a message for each field (`error_messages.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

VERSION = 2
RULES: Mapping[str, str] = {
    "count_option_bytes": "count_option_bytes",
    "option_header_bytes": "option_header_bytes",
    "initial_window_after_lost_syn": "initial_window_after_lost_syn",
    "growth": "growth",
    "byte_counting_limit_segments": "byte_counting_limit_segments",
    "slow_start_exit": "slow_start_exit",
    "reduction_of": "reduction_of",
    "reduction_in_whole_segments": "reduction_in_whole_segments",
    "timeout_in_recovery_reduces": "timeout_in_recovery_reduces",
    "timeout_raises_threshold": "timeout_raises_threshold",
    "window_validation": "window_validation",
    "guard_after_timeout": "careful_fast_retransmit",
    "guard_after_recovery": "guard_after_recovery",
    "less_careful": "less_careful",
    "forgets_recovery_point": "forgets_recovery_point",
    "first_loss_unguarded": "first_loss_unguarded",
    "timeout_keeps_duplicates": "timeout_keeps_duplicates",
    "impatient": "impatient",
    "restart_timer_on_retransmission": "restart_timer_on_retransmission",
    "recovery_end": "recovery_end",
    "growth_at_recovery_end": "growth_at_recovery_end",
    "partial_window_deflation": "partial_window_deflation",
    "recovery_burst_segments": "recovery_burst_segments",
    "max_burst_segments": "max_burst_segments",
    "limited_transmit": "limited_transmit",
    "limited_transmit_resends": "limited_transmit_resends",
    "sack_blocks": "sack_blocks",
    "dsack": "dsack",
    "sack_pipe": "sack_pipe",
    "sack_of_old_acks": "sack_of_old_acks",
    "forget_sack_on_timeout": "forget_sack_on_timeout",
    "rescue_retransmission": "sack_rescue",
    "rate_reduction": "prr",
    "rack": "rack",
    "tail_loss_probe": "tail_loss_probe",
    "probe_ack_allowance_ms": "tlp_max_ack_delay_ms",
    "timer_slack_ms": "timer_slack_ms",
    "forward_rto": "frto",
    "forward_rto_at_once": "frto_at_once",
    "eifel_detection": "eifel_detection",
    "dsack_detection": "dsack_detection",
    "spurious_response": "spurious_response",
}
"""Fields of `[flows.tcp]` in version 1 -> their names in `[flows.tcp.rules]`."""

RENAMED: Mapping[str, str] = {
    "covered_users": "release_satisfied_users",
    "reactivity": "gain_b",
    "free_bytes": "free_a_bytes",
    "initial_free_bytes": "initial_free_a_bytes",
    "least_free_bytes": "least_free_a_bytes",
    "most_free_bytes": "most_free_a_bytes",
    "additive_bytes": "tau_bytes",
}
"""Fields of schedulers, prices and `[flows.tcp.clamp]` in version 1 -> their names in the same table."""

WORDS: Mapping[str, Mapping[str, str | bool]] = {
    "sack_pipe": {"counted": "ns2_sack1"},
    "covered_users": {"leave": True, "compete": False},
}
"""Fields -> their words of version 1 -> the words of now."""

SIDES: Mapping[str, str] = {"on": "receiver", "sender": "sender"}
"""Kinds of `[flows.tcp.clamp]` in version 1 -> its side."""
NO_CLAMP = "off"
"""The kind of `[flows.tcp.clamp]` in version 1 that is a table left out now."""

HELD, CONTROLS = "hold_timeouts", ("ideal_tcp_pf", "unapproximated_tcp_pf")
"""A field of `[[flows]]` and kinds of `[scheduler]` in version 1, now in `[experimental]`."""
OF_EVERY_SCHEDULER = ("serve_empty_queues", "ties", "release_satisfied_users")
"""What `[scheduler]` holds beside its kind's own fields."""
PRICED = ("scheduler", "queue", "bottleneck", "upstream")
"""Tables in which, or in the price of which, fields have new names."""


def new_place(section: str, name: str) -> str | None:
    """Where a field of a class is now, below its table; None for one that has not moved."""
    if section == "Tcp" and name in RULES:
        return f"rules.{RULES[name]}"
    if section == "Rules" and RULES.get(name, name) != name:
        return RULES[name]
    if section == "Clamp" and name == "kind":
        return "side"
    return RENAMED.get(name)


def new_word(name: str, word: object) -> str | bool | None:
    """What a word of version 1 is called now; None for any other value."""
    words = SIDES if name == "kind" else WORDS.get(name, {})
    return words.get(word) if isinstance(word, str) else None


def _of_now(name: str, value: Any) -> Any:
    word = new_word(name, value)
    return value if word is None else word


def experimental_place(section: str, name: str, value: object) -> str | None:
    """Where a field of a class is in `[experimental]` now, from the top of the file; None for one that is not there."""
    if section == "Flow" and name == HELD:
        return f"experimental.{HELD}"
    return "experimental.scheduler.kind" if name == "kind" and value in CONTROLS else None


def of_now(stored: Any) -> Any:
    """The scenario of a stored result with each field of version 1 in its place of now; any other as it is."""
    if not isinstance(stored, Mapping) or stored.get("scenario_version") != 1:
        return stored
    flows = stored.get("flows")
    moved = [_flow(flow) for flow in flows] if isinstance(flows, list) else flows
    tables = {name: _renamed(stored[name]) for name in PRICED if name in stored}
    return _with_experimental({**stored, **tables, "scenario_version": VERSION, "flows": moved})


def _renamed(table: Any) -> Any:
    """The table, and the price in it, with the names of now."""
    if not isinstance(table, Mapping):
        return table
    named = {
        RENAMED.get(name, name): _of_now(name, value) if name in RENAMED else value for name, value in table.items()
    }
    return {**named, "price": _renamed(named["price"])} if "price" in named else named


def _clamp(table: Any) -> Any:
    """CLAMP's table with a side; None where no window followed a price."""
    if not isinstance(table, Mapping) or "kind" not in table:
        return table
    fields = {name: value for name, value in _renamed(table).items() if name != "kind"}
    return {"side": SIDES[table["kind"]], **fields} if table["kind"] in SIDES else None


def _with_experimental(stored: dict[str, Any]) -> dict[str, Any]:
    """The scenario with controls in `[experimental]`; where groups differ all hold timeouts as the first that does."""
    flows, scheduler = stored["flows"], stored.get("scheduler")
    table: dict[str, Any] = {}
    if isinstance(flows, list) and all(isinstance(flow, Mapping) for flow in flows):
        held = [word for flow in flows if (word := flow.get(HELD, "off")) != "off"]
        table |= {HELD: held[0]} if held else {}
        flows = [{name: value for name, value in flow.items() if name != HELD} for flow in flows]
    if isinstance(scheduler, Mapping) and scheduler.get("kind") in CONTROLS:
        table["scheduler"] = {name: value for name, value in scheduler.items() if name not in OF_EVERY_SCHEDULER}
        shared = {name: value for name, value in scheduler.items() if name in OF_EVERY_SCHEDULER}
        scheduler = {"kind": "proportional_fair", **shared}
    changed = {**stored, "flows": flows} | ({"scheduler": scheduler} if "scheduler" in stored else {})
    return changed | ({"experimental": table} if table else {})


def _flow(flow: Any) -> Any:
    tcp = flow.get("tcp") if isinstance(flow, Mapping) else None
    if not isinstance(tcp, Mapping):
        return flow
    rules = {RULES[name]: _of_now(name, value) for name, value in tcp.items() if name in RULES}
    kept = {name: _clamp(value) if name == "clamp" else value for name, value in tcp.items() if name not in RULES}
    return {**flow, "tcp": {**kept, "rules": rules}}
