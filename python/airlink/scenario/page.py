"""docs/scenario.md: every field with meaning, unit, range, default and source, generated from the classes.

Leaves out results: docs/results.md describes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic.fields import FieldInfo

from . import introspection, prose
from .delay_profiles import DELAY_PROFILES
from .fields import Section
from .mcs_sets import MCS_SETS
from .profiles import PROFILES
from .scenario import Scenario
from .sections import Tcp
from .tables import TABLES
from .toml import toml_value

HEAD = """\
# Scenarios

A scenario is everything that a run depends on, except the seed. It is a TOML file (or the same in Python:
`airlink.Scenario`); `airlink init` writes one of 25 lines, `airlink init --full` one with every field, each under its
comment, `airlink check --schema` prints its JSON Schema. This page is generated from the classes (`airlink check
--schema --markdown`).

```toml
duration_s = 20                 # required
users = 4                       # required
slot.duration_ms = "5/3"        # required

[channel.placement]
kind = "mean_snr"
mean_snr_db = [-5, 0, 5, 10]

[channel.fading]
kind = "rayleigh"

[[flows]]                       # required, at least one: here a greedy TCP download for each user
```

- Everything that isn't marked *required* may be left out. Unknown names are refused, and all mistakes are reported
  at once.
- Version 2 of the format moved fields and changed defaults: [version-2.md](version-2.md) lists both.
- Names end in their unit. A number is written without quotes; infinity, where it is allowed, is the string
  `"inf"`.
- Tables with a `kind` hold the fields of that kind only.
- `[[flows]]` may stand several times. The tables after it (`[flows.tcp]`, ...) belong to the last one.
- From the command line: `airlink run FILE.toml -s scheduler.kind=tcp_pf -s flows.0.tcp.rto.min_ms=250`; steps
  are names, numbers from 0, or `*` for all flows. A new `kind` drops the fields of the old kind that the new
  one lacks.
- In Python: `Scenario.from_toml("FILE.toml").with_(**{"scheduler.kind": "tcp_pf"})`.
- At most 10^12 slots x users, 64 flows per user (`poisson` and `pages` count as one), 100 000 files that arrive in the
  mean, 255 rates in a table.
- Users x subchannels x (`link.report.delay_slots` + 1) is at most 10^8.
- A scenario has a cell (`slot`, `carrier`, `channel`, `link`, `rlc`, `queue`, `scheduler`) or, in its place,
  `[bottleneck]`: a wired queue that all flows share. `-s bottleneck.rate_bps=10e6` turns a cell into a bottleneck.
- Ready scenarios, by name instead of a file: `first-cell` (what `airlink init` writes), `evdo` (a 1xEV-DO cell
  with usual values), `lte` and `nr` (cells of 10 and 100 MHz from a link budget), `nr-like` (100 MHz of NR's
  resource blocks, schemes and HARQ), `dumbbell` (TCP alone, through a wired bottleneck), `k3` ([Klein04]),
  `k3-lossless` (its Figs 2 and 3), `opportunistic-pf` ([EvdoTcp]), `imt-advanced` ([Kakuda]), `startup-timeout`
  ([Choi05]), `clamp` ([Andrew08]), `drive` and `drive-5g` (users replay measured traces; the environment variable
  AIRLINK_TRACES names their folder). `airlink list scenarios` has a title of each.
  More are in [examples](examples).

