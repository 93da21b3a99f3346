"""Names of settings as the field writes them, for labels of pictures and tables: "PF" for `proportional_fair`.

    scheduler.kind = "max_rate"               MAX
    scheduler.time_constant_slots = 100       time constant 100 slots
    queue.limit_packets = 50                  queue limit 50 packets
    flows.0.tcp.sack = true                   SACK on

A label never stands for two settings: `labels` writes out what would be ambiguous. docs/notation.md has the list of
short words. Left out: names that a user gave, which are shown as given, and columns and keys of data, which keep the
scenario's words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from .introspection import declared, extra, sections
from .sections import ScenarioFields

__all__ = ["FIELDS", "SHORT", "field_words", "labels", "short_name", "short_value", "unit_of", "words_of"]

SHORT: Mapping[str, Mapping[str, str]] = {
    "scheduler.kind": {
        "earliest_deadline": "EDF",
        "exp_pf": "EXP/PF",
        "fifo": "FIFO",
        "formula": "formula",
        "guaranteed_rate": "guaranteed rates",
        "lambda": "lambda rule",
        "log_rule": "LOG rule",
        "log_snr": "log-SNR rule",
        "m_lwdf": "M-LWDF",
        "max_rate": "MAX",
        "proportional_fair": "PF",
        "relative_snr": "relative-SNR rule",
        "round_robin": "RR",
        "tcp_max": "TCP-MAX",
        "tcp_pf": "TCP-PF",
        "weighted_pf": "weighted PF",
    },
    "experimental.scheduler.kind": {
        "ideal_tcp_pf": "ideal TCP-PF",
        "unapproximated_tcp_pf": "TCP-PF without approximation",
    },
    "queue.kind": {"adaptive": "adaptive limit", "codel": "CoDel", "drop_tail": "drop-tail", "pie": "PIE"},
    "queue.scope": {"cell": "one queue for the cell", "user": "a queue for each user"},
    "price.kind": {"clamp": "CLAMP", "clamp_delay": "CLAMP with a delay target", "none": "no price"},
    "tcp.congestion_control": {
        "cubic": "CUBIC",
        "new_reno": "NewReno",
        "reno": "Reno",
        "tahoe": "Tahoe",
        "vegas": "Vegas",
        "westwood": "Westwood",
    },
    "tcp.profile": {"classic": "classic TCP", "linux": "Linux TCP", "ns2": "ns-2 TCP", "rfc": "RFC TCP"},
    "tcp.initial_window": {"rfc3390": "initial window of RFC 3390", "rfc6928": "initial window of RFC 6928"},
    "rto.estimator": {"linux": "RTO of Linux", "ns2": "RTO of ns-2", "rfc6298": "RTO of RFC 6298"},
    "rules.slow_start_exit": {"hystart": "HyStart", "hystart_plus_plus": "HyStart++"},
    "harq.kind": {"chase": "HARQ-CC", "incremental_redundancy": "HARQ-IR", "none": "no HARQ"},
    "fading.kind": {"jakes": "Jakes fading", "none": "no fading", "rayleigh": "Rayleigh fading"},
    "fading.profile": {
        "epa": "EPA",
        "etu": "ETU",
        "eva": "EVA",
        "pedestrian-a": "Pedestrian A",
        "pedestrian-b": "Pedestrian B",
        "tdl-a": "TDL-A",
        "tdl-b": "TDL-B",
        "tdl-c": "TDL-C",
        "tu6": "TU6",
        "vehicular-a": "Vehicular A",
        "vehicular-b": "Vehicular B",
    },
    "loss.kind": {"gilbert_elliott": "Gilbert-Elliott losses", "none": "no losses", "random": "random losses"},
    "traffic.kind": {
        "backlogged": "full buffer",
        "constant_rate": "UDP at a constant rate",
        "file": "one file",
        "frames": "video frames",
        "greedy": "endless download",
        "pages": "web pages",
        "poisson": "Poisson packets",
        "requests": "requests",
        "sessions": "web sessions",
        "stream": "stream",
        "voice": "voice",
    },
}
"""End of a field's path -> word of a scenario -> how the field writes it; it needs no field's name beside it."""

FIELDS: Mapping[str, str] = {
    "carrier.subchannels": "subchannels",
    "channel.motion.speed_kmh": "speed",
    "channel.placement.radius_m": "cell radius",
    "channel.shadowing.sd_db": "shadowing",
    "delayed_ack.every": "delayed ACK every",
    "errors.probability": "frame loss",
    "experimental.scheduler.kind": "scheduler",
    "queue.codel.target_ms": "CoDel target",
    "queue.pie.target_ms": "PIE target",
    "rto.max_ms": "maximum RTO",
    "rto.min_ms": "minimum RTO",
    "scheduler.exponent": "lambda",
    "tcp.mss_bytes": "MSS",
    "tcp.receiver_window_bytes": "receiver window",
}
"""End of a field's path -> its words, where those in its name say too little."""

