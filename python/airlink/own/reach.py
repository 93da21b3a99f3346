"""What code of one's own reaches, as one hash: its functions, and what they read of globals and of modules.

    sha256 of the walk: code -> its constants, the globals it names -> their values, their code, their files

Functions count by what they are compiled to, objects by what pickle would keep, files that are modules by their bytes,
and so do the modules that these import. A text of the code that names a file beside it, as "weights.npz", and a `Path`
of a file count with the bytes of that file. The standard library, airlink and installed packages count by name. Left
out: files whose names are put together, names that the code makes up as it runs (`getattr`, `eval`).
"""

from __future__ import annotations

import ast
import dis
import importlib.util
import inspect
import sys
import sysconfig
import types
from collections.abc import Iterator
from enum import Enum
from functools import cache, cached_property
from hashlib import sha256
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path, PurePath
from typing import Any

import numpy as np

_INSTALLED = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib"))
_OF_A_CLASS = frozenset(
    (
        *("__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__"),
        *("__slotnames__", "_abc_impl"),
        *("__annotations__", "__annotations_cache__", "__annotate__", "__annotate_func__"),
    )
)
"""What Python itself keeps in a class, some of it only from its first use on."""

_READS_A_GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME")


def reach(*values: Any) -> bytes:
    """The hash of these and of all they reach.

    Raises
    ------
    Exception : something of it has no value that could be compared: a lock, an open file, a generator.
    """
    walk = _Walk(_folder_of(values[0]))
    for value in values:
        walk.take(value)
    return walk.hash.digest()


class _Walk:
    """One walk; what is met again counts by the number of its first place.

    Parameters
    ----------
    folder : where a file that a text names may be, besides the one that the process works in.
    """

    def __init__(self, folder: Path) -> None:
        self.hash = sha256()
        self.met: dict[Any, int] = {}
        self.kept: list[Any] = []
        self.folder = folder

    def say(self, *words: str) -> None:
        for word in words:
            self.hash.update(f"{len(word)}:{word}".encode("utf-8", "surrogatepass"))

    def take(self, value: Any) -> None:
        """A value of any kind."""
        if value is None or type(value) in (bool, int, float, complex, str, bytes, type(...)):
            self.say(type(value).__name__, repr(value))
            if type(value) is str:
                self._content(value)
            return
        if id(value) in self.met:
            self.say("again", str(self.met[id(value)]))
            return
        self.met[id(value)] = len(self.met)
        # Held, so that no other object gets its address.
        self.kept.append(value)
        if isinstance(value, types.CodeType):
            self._code(value)
        elif isinstance(value, types.ModuleType):
            self._file_of(value.__name__)
        elif inspect.isfunction(value):
            self._function(value)
        elif isinstance(value, type):
            self._class(value)
        else:
            self._object(value)

    def _object(self, value: Any) -> None:
        self.say(type(value).__name__)
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            self.say(repr(value.dtype.descr), repr(value.shape))
            self.hash.update(value.tobytes())
        elif type(value) in (tuple, list):
            self._all(value)
        elif type(value) is dict:
            self._all([part for pair in value.items() for part in pair])
        elif type(value) in (set, frozenset):
            self.say(*sorted(reach(each).hex() for each in value))
        else:
            self._wrapping(value)

    def _wrapping(self, value: Any) -> None:
        """What stands for something within it; all else as pickle has it."""
        if isinstance(value, staticmethod | classmethod | types.MethodType):
            self._all([value.__func__, getattr(value, "__self__", None)])
        elif isinstance(value, cached_property):
            self.take(value.func)
        elif isinstance(value, types.MappingProxyType):
            self.take(dict(value))
        elif isinstance(value, property):
            self._all([value.fget, value.fset, value.fdel])
        elif isinstance(value, Enum):
            self._all([type(value), value.name])
        elif isinstance(value, PurePath):
            # Where it is does not count, but for its name.
            self.say("path", value.name)
            self._content(str(value))
        elif isinstance(value, types.BuiltinFunctionType | np.ufunc):
            self.say(getattr(value, "__module__", None) or "", value.__name__)
            self.take(getattr(value, "__self__", None))
        else:
            inner = getattr(value, "py_func", None) or getattr(value, "_pyfunc", None)
            inner = inner or getattr(value, "__wrapped__", None)
            self._reduced(value) if inner is None else self.take(inner)

    def _all(self, values: Any) -> None:
        self.say(str(len(values)))
        for value in values:
            self.take(value)

    def _reduced(self, value: Any) -> None:
        """What pickle would keep of it."""
        found = value.__reduce_ex__(4)
        if isinstance(found, str):
            self.say(getattr(value, "__module__", None) or "", found)
            return
        make, arguments, *rest = found
        self.take(make)
        self.take(arguments)
        for place, each in enumerate(rest):
            self.take(list(each) if place in (1, 2) and each is not None else each)

    def _function(self, value: types.FunctionType) -> None:
        self.say("function", value.__qualname__)
        self._all([value.__defaults__, value.__kwdefaults__])
        if _is_airlinks(value.__module__):
            return
        for cell in value.__closure__ or ():
            try:
                self.take(cell.cell_contents)
            except ValueError:
                self.say("empty")
        if _is_installed(value.__module__):
            self.say(value.__module__)
            return
        self.take(value.__code__)
        around = value.__globals__
        codes = list(_with_inner(value.__code__))
        named = {name for code in codes for name in code.co_names}
        for name in sorted(set().union(*map(_globals_of, codes))):
            if name in around and not name.startswith("__"):
                self.say("global", name)
                self._global(around[name], named)
        for name in sorted(set().union(*map(_imports_of, codes))):
            self._file_of(name)

    def _global(self, value: Any, named: set[str]) -> None:
        self.take(value)
        if isinstance(value, types.ModuleType) and not _is_installed(value.__name__):
            for name in sorted(named & vars(value).keys()):
                self.say("of module", name)
                each = vars(value)[name]
                self.take(each) if id(each) in self.met else self._global(each, named)

    def _content(self, text: str) -> None:
        """The bytes of the file that a text names, if it names one."""
        for path in (self.folder / text, Path(text)):
            if _is_file(path):
                self.say("file", sha256(path.read_bytes()).hexdigest())
                return

    def _code(self, code: types.CodeType) -> None:
        self.say("code", repr(code.co_code), repr(code.co_names), repr(code.co_varnames), repr(code.co_freevars))
        self._all(code.co_consts)

    def _class(self, value: type) -> None:
        self.say("class", value.__qualname__)
        if _is_installed(value.__module__):
            self.say(value.__module__)
            return
        self._file_of(value.__module__)
        self._all(value.__bases__)
        for name, each in sorted(vars(value).items()):
            if name not in _OF_A_CLASS and not isinstance(each, types.MemberDescriptorType):
                self.say(name)
                self.take(each)

    def _file_of(self, name: str) -> None:
        """A module by its file, and the modules that it imports; `__main__` by what is read of it alone."""
        if name == "__main__" or ("file", name) in self.met:
            return
        self.met["file", name] = len(self.met)
        path = None if _is_installed(name) else _path_of(name)
        # A file counts alike whether it was imported or named by its place.
        self.say("module", name if path is None else "")
        if path is None:
            return
        content = path.read_bytes()
        self.hash.update(sha256(content).digest())
        if path.suffix == ".py":
            for other in _imported(content, name, path.name == "__init__.py"):
                if not _is_installed(other):
                    self._file_of(other)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # The text is too long for a name.
        return False


