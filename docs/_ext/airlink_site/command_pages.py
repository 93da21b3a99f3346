"""A page for each command of `airlink`: usage, what it does, examples, arguments, options, as in its `--help`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from airlink.cli import app
from airlink.cli.commands import GROUPS
from airlink_site.written import Pages

FOLDER = "reference/commands"


def write(pages: Pages) -> None:
    """Writes the pages and their list."""
    root: Any = typer.main.get_command(app)
    names = root.list_commands(None)
    for name in names:
        pages.write(f"{FOLDER}/{name}.md", "\n".join(_page(["airlink", name], root.commands[name], 1)))
    pages.write(f"{FOLDER}/index.md", "\n".join(_overview(root, names)))


def visible(command: Any) -> dict[str, Any]:
    """The commands below one that are not hidden."""
    below = getattr(command, "commands", {})
    return {name: each for name, each in below.items() if not each.hidden}


def paragraphs(help_text: str) -> tuple[list[str], list[str]]:
    """What a command says of itself, and its examples."""
    said: list[str] = []
    examples: list[str] = []
    for paragraph in (help_text or "").replace("\b", "").strip().split("\n\n"):
        (examples if paragraph.startswith("airlink ") else said).append(paragraph)
    return said, examples


def _overview(root: Any, names: list[str]) -> Iterator[str]:
    yield "# Commands\n"
    yield "`airlink COMMAND --help` prints what these pages hold.\n"
    for group in GROUPS:
        yield f"## {group}\n"
        yield "| command | what it does |"
        yield "| --- | --- |"
        for name in names:
            command = root.commands[name]
            if command.rich_help_panel == group:
                said = paragraphs(command.help)[0]
                first = " ".join(said[0].split()) if said else ""
                yield f"| [`airlink {name}`]({name}.md) | {first} |"
        yield ""
    yield "## Exit codes\n"
    yield "| code | meaning |"
    yield "| --- | --- |"
    yield "| 0 | done |"
    yield "| 1 | a script does not hold, or captures could not be written to their end |"
    yield "| 2 | the input is wrong, or the result could not be stored; one message says how |"
    yield "| 130 | interrupted; what had finished is kept |"


def _page(path: list[str], command: Any, level: int) -> Iterator[str]:
    words = " ".join(path)
    yield f"{'#' * level} {words}\n"
    said, examples = paragraphs(command.help)
    yield from (f"{_text(paragraph)}\n" for paragraph in said[:1])
    yield f"```text\n{usage(words, command)}\n```\n"
    if examples:
        yield "\n".join(["```console", *(f"$ {_example(text)}" for text in examples), "```\n"])
    yield from (f"{_text(paragraph)}\n" for paragraph in said[1:])
    yield f"```{{program}} {words}\n```\n"
    yield from _parameters(command)
    for name, below in visible(command).items():
        yield from _page([*path, name], below, level + 1)


def _example(text: str) -> str:
    """An example, its remark behind the sign of a comment."""
    command, gap, remark = text.partition("    ")
    return f"{command}{gap}# {remark.strip()}" if remark.strip() else command


def _text(paragraph: str) -> str:
    return " ".join(paragraph.split()).replace("<", r"\<").replace("[", r"\[")


def usage(words: str, command: Any) -> str:
    """The line that says what a command takes."""
    options = ["[OPTIONS]"] if any(_is_option(each) for each in command.params) else []
    arguments = [_argument(each) for each in command.params if not _is_option(each)]
    return " ".join([words, *options, *arguments, *(["COMMAND ..."] if visible(command) else [])])


def _is_option(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "option")


def _argument(parameter: Any) -> str:
    name = parameter.metavar or parameter.name.upper()
    several = "..." if parameter.nargs == -1 and not name.endswith("...") else ""
    return f"{name}{several}" if parameter.required or name.startswith("[") else f"[{name}]{several}"


def _parameters(command: Any) -> Iterator[str]:
    arguments = [each for each in command.params if not _is_option(each)]
    options = [each for each in command.params if _is_option(each) and not each.hidden]
    for each in arguments:
        yield from _option(_argument(each).strip("[]"), each)
    for each in options:
        takes = "" if each.is_flag else f" {_value(each)}"
        yield from _option(", ".join(f"{name}{takes}" for name in [*each.opts, *each.secondary_opts]), each)


def _option(signature: str, parameter: Any) -> Iterator[str]:
    facts = ["required"] if parameter.required else []
    default = parameter.show_default if isinstance(parameter.show_default, str) else _default(parameter)
    facts += [f"default `{default}`"] if default else []
    facts += ["may be repeated"] if getattr(parameter, "multiple", False) else []
    yield f"````{{option}} {signature}"
    yield f"{_text(parameter.help or '')}\n"
    if facts:
        yield f"{{.facts}}\n{' · '.join(facts)}"
    yield "````\n"


def _default(parameter: Any) -> str:
    default = parameter.default
    is_shown = parameter.show_default and default not in (None, (), [], False, "") and not callable(default)
    return str(default) if is_shown else ""


def _value(parameter: Any) -> str:
    """A word for what an option takes: its own, N for whole numbers, else its name."""
    if parameter.metavar:
        return str(parameter.metavar)
    return "N" if type(parameter.default) is int else str(parameter.name).strip("_").upper()
