"""The command `airlink`: everything the package does, from a terminal.

Numbers go to stdout, progress and messages to stderr. Exit code 0: done; 1: a script does not hold, or captures could
not be written to their end; 2: the input is wrong or the result could not be stored, one message says how; 130:
interrupted, with what had finished kept.
"""

from __future__ import annotations

from airlink.cli.root import app, main

__all__ = ["app", "main"]
