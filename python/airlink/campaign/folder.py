"""An answer as a folder.

    campaign.json       the question: scenarios in full, seeds, axes, measures, settings, text of code of one's own, the
                        command that asks it again
    measures.parquet    a row per scenario and measure: `Answer.frame()`
    samples.parquet     a row per scenario, measure and replica; of a pooled quantile, one per value of a replica
    comparison.svg      of a comparison, the picture that the command draws

A folder appears whole or not at all (`airlink.result.atomic_write`). The same question gives the same bytes, so it has
no time in it. Left out: replicas, which the store holds.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airlink.campaign.judged import Judged
from airlink.campaign.question import Arm, Question
from airlink.campaign.stored_samples import read, read_samples, write, write_samples
from airlink.engine import Table
from airlink.engine.arrow import arrow, numbers
from airlink.own import Text
from airlink.result import Estimate, ResultError, ResultExists
from airlink.result.atomic_write import Destination, claimed, recover
from airlink.result.folder import check_nothing_else, description, reading, writing
from airlink.scenario import Scenario, ScenarioError
from airlink.scenario.moved import of_now

if TYPE_CHECKING:
    from airlink.campaign.answer import Answer
    from airlink.campaign.stored_samples import Samples
    from airlink.statistics import Controlled, Difference

MANIFEST = "campaign.json"
MEASURES = "measures.parquet"
SAMPLES = "samples.parquet"
NUMBERS = (MANIFEST, MEASURES, SAMPLES)
PICTURE = "comparison.svg"
PARTS = frozenset((*NUMBERS, PICTURE))
KINDS = ("sweep", "compare")
FORMAT = 1


@dataclass(frozen=True)
class Stored:
    """What a folder holds: the fields of an `Answer`."""

    question: Question
    seeds: dict[str, tuple[int, ...]]
    samples: dict[tuple[str, str], Samples]
    estimates: dict[tuple[str, str], Estimate]
    methods: dict[tuple[str, str], str]
    differences: dict[tuple[str, str], Judged]
    controlled: dict[tuple[str, str], Controlled]
    notes: tuple[str, ...]
    version: str


def holds_answer(folder: Path) -> bool:
    """Whether a folder holds an answer rather than the result of a run, or nothing."""
    return (folder / MANIFEST).is_file()


def save(answer: Answer, folder: Path, overwrite: bool) -> Path:
    """Writes an answer; see `Answer.save`."""
    with claimed(folder) as place:
        return put(answer, place, overwrite)


def put(answer: Answer, place: Destination, overwrite: bool, draw: Callable[[Path], object] | None = None) -> Path:
    """Writes an answer to a claimed place, with the picture that `draw` writes to a file; returns its folder.

    A folder that holds these numbers already stays as it is: to draw takes longer than to read a stored answer.
    """
    check_free(place.asked, answer.question, overwrite)
    with writing(place.asked):
        place.new.mkdir()
        text = json.dumps(_described(answer, place.asked), indent=1, allow_nan=False)
        (place.new / MANIFEST).write_text(text + "\n", encoding="utf-8")
        write(place.new / MEASURES, _arrow(answer.frame()))
        write_samples(place.new / SAMPLES, answer.samples, answer.seeds)
        if _holds_these(place, pictured=draw is not None):
            return place.asked
        if draw is not None:
            draw(place.new / PICTURE)
    place.put()
    return place.asked


def _holds_these(place: Destination, pictured: bool) -> bool:
    """Whether the folder that stands there has the same numbers as the new one, and a picture if one is due."""
    old = place.target
    if not all((old / name).is_file() for name in (*NUMBERS, *([PICTURE] * pictured))):
        return False
    return all((old / name).read_bytes() == (place.new / name).read_bytes() for name in NUMBERS)


def check_free(folder: Path, question: Question, overwrite: bool) -> None:
    """Raises ResultExists unless the answer to that question may be written there."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ResultExists(f"{folder} exists and is not a folder")
    with reading(folder):
        names = {path.name for path in folder.iterdir()}
    if not names:
        return
    if MANIFEST not in names:
        raise ResultExists(f"{folder} holds other files; an answer needs a folder of its own")
    check_nothing_else(folder, "campaign", PARTS.__contains__)
    asked = json.loads(json.dumps(question.described()))
    if not overwrite and description(folder / MANIFEST, "answer", FORMAT).get("question") != asked:
        told = "holds the answer to another question"
        raise ResultExists(f"{folder} {told}; choose another folder, or ask to overwrite it")


def load(folder: Path) -> Stored:
    """Reads the fields of an answer; see `Answer.load`."""
    recover(folder)
    told = description(folder / MANIFEST, "answer", FORMAT)
    stored = read(folder / MEASURES)
    frame = Table({name: numbers(stored[name]) for name in stored.column_names})
    with _understood(folder, told):
        question = _question(told)
        keys = list(zip(frame["scenario"].tolist(), frame["measure"].tolist(), strict=True))
        estimates = {key: _estimate(frame, row, _ENDS) for row, key in enumerate(keys)}
        differences = {
            key: Judged(_difference(frame, row), str(frame["verdict"][row]))
            for row, key in enumerate(keys)
            if question.baseline and key[0] != question.baseline
        }
        seeds = {label: tuple(map(int, seeds)) for label, seeds in told["seeds"].items()}
        methods = dict(zip(keys, frame["method"].tolist(), strict=True))
        samples = read_samples(folder / SAMPLES, question, seeds)
        notes = tuple(map(str, told["notes"]))
        controlled = _controlled(told, estimates)
        return Stored(question, seeds, samples, estimates, methods, differences, controlled, notes, told["version"])


