"""The hidden families: kinds of channels, links, paths and traffic that no public family has.

Their code is as public as all else here; hidden is which members a judging draws, until the candidate's hash is written
down. Left out: the public families (`public`).
"""

from __future__ import annotations

from airlink.scenario import Scenario
from airlink.suites.aim import GEOMETRIC, PAGE_TIME
from airlink.suites.cells import cell, downloads, files, flow, pages, split
from airlink.suites.family import Axis, Family, Values

USERS = Axis("users", 4, 12, "how many", whole=True)
SPEED = Axis("speed_kmh", 1, 60, "how fast users move", log=True)
SLOWLY = Axis("speed_kmh", 1, 10, "how fast users move: faster ones lose nearly all, so late are reports", log=True)
EDGE = Axis("low_db", -2, 8, "mean SNR of the user at the edge")
NEAR = Axis("high_db", 12, 26, "mean SNR of the user near the antenna")


def _outages(v: Values) -> Scenario:
    shadowing = {"sd_db": v["shadowing_db"], "decorrelation_m": v["decorrelation_m"]}
    return cell(
        v["users"], v["low_db"], v["high_db"], v["speed_kmh"], [downloads()], channel__shadowing=shadowing,
        link__errors__threshold_rule=True, link__arq={"max_retransmissions": 6, "feedback_delay_slots": 8},
    )  # fmt: skip


def _bursts(v: Values) -> Scenario:
    burst = {"kind": "file", "bytes": int(v["file_bytes"])}
    every_s, count = v["every_s"], int(v["users"])
    times = [1 + every_s * place for place in range(int(9 / every_s))]
    flows = [flow(burst, list(range(place % 2, count, 2)), 20, start_s=at) for place, at in enumerate(times)]
    return cell(count, v["low_db"], v["high_db"], v["speed_kmh"], [downloads([0]), *flows])


def _asymmetric(v: Values) -> Scenario:
    count = int(v["users"])
    near, far = split(count, 0.25)
    snr = [v["near_db"] if user in near else v["far_db"] for user in range(count)]
    flows = [downloads(near, v["near_delay_ms"]), downloads(far, v["far_delay_ms"])]
    speeds = [v["speed_kmh"] if user in far else 1 for user in range(count)]
    return cell(
        count, 0, 0, 1, flows, channel__placement={"kind": "mean_snr", "mean_snr_db": snr},
        channel__motion__speed_kmh=speeds,
    )  # fmt: skip


def _harq(v: Values) -> Scenario:
    link = {
        "report": {"delay_slots": 6, "period_slots": 5, "error_sd_db": v["report_error_db"]},
        "rate": {"kind": "mcs", "set": "cqi-64qam", "bandwidth_hz": 9e6, "overhead": 0.3, "reference_bits": 6144},
        "errors": {"curve": {"kind": "coded", "effective": "miesm"}},
        "harq": {"kind": "incremental_redundancy", "processes": 8, "max_retransmissions": 3},
        "arq": {"max_retransmissions": 4, "feedback_delay_slots": 40},
        "outer_loop": {"kind": "steps", "target_bler": v["target_bler"], "feedback_delay_slots": 7},
    }
    return cell(v["users"], v["low_db"], v["high_db"], v["speed_kmh"], [downloads()], link=link)


def _arq_loss(v: Values) -> Scenario:
    some, others = split(v["users"], 0.5)
    return cell(
        v["users"], v["low_db"], v["high_db"], v["speed_kmh"], [downloads(some), pages(1, others)],
        link__errors__probability=v["loss"],
        link__arq={"max_retransmissions": int(v["retransmissions"]), "feedback_delay_slots": 20},
    )  # fmt: skip


def _grants(v: Values) -> Scenario:
    uplink = {"request_period_ms": v["request_period_ms"], "grant_bytes": int(v["grant_bytes"])}
    return cell(v["users"], v["low_db"], v["high_db"], v["speed_kmh"], [downloads()], uplink=uplink)


def _hops(v: Values) -> Scenario:
    core = {"name": "core", "kind": "codel", "rate_bps": v["core_bps"], "delay_ms": 10, "limit_packets": 300}
    some, others = split(v["users"], 0.5)
    flows = [downloads(some, path={"hops": ["core"]}), downloads(others, v["delay_ms"])]
    return cell(v["users"], v["low_db"], v["high_db"], v["speed_kmh"], flows, hops=(core,))