def _folder_of(value: Any) -> Path:
    """The folder of the file that a function, a class, or an object's class is in."""
    named = value if isinstance(value, type) or inspect.isfunction(value) else type(value)
    file = getattr(sys.modules.get(getattr(named, "__module__", "")), "__file__", None)
    return Path(file).parent if file else Path()


def _with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code and that of the functions within."""
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from _with_inner(each)


@cache
def _globals_of(code: types.CodeType) -> frozenset[str]:
    return frozenset(str(each.argval) for each in dis.get_instructions(code) if each.opname in _READS_A_GLOBAL)


@cache
def _imports_of(code: types.CodeType) -> frozenset[str]:
    found = (str(each.argval) for each in dis.get_instructions(code) if each.opname == "IMPORT_NAME")
    return frozenset(name for name in found if name)


@cache
def _imported(content: bytes, name: str, is_package: bool) -> tuple[str, ...]:
    """The modules that a file names in its imports."""
    found: set[str] = set()
    for each in ast.walk(ast.parse(content)):
        if isinstance(each, ast.Import):
            found.update(alias.name for alias in each.names)
        elif isinstance(each, ast.ImportFrom):
            parents = name.split(".")
            outer = parents[: len(parents) - each.level + is_package] if each.level else []
            source = ".".join([*outer, *([each.module] if each.module else [])])
            found.update([source, *(f"{source}.{alias.name}" for alias in each.names)])
    # A package runs before what is in it.
    packages = {each[:place] for each in found for place, letter in enumerate(each) if letter == "."}
    return tuple(sorted((found | packages) - {""}))


def _path_of(name: str) -> Path | None:
    """The file of a module, whether it is loaded or not; None: it is no module, or has no file."""
    module = sys.modules.get(name)
    if module is not None:
        file = getattr(module, "__file__", None)
    else:
        spec = _spec_of(name)
        file = spec.origin if spec is not None and spec.has_location else None
    return Path(file) if file and Path(file).is_file() else None


def _spec_of(name: str) -> ModuleSpec | None:
    """What the system would load as this module; the packages that it is in are not run to know it."""
    above = name.rpartition(".")[0]
    try:
        if not above or above in sys.modules:
            return importlib.util.find_spec(name)
        package = _spec_of(above)
        places = package.submodule_search_locations if package is not None else None
        return PathFinder.find_spec(name, places) if places is not None else None
    except (ImportError, AttributeError, ValueError):
        return None


def _is_airlinks(name: str | None) -> bool:
    return (name or "").partition(".")[0] == "airlink"


def _is_installed(name: str | None) -> bool:
    """Whether a module is of the standard library, of airlink, or of an installed package."""
    top = (name or "").partition(".")[0]
    if top in ("", "__main__"):
        return False
    if top in sys.stdlib_module_names or _is_airlinks(top):
        return True
    path = _path_of(top)
    return path is not None and _holds_packages(path.parent.parent if path.name == "__init__.py" else path.parent)


@cache
def _holds_packages(folder: Path) -> bool:
    folder = folder.resolve()
    return folder in _INSTALLED or folder.name in ("site-packages", "dist-packages") or any(folder.glob("*.dist-info"))