def question_of(folder: Path) -> Question:
    """The question that a folder answers, to be asked again.

    Raises
    ------
    ResultError : no answer there, or not one that this version can read.
    """
    told = description(folder / MANIFEST, "answer", FORMAT)
    with _understood(folder, told):
        question = _question(told)
    if question.code:
        again = f": {question.command}" if question.command else " in Python, with that code"
        raise ResultError(f"{folder} was answered with code of one's own; ask it again{again}")
    return question


@contextmanager
def _understood(folder: Path, told: Mapping[str, Any]) -> Iterator[None]:
    """Raises ResultError where what a folder holds is not what an answer of this version is made of."""
    try:
        yield
    except ScenarioError as error:
        first = str(error).splitlines()[0]
        made = f"made by airlink {told.get('version')}"
        raise ResultError(f"{folder} ({made}): a scenario is not one of this version: {first}") from None
    except KeyError as error:
        raise ResultError(f"{folder} is not a whole answer: it lacks {error}") from None
    except (TypeError, AttributeError, ValueError) as error:
        raise ResultError(f"{folder} is not a whole answer: {error}") from None


def _described(answer: Answer, folder: Path) -> dict[str, Any]:
    question = answer.question
    used = question.code
    return {
        "format": FORMAT,
        "version": answer.version,
        "name": question.name,
        # Code of one's own that Python gave is at hand there alone.
        "command": question.command or ("" if used else shlex.join(["airlink", question.kind, str(folder)])),
        "notes": list(answer.notes),
        "question": question.described(),
        "sources": {label: arm.source for label, arm in question.arms.items()},
        **({"own_code": [{**asdict(code), "arms": labels} for code, labels in used.items()]} if used else {}),
        "seeds": {label: list(seeds) for label, seeds in answer.seeds.items()},
        "controlled": [
            {"label": label, "measure": text, "used": list(each.used), "plain": asdict(each.plain)}
            for (label, text), each in answer.controlled.items()
        ],
    }


def _question(told: Mapping[str, Any]) -> Question:
    from airlink.campaign.precision import until
    from airlink.measures import measure

    asked = told["question"]
    if asked["kind"] not in KINDS:
        raise ValueError(f"it is a {asked['kind']!r}, neither a sweep nor a comparison")
    kept = (Text(**{each.name: str(code[each.name]) for each in fields(Text)}) for code in told.get("own_code", ()))
    texts = {code.key: code for code in kept}
    arms = {
        each["label"]: Arm(
            Scenario.from_json(json.dumps(of_now(each["scenario"]))),
            {path: _value(value) for path, value in each["at"].items()},
            str(told["sources"][each["label"]]),
            kept=tuple(texts[key] for key in each.get("own_code", ()) if key in texts),
        )
        for each in asked["arms"]
    }
    if (asked["kind"] == "compare") != (asked["baseline"] in arms):
        raise ValueError(f"its baseline is {asked['baseline']!r}, and its scenarios are {', '.join(arms)}")
    return Question(
        kind=asked["kind"],
        name=told["name"],
        arms=arms,
        measures=tuple(measure(text) for text in asked["measures"]),
        seeds=tuple(map(int, asked["seeds"])),
        axes={path: tuple(map(_value, values)) for path, values in asked["axes"].items()},
        baseline=asked["baseline"],
        margin=float(asked["margin"]),
        until=until(asked["until"]) if asked["until"] else None,
        most=int(asked["most"]),
        hold=tuple(asked["hold"]),
        controls=bool(asked["controls"]),
        warmup_s=asked["warmup_s"],
        command=told["command"],
    )


def _value(value: Any) -> Any:
    """A value of JSON as it was before: infinity is written as "inf"."""
    return {"inf": math.inf, "-inf": -math.inf}.get(value, value) if isinstance(value, str) else value


_ENDS = ("mean", "low", "high")


def _difference(frame: Table, row: int) -> Difference:
    from airlink.statistics import Difference

    absolute, relative = (
        _estimate(frame, row, (name, f"{name}_low", f"{name}_high")) for name in ("difference", "relative")
    )
    return Difference(absolute, relative)


def _estimate(frame: Table, row: int, names: tuple[str, str, str]) -> Estimate:
    mean, low, high = (float(frame[name][row]) for name in names)
    return Estimate(mean, low, high, int(frame["n"][row]), float(frame["level"][row]))


def _controlled(told: Mapping[str, Any], estimates: Mapping[tuple[str, str], Estimate]) -> dict[Any, Controlled]:
    from airlink.statistics import Controlled

    found = {}
    for each in told["controlled"]:
        key = (each["label"], each["measure"])
        found[key] = Controlled(estimates[key], Estimate(**each["plain"]), tuple(each["used"]))
    return found


def _arrow(table: Table) -> Any:
    import pyarrow as pa

    return pa.Table.from_arrays([arrow(values) for values in table.values()], names=list(table))
