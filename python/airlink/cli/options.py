"""Arguments and options that several commands share: one name, one meaning, one sentence of help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from airlink import engine

Folder = Annotated[Path, typer.Argument(metavar="RESULT", help="Folder written by airlink run.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", "-s", metavar="KEY=VALUE", help="Override a field; may be repeated.")
]
Replicas = Annotated[int, typer.Option(min=1, help="How many replicas, on all cores.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Cores to use (default: all).")]
Record = Annotated[
    str,
    typer.Option(
        metavar="KINDS",
        help="Series to record, separated by commas, or 'all': "
        + ", ".join(engine.RECORD_KINDS)
        + ". With 'pcap', packets are captured.",
    ),
]
Replica = Annotated[int, typer.Option(metavar="R", help="Which replica, from 0.")]
Presence = Annotated[
    float,
    typer.Option(metavar="P", help="Part of a window that a flow must be active for to count in it, 0 to 1."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
