"""Connections with data both ways in ns-2: the cases, the runs, and the tables that are left of them.

    NS2=renew python -m pytest -m validate tests/validation/ns2/test_twoway.py     writes the tables anew

Agent/TCP/FullTcp has both ends in one agent, its ACKs ride on data, and it closes with FIN. A table holds every segment
that either end sends, with the numbers of RFC 9293: a SYN is 0, the first byte of data 1.
"""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

SCRIPT = Path(__file__).with_name("twoway.tcl")
RESULTS = Path(__file__).parent.parent / "results" / "ns2-twoway"
SEGMENT_BYTES, HEADER_BYTES = 1000, 40
FLAGS = {0x01: "F", 0x02: "S", 0x10: "A"}
ECN_FLAGS = {0x40: "E", 0x80: "C"}
"""PSH says nothing here, and CWR stands on segments of connections without ECN, too."""

End = Literal["client", "server"]
ENDS: tuple[End, ...] = ("client", "server")


class Command(NamedTuple):
    """What an application does."""

    at_s: float
    verb: Literal["send", "close"]
    bytes: int = 0


@dataclass(frozen=True)
class Case:
    """Server --1 Gb/s--> queue and bottleneck --> client --1 Gb/s--> server. The client opens at 0."""

    name: str
    what: str
    client: tuple[Command, ...] = ()
    server: tuple[Command, ...] = ()
    answer_bytes: int = 0
    """What the server sends when it has a whole request; 0: `server` says what it sends."""
    agent: str = "FullTcp"
    every: int = 1
    restarts: bool = False
    """Whether the window shrinks to the initial one after an idle time of an RTO and more."""
    marks: tuple[int, ...] = ()
    """Numbers of the server's packets, of all that it sends, that are marked; with ECN at both ends."""
    window_packets: int = 1000
    rate_bps: float = 10e6
    delay_ms: float = 10.013717
    limit_packets: int = 1000
    access_ms: float = 1.000311
    return_bps: float = 1e9
    return_ms: float = 10.007193
    duration_s: float = 10.0

    def arguments(self) -> list[str]:
        """What twoway.tcl is told."""
        settings = {
            "segsize_": SEGMENT_BYTES,
            "nodelay_": "true",
            "halfclose_": "true",
            "window_": self.window_packets,
            "windowInit_": 2,
            "segsperack_": self.every,
            "slow_start_restart_": "true" if self.restarts else "false",
            "ecn_": "true" if self.marks else "false",
        }
        given = {
            "agent": self.agent,
            "duration": f"{self.duration_s:g}",
            "rate_bps": f"{self.rate_bps:.12g}",
            "delay_ms": f"{self.delay_ms:.12g}",
            "limit_packets": self.limit_packets,
            "access_ms": f"{self.access_ms:.12g}",
            "return_bps": f"{self.return_bps:.12g}",
            "return_ms": f"{self.return_ms:.12g}",
            "client": listed(self.client),
            "server": listed(self.server),
            "answer_bytes": self.answer_bytes,
            "marks": " ".join(map(str, self.marks)),
            "settings": " ".join(f"{name} {value}" for name, value in settings.items()),
        }
        return [str(word) for pair in given.items() for word in pair]


class Sent(NamedTuple):
    """A segment as its sender hands it over to its first wire."""

    time_s: float
    end: End
    sequence: int
    length: int
    ack: int
    """-1: none."""
    flags: str


def listed(commands: tuple[Command, ...]) -> str:
    """A Tcl list of lists."""
    return " ".join(f"{{{one.at_s:g} {one.verb} {one.bytes}}}" for one in commands)


OPEN = Command(0.0, "send", 0)
"""Opens the connection, so that its first data finds it open: FullTcp's third segment never carries data."""
BOTH = (OPEN, Command(0.1, "send", 40 * SEGMENT_BYTES))
LONG = Command(0.1, "send", 400 * SEGMENT_BYTES)

