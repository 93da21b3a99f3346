"""Which tutorials a build executes, and where it keeps what came out of them."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import airlink

DOCS = Path(__file__).parents[2]
CHOICES = ("all", "first", "none")


def tutorials(docs: Path = DOCS) -> list[str]:
    """The notebooks as paths in docs/, in their order."""
    return [f"tutorials/{path.name}" for path in sorted((docs / "tutorials").glob("*.ipynb"))]


def left_out(choice: str) -> list[str]:
    """The notebooks that are shown without being executed."""
    if choice not in CHOICES:
        raise ValueError(f"AIRLINK_SITE_NOTEBOOKS is {choice!r}; it can be {', '.join(CHOICES)}")
    found = tutorials()
    return {"all": [], "first": found[1:], "none": found}[choice]


def with_download(_app: Any, page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Offers the notebook at the head of its page."""
    file = f"{page}.ipynb"
    if file in tutorials() and "body" in context:
        name = Path(file).name
        link = f'<p class="download"><a href="{name}" download>Download this notebook</a> ({name})</p>'
        context["body"] = context["body"].replace("</h1>", f"</h1>\n{link}", 1)


def copied(out: Path) -> None:
    """Puts the notebooks beside their pages."""
    for name in tutorials():
        shutil.copyfile(DOCS / name, out / name)


def cache() -> str:
    """The folder for outputs of notebooks, another one for another airlink: they are executed anew then."""
    packages = Path(airlink.__file__).parents[1]
    files = sorted(path for path in packages.glob("airlink*/**/*") if path.suffix in {".py", ".so", ".pyd", ".toml"})
    sources = hashlib.sha256()
    for path in files:
        sources.update(path.read_bytes())
    return str(DOCS.parent / "target/site-notebooks" / sources.hexdigest()[:16])
