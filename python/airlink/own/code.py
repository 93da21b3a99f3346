"""Code of one's own: what was given, what it is called, its text and the hash of it.

    sha256 of (text of its file, what it reaches and holds, or the machine code's source)

Code whose text or state can't be read gets a hash of its own each time, so that no stored result is taken for its. Left
out: what the code does (`roles`), and what it reaches (`reach`).
"""

from __future__ import annotations

import copy
import ctypes
import difflib
import importlib.util
import inspect
import linecache
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from airlink.own.compiled import Function, check_signature
from airlink.own.errors import OwnError
from airlink.own.reach import reach
from airlink.own.roles import CongestionControl, QueueManagement

_C_FUNCTION: Any = ctypes.CFUNCTYPE(None).__mro__[1]
"""What every function of ctypes is."""

SCHEDULER, CONGESTION_CONTROL, QUEUE = "scheduler", "congestion control", "queue"

METHODS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    SCHEDULER: (("metric",), ("allocate",)),
    CONGESTION_CONTROL: (("on_ack", "on_loss", "on_timeout"),),
    QUEUE: (("on_arrival", "on_head"),),
}
"""What an object must have, in one of these ways."""

HOOKS: Mapping[str, tuple[str, ...]] = {
    SCHEDULER: (),
    CONGESTION_CONTROL: tuple(sorted(name for name in vars(CongestionControl) if name.startswith("on_"))),
    QUEUE: tuple(sorted(name for name in vars(QueueManagement) if name.startswith("on_"))),
}
"""What an object may hear of."""


def unserved(name: str) -> str:
    """What to say of a scheduler under which nobody won a slot in a whole run."""
    return f"scheduler {name}: nobody was ever served; all it answered may be no number (NaN)"


@dataclass(frozen=True)
class Text:
    """Code that took part in a run, as a result keeps it.

    Attributes
    ----------
    role : "scheduler", "congestion control" or "queue"; of flows with their group.
    name : of the class or function.
    sha256 : of its text and of what it holds.
    text : of its file; empty where it can't be read.
    """

    role: str
    name: str
    sha256: str
    text: str = field(repr=False)

    @property
    def key(self) -> str:
        """What the key of a stored result has of it."""
        return f"{self.role}:{self.sha256}"

    @property
    def short_hash(self) -> str:
        """As messages show it."""
        return self.sha256[:12]


