"""What the engine declares of its tables, written down: `airlink/tables/generated.py` and docs/results.md."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from airlink import _rust
from airlink.result import columns
from airlink.tables import Column, DropReason, TableInfo

ROOT = Path(__file__).parent.parent
MODULE = ROOT / "python/airlink/tables/generated.py"
PAGE = ROOT / "docs/results.md"

HEAD = '''"""Written by `make generate` from what `crates/sim/src/record` declares; a test fails when it is stale."""

# fmt: off
# ruff: noqa: E501

from airlink.tables.kinds import Column, DropReason, TableInfo

'''


def declared() -> tuple[list[TableInfo], list[DropReason]]:
    """Tables and reasons to be dropped, as the engine declares them."""
    told = json.loads(_rust.tables())
    return [_table(table) for table in told["tables"]], [DropReason(**reason) for reason in told["drop_reasons"]]


def _table(told: Mapping[str, Any]) -> TableInfo:
    return TableInfo(**{**told, "columns": tuple(_column(column) for column in told["columns"])})


def _column(told: Mapping[str, Any]) -> Column:
    rest = {name: told[name] for name in ("name", "unit", "meaning", "missing", "only")}
    return Column(type="whole" if told["is_whole"] else "real", codes=dict(told["codes"]), **rest)


def module(tables: Sequence[TableInfo], reasons: Sequence[DropReason]) -> str:
    """The module, a line for each column."""
    lines = ["TABLES = ("]
    for table in tables:
        lines += [
            f"    TableInfo({quoted(table.name)}, {quoted(table.what)}, {quoted(table.needs)}, {table.has_few_rows}, ("
        ]
        lines += [f"        {_written(column)}," for column in table.columns]
        lines += ["    )),"]
    lines += [")", "", "DROP_REASONS = ("]
    for reason in reasons:
        words = (quoted(reason.name), str(reason.fate), quoted(reason.label), quoted(reason.meaning))
        lines += [f"    DropReason({', '.join(words)}),"]
    return HEAD + "\n".join([*lines, ")", ""])


def _written(column: Column) -> str:
    words = [quoted(word) for word in (column.name, column.type, column.unit, column.meaning)]
    words += [f"missing={quoted(column.missing)}"] if column.missing else []
    codes = ", ".join(f"{code}: {quoted(label)}" for code, label in column.codes.items())
    words += [f"codes={{{codes}}}"] if codes else []
    words += [f"only={quoted(column.only)}"] if column.only else []
    return f"Column({', '.join(words)})"


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def files() -> dict[Path, str]:
    """What each generated file must hold."""
    tables, reasons = declared()
    return {MODULE: module(tables, reasons), PAGE: columns.page(tables)}


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