"[EvdoTcp]" is "Opportunistic scheduling and TCP" on 1xEV-DO, "[Klein04]" is TCP-PF [Klein04]; "profile K3" is a
setting of [Klein04] where it is silent, "given" stands in the paper, "airlink default" is our own choice.
"""

MEANING = (
    ("Time and the order of events", prose.TIME),
    ("Channel", prose.CHANNEL),
    ("Link", prose.LINK),
    ("Segmentation and retransmission", prose.RLC),
    ("Queues", prose.QUEUE),
    ("Wired bottleneck", prose.BOTTLENECK),
    ("Impairments", prose.IMPAIRMENTS),
    ("Schedulers", prose.SCHEDULER),
    ("Flows and wires", prose.FLOWS),
    ("TCP", prose.TCP),
    ("Notes on the engine", prose.ENGINE_NOTES),
)


def page() -> str:
    """The page as Markdown."""
    parts = [
        HEAD,
        "\n## Fields\n",
        *_fields(),
        "\n## Named rate tables\n",
        *_tables(),
        *_schemes(),
        *_delay_profiles(),
        *_profiles(),
        "\n## What exactly happens\n",
    ]
    parts += [f"\n### {title}\n\n{text}" for title, text in MEANING if text]
    return "\n".join(part.rstrip("\n") for part in parts) + "\n"


def _fields() -> Iterator[str]:
    # Once each: sizes stand below every kind of traffic that has them.
    for path, kind, section in dict.fromkeys(introspection.sections(Scenario)):
        yield f"\n### {heading(path, kind)}\n\n{meaning(section)}\n"
        yield from _table(section)


def heading(path: str, kind: str) -> str:
    """A table as a heading names it: ``[channel.fading]`, kind = "jakes"``."""
    plain = path.replace("[]", "")
    table = f"`[[{plain}]]`" if path.endswith("[]") else f"`[{plain}]`" if path else "Top of the file"
    return table + (f', kind = "{kind}"' if kind else "")


def meaning(section: type[Section]) -> str:
    """What a table is about, without examples in Python."""
    return " ".join((section.__doc__ or "").split("Raises")[0].split(">>>")[0].split())


def _table(section: type[Section]) -> Iterator[str]:
    rows = [_row(name, info) for name, info in introspection.fields(section).items()]
    yield "\n| field | meaning | unit | allowed | default | source |"
    yield "| --- | --- | --- | --- | --- | --- |"
    yield from rows


def _row(name: str, info: FieldInfo) -> str:
    cells = (
        f"`{name}`",
        info.description or "",
        introspection.extra(info, "unit"),
        introspection.allowed(info),
        default_of(name, info),
        introspection.extra(info, "source"),
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def default_of(name: str, info: FieldInfo) -> str:
    """A field's default as Markdown; a `kind` must be written, although the class knows its own."""
    is_kind_of_table = name == "kind" and introspection.allowed(info).count('"') == 2
    return "*required*" if info.is_required() or is_kind_of_table else f"`{_default(info)}`"


def _default(info: FieldInfo) -> str:
    default = info.default
    if not isinstance(default, Section):
        return toml_value(default)
    given = {name: getattr(default, name) for name in introspection.fields(type(default))}
    telling = ("kind", "name", "mean_snr_db", "bytes", "median_bytes", "sigma")
    shown = {name: value for name, value in given.items() if name in telling}
    return (
        "{ " + ", ".join(f"{name} = {toml_value(value)}" for name, value in shown.items()) + " }"
        if shown
        else "its defaults"
    )


def _profiles() -> Iterator[str]:
    """The profiles of TCP beside one another: the fields in which any differs from the defaults."""
    columns = {name: _leaves(Tcp.model_validate({"profile": name}).model_dump()) for name in PROFILES}
    fields = [field for field in columns["classic"] if len({str(values.get(field)) for values in columns.values()}) > 1]
    yield "\n## Profiles of TCP"
    yield "\nWhat `flows.tcp.profile` sets; all other fields have their defaults in every profile."
    yield "[models/tcp-profiles.md](models/tcp-profiles.md) says where each value comes from."
    yield f"\n| field | {' | '.join(f'`{name}`' for name in columns)} |"
    yield "| --- " * (len(columns) + 1) + "|"
    for field in fields:
        if field != "profile":
            values = (f"`{toml_value(column[field])}`" for column in columns.values())
            yield f"| `{field}` | {' | '.join(values)} |"


def _leaves(values: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Values by path, those of tables below theirs."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        found |= _leaves(value, f"{path}{name}.") if isinstance(value, dict) else {f"{path}{name}": value}
    return found


def _tables() -> Iterator[str]:
    for name, table in TABLES.items():
        yield f'\n`"{name}"`: {table.source}.'
        yield "\n| from SNR (dB) | rate (kb/s) |"
        yield "| --- | --- |"
        for threshold, rate in zip(table.thresholds_db, table.rates_bps, strict=True):
            yield f"| {threshold:g} | {rate / 1000:g} |"


def _schemes() -> Iterator[str]:
    """The named sets of schemes, in one table."""
    yield "\n## Sets of modulation and coding schemes"
    yield "\nWhat `link.rate.set` stands for: code rates x 1024 in the order of the set. `airlink check`"
    yield "prints their thresholds."
    yield "\n| set | QPSK | 16QAM | 64QAM | 256QAM | source |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, schemes in MCS_SETS.items():
        rows = list(zip(schemes.bits_per_symbol, schemes.code_rates, strict=True))
        rates = (" ".join(f"{1024 * rate:g}" for bits, rate in rows if bits == of) for of in (2, 4, 6, 8))
        yield f'| `"{name}"` | {" | ".join(rates)} | {schemes.source} |'


def _delay_profiles() -> Iterator[str]:
    """The named profiles of `channel.fading`, in one table."""
    yield "\n## Power-delay profiles"
    yield "\nWhat `channel.fading.profile` stands for. Delays of TDL profiles are multiplied by `delay_spread_ns`."
    yield "\n| profile | delays (ns; TDL: delay spreads) | powers (dB) | source |"
    yield "| --- | --- | --- | --- |"
    for name, profile in DELAY_PROFILES.items():
        delays, powers = (" ".join(f"{value:g}" for value in values) for values in (profile.delays, profile.powers_db))
        yield f'| `"{name}"` | {delays} | {powers} | {profile.source} |'
