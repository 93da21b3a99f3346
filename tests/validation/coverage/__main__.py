"""Writes tables of coverage anew: `PYTHONPATH=tests python -m validation.coverage [PART...]`, all by default."""

from __future__ import annotations

import sys

from . import results_of
from .campaigns import PARTS
from .tally import write

for name in sys.argv[1:] or PARTS:
    write(PARTS[name].rows(PARTS[name].campaigns), results_of(name))
