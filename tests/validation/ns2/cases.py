"""The experiments: a bottleneck, what happens to packets, and the settings of ns-2. One case, one result table.

Packets are numbered as in ns-2: 0 is the SYN, 1 the first with data. Delays are chosen so that no two packets reach the
queue at the same nanosecond, and none when another leaves: ns-2 breaks such ties by the rounding of its clock.
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


NINE_LOSSES = Case(
    "nine-losses",
    "nine packets are lost, alone and together, beside those that a queue of 30 drops",
    drops=(30, 47, 120, 121, 300, 303, 520, 521, 522),
    limit_packets=30,
    duration_s=6.0,
)
CAREFUL = Case(
    "careful-newreno",
    "two losses, of which the second shows as soon as the recovery from the first is over",
    agent="Newreno",
    drops=(30, 64),
    duration_s=3.0,
)
SWITCHES = (
    *of_each_agent(NINE_LOSSES),
    *of_each_agent(
        replace(
            NINE_LOSSES,
            name="whole-windows",
            what="nine losses, each of which leaves a whole number of packets: ns-2 before 2006",
            settings={"precisionReduce_": 0},
        ),
        ("Reno", "Newreno", "Sack1"),
    ),
    *of_each_agent(
        replace(
            NINE_LOSSES,
            name="bursts-of-2",
            what="nine losses and delayed ACKs, none of which lets out more than two packets",
            delayed_ack=True,
            settings={"maxburst_": 2},
        )
    ),
    replace(
        NINE_LOSSES,
        name="no-deflation-newreno",
        what="nine losses; a partial ACK takes all that duplicates have added from the window: ns-2 before 2003",
        agent="Newreno",
        settings={"partial_window_deflation_": 0},
    ),
    *of_each_agent(
        Case(
            "part-of-a-gap",
            "neighbours are lost; the ACK of what fills a part of their gap may wait: RFC2581_immediate_ack_ false",
            delayed_ack=True,
            drops=(3, 4, 40, 41, 42, 90, 92, 150, 151),
            window_packets=30,
            sink_settings={"interval_": 0.2, "RFC2581_immediate_ack_": 0},
            duration_s=6.0,
        )
    ),
    CAREFUL,
    replace(
        CAREFUL,
        name="less-careful-newreno",
        what="two losses; the duplicates of what was sent before the first showed start a fast retransmit",
        settings={"lessCareful_": 1},
    ),
    *(
        Case(
            name,
            f"{what} lost, with the initial window of RFC 3390: windowInit_ after one, then 1",
            drops=drops,
            settings={"windowInitOption_": 2, "windowInit_": 3},
            duration_s=15.0,
            keep=100,
        )
        for name, what, drops in (
            ("lost-syn-rfc3390", "the first packet of all is", (0,)),
            ("two-lost-syns-rfc3390", "the first two packets of all are", (0, 1)),
        )
    ),
)
OLD_TIMERS = {"tcpTick_": 0.1, "minrto_": 1.0, "rtxcur_init_": 6.0}

CASES: tuple[Case, ...] = (
    *of_each_agent(
        Case("steady", "a queue of 20 packets fills and overflows, again and again", limit_packets=20, duration_s=60.0)
    ),
    *of_each_agent(Case("one-loss", "one packet of a window is lost in slow start", drops=(30,), duration_s=3.0)),
    *of_each_agent(
        Case("four-losses", "four packets of a window are lost", drops=(30, 32, 33, 36), duration_s=3.0, keep=400)
    ),
    *of_each_agent(
        Case(
            "late-acks",
            "four packets of a window are lost, and ACKs of the recovery overtake others",
            drops=(30, 32, 33, 36),
            late_acks=(0.1373, 0.0109, 15.1),
            duration_s=3.0,
            keep=400,
        )
    ),
    *of_each_agent(
        Case(
            "spike",
            "every packet is 1.2 s late for a while: the timer expires though nothing is lost",
            spike_at_s=2.0,
            spike_for_s=0.5,
            spike_extra_ms=1200.0,
            window_packets=30,
            duration_s=8.0,
            keep_from=2260,
            keep=400,
        )
    ),
    *of_each_agent(
        Case(
            "outage",
            "the wire loses everything for 2 s",
            outages=((2.0, 2.0),),
            window_packets=30,
            duration_s=8.0,
            keep_from=2260,
            keep=400,
        )
    ),
    *of_each_agent(
        Case(
            "rtts",
            "three flows with round trips of 22, 43 and 84 ms share a queue of 25 packets",
            access_ms=(1.000311, 11.277143, 31.713919),
            return_ms=(10.007193, 20.033727, 40.090131),
            starts_s=(0.0, 0.1, 0.3),
            limit_packets=25,
            duration_s=60.0,
        ),
        ("Reno", "Newreno", "Sack1"),
    ),
    *of_each_agent(
        Case(
            "delayed-ack",
            "the receiver acknowledges every second packet, or after 100 ms",
            delayed_ack=True,
            limit_packets=20,
            duration_s=60.0,
        ),
        ("Reno", "Newreno", "Sack1"),
    ),
    *of_each_agent(
        Case(
            "old-timers",
            "the clock of the papers, ticks of 100 ms and at least 1 s, in an outage of 12 s",
            outages=((5.0, 12.0),),
            window_packets=30,
            duration_s=60.0,
            settings=OLD_TIMERS,
            delay_ms=150.013717,
            return_ms=(150.007193,),
            keep_from=430,
            keep=200,
        ),
        ("Reno", "Sack1"),
    ),
    *of_each_agent(
        Case(
            "lost-again",
            "the retransmission of a lost packet is lost too: the timer counts from it",
            drops=(30, 63),
            duration_s=3.0,
        )
    ),
    *of_each_agent(
        Case(
            "two-outages",
            "a round trip above the least RTO: whole ticks, doubled; the fourth doubling forgets the round trip",
            outages=((5.0, 12.0), (40.0, 3.0)),
            window_packets=30,
            duration_s=60.0,
            delay_ms=150.013717,
            return_ms=(150.007193,),
            keep_from=430,
            keep=200,
        ),
        ("Reno", "Newreno", "Sack1"),
    ),
    *of_each_agent(
        Case(
            "no-least-rto",
            "nothing but the estimate keeps the timer from expiring too early",
            limit_packets=60,
            duration_s=20.0,
            settings={"minrto_": 0.0},
            keep=600,
        ),
        ("Reno", "Newreno", "Sack1"),
    ),
    Case(
        "coarse-clock",
        "ticks of 100 ms, the clock of the papers, and round trips of 45 to 110 ms",
        limit_packets=80,
        duration_s=60.0,
        settings={"tcpTick_": 0.1},
        drops=(2000, 2063, 5000, 5001, 5003, 9000),
        delay_ms=20.013717,
        return_ms=(20.007193,),
    ),
    Case(
        "file-tail",
        "a file of 60 packets, of which the last is lost",
        drops=(60,),
        packets=60,
        duration_s=3.0,
        keep=100,
    ),
    Case("lost-syn", "the first packet of all is lost", drops=(0,), duration_s=6.0, keep=100),
    Case("lost-first", "the first packet with data is lost", drops=(1,), duration_s=3.0, keep=100),
    Case(
        "no-guard",
        "bugFix_ off: a second loss of a window starts another fast retransmit",
        drops=(30, 32, 33, 36),
        duration_s=3.0,
        settings={"bugFix_": 0},
        keep=400,
    ),
    Case(
        "tail",
        "the last packets of a window of 20 are lost with their retransmission",
        drops=(20, 21, 23),
        window_packets=4,
        duration_s=4.0,
        keep=100,
    ),
    *(
        Case(
            f"late-duplicate{'' if guard else '-no-guard'}-tahoe",
            "the third duplicate comes after a timeout, which does not end Tahoe's row",
            agent="Tahoe",
            drops=(20,),
            window_packets=4,
            spike_at_s=0.1515,
            spike_for_s=0.002,
            spike_extra_ms=400.0,
            settings={"bugFix_": guard},
            duration_s=3.0,
            keep=100,
        )
        for guard in (1, 0)
    ),
    *of_each_agent(
        Case(
            "spike-begun",
            "a spike begins and ends while packets are being sent: a link reads its delay as a first bit leaves",
            rate_bps=1e6,
            access_bps=2e6,
            spike_at_s=2.0055,
            spike_for_s=0.5007,
            spike_extra_ms=300.0,
            window_packets=30,
            duration_s=6.0,
            keep_from=150,
        )
    ),
    Case(
        "delay-ends-timer-newreno",
        "delayed ACKs whose time ends as a packet arrives, over a last wire of 90 ms: timer first",
        agent="Newreno",
        delayed_ack=True,
        delay_ms=90.013717,
        return_ms=(50.007193,),
        window_packets=40,
        drops=(20, 60, 100, 140, 190),
        duration_s=12.0,
        keep=100,
    ),
    Case(
        "delay-ends-packet-reno",
        "delayed ACKs whose time ends as a packet arrives, over a last wire of 120 ms: packet first",
        agent="Reno",
        delayed_ack=True,
        delay_ms=120.013717,
        return_ms=(50.007193,),
        window_packets=40,
        drops=(20, 45, 90, 140, 190),
        duration_s=12.0,
        keep=100,
    ),
    Case(
        "recovery-burst-newreno",
        "two losses 16 packets apart: the partial ACK would let out more than the two packets that ns-2 allows",
        agent="Newreno",
        drops=(29, 45),
        rate_bps=1e6,
        limit_packets=30,
        delay_ms=114.989458,
        access_ms=(3.202,),
        return_ms=(91.767411,),
        window_packets=40,
        settings={"tcpTick_": 0.1, "minrto_": 1.0},
        duration_s=12.0,
        keep=100,
    ),
    *SWITCHES,
    Case(
        "cubic",
        "TCP-Linux with the CUBIC of Linux 2.6: not RFC 9438, kept as a rough comparison",
        agent="Linux",
        linux="cubic",
        limit_packets=20,
        duration_s=60.0,
    ),
    Case(
        "westwood",
        "TCP-Linux with the Westwood+ of Linux 2.6: a queue of 20 packets fills and overflows, again and again",
        agent="Linux",
        linux="westwood",
        limit_packets=20,
        duration_s=60.0,
    ),
    *(
        Case(
            f"{algorithm}-losses-{lost}",
            f"TCP-Linux with {algorithm}: {lost} of the first 60000 packets are lost, at random",
            agent="Linux",
            linux=algorithm,
            limit_packets=60,
            drops=scattered(lost, 60_000),
            duration_s=60.0,
        )
        for lost in (300, 600)
        for algorithm in ("westwood", "reno")
    ),
    Case(
        "vegas", "a few packets are kept waiting in a queue of 100", agent="Vegas", limit_packets=100, duration_s=60.0
    ),
    Case(
        "vegas-slow",
        "a round trip of 221 ms over 2 Mb/s",
        agent="Vegas",
        rate_bps=2e6,
        delay_ms=110.013717,
        return_ms=(110.007193,),
        limit_packets=200,
        duration_s=60.0,
    ),
)
