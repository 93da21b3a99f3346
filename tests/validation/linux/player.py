"""Plays a script of tests/scripts to the live kernel: the same lines that airlink's sender or receiver must keep to.

ACKs and segments go in through a TUN device at the script's times, counted from the SYN; what the kernel lets out must
come in the script's order. Times have a tolerance: 4 ms after an input (the machine may be late), else that of the
kernel's timers, which ring up to 4 ms late below 252 ms and on a grid of 32 ms above.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from dataclasses import dataclass
from typing import Any

from airlink.scenario.script import Script

from . import kernel, segments
from .segments import ACK, CWR, ECE, ECN_FIELDS, MODULUS, SYN, Ends, Options, Segment

KERNEL, PEER = "10.99.0.1", "10.99.0.2"
PORT = 5000
SHIFT = 8
FIRST = 1000
"""The peer's initial sequence number."""
LATE_S, GRID_S, COARSE_S = 0.004, 0.0085, 0.037
FAR_S = 0.25


@dataclass(frozen=True)
class Line:
    number: int
    at: float
    sign: str
    words: str


@dataclass(frozen=True)
class KernelSegment:
    """What the kernel let out: seconds since its SYN, words as in a script, the segment."""

    time: float
    first: int
    last: int
    acknowledgment: int
    sack: tuple[tuple[int, int], ...]
    signs: str
    """ECE, CWR and the ECN field, as a script's words."""


def lines_of(script: Script) -> list[Line]:
    found = []
    for number, text in enumerate(script.text.splitlines(), script.first_line):
        text = text.split("#")[0].strip()
        if text:
            moment, sign, words = ([*text.split(maxsplit=2), ""])[:3]
            found.append(Line(number, float(moment) / 1e3, sign, words))
    return found


class Player:
    """One script, one connection."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.tcp: Any = script.head.tcp
        self.is_sender = script.head.side == "sender"
        self.lines = lines_of(script)
        self.has_ecn = self.tcp.ecn == "rfc3168"
        settings = {
            "tcp_sack": str(int(self.tcp.sack)),
            "tcp_timestamps": str(int(self.tcp.timestamps)),
            "tcp_early_retrans": "3" if self.tcp.rules.tail_loss_probe or not self.tcp.sack else "0",
            "tcp_frto": "2" if self.tcp.rules.frto else "0",
            "tcp_no_metrics_save": "1",
        } | ({"tcp_ecn": "1"} if self.has_ecn else {})
        self.namespace = kernel.Namespace(KERNEL, PEER, settings)
        self.socket = self.namespace.socket()
        self.connection: socket.socket | None = None
        self.start = 0.0
        self.kernel_first = 0
        self.kernel_clock = 0
        self.window = 4_000_000
        self.supplied: int | None = None
        self.came: list[KernelSegment] = []
        self.ends = Ends(socket.inet_aton(PEER), socket.inet_aton(KERNEL), PORT, 40000)

    def play(self) -> list[str]:
        """What did not hold; nothing if the kernel keeps to the script."""
        try:
            with kernel.in_real_time():
                self._open()
                for line in self.lines:
                    if line.sign == "<":
                        self._wait(line.at)
                        for words in line.words.split(","):
                            self._put_in(words.split())
                self._wait(self.lines[-1].at + COARSE_S)
            return self._compare()
        finally:
            self.socket.close()
            if self.connection is not None:
                self.connection.close()
            self.namespace.close()

    def _open(self) -> None:
        if self.is_sender:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.tcp.congestion_control.encode())
            kernel.set_buffers(self.socket, 8_000_000, 0)
            self.socket.bind((KERNEL, 40000))
            self.socket.connect_ex((PEER, PORT))
            return
        kernel.set_buffers(self.socket, 0, self.tcp.receiver_window_bytes)
        self.socket.bind((KERNEL, 40000))
        self.socket.listen(1)
        self._write(self._numbers(-1, None), SYN | (ECE | CWR if self.has_ecn else 0), self._syn_options())
        self._wait_for_packet()
        self._write(self._numbers(0, 0), ACK, self._options(0.0))
        self.connection, _ = self.socket.accept()
        self.connection.setblocking(False)
        self.start = time.monotonic() + 0.02

    def _syn_options(self) -> Options:
        room = 12 if self.tcp.timestamps else 0
        stamp = (1000, self.kernel_clock) if self.tcp.timestamps else None
        return Options(mss=self.tcp.mss_bytes + room, sack_permitted=self.tcp.sack, window_shift=SHIFT, timestamp=stamp)

    def _options(self, at_ms: float, echo_ms: float | None = None, sack: tuple[tuple[int, int], ...] = ()) -> Options:
        stamp = None
        if self.tcp.timestamps:
            stamp = (1000 + round(at_ms), (self.kernel_clock + round(echo_ms or 0.0)) % MODULUS)
        return Options(timestamp=stamp, sack=sack)

    def _numbers(self, sequence: int, acknowledgment: int | None) -> tuple[int, int]:
        own = FIRST + 1 + sequence
        return own, 0 if acknowledgment is None else self.kernel_first + 1 + acknowledgment

    def _write(self, numbers: tuple[int, int], flags: int, options: Options, length: int = 0, ecn: int = 0) -> None:
        window = min(self.window >> (0 if flags & SYN else SHIFT), 65535)
        packet = segments.write(self.ends, numbers, flags, window, options, bytes(length), ecn)
        os.write(self.namespace.tun, packet)
        self._read()

    def _put_in(self, words: list[str]) -> None:
        now_ms = (time.monotonic() - self.start) * 1e3
        if words[0] in ("open", "endless"):
            return
        if words[0] == "supply":
            self.supplied = int(words[1])
            return
        if ".." in words[0]:
            first, last = (int(number) for number in words[0].split(".."))
            stamp = float(words[2]) if words[1:2] == ["at"] else now_ms
            flags = ACK | _flags(words)
            self._write(self._numbers(first, 0), flags, self._options(stamp), last - first, _field(words))
            return
        if words[0] != "ack":
            raise ValueError(f"the kernel cannot be given {' '.join(words)!r}")
        self._acknowledge(words)

    def _acknowledge(self, words: list[str]) -> None:
        now_ms = (time.monotonic() - self.start) * 1e3
        pairs = [word for word in words[2:] if word not in ("ece", "cwr")]
        rest = dict(zip(pairs[::2], pairs[1::2], strict=False)) if "sack" not in words else {}
        if "window" in words:
            self.window = int(words[words.index("window") + 1])
        echo = float(words[words.index("echo") + 1]) if "echo" in words else None
        blocks = tuple(
            (self.kernel_first + 1 + int(first), self.kernel_first + 1 + int(last))
            for first, last in (word.split("..") for word in words if ".." in word)
        )
        options = self._options(now_ms, echo, blocks)
        if self.tcp.timestamps and echo is None:
            options = Options(sack=blocks)
        flags = ACK | _flags(words)
        if self.connection is None:
            flags, options = flags | SYN, self._syn_options()
        for _ in range(int(rest.get("times", 1))):
            number = int(words[1])
            numbers = self._numbers(-1 if flags & SYN else 0, number)
            self._write(numbers, flags, options)
        if self.connection is None:
            self.connection = self.socket
        self._supply()

    def _supply(self) -> None:
        """What the application writes: 128 KiB an ACK, or what the script gives, once."""
        try:
            if self.supplied is None:
                self.socket.send(bytes(131_072))
            elif self.supplied:
                self.supplied -= self.socket.send(bytes(self.supplied))
        except BlockingIOError:
            pass
        self._read()

    def _wait(self, at: float) -> None:
        """Takes in what comes until then."""
        while (left := self.start + at - time.monotonic() if self.start else 1.0) > 0:
            select.select([self.namespace.tun], [], [], max(left - 200e-6, 0))
            self._read()

    def _wait_for_packet(self) -> None:
        select.select([self.namespace.tun], [], [], 1.0)
        self._read()

    def _read(self) -> None:
        while True:
            try:
                packet = os.read(self.namespace.tun, 65536)
            except BlockingIOError:
                return
            segment = segments.read(packet)
            if segment is not None:
                self._take(time.monotonic(), segment)

    def _take(self, now: float, segment: Segment) -> None:
        if segment.flags & SYN:
            self.kernel_first = segment.sequence
            if segment.timestamp is not None:
                self.kernel_clock = segment.timestamp
            if self.is_sender and not self.start:
                self.start = now
            return
        if self.connection is not None and not self.is_sender:
            with contextlib.suppress(BlockingIOError):
                self.connection.recv(1 << 20)
        first = (segment.sequence - self.kernel_first - 1) % MODULUS
        if segment.length or not self.is_sender:
            sack = tuple((one - FIRST - 1, two - FIRST - 1) for one, two in segment.sack)
            number = segment.acknowledgment - FIRST - 1
            found = KernelSegment(now - self.start, first, first + segment.length, number, sack, _signs(segment))
            self.came.append(found)

    def _compare(self) -> list[str]:
        """Line by line, in order."""
        came = [one for one in self.came if one.time >= -0.001]
        wrong = []
        for line in self.lines:
            if line.sign != ">" or line.words.split()[0] == "syn":
                continue
            for expected in self._expected(line):
                if not came:
                    wrong.append(f"line {line.number}: {line.words}: nothing came")
                    continue
                found = came.pop(0)
                if self._told(found) != expected or not self._is_in_time(line, found):
                    wrong.append(
                        f"line {line.number}: {expected} at {line.at:.4f}: {self._told(found)} at {found.time:.4f}"
                    )
        wrong += [f"not expected: {self._told(one)} at {one.time:.4f}" for one in came if one.time <= self.lines[-1].at]
        return wrong

    def _expected(self, line: Line) -> list[str]:
        words = line.words.split()
        signs = "".join(f" {word}" for word in words if word in ("ece", "cwr", *ECN_FIELDS))
        words = [word for word in words if f" {word}" not in signs]
        if words[0] == "ack":
            keep = words[:2] + (words[words.index("sack") :] if "sack" in words else [])
            return [" ".join(keep).split(" echo")[0] + signs]
        first, last = (int(number) for number in words[0].split(".."))
        size = self.tcp.mss_bytes
        return [f"{start}..{min(start + size, last)}{signs}" for start in range(first, last, size)]

    def _told(self, came: KernelSegment) -> str:
        if self.is_sender:
            return f"{came.first}..{came.last}{came.signs}"
        blocks = " ".join(f"{first}..{last}" for first, last in came.sack)
        return f"ack {came.acknowledgment}" + (f" sack {blocks}" if blocks else "") + came.signs

    def _is_in_time(self, line: Line, came: KernelSegment) -> bool:
        before = [one.at for one in self.lines if one.sign == "<" and one.at <= line.at + 1e-9]
        waited = line.at - max(before, default=0.0)
        allowed = LATE_S if waited < 1e-6 else GRID_S if waited < FAR_S else COARSE_S
        return abs(came.time - line.at) <= allowed


def _flags(words: list[str]) -> int:
    return (ECE if "ece" in words else 0) | (CWR if "cwr" in words else 0)


def _field(words: list[str]) -> int:
    return next((ECN_FIELDS[word] for word in words if word in ECN_FIELDS), 0)


def _signs(segment: Segment) -> str:
    fields = {bits: f" {word}" for word, bits in ECN_FIELDS.items()}
    flags = (" ece" if segment.flags & ECE else "") + (" cwr" if segment.flags & CWR else "")
    return flags + fields.get(segment.ecn, "")


def play(script: Script) -> list[str]:
    """What the kernel did otherwise than the script says."""
    return Player(script).play()
