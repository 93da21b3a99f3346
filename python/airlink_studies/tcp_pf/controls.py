"""What the gain of TCP-PF over PF depends on: one assumption of K3 changed at a time; the rules of TCP are in cells.py.

Every control keeps placement, fading and estimation noise: their random streams do not depend on the changed fields.
Shadowing changes the channel, so its realizations differ; another spread of the starts scales the start times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from airlink.scenario import Scenario
from airlink_studies.tcp_pf.setting import IDEAL, PF, TCP_PF, UNAPPROXIMATED, k3

BASE = "K3"
LOSSLESS = "lossless"
AWARE = "queue-aware"
NO_LOSS = "no frame loss"
AWARE_ARQ = "queue-aware, ARQ"
TCP = "flows.0.tcp"
QUEUE_AWARE: dict[str, object] = {"scheduler.serve_empty_queues": False}
ARQ: dict[str, object] = {"link.arq.max_retransmissions": "inf"}
IN_SECONDS: dict[str, object] = {"vacation_unit": "seconds"}
SECONDS: dict[str, object] = {"scheduler.vacation_unit": "seconds"}
BESIDE_SLOTS: dict[str, object] = {"scheduler.vacation_unit": "seconds_beside_slots"}


@dataclass(frozen=True, eq=False)
class Control:
    """One changed assumption.

    Attributes
    ----------
    name : short, for tables and labels.
    meaning : the change, in words that follow "when".
    changes : field -> value, under both schedulers.
    metric : field of the scheduler -> value, under TCP-PF only (PF does not have it).
    same_drops : placement and channel are those of K3.
    quick : also in the quick version.
    """

    name: str
    meaning: str
    changes: Mapping[str, object]
    metric: Mapping[str, object] = field(default_factory=dict)
    same_drops: bool = True
    quick: bool = False

    def scenario(self, scheduler: str) -> Scenario:
        """K3 under a scheduler, with the change."""
        metric = self.metric if scheduler == TCP_PF else {}
        return k3(scheduler).with_(**self.changes, **{f"scheduler.{name}": value for name, value in metric.items()})

    @property
    def touched(self) -> Sequence[str]:
        """The schedulers that are not as in K3."""
        return (PF, TCP_PF) if self.changes else (TCP_PF,)


def _shadowing(sd_db: float, distance_m: float) -> Control:
    return Control(
        f"shadowing {sd_db:g} dB, {distance_m:g} m",
        f"shadowing of {sd_db:g} dB changes over {distance_m:g} m",
        {"channel.shadowing.sd_db": sd_db, "channel.shadowing.decorrelation_m": distance_m},
        same_drops=False,
    )


CONTROLS: Sequence[Control] = (
    Control(
        AWARE,
        "users with nothing to send can't win a slot",
        QUEUE_AWARE,
        quick=True,
    ),
    Control(
        "A counts granted bits", "A counts nominal bits (the letter of eq. 2)", {"scheduler.average_counts": "granted"}
    ),
    Control("link ARQ", "the link repairs frame errors", ARQ),
    Control("1 % frame loss", "1 % of the frames are lost", {"link.errors.probability": 0.01}),
    Control(NO_LOSS, "no frame is lost", {"link.errors.probability": 0.0}, quick=True),
    Control("random ties", "ties are broken at random", {"scheduler.ties": "random"}),
    Control("starts in 0.1 s", "all sessions start within 0.1 s", {"flows.0.start_spread_s": 0.1}),
    Control(
        "both terms in s",
        "both terms of eq. (19) are in seconds",
        {},
        IN_SECONDS,
        quick=True,
    ),
    _shadowing(2.0, 20.0),
    _shadowing(2.0, 30.0),
    _shadowing(4.0, 20.0),
    _shadowing(4.0, 30.0),
    Control(
        "ARQ, both in s",
        "the link repairs frame errors and both terms are in seconds",
        ARQ,
        IN_SECONDS,
    ),
    Control(
        AWARE_ARQ,
        "users with nothing to send can't win a slot and the link repairs frame errors",
        QUEUE_AWARE | ARQ,
        quick=True,
    ),
    Control(
        "queue-aware, ARQ, in s",
        "users with nothing to send can't win a slot, the link repairs frame errors and both terms are in seconds",
        QUEUE_AWARE | ARQ,
        IN_SECONDS,
    ),
    Control(
        LOSSLESS,
        "starts spread over 8 s, the link repairs errors and both terms are in seconds (the lossless variant)",
        {"flows.0.start_spread_s": 8.0} | ARQ,
        IN_SECONDS,
        quick=True,
    ),
)


@dataclass(frozen=True, eq=False)
class Sweep:
    """One parameter of the metric, over several values, all else as in K3.

    Attributes
    ----------
    symbol : the paper's.
    path : field.
    values : field values, K3's own left out.
    shown : the paper's parameter for a field value (omega is 1 / time constant).
    own : K3's value.
    in_pf : PF has it too.
    """

    symbol: str
    path: str
    values: Sequence[float]
    own: float
    in_pf: bool = False
    shown: Mapping[float, str] = field(default_factory=dict)

    def text(self, value: float) -> str:
        """The value as the paper would write it."""
        return self.shown.get(value, f"{value:g}")

    def controls(self) -> list[Control]:
        """One control per value."""
        return [self._control(value) for value in self.values]

    def _control(self, value: float) -> Control:
        name = f"{self.symbol} = {self.text(value)}"
        if self.in_pf:
            return Control(name, "", {f"scheduler.{self.path}": value})
        return Control(name, "", {}, {self.path: value})


OMEGA = Sweep(
    "omega",
    "time_constant_slots",
    (100.0, 300.0, 3000.0, 10000.0),
    1000.0,
    in_pf=True,
    shown={n: f"1/{n:g}" for n in (100.0, 300.0, 1000.0, 3000.0, 10000.0)},
)
ALPHA = Sweep("alpha", "gap_mean_weight", (0.02, 0.3, 0.5, 1.0), 0.1)
BETA = Sweep("beta", "gap_square_weight", (0.05, 0.1, 0.3, 0.7, 1.0), 0.5)
SWEEPS: Sequence[Sweep] = (OMEGA, ALPHA, BETA)

APPROXIMATIONS: Mapping[str, str] = {
    TCP_PF: "TCP-PF, (19)",
    UNAPPROXIMATED: "without (8)-(11)",
    IDEAL: "true throughput, (3)",
}


TCP_MAX_VARIANTS: Mapping[str, Mapping[str, object]] = {
    "K3": {},
    "both terms in s": SECONDS,
    "in s, queue-aware": SECONDS | QUEUE_AWARE,
    "in s, A counts granted": SECONDS | {"scheduler.average_counts": "granted"},
    "in s, omega = 1/10000": SECONDS | {"scheduler.time_constant_slots": 10000.0},
    "queue term alone": {"scheduler.terms": "queue"},
    "in s, Q/A in slots": BESIDE_SLOTS,
    "the same, queue-aware": BESIDE_SLOTS | QUEUE_AWARE,
}
"""Where the fairness that the paper prints for TCP-MAX was looked for."""


def queue_aware(scheduler: str) -> Scenario:
    """K3 in which only users with something to send compete, under any scheduler."""
    return k3(scheduler).with_(**QUEUE_AWARE)


def all_controls(quick: bool) -> list[Control]:
    """The controls of the second table, in its order."""
    if quick:
        return [control for control in CONTROLS if control.quick]
    return list(CONTROLS)
