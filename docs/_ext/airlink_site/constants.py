"""What the text below a constant says: Python keeps none for values, so it is read from the source."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from importlib import import_module
from importlib.util import resolve_name


def text_of(full_name: str) -> str:
    """The text below the assignment of `module.NAME`, where its module got it from; empty where there is none."""
    module, _, name = full_name.rpartition(".")
    body = _body(module)
    for place, line in enumerate(body):
        if isinstance(line, ast.ImportFrom):
            for alias in line.names:
                if (alias.asname or alias.name) == name:
                    return text_of(f"{_imported(line, module)}.{alias.name}")
        elif name in _assigned(line):
            following = body[place + 1] if place + 1 < len(body) else None
            return _text(following)
    return ""


@cache
def _body(module: str) -> list[ast.stmt]:
    return ast.parse(inspect.getsource(import_module(module))).body


def _imported(line: ast.ImportFrom, module: str) -> str:
    package = import_module(module).__package__ or ""
    return resolve_name("." * line.level + (line.module or ""), package)


def _assigned(line: ast.stmt) -> set[str]:
    targets = line.targets if isinstance(line, ast.Assign) else [line.target] if isinstance(line, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _text(line: ast.stmt | None) -> str:
    held = line.value if isinstance(line, ast.Expr) else None
    return inspect.cleandoc(held.value) if isinstance(held, ast.Constant) and isinstance(held.value, str) else ""