CASES = (
    *(
        Case(
            f"requests{suffix}",
            f"two requests and their answers on one connection{words}",
            client=(OPEN, Command(0.1, "send", 2000), Command(second_s, "send", 1000)),
            answer_bytes=30 * SEGMENT_BYTES,
            every=every,
            restarts=restarts,
        )
        for suffix, words, every, restarts, second_s in (
            ("", "", 1, False, 0.3),
            ("-delayed", "; delayed ACKs", 2, False, 0.3),
            ("-after-idle", ", the second after more than an RTO", 1, True, 0.7),
        )
    ),
    *(
        Case(
            f"both-ways{suffix}",
            f"40 segments each way at once{words}",
            client=BOTH,
            server=BOTH[1:],
            every=every,
        )
        for suffix, words, every in (("", "", 1), ("-delayed", "; delayed ACKs", 2))
    ),
    *(
        Case(
            f"small-queue-{word}",
            "400 segments each way at once; the server's overflow a queue of 8 packets",
            client=(OPEN, LONG),
            server=(LONG,),
            agent=agent,
            limit_packets=8,
            # At 1 Gb/s ACKs of the client's data come to the queue at the very moments at which others leave it.
            return_bps=17e6,
            duration_s=20.0,
        )
        for word, agent in (("reno", "FullTcp"), ("newreno", "FullTcp/Newreno"), ("sack", "FullTcp/Sack"))
    ),
    Case(
        "marks",
        "400 segments; three of them are marked, the second and third in one window",
        client=(OPEN,),
        server=(LONG,),
        marks=(60, 200, 203),
        window_packets=40,
    ),
    Case(
        "marks-both-ways",
        "400 segments each way; two of the server's are marked, and data of the client's echo it",
        client=(OPEN, LONG),
        server=(LONG,),
        marks=(60, 300),
        window_packets=40,
    ),
    Case(
        "one-after-the-other",
        "the client sends and closes, then the server closes",
        client=(OPEN, Command(0.1, "send", 3000), Command(0.3, "close")),
        server=(Command(0.5, "close"),),
    ),
    Case(
        "half-close",
        "the client closes; the server goes on for 60 segments more and then closes",
        client=(OPEN, Command(0.1, "send", 3000), Command(0.2, "close")),
        server=(Command(0.1, "send", 80 * SEGMENT_BYTES), Command(2.0, "close")),
        rate_bps=1e6,
    ),
    Case(
        "both-close",
        "both ends close at one time",
        client=(OPEN, Command(0.1, "send", 3000), Command(0.3, "close")),
        server=(Command(0.1, "send", 3000), Command(0.3, "close")),
    ),
)


def run(case: Case) -> list[Sent]:
    """Run a case in ns-2."""
    with tempfile.TemporaryDirectory() as name:
        command = ["ns", str(SCRIPT), "folder", name, *case.arguments()]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        assert "version 2.35" in answer.stdout, f"these tables are of ns-2.35, this is {answer.stdout}"
        flags = FLAGS | (ECN_FLAGS if case.marks else {})
        sent = [one for end in ENDS for one in sent_by(end, Path(name) / f"{end}.tr", flags)]
    return sorted(sent, key=lambda one: (one.time_s, one.end))


def sent_by(end: End, trace: Path, flags: dict[int, str]) -> list[Sent]:
    """The packets that enter the first wire of an end."""
    entries = [line.split() for line in trace.read_text().splitlines() if line.startswith("+")]
    return [sent(end, entry, flags) for entry in entries]


def sent(end: End, entry: list[str], flags: dict[int, str]) -> Sent:
    """A line of a trace with TCP's header: ..., sequence, packet, ACK, flags, bytes of headers, bytes of SACK."""
    bits = int(entry[13], 16)
    letters = "".join(letter for bit, letter in flags.items() if bits & bit)
    acknowledges = int(entry[12]) if bits & 0x10 else -1
    return Sent(float(entry[1]), end, int(entry[10]), int(entry[5]) - int(entry[14]), acknowledges, letters)


def keep(case: Case, segments: list[Sent]) -> None:
    """Write the table of a case."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    words = [f"'{word}'" if " " in word or not word else word for word in case.arguments()]
    lines = [f"# {case.what}", f"# ns twoway.tcl {' '.join(words)}", ",".join(Sent._fields)]
    rows = [f"{one.time_s:.6f},{','.join(str(value) for value in one[1:])}" for one in segments]
    (RESULTS / f"{case.name}.csv").write_text("\n".join([*lines, *rows]) + "\n")


def kept(case: Case) -> list[Sent]:
    """The table of a case, read."""
    return read(RESULTS / f"{case.name}.csv")


def read(path: Path) -> list[Sent]:
    """A table of segments."""
    rows = [line.split(",") for line in path.read_text().splitlines() if not line.startswith("#")][1:]
    return [
        Sent(float(time), "client" if end == "client" else "server", int(sequence), int(length), int(ack), flags)
        for time, end, sequence, length, ack, flags in rows
    ]
