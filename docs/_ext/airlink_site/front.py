"""The front page: its picture is one of the gallery, which the build makes, in both themes."""

from __future__ import annotations

import re
from pathlib import Path

PICTURE = "flow"
"""The picture of the gallery that stands on the front page."""
IMAGE = re.compile(r"!\[(?P<says>[^\]]*)\]\(first-run\.png\)")


def with_pictures(text: str, folder: Path) -> str:
    """The front page with the gallery's pictures, where they are there."""
    names = [f"gallery/pictures/{PICTURE}-{theme}.png" for theme in ("light", "dark")]
    if not all((folder / name).is_file() for name in names):
        return text
    pair = "\n\n".join(
        f"![\\g<says>]({name}){{.only-{theme}}}" for name, theme in zip(names, ("light", "dark"), strict=True)
    )
    return IMAGE.sub(pair, text)
