"""Cases in which what holds a flow back is known before the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from airlink.scenario import Scenario

CELL = """
duration_s = 20
users = 1
slot.duration_ms = 5
channel.placement = {kind = "mean_snr", mean_snr_db = 10}
link.rate = {kind = "capacity", bandwidth_hz = 1e7}
scheduler.kind = "round_robin"
flows = [{tcp = {receiver_window_bytes = 1_000_000, initial_window_segments = 1, delayed_ack.every = 1}}]
"""
"""One greedy flow on a link of 34.6 Mb/s: a window of 1 MB is five round trips' worth."""

WIRE = """
duration_s = 20
users = 1
bottleneck = {rate_bps = 10e6, delay_ms = 20}
[[flows]]
path = {downlink_delay_ms = 0, uplink_delay_ms = 20}
tcp = {receiver_window_bytes = 1_000_000, initial_window_segments = 1, delayed_ack.every = 1}
"""

FOUR_PACKETS = 4 * 1460


@dataclass(frozen=True)
class Case:
    """What is run, whose time is looked at, and the share of it that each of these causes must have.

    Attributes
    ----------
    name : in words, for the page.
    scenario : complete.
    shares : cause -> (least, most) share of the flow's time.
    flow : number of the flow, default 0.
    """

    name: str
    scenario: Scenario
    shares: Mapping[str, tuple[float, float]]
    flow: int = 0


def nearly_all(*causes: str) -> dict[str, tuple[float, float]]:
    return dict.fromkeys(causes, (0.95, 1.0))


def about(share: float, tolerance: float = 0.02) -> tuple[float, float]:
    return share - tolerance, share + tolerance


def changed(text: str, **fields: object) -> Scenario:
    """A scenario with fields changed; `__` stands for the dot of a path."""
    return Scenario.from_toml(text).with_(**{name.replace("__", "."): value for name, value in fields.items()})


def cases() -> Iterator[Case]:
    yield from window_limited()
    yield from application_limited()
    yield from starved()
    yield from full_pipes()
    yield from repeated()
    yield from slow_wires()
    yield from other_ends()


def window_limited() -> Iterator[Case]:
    window = {"flows__0__tcp__receiver_window_bytes": FOUR_PACKETS}
    for slot_ms in (1, "5/3", 5):
        for delay_ms in (20, 100):
            scenario = changed(CELL, slot__duration_ms=slot_ms, flows__0__path__downlink_delay_ms=delay_ms, **window)
            name = f"receiver window of 4 packets, slots of {slot_ms} ms, {delay_ms} ms to the cell"
            yield Case(name, scenario, nearly_all("receiver_window"))
    for delay_ms in (5, 20, 100):
        scenario = changed(WIRE, bottleneck__delay_ms=delay_ms, **window)
        name = f"receiver window of 4 packets, wired bottleneck, {delay_ms} ms behind it"
        yield Case(name, scenario, nearly_all("receiver_window"))


def application_limited() -> Iterator[Case]:
    # The last three have a packet in the cell nearly all the time: slots of 5 ms, one begun before the last has ended.
    rows = ((64e3, 1000), (500e3, 1460), (500e3, 20_000), (346e3, 200), (1.7e6, 200), (5e6, 1460))
    for rate_bps, message_bytes in rows:
        traffic = {"kind": "stream", "rate_bps": rate_bps, "message_bytes": message_bytes}
        for text, where in ((CELL, "cell"), (WIRE, "wired bottleneck")):
            name = f"{rate_bps / 1e3:.0f} kb/s in messages of {message_bytes} bytes, {where}"
            scenario = changed(text, flows__0__traffic=traffic, flows__0__tcp__initial_window_segments=10)
            yield Case(name, scenario, nearly_all("application"))
    pages = {"kind": "sessions", "think_s": 2.0, "think": "constant", "size": {"kind": "constant", "bytes": 20_000}}
    for text, where in ((CELL, "cell"), (WIRE, "wired bottleneck")):
        scenario = changed(text, flows__0__traffic=pages, flows__0__tcp__initial_window_segments=10)
        # A page takes a round trip or two of 45 ms, the pause and the way of the request 2.02 s.
        yield Case(f"pages of 20 kB, 2 s to think, {where}", scenario, nearly_all("application"))


def starved() -> Iterator[Case]:
    fields = {
        "users": 2,
        "scheduler__kind": "max_rate",
        "channel__placement__mean_snr_db": [10.0, 5.0],
        "link__rate__bandwidth_hz": 1e6,
    }
    backlogged = [{"users": [0], "traffic": {"kind": "backlogged"}}, {"users": [1]}]
    yield Case(
        "MAX, beside a better user who always has data",
        changed(CELL, **fields, flows=backlogged),
        nearly_all("scheduler"),
        1,
    )
    yield Case("MAX, beside a better user with a greedy TCP", changed(CELL, **fields), nearly_all("scheduler"), 1)


