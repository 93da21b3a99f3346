"""Cases of ns-2's switches, on and off, and like those of its own test suites, which keep old defaults."""

from __future__ import annotations

from dataclasses import replace

from .case import Case, of_each_agent

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
OLD_SUITE = Case(
    "old-three-losses",
    "three losses, as in ns-2's own suites: four nodes, defaults of before 2001, no guards, limited transmit",
    drops=(14, 26, 28),
    rate_bps=0.8e6,
    delay_ms=100.0,
    limit_packets=8,
    access_bps=8e6,
    access_ms=(0.0,),
    return_bps=0.8e6,
    return_ms=(100.04,),
    window_packets=28,
    duration_s=6.0,
    settings={
        "tcpTick_": 0.1,
        "minrto_": 0,
        "rtxcur_init_": 6.0,
        "syn_": 0,
        "delay_growth_": 0,
        "windowInit_": 1,
        "singledup_": 1,
        "useHeaders_": 0,
        "precisionReduce_": 0,
        "bugFix_": 0,
    },
)
SUITES = (
    *of_each_agent(OLD_SUITE),
    *of_each_agent(
        replace(
            OLD_SUITE,
            name="old-nine-losses",
            what="the same with nine losses, eight of them in a row",
            drops=(*range(14, 22), 25),
        )
    ),
    replace(
        OLD_SUITE,
        name="old-first-loss-tahoe",
        what="the same with the second packet lost and guards, which don't hold for it",
        agent="Tahoe",
        drops=(1,),
        settings={**OLD_SUITE.settings, "bugFix_": 1},
    ),
    replace(
        OLD_SUITE,
        name="old-six-losses-reno",
        what="the same with six losses: a fast retransmit in a go-back-N, from a window of three packets",
        drops=(28, 30, 31, 33, 35, 60),
    ),
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
