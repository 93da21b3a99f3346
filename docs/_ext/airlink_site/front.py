"""The front page: its picture is one of the gallery, which the build makes, in both themes."""

from __future__ import annotations

import re
from pathlib import Path

PICTURE = "flow"
"""The picture of the gallery that stands on the front page."""
IMAGE = re.compile(r"!\[(?P<says>[^\]]*)\]\(first-run\.png\)")
INSTEAD = {
    "start": "first-steps",
    "how-to/index": "questions",
    "trust": "validation",
}
"""Pages to which the doors lead as long as the first is not there."""


def with_pictures(text: str, folder: Path) -> str:
    """The front page with the gallery's pictures, where they are there, and doors that lead somewhere."""
    for page, other in INSTEAD.items():
        if not (folder / f"{page}.md").is_file():
            text = text.replace(f":link: {page}\n", f":link: {other}\n")
    names = [f"gallery/pictures/{PICTURE}-{theme}.png" for theme in ("light", "dark")]
    if not all((folder / name).is_file() for name in names):
        return text
    pair = "\n\n".join(
        f"![\\g<says>]({name}){{.only-{theme}}}" for name, theme in zip(names, ("light", "dark"), strict=True)
    )
    return IMAGE.sub(pair, text)
