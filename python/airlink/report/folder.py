"""Where a study's results go: a folder of its own, never written over by accident, whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from airlink.result import ResultExists
from airlink.result.atomic_write import Destination, claimed
from airlink.result.folder import NEW, check_nothing_else, reading, writing

MANIFEST = "study.json"
REPORT_FILES = ("report.html", "claims.json", MANIFEST)


@dataclass(frozen=True)
class ReportFolder:
    """A folder for one study's report.

    Attributes
    ----------
    path : the folder.
    study : name of the study whose results it holds or will hold.
    force : results of any study, there already, may be replaced. Files that the report did not write never are.
    """

    path: Path
    study: str
    force: bool = False

    @contextmanager
    def claimed(self, replaceable: bool = False) -> Iterator[Destination]:
        """The place of the report, for this process alone until the block ends.

        Parameters
        ----------
        replaceable : results of the same study may be replaced without force (the default folder of `make reproduce`).

        Raises
        ------
        ResultExists : no report may be written here, or another process writes one.
        ResultError : no folder can be made here.
        """
        with claimed(self.path) as place:
            self.check_free(replaceable)
            yield place

    def check_free(self, replaceable: bool = False) -> None:
        """Raises ResultExists unless a report may be written here; `replaceable` as for `claimed`."""
        if not os.path.lexists(self.path):
            return
        if not self.path.is_dir():
            raise ResultExists(f"{self.path} exists and is not a folder")
        with reading(self.path):
            empty = not any(self.path.iterdir())
        if empty:
            return
        held = self._held()
        study = held.get("study")
        if not isinstance(study, str):
            raise ResultExists(f"{self.path} holds other files; a report needs a folder of its own")
        if self.force or (replaceable and study == self.study):
            files = held.get("files")
            if isinstance(files, list):
                check_nothing_else(self.path, "report", files.__contains__)
            return
        raise ResultExists(
            f"{self.path} holds results of the study {study} already; choose another folder with --out, or --force"
        )

    @contextmanager
    def filled(self, place: Destination, manifest: Mapping[str, object]) -> Iterator[Path]:
        """A new folder that takes the place of `path` when the block ends without an error.

        Raises
        ------
        ResultExists : something else came to `path` meanwhile; the report is beside it.
        ResultError : it can't be written (full disk, no permission).
        """
        with writing(self.path):
            place.new.mkdir()
            yield place.new
            files = sorted(path.relative_to(place.new).as_posix() for path in place.new.rglob("*") if path.is_file())
            text = json.dumps({"study": self.study, **manifest, "files": [MANIFEST, *files]}, indent=2)
            (place.new / MANIFEST).write_text(text + "\n", encoding="utf-8")
        try:
            self.check_free(replaceable=True)
        except ResultExists as error:
            raise ResultExists(f"{error}; this report is in {place.put_beside(NEW)}") from None
        place.put()

    def _held(self) -> Mapping[str, object]:
        """What the manifest in the folder says; nothing if there is none."""
        try:
            manifest = json.loads((self.path / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return manifest if isinstance(manifest, dict) else {}
