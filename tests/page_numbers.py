"""Which numbers the pages that lead in state, and what they come from.

A number needs no word here if it stands in an output that the page shows, which the tests of its examples compare with
a run, or in a command of the page, as an input. Another sentence stands here as a template: its numbers are those of a
run, in the page's own rounding. A number that is none of a run (a version, a paper's year) stands here as excused, with
what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import airlink
from airlink.explain import BY_NAME, explain
from airlink.scenario import ready, template
from test_doc_examples import blocks

ROOT = Path(__file__).parent.parent
PAGES = [
    "README.md", "docs/index.md", "docs/install.md", "docs/first-steps.md", "docs/start.md", "docs/tutorials/index.md",
    "docs/concepts/index.md", "docs/gallery/index.md",
    *sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/how-to/*.md")),
]  # fmt: skip
"""Those that lead in."""

NUMBER = re.compile(r"(?<![\w.])(?<![A-Za-z]-)\d+(?:[ ,]\d{3}(?!\d))*(?:\.\d+)*(?![\w])")
FENCED = re.compile(r"^```.*?^```$|^ {4}\S[^\n]*$|^:[:\w][^\n]*$|^\|? ?\d+(?:\.| \|) ", re.MULTILINE | re.DOTALL)
"""Blocks of code, directives and their options, and the numbers of lists and rows."""
UNREAD = re.compile(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|\b[Uu]sers? \d+(?: and \d+)?|\*\*\d\. |\b95 % (?=interval)")
"""Code and formulas in a line, where links lead, names of users, numbers of headings: not numbers that are said."""


class Sentence(NamedTuple):
    """Words of a page with places for numbers, and the function that gives these."""

    page: str
    words: str
    values: Callable[[], Mapping[str, Any]]

    def text(self) -> str:
        """The words with the numbers of today."""
        return self.words.format(**self.values())


@cache
def first_cell() -> airlink.Result:
    """The first run of the README."""
    return airlink.run(ready("first-cell"), seed=1, replicas=4)


def of_user(column: str, user: int) -> float:
    """The mean over replicas of a column of the first cell's users."""
    users = first_cell().users
    return float(np.mean(np.asarray(users[column])[np.asarray(users["user"]) == user]))


@cache
def in_the_queue() -> Mapping[str, Any]:
    """How long packets and pages of the first cell wait."""
    return {
        "packets": of_user("queueing_delay_mean_s", 0),
        "edge": of_user("download_p50_s", 0),
        "near": of_user("download_p50_s", 7),
    }


@cache
def of_the_scheduler() -> Mapping[str, Any]:
    """The share of its time for which the download of user 0 waited for the scheduler, in percent."""
    flow = explain(airlink.run(ready("first-cell"), seed=1, record=["limits"])).flows[0]
    return {"share": 100 * flow.share(BY_NAME["scheduler"])}


@cache
def tcp_pf_over_pf() -> Mapping[str, Any]:
    """The comparison of the README, by how many percent TCP-PF carries more."""
    pf = ready("k3", ["scheduler.kind=proportional_fair"])
    arms = {"pf": pf, "tcp_pf": pf.with_(**{"scheduler.kind": "tcp_pf"})}
    judged = airlink.compare(arms, measure="cell.goodput_bps", seeds=range(1, 51)).comparison
    assert judged is not None
    more = judged["tcp_pf"].difference.relative
    return {
        "verdict": judged["tcp_pf"].verdict,
        "more": 100 * more.mean,
        "low": 100 * more.low,
        "high": 100 * more.high,
    }


