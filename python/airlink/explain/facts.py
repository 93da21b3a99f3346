"""What is known of a flow beside its time: what it carried and lost, how much of the cell its user had."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airlink.explain.company import Company
from airlink.result import Result
from airlink.result.selection import place_of
from airlink.scenario.link import Harq, RateFromTable
from airlink.scenario.scenario import Radio
from airlink.scenario.traffic import Flow


@dataclass(frozen=True)
class Facts:
    """Numbers of one flow over the measured time, and the settings that a hint names.

    Attributes
    ----------
    settings : its group of the scenario.
    place : number of the group among [[flows]], for the names of fields.
    complete : whether it has ended, a file's last byte being at the user.
    goodput_bytes : payload that reached the application.
    segments, retransmissions, timeouts, spurious_timeouts : of TCP; all 0 without.
    cell_share : of the slots, or of several subchannels those of all slots, what its user won, of those while a
        flow of its had time; NaN without slots.
    air_share : of the subchannels of the slots that its user won, those it won; NaN without any.
    even_share : of the slots or subchannels, what a user would have had meanwhile if all who were there had as many.
    padded_share : of the bits granted to all users, those that nothing was left to fill; NaN with one subchannel.
    mean_snr_db : of its user, before fading; NaN where it rides a trace or there is no radio.
    unsent_share : of the slots that its user won, those in which nothing was sent; NaN without any.
    frame_error_share : of its user's frames, those lost on air; NaN without any.
    drops : reason -> packets of its user that the network dropped for it; reasons of none are left out.
    downloads : name -> number of its `download*` columns, the names without `download_`; empty without any.
    radio : the sections of the cell; None when a bottleneck stands in its place.
    """

    settings: Flow
    place: int
    complete: bool
    goodput_bytes: int
    segments: int
    retransmissions: int
    timeouts: int
    spurious_timeouts: int
    cell_share: float
    air_share: float
    even_share: float
    padded_share: float
    mean_snr_db: float
    unsent_share: float
    frame_error_share: float
    drops: Mapping[str, int]
    downloads: Mapping[str, float]
    radio: Radio | None

    @property
    def tcp(self) -> bool:
        """Whether there is a TCP; always-backlogged traffic has none."""
        return self.settings.traffic.kind != "backlogged"

    @property
    def wired(self) -> bool:
        """Whether a bottleneck stands in the cell's place."""
        return self.radio is None

    @property
    def shared(self) -> bool:
        """Whether others may be on air in the slots of its user."""
        return self.radio is not None and self.radio.carrier.subchannels > 1

    @property
    def lowest_db(self) -> float:
        """The SNR below which no rate of the table may be used; -inf where rates come from no table."""
        rate = self.radio.link.rate if self.radio is not None else None
        return rate.with_numbers().thresholds_db[0] if isinstance(rate, RateFromTable) else -math.inf

    @property
    def harq(self) -> Harq | None:
        """What repeats lost blocks as they were; None where nothing does."""
        return self.radio.link.harq if self.radio is not None and self.radio.link.harq.kind != "none" else None


def facts_of(result: Result, replica: int, flow: int, present: Company) -> Facts:
    """The facts of a flow of a replica."""
    stored = result.replicas[replica]
    row = {name: values[flow] for name, values in stored.flows.items()}
    user = {name: values[int(row["user"])] for name, values in stored.users.items()}
    place = place_of(result.scenario, stored, flow)
    seconds, even_share = present.of(int(row["user"]))
    return Facts(
        settings=result.scenario.flows[place],
        place=place,
        complete=not math.isnan(row["completion_s"]),
        goodput_bytes=int(row["goodput_bytes"]),
        segments=int(row["segments_sent"]),
        retransmissions=int(row["retransmissions"]),
        timeouts=int(row["timeouts"]),
        spurious_timeouts=int(row["spurious_timeouts"]),
        even_share=even_share,
        drops=_drops(user),
        downloads=_downloads(row),
        radio=result.scenario.radio(),
        **_radio(user, stored.cell, seconds / float(stored.cell["measured_s"])),
    )


def _radio(user: Mapping[str, Any], cell: Mapping[str, Any], presence: float) -> dict[str, float]:
    """What a user had of the air while it was there, a share of the time; of all of it NaN where there is none."""
    won = int(user.get("slots_won", 0))
    slots = int(cell.get("slots", 0))
    subchannels, had = int(cell.get("subchannel_slots", slots)), int(user.get("subchannels_won", won))
    return {
        "cell_share": _share(had, subchannels * presence),
        "air_share": _share(had * slots, won * subchannels),
        "padded_share": _share(cell.get("padded_bps", math.nan), cell.get("granted_bps", 0.0)),
        "mean_snr_db": float(user.get("mean_snr_db", math.nan)),
        "unsent_share": _share(int(user.get("slots_wasted", 0)), won),
        "frame_error_share": _share(int(user.get("frame_errors", 0)), int(user.get("frames_sent", 0))),
    }


def _drops(user: Mapping[str, Any]) -> dict[str, int]:
    reasons = {
        name.removeprefix("drops_"): int(count)
        for name, count in user.items()
        if name.startswith("drops_") and not name.endswith("_bytes")
    }
    return {reason: count for reason, count in reasons.items() if count}


def _downloads(flow: Mapping[str, Any]) -> dict[str, float]:
    names = (name for name in flow if name.startswith("download"))
    return {name.removeprefix("download_"): float(flow[name]) for name in names} if flow.get("downloads", 0) else {}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