def full_pipes() -> Iterator[Case]:
    narrow = {"link__rate__bandwidth_hz": 1e6}
    yield Case("alone in the cell, the pipe full", changed(CELL, **narrow), nearly_all("air"))
    yield Case("alone at the wired bottleneck, the pipe full", changed(WIRE), nearly_all("wire"))
    yield Case("one of 4 at the wired bottleneck", changed(WIRE, users=4), nearly_all("wire"), 2)
    backlogged = [{"traffic": {"kind": "backlogged"}}]
    yield Case("backlogged, alone in the cell", changed(CELL, flows=backlogged), nearly_all("air"))
    for users in (2, 4, 8):
        shares = {"scheduler": about(1 - 1 / users, 0.03), "air": about(1 / users, 0.03)}
        for flows, what in ((None, "greedy TCP"), (backlogged, "backlogged")):
            fields = {} if flows is None else {"flows": flows}
            name = f"one of {users} equal users under round robin, {what}"
            yield Case(name, changed(CELL, users=users, **narrow, **fields), shares, users - 1)


def repeated() -> Iterator[Case]:
    """A fresh block is air's when it is not lost: (1 - p) of 1 / (1 - p) slots; all else is repetition."""
    for p, late in ((0.1, 0), (0.3, 0), (0.5, 0), (0.3, 20)):
        shares = {"arq": about(1 - (1 - p) ** 2, 0.04), "air": about((1 - p) ** 2, 0.04)}
        arq = {"max_retransmissions": "inf", "feedback_delay_slots": late}
        fields = {"link__errors__probability": p, "link__arq": arq, "link__rate__bandwidth_hz": 1e6}
        name = f"alone in the cell, {100 * p:.0f} % of frames lost and repeated" + (
            f" {late} slots later" if late else ""
        )
        yield Case(name, changed(CELL, **fields), shares)
    at_once = {"max_retransmissions": "inf", "unit": "slot", "repeats": "at_once"}
    fields = {"link__errors__probability": 0.3, "link__arq": at_once, "link__rate__bandwidth_hz": 1e6}
    shares = {"arq": about(0.51, 0.04), "air": about(0.49, 0.04)}
    yield Case("alone in the cell, 30 % of slots lost and repeated at once", changed(CELL, **fields), shares)


def slow_wires() -> Iterator[Case]:
    yield Case("ACKs over an uplink of 8 kb/s", changed(CELL, flows__0__path__uplink_rate_bps=8e3), nearly_all("wire"))
    server = changed(CELL, flows__0__path__downlink_rate_bps=5e5)
    yield Case("the server's own wire has 500 kb/s", server, nearly_all("wire"))


def other_ends() -> Iterator[Case]:
    reader = {"kind": "stalling", "rate_bps": 1e5}
    scenario = changed(CELL, flows__0__tcp__reader=reader, flows__0__tcp__receiver_window_bytes=65_535)
    yield Case("the user's application reads 100 kb/s", scenario, nearly_all("receiver_window"))
    scenario = changed(
        WIRE,
        duration_s=60,
        bottleneck__rate_bps=100e6,
        bottleneck__delay_ms=50,
        bottleneck__impairments__loss={"kind": "random", "p": 0.005},
        flows__0__tcp__profile="linux",
        flows__0__tcp__initial_window_segments=10,
        flows__0__tcp__delayed_ack__every=2,
    )
    yield Case("100 Mb/s, 70 ms round trip, 0.5 % of packets lost", scenario, nearly_all("congestion_window"))


def one_of(*values: object) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


@st.composite
def within_reach(draw: st.DrawFn) -> Scenario:
    """Random scenarios of what the second accounting can tell from series."""
    tcp = {
        "receiver_window_bytes": draw(one_of(4380, 5840, 20_000, 65_535, 400_000)),
        "profile": draw(one_of("classic", "ns2", "rfc", "linux")),
        "congestion_control": draw(one_of("reno", "new_reno", "cubic")),
    }
    path = {
        "downlink_delay_ms": draw(one_of(0, 5, 20, 100)),
        "uplink_delay_ms": draw(one_of(0, 1, 20)),
        "downlink_rate_bps": draw(one_of("inf", "inf", 2e5, 1e6, 5e6)),
        "downlink_impairments": {"loss": {"kind": "random", "p": draw(one_of(0, 0, 0.001, 0.01))}},
    }
    pages = {"kind": "sessions", "think_s": 0.1, "size": {"kind": "exponential", "mean_bytes": 50_000}}
    traffic = draw(one_of({"kind": "greedy"}, {"kind": "file", "bytes": 1_000_000}, pages))
    flows = [{"tcp": tcp, "path": path, "start_s": draw(one_of(0, 0.3)), "traffic": traffic}]
    fields = {"duration_s": 5, "users": draw(one_of(1, 2, 5)), "flows": flows}
    return changed(WIRE, **fields, **draw(wires())) if draw(st.booleans()) else changed(CELL, **fields, **draw(cells()))


def wires() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "bottleneck__rate_bps": one_of(1e6, 1e7),
            "bottleneck__delay_ms": one_of(0, 5, 50),
            "bottleneck__limit_packets": one_of(5, 20, "inf"),
        }
    )


def cells() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "slot__duration_ms": one_of(1, "5/3", 5),
            "scheduler__kind": one_of("round_robin", "proportional_fair", "max_rate", "tcp_pf"),
            "link__rate__bandwidth_hz": one_of(2e5, 1e6, 1e7),
            "channel__fading": one_of({"kind": "none"}, {"kind": "rayleigh"}),
            "link__errors__probability": one_of(0, 0.01, 0.1),
            "link__arq__max_retransmissions": one_of(0, "inf"),
            "queue__limit_packets": one_of("inf", 20),
        }
    )
