"""Writes the table anew: `PYTHONPATH=tests python -m validation.coverage_simulated FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from ..coverage.tally import write
from . import RESULTS, rows

FOLDER = Path(sys.argv[1])
FOLDER.mkdir(parents=True, exist_ok=True)
write(rows(FOLDER), RESULTS)
