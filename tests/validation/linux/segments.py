"""IPv4 packets with TCP inside, as they pass a TUN device: read for what the experiments need, and written."""

from __future__ import annotations

import struct
from dataclasses import dataclass

FIN, SYN, RST, PSH, ACK, ECE, CWR = 1, 2, 4, 8, 16, 64, 128
ECN_FIELDS = {"ect1": 1, "ect0": 2, "ce": 3}
"""The two ECN bits of the IP header, by their words in scripts."""
MODULUS = 1 << 32


@dataclass(frozen=True)
class Segment:
    """One TCP segment. Numbers are those on the wire (modulo 2^32)."""

    source: int
    target: int
    sequence: int
    acknowledgment: int
    flags: int
    window: int
    length: int
    packet_bytes: int
    sack: tuple[tuple[int, int], ...] = ()
    timestamp: int | None = None
    echo: int | None = None
    ecn: int = 0


def read(packet: bytes) -> Segment | None:
    """The segment of an IPv4 packet; None if it is something else."""
    if len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != 6:
        return None
    header = (packet[0] & 15) * 4
    total = int.from_bytes(packet[2:4], "big")
    source, target, sequence, acknowledgment, offset, flags, window = struct.unpack_from("!HHIIBBH", packet, header)
    data = header + (offset >> 4) * 4
    sack, timestamp, echo = _options(packet[header + 20 : data])
    length, ecn = total - data, packet[1] & 3
    return Segment(source, target, sequence, acknowledgment, flags, window, length, total, sack, timestamp, echo, ecn)


def _options(octets: bytes) -> tuple[tuple[tuple[int, int], ...], int | None, int | None]:
    sack: tuple[tuple[int, int], ...] = ()
    timestamp = echo = None
    place = 0
    while place < len(octets) and octets[place] != 0:
        if octets[place] == 1:
            place += 1
            continue
        kind, length = octets[place], octets[place + 1]
        if kind == 8:
            timestamp, echo = struct.unpack_from("!II", octets, place + 2)
        elif kind == 5:
            numbers = struct.unpack_from(f"!{(length - 2) // 4}I", octets, place + 2)
            sack = tuple(zip(numbers[::2], numbers[1::2], strict=True))
        place += length
    return sack, timestamp, echo


@dataclass(frozen=True)
class Options:
    """What a written segment carries beside its numbers."""

    mss: int | None = None
    sack_permitted: bool = False
    window_shift: int | None = None
    timestamp: tuple[int, int] | None = None
    sack: tuple[tuple[int, int], ...] = ()

    def octets(self) -> bytes:
        """In the order that Linux writes them, padded to a multiple of four."""
        parts = b""
        if self.mss is not None:
            parts += struct.pack("!BBH", 2, 4, self.mss)
        if self.timestamp is not None:
            parts += struct.pack("!BBBBII", 1, 1, 8, 10, *self.timestamp)
        if self.window_shift is not None:
            parts += struct.pack("!BBBB", 1, 3, 3, self.window_shift)
        if self.sack_permitted:
            parts += bytes([1, 1, 4, 2])
        if self.sack:
            parts += bytes([1, 1, 5, 2 + 8 * len(self.sack)])
            parts += b"".join(struct.pack("!II", first % MODULUS, last % MODULUS) for first, last in self.sack)
        return parts


@dataclass(frozen=True)
class Ends:
    """Addresses and ports of a segment that is written."""

    source: bytes
    target: bytes
    source_port: int
    target_port: int


def write(
    ends: Ends,
    numbers: tuple[int, int],
    flags: int,
    window: int,
    options: Options,
    data: bytes = b"",
    ecn: int = 0,
) -> bytes:
    """An IPv4 packet; `numbers` are sequence and ACK number, `ecn` the two bits of its IP header."""
    extra = options.octets()
    sequence, acknowledgment = (number % MODULUS for number in numbers)
    offset = (20 + len(extra)) // 4 << 4
    tcp = struct.pack(
        "!HHIIBBHHH", ends.source_port, ends.target_port, sequence, acknowledgment, offset, flags, window, 0, 0
    )
    tcp += extra + data
    pseudo = ends.source + ends.target + struct.pack("!BBH", 0, 6, len(tcp))
    tcp = tcp[:16] + struct.pack("!H", checksum(pseudo + tcp)) + tcp[18:]
    ip = struct.pack("!BBHHHBBH", 0x45, ecn, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + ends.source + ends.target
    return ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:] + tcp


def checksum(octets: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    if len(octets) % 2:
        octets += b"\0"
    total: int = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
