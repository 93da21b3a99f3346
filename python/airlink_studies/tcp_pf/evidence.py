"""Everything the claims are judged on, measured once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airlink.statistics import Estimate
from airlink_studies.tcp_pf.controls import BASE, Control, Sweep
from airlink_studies.tcp_pf.measures import Outcome, gain, mean_ratio_change
from airlink_studies.tcp_pf.setting import PF, SCHEDULERS, TCP_PF
from airlink_studies.tcp_pf.spurious import Examples, Search


@dataclass(frozen=True)
class Pair:
    """PF and TCP-PF in one setting, over the same realizations."""

    pf: Outcome
    tcp_pf: Outcome

    @property
    def gain(self) -> Estimate:
        """Cell goodput TCP-PF / PF, paired by realization."""
        return gain(self.tcp_pf, self.pf)

    def change_from(self, other: Pair) -> Estimate:
        """By how much the gain differs from another setting's, paired by realization."""
        return mean_ratio_change(
            (self.tcp_pf.system_kBps, self.pf.system_kBps), (other.tcp_pf.system_kBps, other.pf.system_kBps)
        )


@dataclass(frozen=True)
class Evidence:
    """What was measured.

    Attributes
    ----------
    main : scheduler kind -> outcome under K3, the controls of [001-9] among them.
    queue_aware : the same for PF, TCP-PF and the controls of [001-9], where only users with something to send compete.
    tcp_max : variant -> TCP-MAX under it, K3 the first.
    controls : control -> PF and TCP-PF under it.
    sweeps : parameter of the metric -> value -> PF and TCP-PF; K3's own value among them.
    repeats : base seed -> scheduler kind -> outcome, K3 on other realizations (the main ones among them).
    cells : cell -> control of it, or `AS_IT_IS` -> PF and TCP-PF; empty in a quick run.
    search : spurious timeouts of the lossless variant.
    examples : cell -> the search for Fig. 2's example in it.
    seeds : of the main realizations.
    """

    main: Mapping[str, Outcome]
    queue_aware: Mapping[str, Outcome]
    tcp_max: Mapping[str, Outcome]
    controls: Mapping[Control, Pair]
    sweeps: Mapping[Sweep, Mapping[float, Pair]]
    repeats: Mapping[int, Mapping[str, Outcome]]
    cells: Mapping[str, Mapping[str, Pair]]
    search: Search
    examples: Mapping[str, Examples]
    seeds: Sequence[int]

    @property
    def all_drops(self) -> dict[str, Outcome]:
        """Scheduler kind -> outcome over the realizations of all base seeds."""
        return {kind: Outcome.joined([main[kind] for main in self.repeats.values()]) for kind in SCHEDULERS}

    @property
    def base(self) -> Pair:
        """PF and TCP-PF under K3."""
        return Pair(self.main[PF], self.main[TCP_PF])

    def control(self, name: str) -> Pair | None:
        """PF and TCP-PF under the control of that name; None when it was not run."""
        return next((pair for control, pair in self.controls.items() if control.name == name), None)

    @property
    def profile(self) -> str:
        """Profile and realizations, as claims name them."""
        return f"{BASE}, realizations {self.seeds[0]}-{self.seeds[-1]}"
