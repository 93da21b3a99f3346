"""`airlink store`: results that were stored."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from airlink.cli.commands import KEEP, fail, group, message
from airlink.cli.options import AsJson, Folder
from airlink.cli.stored import listing, size_text, when
from airlink.result import Result
from airlink.result.files import is_as_written
from airlink.result.folder import MANIFEST
from airlink.scenario.errors import printable
from airlink.store import Store, StoredScenario, check, collect, default_folder, is_store, merge, repair

HELP = """Look after stored results.

airlink store ls

airlink store check --repair
"""

MOST_SHOWN = 200
"""Scenarios that `ls` prints; `--json` has all."""

StoreFolder = Annotated[
    Path | None,
    typer.Argument(metavar="STORE", help="Folder of the store (default: AIRLINK_STORE, or airlink-results)."),
]
StoreOption = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", help="Folder of the store (default: AIRLINK_STORE, or airlink-results)."),
]

store = group()


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    for name, command in (
        ("ls", ls), ("show", show), ("check", check_command), ("digest", digest), ("gc", gc), ("merge", merge_command)
    ):  # fmt: skip
        store.command(name)(command)
    app.add_typer(store, name="store", help=HELP, rich_help_panel=KEEP)


def ls(folder: StoreFolder = None, as_json: AsJson = False) -> None:
    """List what a store holds: a line for each scenario, the latest last.

    Below stands in which fields a scenario differs from most others of its name.

    airlink store ls

    airlink store ls shard-3 --json | jq -r '.[].key'
    """
    with Store(folder or default_folder(), read_only=True) as opened:
        found = opened.scenarios()
        lines = [] if as_json else listing(opened, found[-MOST_SHOWN:])
    if as_json:
        sys.stdout.write(json.dumps([_content(each) for each in found], indent=1) + "\n")
        return
    results = sum(len(each.seeds) for each in found)
    size = size_text(sum(each.size_bytes for each in found))
    left_out = f"; the latest {MOST_SHOWN} are shown, --json has all" if len(found) > MOST_SHOWN else ""
    lines.append(f"{_counted(results, 'result')} of {_counted(len(found), 'scenario')}, {size}{left_out}")
    sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))


def show(
    key: Annotated[str, typer.Argument(metavar="KEY", help="First letters of a key, or the name of a scenario.")],
    folder: StoreOption = None,
    as_json: AsJson = False,
) -> None:
    """Print a stored scenario in full, as a file that airlink run takes; what is stored of it stands above.

    airlink store show 3f2a91c0 > again.toml
    """
    with Store(folder or default_folder(), read_only=True) as opened:
        (found,) = [each for each in opened.scenarios() if each.key == _only_key(opened, key)]
        scenario = opened.scenario(found.key)
    if as_json:
        content = {**_content(found), "scenario": json.loads(scenario.to_json())}
        sys.stdout.write(json.dumps(content, indent=1) + "\n")
        return
    facts = {
        "key": found.key,
        "airlink": found.version,
        "seeds": found.seeds_text,
        "series": ", ".join(found.record) or "none",
        "stored": f"{when(found):%Y-%m-%d %H:%M:%S}, {size_text(found.size_bytes)}",
    }
    lines = "".join(f"# {name}: {printable(fact)}\n" for name, fact in facts.items())
    sys.stdout.write(f"{lines}\n{scenario.to_toml()}")


def check_command(
    folder: StoreFolder = None,
    repair_: Annotated[
        bool,
        typer.Option("--repair", help="Put aside what is damaged, and build the manifest from the tables if need be."),
    ] = False,
) -> None:
    """Check everything that a store holds: checksums, rows, and digests computed again from the numbers.

    airlink store check

    airlink store check shard-3 --repair

    What is damaged is moved to the folder "damaged", never deleted; all else is served, and the next command that
    needs it runs it again. Without --repair nothing is changed, and a damaged store ends with exit code 2.
    """
    place = folder or default_folder()
    checked = repair(place) if repair_ else check(place)
    for problem in checked.problems:
        message(problem)
    for done in checked.repaired:
        message(done)
    whole = f"{_counted(checked.results, 'result')} in {_counted(checked.batches, 'batch', 'es')}"
    sys.stdout.write(f"{printable(str(place))}: {whole} as they were stored\n")
    if checked.problems and not repair_:
        fail(f"{place} is damaged; airlink store check {place} --repair puts that aside and keeps the rest")


def digest(directory: Folder) -> None:
    """Print the digest of a stored result or of a store: a hash of every number the engine recorded.

    airlink store digest airlink-results/k3-1

    airlink store digest airlink-results     all results of a store

    Equal digests mean equal results, on any machine, with any number of threads.

    The digest is computed again from the stored numbers. If numbers or description (result.json) were changed since
    the result was written, the command says so and ends with exit code 2.
    """
    if is_store(directory) and not (directory / MANIFEST).exists():
        checked = check(directory)
        if checked.problems:
            fail("\n".join(checked.problems))
        sys.stdout.write(checked.digest + "\n")
        return
    result = Result.load(directory)
    changed = [
        replica.seed
        for replica, computed in zip(result.replicas, result.digests(), strict=True)
        if replica.digest != computed
    ]
    if not is_as_written(directory):
        fail(f"{directory}: {MANIFEST} was changed since it was written")
    if changed:
        fail(f"{directory}: changed since it was written; seeds {', '.join(map(str, changed))}")
    sys.stdout.write(result.digest() + "\n")


def gc(
    folder: StoreFolder = None,
    versions: Annotated[
        bool,
        typer.Option("--versions", help="Also remove results of other versions and builds of the engine."),
    ] = False,
    older: Annotated[
        float | None, typer.Option("--older", min=0, metavar="DAYS", help="Also remove results stored before that.")
    ] = None,
) -> None:
    """Remove what killed processes left, and results when asked.

    airlink store gc

    airlink store gc --versions --older 30
    """
    collected = collect(folder or default_folder(), versions, older)
    garbage = _counted(collected.garbage_files, "file")
    lines = [f"removed {garbage} of killed processes, {size_text(collected.garbage_bytes)}"]
    if versions or older is not None:
        lines.append(f"removed {_counted(collected.results, 'result')}, {size_text(collected.result_bytes)}")
    if collected.joined:
        lines.append(f"joined {collected.joined} small batches to larger ones")
    sys.stdout.write("\n".join(lines) + "\n")
    if collected.kept:
        held = _counted(collected.kept, "batch", "es")
        message(f"{held} with results not in the manifest kept; airlink store check --repair takes them in")


def merge_command(
    sources: Annotated[list[Path], typer.Argument(metavar="STORE...", help="Stores to take results from.")],
    into: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Store to put them in (default: AIRLINK_STORE, or airlink-results)."),
    ] = None,
) -> None:
    """Put the results of several stores, as of the shards of a job array, into one.

    airlink store merge shard-1 shard-2 shard-3 --into airlink-results

    Stores with different results of one scenario and seed are refused, and nothing is written.
    """
    merged = merge(sources, into or default_folder())
    for problem in merged.problems:
        message(problem)
    known = f"; {merged.known} were there already" if merged.known else ""
    sys.stdout.write(f"{_counted(merged.results, 'result')} taken over{known}\n")
    if merged.problems:
        fail("what is damaged was left out; airlink store check --repair puts it aside")


def _only_key(opened: Store, words: str) -> str:
    """The key that is meant; ends the command if there is none, or more than one."""
    keys = opened.keys(words)
    if not keys:
        fail(f"{opened.folder}: no key begins with {words}, and no scenario has that name; see airlink store ls")
    if len(keys) > 1 and words not in keys:
        fail(f"{opened.folder}: {words} may be {', '.join(keys[:3])}{' or others' * (len(keys) > 3)}; write more of it")
    return words if words in keys else keys[0]


def _content(found: StoredScenario) -> dict[str, Any]:
    """A stored scenario as JSON."""
    return {
        "key": found.key,
        "name": found.name,
        "version": found.version,
        "record": list(found.record),
        "results": len(found.seeds),
        "seeds": _seeds_content(found.seeds_text),
        "bytes": found.size_bytes,
        "stored": when(found).isoformat(),
    }


def _seeds_content(text: str) -> Sequence[str]:
    return text.split(", ")


def _counted(count: int, what: str, ending: str = "s") -> str:
    return f"{count} {what}" + ("" if count == 1 else ending)
