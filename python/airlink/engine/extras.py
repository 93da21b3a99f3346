"""Optional packages, imported when they are asked for: none is required to run."""

from __future__ import annotations

import importlib
from typing import Any


class MissingExtra(ImportError):
    """An optional package is needed and not installed."""


def extra(package: str) -> Any:
    """That package; raises MissingExtra, which says how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise MissingExtra(f"{package} is not installed; pip install 'airlink[{package}]'") from None
