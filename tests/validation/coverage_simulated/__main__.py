"""Writes the tables anew: `PYTHONPATH=tests python -m validation.coverage_simulated FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from ..coverage import results_of
from ..coverage.tally import write
from . import TABLES, rows

FOLDER = Path(sys.argv[1])
FOLDER.mkdir(parents=True, exist_ok=True)
made = list(rows(FOLDER))
for table in TABLES:
    write([row for row in made if row.part == table], results_of(table))
