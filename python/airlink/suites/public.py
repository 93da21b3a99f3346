"""The public families: what somebody who designs a scheduler may look at, and tune it on.

Ranges are chosen around what evaluations of schedulers have: cells of 2 to 48 users, walking and driving, downloads,
pages and frames. Left out: anything of the hidden families (`hidden`).
"""

from __future__ import annotations

from airlink.scenario import Scenario
from airlink.suites.aim import GEOMETRIC, IN_TIME, PAGE_TIME
from airlink.suites.cells import cell, datagrams, downloads, files, pages, split
from airlink.suites.family import Axis, Family, Values

LOW = Axis("low_db", -2, 6, "mean SNR of the user at the edge")
HIGH = Axis("high_db", 14, 24, "mean SNR of the user near the antenna")
WALK = Axis("speed_kmh", 1, 6, "how fast users move")
DELAY = Axis("delay_ms", 5, 60, "each way, of the wires", log=True)


def _static(v: Values) -> Scenario:
    return cell(v["users"], v["low_db"], v["high_db"], 0, [downloads(delay_ms=v["delay_ms"])])


def _web(v: Values) -> Scenario:
    some, others = split(v["users"], v["download_share"])
    flows = [downloads(some), pages(v["think_s"], others)]
    return cell(v["users"], v["low_db"], v["high_db"], v["speed_kmh"], flows)


def _vehicular(v: Values) -> Scenario:
    return cell(
        v["users"], v["low_db"], v["high_db"], v["speed_kmh"], [downloads(delay_ms=v["delay_ms"])],
        link__report__backoff_db=v["backoff_db"], link__errors__threshold_rule=True,
        link__arq={"max_retransmissions": 3, "feedback_delay_slots": 8},
    )  # fmt: skip


def _edge(v: Values) -> Scenario:
    count, near = int(v["users"]), int(v["near_users"])
    snr = [v["edge_db"] + 0.5 * place for place in range(count - near)] + [v["near_db"]] * near
    placement = {"kind": "mean_snr", "mean_snr_db": snr}
    return cell(count, 0, 0, v["speed_kmh"], [downloads()], channel__placement=placement)


def _mixed_tcp(v: Values) -> Scenario:
    count = int(v["users"])
    kinds = [
        {"profile": "classic", "congestion_control": "reno"},
        {"profile": "rfc"},
        {"profile": "linux"},
    ]
    flows = [downloads(list(range(place, count, 3)), v["delay_ms"], tcp=tcp) for place, tcp in enumerate(kinds)]
    return cell(count, v["low_db"], v["high_db"], v["speed_kmh"], flows)


def _many(v: Values) -> Scenario:
    size = {"kind": "constant", "bytes": int(v["file_bytes"])}
    per_user = v["load"] * 12e6 / (8 * v["file_bytes"] * v["users"])
    return cell(v["users"], v["low_db"], v["high_db"], v["speed_kmh"], [files(per_user, size)])


def _few(v: Values) -> Scenario:
    return cell(v["users"], v["low_db"], v["high_db"], v["speed_kmh"], [downloads(delay_ms=v["delay_ms"])])


def _long_and_short(v: Values) -> Scenario:
    some, others = split(v["users"], 0.4)
    size = {"kind": "constant", "bytes": int(v["file_bytes"])}
    return cell(
        v["users"],
        v["low_db"],
        v["high_db"],
        v["speed_kmh"],
        [downloads(some), files(v["arrivals_per_s"], size, others)],
    )


def _deadlines(v: Values) -> Scenario:
    count = int(v["users"])
    video, voice, rest = (list(range(place, count, 3)) for place in range(3))
    size = {"kind": "constant", "bytes": int(v["frame_bytes"])}
    frames = {"kind": "frames", "frames_per_s": 30, "size": size, "deadline_ms": v["deadline_ms"]}
    talk = {"kind": "voice", "deadline_ms": v["deadline_ms"]}
    flows = [datagrams(frames, video), datagrams(talk, voice), downloads(rest)]
    budget = [v["deadline_ms"] if user in (*video, *voice) else "inf" for user in range(count)]
    return cell(count, v["low_db"], v["high_db"], v["speed_kmh"], flows, scheduler__delay_budget_ms=budget)


