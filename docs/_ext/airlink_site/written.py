"""The folder of generated pages: a page is written when its text has changed, so that Sphinx reads no other anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

FOLDERS = ("scenario", "commands", "python", "project")
"""Of docs/reference: what is in them is generated, and git ignores it."""


@dataclass
class Pages:
    """Generated pages below a folder.

    Attributes
    ----------
    folder : docs/reference.
    names : the pages written so far, as paths in the folder.
    """

    folder: Path
    names: set[str] = field(default_factory=set)

    def write(self, name: str, text: str) -> None:
        """Writes a page, if it differs from what is there."""
        self.names.add(name)
        path = self.folder / name
        text = text.rstrip("\n") + "\n"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def remove_others(self) -> None:
        """Removes pages of an earlier build that are made no more."""
        for folder in FOLDERS:
            for path in sorted((self.folder / folder).rglob("*")):
                if path.is_file() and str(path.relative_to(self.folder)) not in self.names:
                    path.unlink()
