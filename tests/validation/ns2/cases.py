"""The experiments. One case, one result table.

Delays are chosen so that no two packets reach the queue at the same nanosecond, and none when another leaves: ns-2
breaks such ties by the rounding of its clock.
"""

from __future__ import annotations

from .case import Case, of_each_agent, scattered
from .switches import SUITES, SWITCHES

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
    *SUITES,
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