def claims() -> Mapping[str, Any]:
    """How many claims of [Klein04] came out: those of the study's page, which `make validate` holds against a run."""
    page = (ROOT / "docs/studies/tcp-pf.md").read_text()
    verdicts = [row.split("|")[5] for row in page.splitlines() if row.startswith("| 001-")]
    # A star marks a bound that was set or changed after a run.
    parts = [part.strip() for verdict in verdicts if "*" not in verdict for part in verdict.split(";")]
    printed = next(row.split("|") for row in page.splitlines() if row.startswith("| 001-2a "))
    found = re.findall(r"\d\.\d+", printed[4])
    mean, low, high = (100 * (float(number) - 1) for number in found)
    return {
        "directions": sum(part.startswith("direction") for part in parts),
        "hold": parts.count("direction holds"),
        "not": parts.count("direction does not hold"),
        "undecided": parts.count("direction undecided"),
        "sizes": sum(part.startswith("size") for part in parts),
        "sizes_hold": parts.count("size holds"),
        "more": mean,
        "low": low,
        "high": high,
        "printed": 100 * (float(re.findall(r"\d\.\d+", printed[2])[-1]) - 1),
    }


def speeds() -> Mapping[str, Any]:
    """UE-seconds per CPU second of the page on performance, whose commands are beside them."""
    page = (ROOT / "docs/performance.md").read_text()
    rows = {cells[1].strip(): cells[-2].strip() for row in page.splitlines() if len(cells := row.split("|")) > 4}
    lte = [rows[f"25 blocks, {users} users, 100 s"] for users in (4, 16, 64)]
    [others] = re.findall(r"^\| ns-3\.37 LTE \| (\d+, \d+, \d+) for 4, 16, 64 UEs", page, re.MULTILINE)
    return {
        "k3": rows["cell of [Klein04]: 21 users, 25 s, 200 realizations"],
        "lte": ", ".join(lte),
        "nr": rows["273 blocks, 10 users, 60 s"],
        "ns3": others,
    }


def lines_of_init() -> Mapping[str, Any]:
    """How long the scenario is that `airlink init` writes, and how many users it has."""
    return {"lines": len(template("first-cell").splitlines())}


