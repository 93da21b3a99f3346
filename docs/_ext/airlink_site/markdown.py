"""What the generators know of Markdown: anchors of headings, parts below headings, links."""

from __future__ import annotations

import re
from collections.abc import Iterator

FENCE = re.compile(r"^\s*(```+|~~~+)")


def slug(heading: str) -> str:
    """The anchor that a forge, and MyST, give a heading."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda link: link[1] or "", heading)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def headings(text: str) -> Iterator[tuple[int, int, str]]:
    """Number of the line, level and words of every heading outside blocks of code."""
    fence = ""
    for number, line in enumerate(text.splitlines()):
        mark = FENCE.match(line)
        if mark and (not fence or line.strip() == fence):
            fence = "" if fence else mark[1]
        elif not fence and (found := re.match(r"(#{1,6}) +(.+?)\s*$", line)):
            yield number, len(found[1]), found[2]


def parts(text: str) -> dict[str, str]:
    """The text below each heading, up to the next one of the same level or above."""
    lines, marks = text.splitlines(), list(headings(text))
    found: dict[str, str] = {}
    for place, (start, level, words) in enumerate(marks):
        end = next((line for line, other, _ in marks[place + 1 :] if other <= level), len(lines))
        found.setdefault(words, "\n".join(lines[start + 1 : end]).strip())
    return found


def outside_code(text: str) -> Iterator[tuple[bool, str]]:
    """Lines with their ends; whether a line is text rather than code."""
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line)
        is_fence = bool(mark) and (not fence or line.strip() == fence)
        if mark and is_fence:
            fence = "" if fence else mark[1]
        yield not fence and not is_fence, line