@dataclass(frozen=True)
class Part:
    """Code in the place of one of a scenario's own parts.

    Attributes
    ----------
    role : what it takes the place of.
    name : of the class or function.
    given : a class or function that makes an object, an object that is copied for each run, or a compiled function.
    file : where a worker process reads it anew; empty: it is pickled.
    text, sha256 : its source, and a hash of that and of what the object holds.
    address : of compiled code; 0: it is Python's.
    is_repeatable : false: a part of it can't be read, and the hash is of this time alone.
    """

    role: str
    name: str
    given: Any = field(compare=False, repr=False)
    file: str
    text: str = field(repr=False)
    sha256: str
    address: int = field(default=0, compare=False)
    is_repeatable: bool = field(default=True, compare=False, repr=False)

    @classmethod
    def of(cls, given: Any, role: str) -> Part:
        """Reads what was given; raises OwnError if it can't take that part."""
        file = ""
        if isinstance(given, str):
            file, given = given, loaded(given)
        address = _address(given)
        if address:
            check_signature(given, role)
        else:
            _check(given, role)
        source = _source_of(given)
        text = _text_of(source)
        name = given.name if isinstance(given, Function) else getattr(source, "__qualname__", type(given).__qualname__)
        hashed, is_repeatable = _hash(text, name, given, source)
        return cls(role, name, given, file, text, hashed, address, is_repeatable)

    def make(self) -> Any:
        """A new object, or a copy of the one that was given; raises OwnError if it can't be had."""
        makes = isinstance(self.given, type) or not _has_methods(self.given, self.role)
        try:
            made = self.given() if makes else copy.deepcopy(self.given)
        except Exception as error:
            verb = "can't be made without arguments" if makes else "can't be copied, as each run needs it"
            raise OwnError(f"{self.role} {self.name} {verb}: {type(error).__name__}: {error}") from error
        if makes and not _has_methods(made, self.role):
            raise OwnError(f"{self.role} {self.name} made {made!r}; {_needed(self.role)}")
        _check_hooks(made, self.role)
        return made

    def told(self, group: int | None = None) -> Text:
        """It as a result keeps it."""
        role = self.role if group is None else f"{self.role} of flows.{group}"
        return Text(role, self.name, self.sha256, self.text)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self.file:
            state["given"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.file:
            again = Part.of(self.file, self.role)
            is_other = again.sha256 != self.sha256 if self.is_repeatable else again.text != self.text
            if is_other:
                raise OwnError(f"{self.file} has changed since the run began, or what it reads has")
            self.__dict__.update(again.__dict__, sha256=self.sha256)
        elif self.address:
            self.__dict__["address"] = _address(self.given)


def loaded(place: str) -> Any:
    """What a text such as "mine.py:Mine" names: it runs that file.

    Raises
    ------
    OwnError : there is no such file or name in it, or the file can't be run.
    """
    file, colon, name = place.rpartition(":")
    path = Path(file)
    if not colon or path.suffix != ".py" or not name.isidentifier():
        raise OwnError(f"{place!r} names no code; it must be FILE.py:NAME, as mine.py:Mine")
    if not path.is_file():
        raise OwnError(f"{place}: there is no file {file}")
    module = f"airlink_own_{sha256(str(path.resolve()).encode()).hexdigest()[:8]}_{path.stem}"
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(module, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[module] = made
    try:
        spec.loader.exec_module(made)
    except Exception as error:
        raise OwnError(f"{file} can't be run: {type(error).__name__}: {error}") from error
    if not hasattr(made, name):
        there = sorted(
            each for each, value in vars(made).items() if isinstance(value, type) and value.__module__ == module
        )
        raise OwnError(f"{place}: {file} has no {name}" + (f"; it has {', '.join(there)}" if there else ""))
    return getattr(made, name)


def _address(given: Any) -> int:
    """Where compiled code stands: a numba cfunc, a function of ctypes, or a `Function`; 0 for Python's."""
    if isinstance(given, _C_FUNCTION):
        return ctypes.cast(given, ctypes.c_void_p).value or 0
    address = getattr(given, "address", 0)
    return address if isinstance(address, int) and not isinstance(given, type) else 0


def _check(given: Any, role: str) -> None:
    """Raises OwnError unless it has the methods that its part needs, or may make what has them."""
    makes_something = callable(given) and not isinstance(given, type)
    if not (_has_methods(given, role) or makes_something):
        raise OwnError(f"{role} is {given!r}; {_needed(role)}")
    if _has_methods(given, role):
        _check_hooks(given, role)


def _check_hooks(given: Any, role: str) -> None:
    """Raises OwnError for a method on_... that nothing calls: most likely a slip of the pen."""
    for name in sorted(set(dir(given)) - set(HOOKS[role])):
        if name.startswith("on_") and callable(getattr(given, name, None)):
            near = difflib.get_close_matches(name, HOOKS[role], n=1)
            hint = f"did you mean {near[0]}?" if near else f"it may have {', '.join(HOOKS[role]) or 'none'}"
            raise OwnError(f"{role}: airlink never calls {name}; {hint} (a method of one's own may be called _{name})")


def _has_methods(given: Any, role: str) -> bool:
    return any(all(callable(getattr(given, name, None)) for name in names) for names in METHODS[role])


def _needed(role: str) -> str:
    ways = " or ".join(", ".join(names) for names in METHODS[role])
    return f"it must be a class with {ways}, an object of one, or a function that makes one"


def _source_of(given: Any) -> Any:
    """The class or function whose text it is."""
    inner = getattr(given, "__wrapped__", None) or getattr(given, "_pyfunc", None)
    if inner is not None:
        return inner
    if isinstance(given, type) or inspect.isfunction(given):
        return given
    return getattr(given, "func", type(given))


def _text_of(source: Any) -> str:
    if isinstance(source, type) and issubclass(source, Function):
        return ""
    try:
        file = inspect.getsourcefile(source)
        if file and Path(file).is_file():
            return Path(file).read_text(encoding="utf-8")
        return inspect.getsource(source)
    except (OSError, TypeError, UnicodeError):
        return ""


def _hash(text: str, name: str, given: Any, source: Any) -> tuple[str, bool]:
    """The hash, and whether the same code has it again."""
    if isinstance(given, Function):
        return given.sha256, True
    is_repeatable = bool(text)
    try:
        state = reach(source if _address(given) else given) if text else uuid4().bytes
    except Exception:
        # Nothing that is stored may be taken for it.
        state, is_repeatable = uuid4().bytes, False
    return sha256(b"\0".join((text.encode(), name.encode(), state))).hexdigest(), is_repeatable