def _upstream(v: Values) -> Scenario:
    flows = [downloads(path={"upstream": True})]
    upstream = {"rate_bps": v["upstream_bps"], "limit_packets": int(v["upstream_packets"]), "delay_ms": 5}
    return cell(v["users"], v["low_db"], v["high_db"], v["speed_kmh"], flows, upstream=upstream)


def _users(low: int, high: int) -> Axis:
    return Axis("users", low, high, "how many", whole=True)


PUBLIC = (
    Family("static-downloads", "users who stand still, without fading, a download each", GEOMETRIC,
           (_users(4, 10), LOW, HIGH, DELAY), _static),
    Family("pedestrian-web", "users who walk: web pages beside downloads", PAGE_TIME,
           (_users(6, 12), LOW, HIGH, WALK, Axis("think_s", 0.5, 2, "mean time to think", log=True),
            Axis("download_share", 0.3, 0.6, "share of users with a download")), _web),
    Family("vehicular-downloads", "users who drive, reports that are old, frames that are lost", GEOMETRIC,
           (_users(4, 10), LOW, HIGH, Axis("speed_kmh", 20, 120, "how fast users move", log=True), DELAY,
            Axis("backoff_db", 0.5, 3, "taken off reports")), _vehicular),
    Family("cell-edge", "most users at the edge, few near the antenna", GEOMETRIC,
           (_users(6, 12), Axis("near_users", 1, 2, "near the antenna", whole=True), WALK,
            Axis("edge_db", -3, 2, "mean SNR of the farthest user; each next one has 0.5 dB more"),
            Axis("near_db", 15, 25, "mean SNR near the antenna")), _edge),
    Family("mixed-tcp", "Reno without SACK, TCP as RFCs have it, and CUBIC as in Linux, side by side", GEOMETRIC,
           (_users(6, 12), LOW, HIGH, Axis("speed_kmh", 1, 30, "how fast users move", log=True), DELAY), _mixed_tcp),
    Family("many-users", "many users with a small file now and then", PAGE_TIME,
           (_users(24, 48), LOW, HIGH, WALK, Axis("file_bytes", 2e4, 2e5, "size of a file", log=True),
            Axis("load", 0.4, 0.8, "offered, of 12 Mb/s")), _many),
    Family("few-users", "two or three users with a download each", GEOMETRIC,
           (_users(2, 3), LOW, HIGH, Axis("speed_kmh", 1, 30, "how fast users move", log=True), DELAY), _few),
    Family("long-beside-short", "small files of some users beside downloads of others", PAGE_TIME,
           (_users(5, 12), LOW, HIGH, WALK, Axis("file_bytes", 2e4, 1e5, "size of a file", log=True),
            Axis("arrivals_per_s", 0.3, 1, "files of each user")), _long_and_short),
    Family("deadlines", "frames of a video and voice with deadlines, beside downloads", IN_TIME,
           (_users(6, 12), Axis("low_db", 2, 8, "mean SNR of the user at the edge"), HIGH, WALK,
            Axis("frame_bytes", 3000, 8000, "size of a frame, 30 a second", log=True),
            Axis("deadline_ms", 40, 120, "of a frame or a packet of voice, from its sending")), _deadlines),
    Family("upstream", "a wired queue before the cell, about as fast as the cell", GEOMETRIC,
           (_users(4, 10), LOW, HIGH, WALK, Axis("upstream_bps", 5e6, 3e7, "rate of the wire", log=True),
            Axis("upstream_packets", 20, 200, "limit of its queue", log=True, whole=True)), _upstream),
)  # fmt: skip
"""In the order of the report."""
