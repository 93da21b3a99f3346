"""Atomic writing of a path: one writer at a time fills it beside its name, and one rename puts it there.

    .NAME.airlink/lock        locked by the process that writes NAME
    .NAME.airlink/new         what it writes
    .NAME.airlink/old/NAME    what stood there, where the file system cannot swap two folders in one step

NAME is whole at every moment: the older one, or the newer one. A killed process leaves the hidden folder; the next
writer in that folder removes it, and puts NAME back where the swap was cut in two.

A second writer to one NAME is refused after `PATIENCE_S`. It does not wait for the first: that may take hours, and
NAME would be taken then.

Left out: Windows has no such lock, nor have some file systems. There the hidden folder itself is the lock, and after a
kill the user removes it.
"""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from airlink.result.errors import ResultExists
from airlink.result.folder import writing
from airlink.result.locks import NO_LOCKS, try_lock

LOCK, NEW, OLD = "lock", "new", "old"
HIDDEN = ".{}.airlink"
LONGEST_NAME = 200
"""Bytes of a name that its hidden folder repeats; of a longer one, a hash."""

PATIENCE_S = 1.0
"""So long the next writer may take to tidy up, which it does under the lock."""

ASK_AGAIN_S = 0.02
OCCUPIED = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EISDIR)


class Destination:
    """A name that this process alone writes to, from `claimed` on.

    Attributes
    ----------
    asked : the path as the user gave it, for messages.
    target : where it leads, symbolic links followed.
    new : the path to fill; neither file nor folder stands there yet.
    """

    def __init__(self, asked: Path, target: Path, hidden: Path) -> None:
        self.asked = asked
        self.target = target
        self.new = hidden / NEW / f"new{asked.suffix}"
        self._old = hidden / OLD / target.name

    def put(self) -> None:
        """Puts what `new` holds in its place; what stood there is gone afterwards, and not before.

        Raises
        ------
        ResultError : it can't be written; what stood there stands there still.
        """
        with writing(self.asked):
            sync(self.new)
            _put(self.new, self.target, self._old)
            sync_one(self.target.parent)
        # An interruption from here on comes too late to be told: the next writer removes what is left.
        with suppress(KeyboardInterrupt):
            _clear(self.new.parent.parent)

    def put_beside(self, ending: str) -> Path:
        """Puts what `new` holds beside its place, under the first free one of NAME-ENDING, NAME-ENDING-2, ..."""
        with writing(self.asked):
            sync(self.new)
            for number in itertools.count(1):
                name = f"{self.target.name}-{ending}" + f"-{number}" * (number > 1)
                try:
                    self.new.rename(self.target.with_name(name))
                except OSError as error:
                    if error.errno not in OCCUPIED:
                        raise
                else:
                    sync_one(self.target.parent)
                    beside = self.target.with_name(name)
                    return self.asked.with_name(name) if self.asked.name == self.target.name else beside
        raise AssertionError("numbers do not end")


@contextmanager
def claimed(asked: Path, parents: bool = True) -> Iterator[Destination]:
    """The place of that name, for this process alone until the block ends.

    Parameters
    ----------
    asked : file or folder, there or not.
    parents : whether folders on the way are made; those that stay empty are removed again.

    Raises
    ------
    ResultExists : another process writes there.
    ResultError : nothing can be written there.
    """
    target = Path(os.path.realpath(asked))
    if not target.name:
        raise ResultExists(f"{asked} is the root of the file system; choose another name")
    hidden = _hidden(target)
    with ExitStack() as stack:
        with writing(asked):
            # Of a name that is too long the hidden folder could be made all the same.
            with suppress(FileNotFoundError):
                target.lstat()
            for folder in reversed(_missing(target.parent)) if parents else ():
                stack.callback(_remove_empty, folder)
            descriptor = _locked(hidden, asked, parents)
            stack.callback(os.close, descriptor)
            stack.callback(_remove, hidden)
            _tidy_beside(target.parent, hidden)
            (hidden / NEW).mkdir()
        yield Destination(asked, target, hidden)


def write_text(asked: Path, text: str, overwrite: bool = True) -> None:
    """Writes a file whole or not at all, by default in place of one that is there.

    Raises
    ------
    ResultExists : another process writes there, or something stands there that is no file.
    ResultError : it can't be written.
    """
    with claimed(asked, parents=False) as place:
        check_file(asked, overwrite)
        with writing(asked):
            place.new.write_text(text, encoding="utf-8")
        place.put()


