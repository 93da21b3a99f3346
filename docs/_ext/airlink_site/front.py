"""The front page: its picture is one of the gallery, which the build makes, in both themes."""

from __future__ import annotations

import re

PICTURE = "flow"
"""The picture of the gallery that stands on the front page."""
IMAGE = re.compile(r"!\[(?P<says>[^\]]*)\]\(first-run\.png\)")


def with_pictures(text: str) -> str:
    """The front page with the picture of the gallery, of which a page shows the one of its own theme."""
    pair = (f"![\\g<says>](gallery/pictures/{PICTURE}-{theme}.png){{.only-{theme}}}" for theme in ("light", "dark"))
    return IMAGE.sub("\n\n".join(pair), text)
