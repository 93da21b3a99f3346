"""Makes the pictures of the gallery: runs the commands of gallery.toml and keeps what they draw, light and dark.

`python docs/gallery/build.py --out DIR` makes them, with `--only NAME` one of them; the site's build calls `build`.
`--page` writes the list of pictures in index.md. Left out: pictures of pages other than the gallery, which stand in the
repository.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

import airlink
from airlink.cli import app

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
LIST, INDEX = HERE / "gallery.toml", HERE / "index.md"
PICTURES = HERE / "pictures"
BEGIN, END = "<!-- pictures -->", "<!-- end -->"
STAMP = "made-of"


class CommandFailed(Exception):
    """A command of the gallery failed; the message has what it said."""


@dataclass(frozen=True)
class Entry:
    """A picture and what is said about it.

    Attributes
    ----------
    name : of its files.
    title, question, read, alternative : heading; what it answers; how to read it; words for those who can't see it.
    commands : as a reader types them, from an empty folder; the last one draws.
    picture : the file that the last command writes.
    more : the page that explains it.
    """

    name: str
    title: str
    question: str
    commands: Sequence[str]
    picture: str
    alternative: str
    read: str
    more: str

    @property
    def themes(self) -> tuple[str, ...]:
        """The themes that the last command can draw in; a command without `--theme` draws a light picture only."""
        return ("light", "dark") if has_themes(self.commands[-1]) else ("light",)

    def file(self, theme: str) -> str:
        """Name of its file in a theme."""
        return f"{self.name}-{theme}{Path(self.picture).suffix}"


def entries() -> list[Entry]:
    """The pictures, in the order of the list."""
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))["picture"]
    return [Entry(**each) for each in listed]


def command_of(command: str) -> tuple[Any, list[str]]:
    """The command that a line calls, and the words after its name.

    Raises
    ------
    ValueError : airlink has no such command.
    """
    program, *words = shlex.split(command)
    found: Any = get_command(app)
    while program == "airlink" and words and hasattr(found, "commands") and words[0] in found.commands:
        found, words = found.commands[words[0]], words[1:]
    if program != "airlink" or hasattr(found, "commands"):
        raise ValueError(f"airlink has no command: {command}")
    return found, words


def has_themes(command: str) -> bool:
    """Whether a command draws in the theme that it is told."""
    return any(each.name == "theme" for each in command_of(command)[0].params)


def build(out: Path = PICTURES, only: str | None = None) -> list[Entry]:
    """Makes the pictures, unless those in the folder are made of the same list by the same airlink.

    Parameters
    ----------
    out : folder for NAME-light and NAME-dark, and NAME.txt, which index.md includes.
    only : name of the one picture to make.

    Returns
    -------
    The pictures that `out` has now, in the order of the list.

    Raises
    ------
    CommandFailed : a command failed, or did not write its picture.
    """
    chosen = [entry for entry in entries() if only in (None, entry.name)]
    state = _state(chosen)
    stamp = out / STAMP
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == state:
        return chosen
    out.mkdir(parents=True, exist_ok=True)
    for old in [*out.glob("*-light.*"), *out.glob("*-dark.*"), *out.glob("*.txt"), *out.glob(STAMP)]:
        old.unlink()
    with _empty_folder() as folder:
        ran: set[str] = set()
        for entry in chosen:
            _make(entry, folder, out.absolute(), ran)
    stamp.write_text(state, encoding="utf-8")
    return chosen


def page(pictures: Sequence[Entry]) -> str:
    """The part of index.md between its marks."""
    return "\n".join(_section(entry) for entry in pictures)


def index(text: str, pictures: Sequence[Entry]) -> str:
    """The text of index.md with the part of the pictures written anew."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{page(pictures)}\n{END}{rest.partition(END)[2]}"


def _make(entry: Entry, folder: Path, out: Path, ran: set[str]) -> None:
    """Runs what has not run yet of the commands of a picture, and keeps the picture."""
    *before, last = entry.commands
    for command in before:
        if command not in ran:
            _run(command)
            ran.add(command)
    for theme in entry.themes:
        if len(entry.themes) > 1:
            _run(f"{last} --theme {theme}")
        elif last not in ran:
            _run(last)
            ran.add(last)
        written = folder / entry.picture
        if not written.is_file():
            raise CommandFailed(f"{last}\nwrote no {entry.picture}")
        keep = shutil.move if len(entry.themes) > 1 else shutil.copyfile
        keep(written, out / entry.file(theme))
    (out / f"{entry.name}.txt").write_text(_shown(entry), encoding="utf-8")


def _run(command: str) -> None:
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    if done.exit_code != 0:
        raise CommandFailed(f"{command}\n{done.output}{done.exception!r}")


@contextmanager
def _empty_folder() -> Iterator[Path]:
    """A folder to work in, gone afterwards."""
    was = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(was)


def _state(chosen: Sequence[Entry]) -> str:
    """What the pictures follow from: their commands, this file, and airlink as it is here."""
    digest = sha256(repr([(each.name, each.commands, each.picture, each.themes) for each in chosen]).encode())
    package = Path(airlink.__file__).parent
    sources = [file for file in package.parent.glob("airlink*/**/*") if file.suffix in (".py", ".so", ".pyd", ".toml")]
    for file in (Path(__file__), *sorted(sources)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _section(entry: Entry) -> str:
    """A heading, the question, the picture, how to read it, and its commands."""
    commands = "\n".join(entry.commands)
    return "\n\n".join(
        (
            f"## {entry.title}",
            f"*{entry.question}*",
            f"```{{include}} {PICTURES.name}/{entry.name}.txt\n```",
            f"{entry.read} [More]({entry.more}).",
            f"```sh\n{commands}\n```\n",
        )
    )


def _shown(entry: Entry) -> str:
    """What index.md includes: a directive for each picture, of which a page shows the one of its own theme."""
    classes = {theme: f":class: only-{theme}\n" if len(entry.themes) > 1 else "" for theme in entry.themes}
    return "\n".join(
        f"```{{image}} {PICTURES.name}/{entry.file(theme)}\n{only}:alt: {entry.alternative}\n:width: 100%\n```\n"
        for theme, only in classes.items()
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=PICTURES, help="folder for the pictures")
    parser.add_argument("--only", metavar="NAME", help="make one picture")
    parser.add_argument("--page", action="store_true", help="write the list of pictures in index.md, and no picture")
    asked = parser.parse_args(arguments)
    if asked.page:
        INDEX.write_text(index(INDEX.read_text(encoding="utf-8"), entries()), encoding="utf-8")
        return
    for entry in build(asked.out, asked.only):
        sys.stdout.write(f"{', '.join(entry.file(theme) for theme in entry.themes)}\n")


if __name__ == "__main__":
    main()
