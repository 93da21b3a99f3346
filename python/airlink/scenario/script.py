"""Scripts: timed packets into one end of a TCP connection and out of it, with the fields of that connection above.

A file is TOML between two lines of `---`, then the lines of the script; docs/scripts.md tells their language.
Leaves out reading those lines, which the engine does, and playing them (`airlink.engine`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal

from typing_extensions import Self

from .errors import NOTHING, Problem, ScenarioError
from .fields import Section, Text, about
from .sections import Tcp
from .source import Unreadable, read_bytes
from .toml import LARGEST_FILE, TomlError, loads

FENCE = "---"
EXAMPLE = 'a line of ---, then side = "sender" and [tcp] as in a scenario, a line of ---, then the script'


class Head(Section):
    """What stands above a script's lines."""

    rule: Annotated[str, Text(), about("What the script shows, with its source")] = ""
    side: Annotated[Literal["sender", "receiver", "endpoint"], about("Which end of the connection it plays with")]
    tcp: Annotated[Tcp, about("The fields of the connection, as in `[flows.tcp]`")] = Tcp()


class Script:
    """A script, its head checked and complete.

    Attributes
    ----------
    head : rule, side and TCP fields.
    text : its lines.
    first_line : the number of the first of them in the file.
    """

    def __init__(self, head: Mapping[str, Any], text: str, first_line: int) -> None:
        self._given = dict(head)
        self.head = Head(**head)
        self.text = text
        self.first_line = first_line

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Reads a script.

        Raises
        ------
        ScenarioError : the head is missing, is no TOML, or holds wrong fields; all mistakes at once.
        """
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise ScenarioError([Problem("", NOTHING, "is not text")])
        lines = text.splitlines()
        fences = [number for number, line in enumerate(lines) if line.strip() == FENCE]
        above = lines[: fences[0]] if fences else lines
        if len(fences) < 2 or any(line.strip() and not line.lstrip().startswith("#") for line in above):
            raise ScenarioError([Problem("", NOTHING, f"is not a script: {EXAMPLE}")])
        try:
            head = loads("\n".join(lines[fences[0] + 1 : fences[1]]))
        except (TomlError, RecursionError) as error:
            raise ScenarioError([Problem("", NOTHING, f"its head is not valid TOML: {error}")]) from None
        return cls(head, "\n".join(lines[fences[1] + 1 :]), fences[1] + 2)

    @classmethod
    def from_file(cls, file: str | PathLike[str]) -> Self:
        """Reads a file; see `from_text`."""
        path = Path(file)
        try:
            text = read_bytes(path, LARGEST_FILE).decode("utf-8")
        except Unreadable as error:
            raise ScenarioError([Problem("", NOTHING, str(error))]) from None
        except UnicodeDecodeError:
            raise ScenarioError([Problem("", NOTHING, "is not text")]) from None
        return cls.from_text(text)

    def with_tcp(self, changes: Mapping[str, Any]) -> Script:
        """The script with other TCP fields, by path: ``with_tcp({"rto.min_ms": 200})``."""
        given = dict(self._given)
        tcp = dict(given.get("tcp", {}))
        for path, value in changes.items():
            *above, name = path.split(".")
            table = tcp
            for step in above:
                if not isinstance(table.get(step, {}), Mapping):
                    raise ScenarioError([Problem(path, value, f"{step} has no fields of its own")])
                table[step] = dict(table.get(step, {}))
                table = table[step]
            table[name] = value
        return Script({**given, "tcp": tcp}, self.text, self.first_line)

    def tcp_json(self) -> str:
        """The TCP fields as the engine takes them: every one explicit, infinity "inf"."""
        return json.dumps(self.head.tcp.model_dump(mode="json"), allow_nan=False)
