"""The folder that Sphinx reads: the pages of docs/ and the generated ones beside them.

A file is written when its content has changed, so that Sphinx reads no other anew. Nothing is generated in docs/, where
everything is kept by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

NO_PAGES = (
    "_ext",
    "_static",
    "build_site.py",
    "conf.py",
    "gallery/build.py",
    "gallery/gallery.toml",
    "README.md",
    "scenario.md",
)
"""In docs/: what makes the site, the list of pages for a forge, and all fields in one piece."""
KEPT = "gallery/pictures"
"""Pictures, which a build of their own makes and removes."""


@dataclass
class Pages:
    """The files of a folder, in which no other will be.

    Attributes
    ----------
    folder : where they are.
    names : the files written so far, as paths in the folder.
    """

    folder: Path
    names: set[str] = field(default_factory=set)

    def write(self, name: str, text: str) -> None:
        """Writes a page, if it differs from what is there."""
        self.write_bytes(name, (text.rstrip("\n") + "\n").encode())

    def write_bytes(self, name: str, content: bytes) -> None:
        """Writes a file, if it differs from what is there."""
        self.names.add(name)
        path = self.folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def copy(self, docs: Path) -> None:
        """Takes the pages of docs/ and what they show."""
        for path in sorted(docs.rglob("*")):
            name = path.relative_to(docs)
            is_page = not any(name.is_relative_to(other) for other in (*NO_PAGES, KEPT))
            is_hidden = any(part.startswith(".") or part == "__pycache__" for part in name.parts)
            if path.is_file() and is_page and not is_hidden:
                self.write_bytes(name.as_posix(), path.read_bytes())

    def remove_others(self) -> None:
        """Removes what an earlier build left and this one did not write."""
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.is_file() and name not in self.names and not name.startswith(f"{KEPT}/"):
                path.unlink()
