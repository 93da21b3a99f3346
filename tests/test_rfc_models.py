"""The engine's sender and a second one, written from the RFCs alone, answer the same random losses alike."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from airlink.engine import answer_script
from airlink.scenario import Script
from rfc_models.network import Receiver, Wire
from rfc_models.scoreboard import pipe
from rfc_models.sender import Sender
from rfc_models.timer import Timer
from rfc_models.windows import Cubic, Reno

SECOND = 10**9
MILLISECOND = 10**6
SLACK_NS = 1000  # an integer estimate is off by some nanoseconds, and each back-off doubles that
SMSS = 8
SEEDS = 8
TOLERANCE = {"cwnd": 0.501, "ssthresh": 0.501, "flight": 0, "srtt": 1e-5, "rto": SLACK_NS / MILLISECOND}
PATIENT = {"min_ms": 60000, "initial_ms": 60000, "max_ms": 60000, "sample_every_ack": True}
Shown = tuple[str, float | str]
Due = tuple[int, str | Shown]
SHOWN = "cwnd 0, ssthresh 0, flight 0, recovering true, srtt 0"


def script(fields: dict[str, object], lines: list[str]) -> Script:
    def value(item: object) -> str:
        if isinstance(item, dict):
            return "{" + ", ".join(f"{name} = {value(inner)}" for name, inner in item.items()) + "}"
        return str(item).lower() if isinstance(item, bool) else repr(item).replace("'", '"')

    head = ["---", 'rule = "by the letter"', 'side = "sender"', "[tcp]"]
    head += [f"{name} = {value(item)}" for name, item in fields.items()]
    return Script.from_text("\n".join([*head, "---", *lines]) + "\n")


def shown(sender: Sender) -> list[Shown]:
    control = sender.control
    srtt = "none" if sender.timer.srtt_s is None else sender.timer.srtt_s * 1000
    recovering = str(sender.recovery_point is not None).lower()
    return [
        ("cwnd", control.cwnd),
        ("ssthresh", control.ssthresh),
        ("flight", pipe(sender.board())),
        ("recovering", recovering),
        ("srtt", srtt),
    ]


def words(sent: list[tuple[int, int, bool]]) -> list[str]:
    return [f"{start}..{end}{' again' if again else ''}" for start, end, again in sent]


@dataclass
class Conversation:
    """A script of random ACKs, what the second sender does at each of them, and which rules came up."""

    script: Script
    expected: list[Due]
    rules: set[str]


def conversation(seed: int, control: str, reduces: bool) -> Conversation:
    random = Random(seed)
    first = random.randint(4, 24)
    in_avoidance, is_endless = random.random() < 0.5, random.random() < 0.5
    supplied = None if is_endless else random.randint(20, 60) * SMSS
    windows = (SMSS, first * SMSS, first * SMSS if in_avoidance else float("inf"))
    algorithm = Cubic(*windows) if control == "cubic" else Reno(*windows)
    sender = Sender(SMSS, algorithm, Timer(60, 60, 60), reduces, supplied)
    wire = Wire(random, random.choice([0.02, 0.1, 0.25]), random.choice([0.0, 0.1]))
    receiver, now, loss_of_acks = Receiver(), 0, random.choice([0.0, 0.1])
    lines = [f"0 < open, {'endless' if supplied is None else f'supply {supplied}'}"]
    expected: list[Due] = []

    def note(sent: list[tuple[int, int, bool]]) -> None:
        expected.extend((now * MILLISECOND, word) for word in words(sent))
        for segment in sent:
            wire.push(*segment)
        lines.append(f"{now} = {SHOWN}")
        expected.extend((now * MILLISECOND, item) for item in shown(sender))

    note(sender.open(0))
    for _ in range(150):
        segment = wire.pop()
        if segment is None:
            break
        number, blocks = receiver.on_segment(*segment)
        now += random.randint(1, 30)
        if random.random() >= loss_of_acks:
            sack = "".join(f" {start}..{end}" for start, end in blocks)
            lines.append(f"{now} < ack {number}{' sack' + sack if sack else ''}")
            note(sender.on_ack(now, number, blocks))
    fields = {
        "congestion_control": control,
        "mss_bytes": SMSS,
        "initial_window_segments": first,
        "initial_ssthresh_segments": first if in_avoidance else "inf",
        "sack": True,
        "rules": {
            "limited_transmit": True,
            "sack_rescue": True,
            "prr": "proportional" if reduces else "off",
        },
        "rto": PATIENT,
    }
    return Conversation(script(fields, lines), expected, sender.rules)


def agree(came: tuple[int, str], due: Due) -> bool:
    if abs(came[0] - due[0]) > SLACK_NS:
        return False
    if isinstance(due[1], str):
        return came[1] == due[1]
    name, value = due[1]
    found, _, text = came[1].partition(" ")
    if found != name or isinstance(value, str):
        return came[1] == f"{name} {value}"
    return float(text) == value or abs(float(text) - value) <= TOLERANCE[name]


@pytest.mark.parametrize("reduces", [False, True], ids=["at once", "in proportion"])
@pytest.mark.parametrize("control", ["new_reno", "cubic"])
def test_a_recovery_by_pipe_is_that_of_the_rfcs_byte_for_byte(control: str, reduces: bool) -> None:
    rules: set[str] = set()
    for seed in range(SEEDS):
        talk = conversation(seed, control, reduces)
        came = answer_script(talk.script)
        rules |= talk.rules
        for place, (one, other) in enumerate(zip(came, talk.expected, strict=False)):
            before = talk.expected[max(0, place - 14) : place]
            assert agree(one, other), f"seed {seed}: {one} came, {other} is due after {before}"
        assert len(came) == len(talk.expected)
    assert rules == {"1", "2", "3", "4"}, "every rule of NextSeg () comes up"


def test_the_timer_backs_off_and_forgets_it_as_rfc_6298_says() -> None:
    for seed in range(SEEDS):
        random = Random(seed)
        least, most = random.choice([(200, 60000), (1000, 60000), (1000, 5000)])
        timer = Timer(least / 1000, most / 1000, 1.0)
        now, sent, lines = 0, 0, ["0 < open, supply 1000"]
        expected: list[Due] = [(0, "0..1000")]
        for _ in range(20):
            start, end, due = sent, sent + 1000, now
            for _ in range(random.choice([0, 0, 0, 1, 3, 7])):
                due += round(timer.rto_s * SECOND)
                timer.on_expiry()
                expected.append((due, f"{start}..{end} again"))
            wait = random.randint(1, 90) * round(timer.rto_s * MILLISECOND) * 10
            if due == now:  # Karn: else there is no sample, and the back-off stays.
                timer.on_sample(wait / SECOND)
            now, sent = due + wait, end
            lines += [f"{now / MILLISECOND:.6f} < ack {sent}, supply 1000", f"{now / MILLISECOND:.6f} = rto 0, srtt 0"]
            expected.append((now, f"{sent}..{sent + 1000}"))
            srtt = "none" if timer.srtt_s is None else timer.srtt_s * 1000
            expected += [(now, ("rto", timer.rto_s * 1000)), (now, ("srtt", srtt))]
        rto = {"min_ms": least, "max_ms": most, "initial_ms": 1000}
        came = answer_script(script({"mss_bytes": 1000, "initial_window_segments": 1, "rto": rto}, lines))
        assert len(came) == len(expected)
        for one, other in zip(came, expected, strict=True):
            assert agree(one, other), f"seed {seed}: {one} came, {other} is due"