def needs() -> Mapping[str, Any]:
    """The lowest Python and Rust, as the files of the project name them."""
    [python] = re.findall(r'^requires-python = ">=(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    [rust] = re.findall(r'^rust-version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    return {"python": python, "rust": rust}


def fitted() -> Mapping[str, Any]:
    """The value of the cell of [Klein04] that is fitted."""
    link = ready("k3").link
    assert link is not None
    return {"loss": 100 * link.errors.probability}


SENTENCES = [
    Sentence(
        "README.md",
        "Python >= {python} is needed; for a clone also a Rust toolchain (>= {rust}) and make.",
        needs,
    ),
    Sentence(
        "docs/install.md",
        "Airlink needs Python >= {python}. A wheel needs nothing else; "
        "a build from source needs a Rust toolchain (>= {rust})",
        needs,
    ),
    Sentence("docs/install.md", "every Python from {python} on", needs),
    Sentence("README.md", "One value of this cell is fitted: {loss:g} % frame loss", fitted),
    Sentence(
        "README.md",
        "packets wait there for {packets:.2f} s in the mean. Its web pages wait behind them: "
        "their median time is {edge:.2g} s, that of user 7, near the base station, {near:.2g} s.",
        in_the_queue,
    ),
    Sentence("README.md", "{share:.0f} % of the time its data waited for the scheduler", of_the_scheduler),
    Sentence("README.md", "{verdict}, by {more:.1f} % [{low:.1f}, {high:.1f}]", tcp_pf_over_pf),
    Sentence("README.md", "# {lines} lines to edit", lines_of_init),
    Sentence("docs/first-steps.md", "# {lines} commented lines to start from", lines_of_init),
    Sentence(
        "README.md",
        "Of {directions} directions claimed by [Klein04] {hold} hold, {not} do not and {undecided} are undecided. "
        "Of {sizes} sizes {sizes_hold} hold. TCP-PF carries {more:.1f} % more than PF ({low:.1f} to {high:.1f} %); "
        "the paper prints {printed:.1f} %.",
        claims,
    ),
    Sentence(
        "README.md",
        "| airlink | the cell of [Klein04]: 21 UEs, one carrier, 200 realizations | {k3} |",
        speeds,
    ),
    Sentence("README.md", "| airlink | 25 blocks of LTE: 4, 16, 64 UEs | {lte} |", speeds),
    Sentence("README.md", "| airlink | 273 blocks of NR: 10 UEs | {nr} |", speeds),
    Sentence("README.md", "| ns-3.37 LTE | 25 blocks, no fading: 4, 16, 64 UEs | {ns3} |", speeds),
]

PACKAGES = re.findall(r"^(\| `[^|]*\| \d+ \|)", (ROOT / "docs/install.md").read_text(), re.MULTILINE)

EXCUSED: Mapping[str, Mapping[str, str]] = {
    "README.md": {
        "Seven panels over 30 s": "describes the picture",
        "IEEE GLOBECOM, 2004": "a paper's year",
        "Computing 7(2), 2008": "a paper's volume and year",
    },
    "docs/index.md": {"Seven panels over 30 s": "describes the picture"},
    "docs/install.md": {
        **dict.fromkeys(PACKAGES, "a size: tests/test_installation.py compares each with an installation"),
        "On 2 cores `make` in a fresh clone took 151 s": "a time of a machine, measured by hand",
        "these three commands take 6 s of CPU time": "a time of a machine, measured by hand; no test asserts a time",
        "at most 400 MB": "the bound of tests/test_installation.py",
        "The aim was 200 MB": "an aim",
        "Linux on x86-64": "a name of a processor",
        "Linux, x86-64": "a name of a processor",
        "macOS, arm64 and x86-64": "a name of a processor",
        "Windows, x86-64": "a name of a processor",
    },
    "docs/first-steps.md": {
        "100 000 of them take the memory of a few": "the page on performance has the measurement beside this link",
    },
    "docs/tutorials/index.md": {
        "at most 15 lines of code": "the bound of the tutorials' test",
        **dict.fromkeys(
            ("everybody | 10 minutes", "does to it | 15 minutes", "TCP or AQM | 15 minutes", "suspicion | 15 minutes"),
            "how long a reader takes",
        ),
        "on a paper | 20 minutes": "how long a reader takes",
        "design schedulers | 30 minutes": "how long a reader takes",
        "doubt them | 30 minutes": "how long a reader takes",
    },
    "docs/gallery/index.md": {
        "a figure 85 mm wide": "the width of a journal's column, plots.style.WIDTH_IN",
        "3 the third duplicate ACK": "a mark of the picture",
        "1 when all rates are equal and 1/3 when one of three": "follows from the index's definition",
        "at the height 0.05": "says what a percentile is",
        "An interval that avoids 0": "no difference",
    },
    "docs/how-to/buffer.md": {
        "usual target of 5 ms": "the default of queue.codel.target_ms",
        "its receiver window is 65535 bytes, 44 packets": "the default of the receiver's buffer, in packets",
        "A limit of 100 or 200 packets": "examples of a limit above that window",
        "its window is 3 MiB": "the receiver's buffer of the profile linux",
    },
    "docs/how-to/cell-edge.md": {
        "95 of 100 users exceed": "says what a percentile is",
        "the four slowest of 80": "counts the users of the seeds above",
    },
    "docs/how-to/deadlines.md": {
        "of the 100 ms of a frame 5 are on the wire": "settings of the scenario above",
        "a video of 0.96 Mb/s with 40 bytes in each packet": "30 frames of 4000 bytes a second, and the default header",
    },
    "docs/how-to/judge.md": {
        "as `users` from 4 to 12, and has": "a range of a family of the suite",
        "slots of 1xEV-DO, 50 subchannels, heavy": "names families of the suite",
        "within `--margin` (2 %)": "the default of the option",
        "asks for more `--seeds` (12;": "the default of the option",
        "`--worst N` (16)": "the default of the option",
        "Hidden cases may have 50 subchannels": "a range of a family of the suite",
        "took 104 s of CPU on a busy machine": "the command above, measured",
        "adds about 10 s of CPU": "an evaluation, measured",
    },
    "docs/how-to/learning.md": {
        "Observations go from 0 to 1 between the bounds": "how observations are scaled",
        "numbers near 1:": "what a learner wants",
        "more than 2 GB of CUDA libraries": "what pip downloads, rounded",
        "`rate_bps` goes to 100 Mb/s. In a cell of 1 Mb/s every scaled rate is below 0.01": "a bound, and its part",
        "or with rate 0 can't win": "no rate",
    },
    "docs/how-to/own-congestion-control.md": {
        "This is Reno (RFC 5681)": "the number of the standard",
        "(kind of event, event, 32 numbers)": "the size of the function's memory, airlink.own.compiled",
        "a pacing rate of 0 or less": "no rate",
    },
    "docs/how-to/own-queue.md": {
        "(kind of event, packet, 32 numbers)": "the size of the function's memory, airlink.own.compiled",
        "the other numbers are the queue's own and 0 at the start": "what its memory begins with",
    },
    "docs/how-to/own-scheduler.md": {
        "control loops with 60 ms for the base station, six watch video with 300 ms": "settings of the scenario below",
        "under M-LWDF 6 % of the packets miss their deadline, under proportional fair 40 %": "the table, rounded",
        "with an average of 0 is infinite": "a case of the formula",
        "A comparison is 1 or 0": "what a comparison is",
    },
    "docs/how-to/congestion-control.md": {"some 3 % at most": "the largest difference of the table above"},
    "docs/how-to/own-study.md": {
        'the gain is above 1"': "an example of a bound",
        "The law holds within 3 %": "the bound that the block above shows, all verdicts beside it",
        "With a memory of 10 slots": "a setting of the study above",
        "here above 1": "the bound of the study above",
        "falls with 95 %: from 1.0669 to 1.211": "the interval of the claim's size that the study above prints",
        "paper's number is 1.118": "[Klein04] as a ratio: the study above has it",
        'With 11.8, as "11.8 %" is easily copied': "the same number with its unit mistaken",
        "A slot then held 14 bits": "told of a version that is not kept",
        "the last gain was 0.38": "told of a version that is not kept",
    },
    "docs/how-to/own-cell.md": {"a receiver window of 65535 bytes": "the default of the receiver's buffer"},
    "docs/how-to/slow-user.md": {"`events` (code 5)": "a code of the series, docs/results.md"},
    "docs/how-to/seeds.md": {
        "An interval of 95 % is wrong": "the level of an interval",
        "mean page time of a run | 50": "docs/statistics.md has the measurement, `make validate` repeats it",
        "numbers | 200": "docs/statistics.md has the measurement, `make validate` repeats it",
    },
}
"""Words of a page with numbers that no run of ours gives, and why."""


def normal(text: str) -> str:
    """The text with one blank between words."""
    return " ".join(text.split())


def prose(page: str) -> str:
    """A page's text without its blocks of code, one blank between words."""
    return normal(FENCED.sub("", page))


def numbers(text: str) -> Iterator[re.Match[str]]:
    """The numbers of a prose, apart from those in code and in the targets of links."""
    unread = [found.span() for found in UNREAD.finditer(text)]
    for found in NUMBER.finditer(text):
        if not any(low <= found.start() < high for low, high in unread):
            yield found


def unexplained(page: str, explained: list[str]) -> list[str]:
    """The numbers of a page, with words around them, that stand in no explained words, output or command."""
    text = prose(page)
    spans = [
        (found.start(), found.end()) for words in explained for found in re.finditer(re.escape(normal(words)), text)
    ]
    shown = shown_numbers(page)
    return [
        text[max(found.start() - 30, 0) : found.end() + 30]
        for found in numbers(text)
        if not is_among(found[0], shown)
        and not any(low <= found.start() and found.end() <= high for low, high in spans)
    ]


def shown_numbers(page: str) -> set[str]:
    """The numbers in a page's commands, and in what it shows of their output."""
    console = "\n".join(block.text for block in blocks(page) if block.kind == "console")
    return set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?|(?<=[=,:])\d+(?:\.\d+)?", console))


def is_among(number: str, shown: set[str]) -> bool:
    """Whether a number is one of those shown; one of two digits and more may be rounded."""
    if number in shown:
        return True
    digits = len(number.partition(".")[2])
    exact = len(number.replace(".", "").lstrip("0")) >= 2
    return exact and any(f"{float(other):.{digits}f}" == number for other in shown)