def check_file(path: Path, overwrite: bool) -> None:
    """Raises ResultExists unless a file may be put there: a folder, device or pipe is never replaced."""
    if path.is_dir():
        raise ResultExists(f"{path} is a folder; choose another name")
    if path.exists() and not path.is_file():
        raise ResultExists(f"{path} is a device or pipe, not a file; choose another name")
    if path.exists() and not overwrite:
        raise ResultExists(f"{path} exists; choose another name, or --force to replace it")


def recover(directory: Path) -> None:
    """Puts a folder back that a killed process had taken out of its place to replace it."""
    target = Path(os.path.realpath(directory))
    if not target.exists() and (_hidden(target) / OLD).is_dir():
        with claimed(directory):
            pass


def sync(path: Path) -> None:
    """Has the disk hold a file, or a folder with all in it, before it is renamed: a power cut then finds it whole."""
    for folder, _, names in os.walk(path, topdown=False):
        for name in names:
            sync_one(Path(folder, name))
        sync_one(Path(folder))
    if not path.is_dir():
        sync_one(path)


def sync_one(path: Path) -> None:
    """Has the disk hold a file, or the names in a folder."""
    if path.is_dir() and os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems do not sync folders.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def _hidden(target: Path) -> Path:
    name = os.fsencode(target.name)
    return target.with_name(HIDDEN.format(target.name if len(name) <= LONGEST_NAME else sha256(name).hexdigest()))


def _missing(folder: Path) -> list[Path]:
    """Which of a folder and those it lies in are not there, the innermost first."""
    return [each for each in (folder, *folder.parents) if not os.path.lexists(each)]


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _locked(hidden: Path, asked: Path, parents: bool) -> int:
    """A descriptor that holds the lock of a hidden folder, which is made."""
    end = time.monotonic() + PATIENCE_S
    while True:
        hint = ""
        made = False
        with suppress(FileExistsError):
            hidden.mkdir(parents=parents)
            made = True
        try:
            descriptor = try_lock(hidden / LOCK)
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
            descriptor = os.open(hidden / LOCK, os.O_RDWR) if made else None
            hint = f"; if none is, remove {hidden}"
        if descriptor is not None:
            with suppress(OSError):
                os.truncate(descriptor, 0)
                os.write(descriptor, str(os.getpid()).encode())
            return descriptor
        if time.monotonic() > end:
            raise ResultExists(
                f"{asked}: {_writer(hidden)} is writing there; wait for it, or choose another name{hint}"
            )
        time.sleep(ASK_AGAIN_S)


def _writer(hidden: Path) -> str:
    try:
        return f"another process ({int((hidden / LOCK).read_text())})"
    except (OSError, ValueError):
        return "another process"


def _tidy_beside(folder: Path, own: Path) -> None:
    """Removes what killed processes left in a folder; what a living one has locked stays."""
    _put_back(own)
    _clear(own)
    for hidden in folder.glob(HIDDEN.format("*")):
        if hidden == own or hidden.is_symlink() or not hidden.is_dir():
            continue
        # Others may be at it as well, or it is not ours to remove.
        with suppress(OSError):
            descriptor = try_lock(hidden / LOCK)
            if descriptor is not None:
                _put_back(hidden)
                _remove(hidden)
                os.close(descriptor)


def _put_back(hidden: Path) -> None:
    """Ends a swap that was cut in two: what stood there before comes back."""
    if (hidden / OLD).is_dir():
        for old in (hidden / OLD).iterdir():
            if not os.path.lexists(hidden.with_name(old.name)):
                old.rename(hidden.with_name(old.name))


def _clear(hidden: Path) -> None:
    for name in (NEW, OLD):
        shutil.rmtree(hidden / name, ignore_errors=True)


def _remove(hidden: Path) -> None:
    _clear(hidden)
    with suppress(OSError):
        (hidden / LOCK).unlink()
        hidden.rmdir()


def _put(new: Path, target: Path, old: Path) -> None:
    if new.is_file():
        if target.exists():
            shutil.copymode(target, new)
        new.replace(target)
        return
    try:
        new.rename(target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if not _swapped(new, target):
            _put_in_two_steps(new, target, old)


def _swapped(first: Path, second: Path) -> bool:
    """Swaps two folders in one step, where the system and the file system can: renameat2 of Linux."""
    import ctypes

    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of linux/fcntl.h and linux/fs.h
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if os.name == "posix" else None
    return rename is not None and rename(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0


def _put_in_two_steps(new: Path, target: Path, old: Path) -> None:
    old.parent.mkdir()
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise
