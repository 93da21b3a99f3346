"""Network namespaces of our own, with a TUN device each: kernel TCP sockets whose packets pass through this process.

The namespaces have no name and end with the process, so nothing can be left behind, and nothing outside is touched.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import shutil
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 1, 0x1000
SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33
LIBC = ctypes.CDLL(None, use_errno=True)
COUNTERS = ("Tcp", "TcpExt")


PROBE = "unshare --net chrt -f 50 ip tuntap add mode tun dev probe"
"""Makes what the experiments need: a namespace, a real-time process, a TUN device. Leaves nothing behind."""


def why_not() -> str | None:
    """Why the kernel cannot be asked here; None if it can."""
    if platform.system() != "Linux":
        return "not Linux"
    if os.geteuid() != 0:
        return "needs root for network namespaces and TUN devices"
    for program in PROBE.split()[0], "ip":
        if shutil.which(program) is None:
            return f"no program {program}"
    done = subprocess.run(PROBE.split(), check=False, capture_output=True, text=True)
    return done.stderr.strip() or "no TUN device" if done.returncode else None


def version() -> str:
    return platform.release()


@contextmanager
def in_real_time() -> Iterator[None]:
    """Ahead of every ordinary process, and never swapped out: an emulated link is only as exact as its wake-ups."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    LIBC.mlockall(1)
    try:
        yield
    finally:
        LIBC.munlockall()
        os.sched_setscheduler(0, *before)


class Namespace:
    """One network namespace, its TUN device, and the sockets made in it."""

    def __init__(self, address: str, peer: str, settings: dict[str, str], mtu: int = 1500) -> None:
        self.address = address
        self.peer = peer
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        try:
            _call("unshare", LIBC.unshare(CLONE_NEWNET))
            self._namespace = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
            self.tun = _tun()
            for command in (
                "link set lo up",
                f"address add {address} peer {peer} dev tun0",
                f"link set tun0 mtu {mtu} txqueuelen 100000 up",
            ):
                subprocess.run(["ip", *command.split()], check=True)
            for name, value in settings.items():
                Path(f"/proc/sys/net/ipv4/{name}").write_text(value)
        finally:
            _call("setns", LIBC.setns(home, CLONE_NEWNET))
            os.close(home)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """What is opened meanwhile belongs to this namespace."""
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        _call("setns", LIBC.setns(self._namespace, CLONE_NEWNET))
        try:
            yield
        finally:
            _call("setns", LIBC.setns(home, CLONE_NEWNET))
            os.close(home)

    def socket(self) -> socket.socket:
        with self.inside():
            opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        opened.setblocking(False)
        return opened

    def counters(self) -> dict[str, int]:
        """The counters of /proc/net/snmp and netstat that are not zero."""
        with self.inside():
            text = Path("/proc/thread-self/net/snmp").read_text() + Path("/proc/thread-self/net/netstat").read_text()
        rows = [line.split() for line in text.splitlines()]
        found: dict[str, int] = {}
        for names, values in zip(rows[::2], rows[1::2], strict=True):
            if names[0].rstrip(":") in COUNTERS:
                found |= {name: int(value) for name, value in zip(names[1:], values[1:], strict=True) if int(value)}
        return found

    def close(self) -> None:
        os.close(self.tun)
        os.close(self._namespace)


def _tun() -> int:
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"tun0", IFF_TUN | IFF_NO_PI))
    return device


def _call(name: str, result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{name} failed")


def set_buffers(opened: socket.socket, send: int, receive: int) -> None:
    """Fixed buffers of these bytes: the kernel counts twice of what it is told, for its own overhead."""
    if send:
        opened.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, send)
    if receive:
        opened.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, receive)


@dataclass(frozen=True)
class Info:
    """What TCP_INFO says of a socket; times in microseconds, windows in segments."""

    state: int
    retransmits: int
    backoff: int
    rto: int
    srtt: int
    rttvar: int
    cwnd: int
    ssthresh: int
    unacked: int
    sacked: int
    lost: int
    retrans: int
    reordering: int
    total_retrans: int
    min_rtt: int
    delivered: int


def info(opened: socket.socket) -> Info:
    octets = opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    bytes_8 = octets[:8]
    words = struct.unpack_from("24I", octets, 8)
    (min_rtt,) = struct.unpack_from("I", octets, 8 + 96 + 32 + 12)
    (delivered,) = struct.unpack_from("I", octets, 8 + 96 + 32 + 24 + 32)
    return Info(
        state=bytes_8[1],
        retransmits=bytes_8[2],
        backoff=bytes_8[4],
        rto=words[0],
        srtt=words[15],
        rttvar=words[16],
        cwnd=words[18],
        ssthresh=words[17],
        unacked=words[4],
        sacked=words[5],
        lost=words[6],
        retrans=words[7],
        reordering=words[20],
        total_retrans=words[23],
        min_rtt=min_rtt,
        delivered=delivered,
    )