_ABBREVIATIONS = {
    **{
        name: name.upper() for name in ("ack", "arq", "bler", "cubic", "harq", "mcs", "mss", "pie", "prr", "rlc", "rto")
    },
    **{name: name.upper() for name in ("rtt", "sack", "sinr", "snr", "tcp")},
    "codel": "CoDel",
    "flows": "flow",
}
_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "1/s": ("_hz", "_per_s"), "b/s": ("_bps",), "bits": ("_bits",), "bytes": ("_bytes",), "dB": ("_db",),
    "dBm": ("_dbm",), "Hz": ("_hz",), "km/h": ("_kmh",), "m": ("_m",), "ms": ("_ms",), "MSS": ("_segments",),
    "ns": ("_ns",), "packets": ("_packets",), "s": ("_s",), "segments": ("_segments",), "slots": ("_slots",),
}  # fmt: skip
_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_SCALED: Mapping[str, str] = {"b/s": "b/s", "Hz": "Hz", "bytes": "B"}
"""Declared unit -> the unit that stands behind k, M or G."""

_PLURAL = ("users", "subchannels", "antennas")
"""Fields that count: "4 users"."""


def short_name(path: str, value: object) -> str:
    """A setting as a label has it.

    Parameters
    ----------
    path : of a field of a scenario, as `-s` and `-x` take it.
    value : that it has.

    Returns
    -------
    The field's short form of the value (docs/notation.md); without one, the field's words, the value and its unit.

    Examples
    --------
    >>> short_name("scheduler.kind", "proportional_fair"), short_name("flows.*.tcp.congestion_control", "cubic")
    ('PF', 'CUBIC')
    >>> short_name("scheduler.time_constant_slots", 100), short_name("bottleneck.rate_bps", 2.5e6)
    ('time constant 100 slots', 'bottleneck rate 2.5 Mb/s')
    >>> short_name("users", 4), short_name("flows.0.tcp.sack", True), short_name("queue.limit_counts", "held")
    ('4 users', 'SACK on', 'limit counts held')
    """
    short = _short(path, value)
    return short or _written(field_words(path), path, value)


def short_value(path: str, value: object) -> str:
    """A value beside an axis or in a column that names the field and its unit.

    >>> short_value("scheduler.kind", "max_rate"), short_value("scheduler.time_constant_slots", 1000.0)
    ('MAX', '1000')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return _short(path, value) or _word(value)


def field_words(path: str) -> str:
    """A field in words, without its unit.

    >>> field_words("scheduler.time_constant_slots"), field_words("scheduler.kind"), field_words("queue.limit_packets")
    ('time constant', 'scheduler', 'queue limit')
    """
    found: str | None = _by_end(FIELDS, path)
    if found is not None:
        return found
    *tables, name = _steps(path)
    table = _spelled(tables[-1]) if tables else ""
    if name == "kind":
        return table or name
    words = _spelled(_without_unit(name, unit_of(path)))
    is_vague = " " not in words and words not in _ABBREVIATIONS.values()
    return f"{table} {words}" if table and (is_vague or _is_shared(name)) else words


def unit_of(path: str) -> str:
    """The unit in which a field is declared; empty for none, and where kinds of a table differ in it.

    >>> unit_of("scheduler.time_constant_slots"), unit_of("channel.motion.speed_kmh"), unit_of("users")
    ('slots', 'km/h', '')
    """
    units = {extra(info, "unit") for info in declared(ScenarioFields, path)}
    return units.pop() if len(units) == 1 else ""


def words_of(paths: Iterable[str]) -> dict[str, str]:
    """Path -> the field's words; of fields with the same words, as many of the tables they stand in as tell them apart.

    >>> words_of(["flows.0.start_s", "flows.1.start_s", "users"])
    {'flows.0.start_s': 'flow 0 start', 'flows.1.start_s': 'flow 1 start', 'users': 'users'}
    """
    words = {path: field_words(path) for path in paths}
    count = Counter(words.values())
    longer = {path: _with_tables(path, each) if count[each] > 1 else each for path, each in words.items()}
    return longer if len(set(longer.values())) == len(longer) else {path: path for path in words}


def labels(arms: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Labels of scenarios, each another one.

    Parameters
    ----------
    arms : label -> path of a field -> its value there; one without fields keeps its label.

    Returns
    -------
    label -> what is shown: the settings, joined by commas. Where two of them would read alike, both keep their labels.

    Examples
    --------
    >>> labels({"lte": {}, "kind=max_rate": {"scheduler.kind": "max_rate"}})
    {'lte': 'lte', 'kind=max_rate': 'MAX'}
    """
    words = words_of(dict.fromkeys(path for at in arms.values() for path in at))
    told_apart = {path: each for path, each in words.items() if each != field_words(path)}
    shown = {
        label: ", ".join(_named(path, value, told_apart.get(path, "")) for path, value in at.items()) or label
        for label, at in arms.items()
    }
    count = Counter(shown.values())
    told = {label: each if count[each] == 1 else label for label, each in shown.items()}
    return told if len(set(told.values())) == len(told) else {label: label for label in arms}


