"""What an experiment is: a bottleneck, what happens to packets, and the settings of ns-2.

Packets are numbered as in ns-2: 0 is the SYN, 1 the first with data; without a SYN 0 is the first with data.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Literal

Agent = Literal["Tahoe", "Reno", "Newreno", "Sack1", "Vegas", "Linux"]

PACKET_BYTES, HEADER_BYTES, ACK_BYTES = 1000, 40, 40


@dataclass(frozen=True)
class Case:
    """One experiment. Rates in b/s of packets with their headers; delays one way; times in seconds."""

    name: str
    what: str
    agent: Agent = "Reno"
    delayed_ack: bool = False
    duration_s: float = 20.0
    rate_bps: float = 10e6
    delay_ms: float = 10.013717
    limit_packets: int = 1000
    access_bps: float = 1e9
    access_ms: tuple[float, ...] = (1.000311,)
    return_bps: float = 1e9
    return_ms: tuple[float, ...] = (10.007193,)
    starts_s: tuple[float, ...] = (0.0,)
    window_packets: int = 1000
    drops: tuple[int, ...] = ()
    spike_at_s: float = -1.0
    spike_for_s: float = 0.0
    spike_extra_ms: float = 0.0
    late_acks: tuple[float, ...] = ()
    """From when on, s, how long, s, and how much later, ms, ACKs of the first flow are; others overtake them."""
    outages: tuple[tuple[float, float], ...] = ()
    """Start and length of each."""
    packets: int = 0
    """How many the first flow has to send; 0: without end."""
    settings: dict[str, float] = field(default_factory=dict)
    sink_settings: dict[str, float] = field(default_factory=dict)
    linux: str = ""
    keep_from: int = 0
    keep: int = 300

    @property
    def flows(self) -> int:
        """How many there are."""
        return len(self.starts_s)

    @property
    def is_the_same(self) -> bool:
        """True when ns-2 has the same algorithm, so that all packets are to be the same."""
        return self.agent not in ("Vegas", "Linux")

    @property
    def has_syn(self) -> bool:
        """True when packet 0 is a SYN; ns-2's Vegas sends none."""
        return self.agent != "Vegas" and self.settings.get("syn_", 1.0) == 1

    @property
    def header_bytes(self) -> int:
        """Of a packet with data; ns-2's Vegas sends it without."""
        return HEADER_BYTES if self.agent != "Vegas" and self.settings.get("useHeaders_", 1.0) == 1 else 0

    @property
    def is_chaotic(self) -> bool:
        """True when several flows share the queue, so that one packet out of step changes all that follows."""
        return self.flows > 1

    def sink(self) -> str:
        """The class of the receiver."""
        sack = "/Sack1" if self.agent in ("Sack1", "Linux") else ""
        return f"TCPSink{sack}{'/DelAck' if self.delayed_ack else ''}"

    def arguments(self) -> list[str]:
        """What dumbbell.tcl is told."""
        settings = {"window_": self.window_packets, **self.settings}
        given = {
            "agent": self.agent,
            "sink": self.sink(),
            "duration": self.duration_s,
            "starts": listed(self.starts_s),
            "rate_bps": self.rate_bps,
            "delay_ms": self.delay_ms,
            "limit_packets": self.limit_packets,
            "access_bps": self.access_bps,
            "access_ms": listed(self.access_ms),
            "return_bps": self.return_bps,
            "return_ms": listed(self.return_ms),
            "drops": listed(self.drops),
            "spike_at_s": self.spike_at_s,
            "spike_for_s": self.spike_for_s,
            "spike_extra_ms": self.spike_extra_ms,
            "outages": listed(tuple(number for outage in self.outages for number in outage)),
            "packets": self.packets,
            "linux": self.linux,
            "agent_settings": " ".join(f"{name} {value:g}" for name, value in settings.items()),
        }
        if self.sink_settings:
            given["sink_settings"] = " ".join(f"{name} {value:g}" for name, value in self.sink_settings.items())
        if self.late_acks:
            names = ("late_acks_at_s", "late_acks_for_s", "late_acks_extra_ms")
            given |= dict(zip(names, self.late_acks, strict=True))
        return [str(word) for pair in given.items() for word in pair]


def scattered(count: int, packets: int) -> tuple[int, ...]:
    """Numbers of packets that are lost, at random but the same each time."""
    return tuple(sorted(random.Random(1).sample(range(50, packets), count)))


def listed(numbers: tuple[float, ...]) -> str:
    """A Tcl list."""
    return " ".join(f"{number:.12g}" for number in numbers)


def of_each_agent(case: Case, agents: tuple[Agent, ...] = ("Tahoe", "Reno", "Newreno", "Sack1")) -> list[Case]:
    """The same case with other senders."""
    return [replace(case, agent=agent, name=f"{case.name}-{agent.lower()}") for agent in agents]
