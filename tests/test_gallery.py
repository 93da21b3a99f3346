"""The gallery: a well-formed list of commands that airlink has, a page written from it, and pictures that are made.

One picture is made in every run of the tests; `make validate` makes all of them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from airlink_site import build

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs/gallery"
CHEAP = "recovery"
PNG = b"\x89PNG\r\n"

gallery = build.gallery()
ENTRIES = gallery.entries()


def parses(command: str) -> None:
    """Fails if airlink has no such command, or the command no such option."""
    found, words = gallery.command_of(command)
    context = found.make_context(found.name, [], resilient_parsing=True)
    _, left, _ = found.make_parser(context).parse_args(list(words))
    assert not left, f"{command}: {left} too many"


def test_the_list_names_each_picture_once_and_says_all_of_it() -> None:
    names = [entry.name for entry in ENTRIES]
    assert len(names) >= 12
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z-]+", name)] == []
    for entry in ENTRIES:
        assert all((entry.title, entry.alternative, entry.read)), entry.name
        assert entry.question.endswith("?"), entry.name
        assert (FOLDER / entry.more.partition("#")[0]).is_file(), entry.name


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_each_command_of_the_gallery_is_one_that_airlink_has(entry: Any) -> None:
    for command in entry.commands:
        parses(command)
    assert "--out" in entry.commands[-1]


def test_a_command_or_option_that_airlink_lacks_is_seen() -> None:
    with pytest.raises(ValueError, match="no command: airlink paint"):
        parses("airlink paint cell.toml")
    with pytest.raises(ValueError, match="no command: airlink plot"):
        parses("airlink plot")
    with pytest.raises(ValueError, match="no command: rm"):
        parses("rm -r cell.toml")
    with pytest.raises(Exception, match="--shade"):
        parses("airlink plot cell here --shade dark")


def test_the_page_is_written_from_the_list() -> None:
    text = (FOLDER / "index.md").read_text()
    assert gallery.index(text, ENTRIES) == text, "python docs/gallery/build.py --page"
    assert "airlink plot flow" in text
    assert gallery.index(text, ENTRIES[:-1]) != text


def has_picture(file: Path) -> bool:
    """Whether a file is a picture with something in it."""
    content = file.read_bytes()
    return len(content) > 5000 and (content.startswith(PNG) or b"<svg" in content[:1000])


def test_a_picture_is_made_in_each_theme_and_kept_until_its_list_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Path.cwd()
    (entry,) = gallery.build(tmp_path, only=CHEAP)
    files = [tmp_path / entry.file(theme) for theme in entry.themes]
    assert [file.name for file in files if not has_picture(file)] == []
    assert len({file.read_bytes() for file in files}) == len(files)
    included = (tmp_path / f"{CHEAP}.txt").read_text()
    assert [file.name for file in files if f"pictures/{file.name}\n" not in included] == []
    assert f"```{{include}} pictures/{CHEAP}.txt\n" in (FOLDER / "index.md").read_text()
    assert Path.cwd() == here

    def fails(command: str) -> None:
        raise gallery.CommandFailed(command)

    monkeypatch.setattr(gallery, "_run", fails)
    assert gallery.build(tmp_path, only=CHEAP) == [entry]
    with pytest.raises(gallery.CommandFailed, match="airlink"):
        gallery.build(tmp_path, only="flow")


def test_a_command_that_fails_says_what_and_leaves_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = gallery.Entry("wrong", "", "", ["airlink plot cell nowhere --out cell.png"], "cell.png", "", "", "")
    monkeypatch.setattr(gallery, "entries", lambda: [wrong])
    with pytest.raises(gallery.CommandFailed, match="nowhere"):
        gallery.build(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.validate
def test_all_pictures_are_made(tmp_path: Path) -> None:
    (tmp_path / "old-light.png").write_text("left over")
    made = gallery.build(tmp_path)
    wanted = {entry.file(theme) for entry in made for theme in entry.themes}
    texts = {f"{entry.name}.txt" for entry in made}
    assert {file.name for file in tmp_path.iterdir()} == {*wanted, *texts, gallery.STAMP}
    assert [name for name in sorted(wanted) if not has_picture(tmp_path / name)] == []