def _named(path: str, value: object, words: str) -> str:
    """A setting; with words where its short form alone would not say which field it is of."""
    if not words:
        return short_name(path, value)
    short = _short(path, value)
    return f"{words}: {short}" if short else _written(words, path, value)


def _written(words: str, path: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{words} {short_value(path, value)}"
    if path.rsplit(".", 1)[-1] in _PLURAL:
        return f"{_word(value)} {words if value != 1 else words.removesuffix('s')}"
    return f"{words} {_with_unit(value, unit_of(path))}"


def _with_unit(value: float, unit: str) -> str:
    """A number and its unit: with k, M or G where the number is then the same, and short."""
    if unit in _SCALED and math.isfinite(value):
        for size, prefix in _PREFIXES:
            scaled = f"{value / size:.6g}"
            if abs(value) >= size and "e" not in scaled and float(scaled) * size == value:
                return f"{scaled} {prefix}{_SCALED[unit]}"
    return f"{_word(value)} {_SCALED.get(unit, unit)}".rstrip()


def _word(value: object) -> str:
    """A value as TOML has it, without quotes; numbers as short as they are exact."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}={_word(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_word, value)) + "]"
    if isinstance(value, float) and f"{value:.6g}" not in {"", "nan"} and float(f"{value:.6g}") == value:
        return f"{value:.6g}"
    return str(value)


def _short(path: str, value: object) -> str:
    """The field's short form of a word; empty if it has none."""
    return (_by_end(SHORT, path) or {}).get(value, "") if isinstance(value, str) else ""


def _by_end(table: Mapping[str, Any], path: str) -> Any:
    """What a table has for the end of a path, for the longest that it has."""
    steps = _steps(path)
    ends = (".".join(steps[start:]) for start in range(len(steps)))
    return next((table[end] for end in ends if end in table), None)


def _steps(path: str) -> list[str]:
    """The names in a path, without the places in lists."""
    return [step for step in path.split(".") if step and step != "*" and not step.isdigit()] or [path]


def _without_unit(name: str, unit: str) -> str:
    ending = next((each for each in _ENDINGS.get(unit, ()) if name.endswith(each)), "")
    return name.removesuffix(ending)


def _spelled(name: str) -> str:
    return " ".join(_ABBREVIATIONS.get(word, word) for word in name.split("_"))


def _is_shared(name: str) -> bool:
    """Whether tables with different names have a field of that name."""
    return len(_tables_with().get(name, ())) > 1


@lru_cache(maxsize=1)
def _tables_with() -> dict[str, set[str]]:
    """Name of a field -> names of the tables that have it."""
    found: dict[str, set[str]] = {}
    for path, _, section in sections(ScenarioFields):
        for name in section.model_fields:
            found.setdefault(name, set()).add(path.replace("[]", "").rsplit(".", 1)[-1])
    return found


def _with_tables(path: str, words: str) -> str:
    """A field's words behind the tables that it stands in: "flow 0 start"."""
    before: list[str] = []
    for step in path.split(".")[:-1]:
        if step.isdigit() and before:
            before[-1] = f"{before[-1].removesuffix('s')} {step}"
        elif step != "*":
            before.append(_spelled(step))
    own = _spelled(_without_unit(path.rsplit(".", 1)[-1], unit_of(path)))
    return " ".join([*before, *([] if own == "kind" else [own])]) or words