def _evdo(v: Values) -> Scenario:
    link = {
        "report": {"delay_slots": 2, "backoff_db": 1},
        "rate": {"kind": "table", "name": "1xev-do"},
        "errors": {"threshold_rule": True},
        "arq": {"max_retransmissions": 1, "feedback_delay_slots": 36},
    }
    return cell(
        v["users"], v["low_db"] - 2, v["high_db"] - 12, v["speed_kmh"], [downloads(delay_ms=40)], link=link,
        slot__duration_ms="5/3", queue__limit_packets=int(v["queue_packets"]), duration_s=20.0, warmup_s=4.0,
    )  # fmt: skip


def _subchannels(v: Values) -> Scenario:
    fading = {"kind": "tapped_delay_line", "profile": "etu", "terms": 8}
    return cell(
        v["users"], v["low_db"], v["high_db"], v["speed_kmh"], [downloads()],
        carrier={"subchannels": 50, "subchannel_hz": 180e3}, channel__fading=fading,
        link__report={"delay_slots": 6, "period_slots": 5, "group_subchannels": int(v["group"])},
        scheduler__release_satisfied_users=True, duration_s=4.0, warmup_s=1.0,
    )  # fmt: skip


def _heavy_tails(v: Values) -> Scenario:
    size = {"kind": "pareto", "shape": v["shape"], "min_bytes": 1e4, "max_bytes": 3e6}
    per_user = v["load"] * 12e6 / (8 * 5e4 * v["users"])
    return cell(v["users"], v["low_db"], v["high_db"], v["speed_kmh"], [files(per_user, size)])


HIDDEN = (
    Family("outages", "deep shadowing: no rate at all for moments", GEOMETRIC,
           (USERS, EDGE, NEAR, Axis("speed_kmh", 10, 60, "how fast users move", log=True),
            Axis("shadowing_db", 6, 12, "standard deviation of shadowing"),
            Axis("decorrelation_m", 5, 30, "its distance (1/e)", log=True)), _outages),
    Family("bursts", "half of the users ask for a file at once, again and again", PAGE_TIME,
           (USERS, EDGE, NEAR, SPEED, Axis("file_bytes", 3e4, 3e5, "size of a file", log=True),
            Axis("every_s", 0.6, 2, "time between two bursts")), _bursts),
    Family("asymmetric", "few near users who hardly move, many far ones who do, with other delays", GEOMETRIC,
           (USERS, SPEED, Axis("near_db", 20, 30, "mean SNR near the antenna"),
            Axis("far_db", -2, 6, "mean SNR of the others"),
            Axis("near_delay_ms", 5, 100, "each way, of the near users", log=True),
            Axis("far_delay_ms", 5, 100, "each way, of the others", log=True)), _asymmetric),
    Family("harq", "coded blocks with HARQ, reports with errors, an outer loop", GEOMETRIC,
           (USERS, EDGE, NEAR, SPEED, Axis("report_error_db", 0.5, 3, "standard deviation of a report's error"),
            Axis("target_bler", 0.05, 0.3, "share of first transmissions that may fail", log=True)), _harq),
    Family("arq-loss", "frames lost at random, few retransmissions", PAGE_TIME,
           (USERS, EDGE, NEAR, SPEED, Axis("loss", 0.01, 0.15, "probability", log=True),
            Axis("retransmissions", 1, 4, "the most of a part", whole=True)), _arq_loss),
    Family("uplink-grants", "ACKs wait for requests and grants", GEOMETRIC,
           (USERS, EDGE, NEAR, SPEED, Axis("request_period_ms", 5, 80, "between two requests", log=True),
            Axis("grant_bytes", 200, 3000, "of a grant", log=True, whole=True)), _grants),
    Family("shared-hop", "half of the users behind one hop with CoDel", GEOMETRIC,
           (USERS, EDGE, NEAR, SPEED, Axis("core_bps", 3e6, 2e7, "rate of the hop", log=True),
            Axis("delay_ms", 5, 100, "each way, of those without the hop", log=True)), _hops),
    Family("evdo", "slots and rates of 1xEV-DO, short queues", GEOMETRIC,
           (USERS, EDGE, NEAR, SLOWLY, Axis("queue_packets", 10, 50, "of a user", log=True, whole=True)), _evdo),
    Family("subchannels", "50 subchannels that fade apart, reports of groups", GEOMETRIC,
           (USERS, EDGE, NEAR, SPEED, Axis("group", 1, 12, "subchannels of a report", whole=True)), _subchannels),
    Family("heavy-tails", "files of Pareto's sizes that arrive at random", PAGE_TIME,
           (USERS, EDGE, NEAR, SPEED, Axis("shape", 1.1, 1.8, "of the sizes"),
            Axis("load", 0.3, 0.7, "offered, of 12 Mb/s, about")), _heavy_tails),
)  # fmt: skip
"""In the order of the report."""
