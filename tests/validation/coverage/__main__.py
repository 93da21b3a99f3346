"""Writes the table of coverage anew: `PYTHONPATH=tests python -m validation.coverage [CAMPAIGNS]`."""

from __future__ import annotations

import sys

from . import RESULTS
from .campaigns import PARTS
from .tally import write

CAMPAIGNS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
write((row for part in PARTS.values() for row in part(CAMPAIGNS)), RESULTS)
