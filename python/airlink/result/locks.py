"""Locks of the operating system on files: they end with the process that holds them, however it ends.

Left out: Windows has no such lock, nor have some file systems; `NO_LOCKS` are the errors by which these say so.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

NO_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL)


def try_lock(path: Path, make: bool = True) -> int | None:
    """A descriptor that holds the lock of a file; None while another process does, or when file or folder is gone.

    Parameters
    ----------
    path : of the file.
    make : whether it is made where it is not there.

    Raises
    ------
    OSError : the file can't be opened, or (`NO_LOCKS`) there are no locks here.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | (os.O_CREAT if make else 0), 0o666)
    except FileNotFoundError:
        return None
    try:
        if fcntl is None:
            raise OSError(errno.ENOSYS, "no locks")
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), path.stat()):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        os.close(descriptor)
        raise
    # Held by another process, or of a file that its owner has removed meanwhile.
    os.close(descriptor)
    return None
