"""Claims [002-1] to [002-6] and [002-8], written before the first run; `_further` after a look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airlink.report import Bounds, Claim, Printed, Statement, above, at_least, at_most, between
from airlink.statistics import Estimate, jain_index, mean_interval, paired_difference, paired_ratio
from airlink_studies.imt_advanced.contrasts import (
    FIRST,
    below,
    difference,
    lead_of_user_1,
    rank_correlation,
    ratio,
    users_with_more,
)
from airlink_studies.imt_advanced.setting import (
    BUFFERS,
    MAX_RATE,
    MC_PF,
    PAPER_ACTIVE,
    PAPER_GAIN,
    PAPER_RTT_MS,
    PAPER_SHARE,
    PAPER_TCP_MBPS,
    SCHEDULERS,
    USERS,
)

if TYPE_CHECKING:
    from airlink_studies.imt_advanced.buffers import Buffers

Row = tuple[str, str, Printed | float | str | None, Estimate, Bounds | None]
PAPER_TRIALS = None
"""The paper does not say how many trials it averaged."""
FURTHER = ("1k", "1l", "1m", "4i", "4j", "4k", "4l", "5f")
"""Claims that `_further` added after a first look."""
SMALL, GIVEN, LARGE = BUFFERS
SAME = 0.1
"""Relative tolerance of "unchanged"."""
NEAR_A_TENTH = 0.05
"""Tolerance of a selection ratio of "about 0.1", either way."""
EQUAL, MORE, LESS = between("ratio", 1 - SAME, 1 + SAME), above("ratio", 1.0), below("ratio", 1.0)
ROSE, FELL = above("difference", 0.0), below("difference", 0.0)


def judged(found: Buffers) -> list[Claim]:
    """All claims."""
    rows = [*_max_rate(found), *_table_iii(found), *_flatter(found), *_sizes(found), *_more_loss(found)]
    rows += [*_small(found), *_band(found), *_further(found)]
    return [
        Statement(f"002-{identity}", words, paper, after_run=identity in FURTHER).against(
            estimate, bounds, found.profile
        )
        for identity, words, paper, estimate, bounds in rows
    ]


def _printed(value: float, about: float = 0.0) -> Printed:
    """A number of the paper; `about` is the tolerance of its "about" (chosen before the first run)."""
    return Printed(value, PAPER_TRIALS, about)


def gain(found: Buffers, buffer: int) -> Estimate:
    """Throughput of all users under MaxCIR over that under MC-PF."""
    return paired_ratio(found.at(MAX_RATE, buffer).total_mbps, found.at(MC_PF, buffer).total_mbps)


def _max_rate(found: Buffers) -> list[Row]:
    small, given, large = (found.at(MAX_RATE, buffer) for buffer in BUFFERS)
    active = [mean_interval(found.at(MAX_RATE, buffer).active[:, 0]) for buffer in BUFFERS]
    return [
        ("1a", "MaxCIR, 500: selection ratio of user 1 less the largest of the others", "extremely high",
         lead_of_user_1(given, "selection"), above("difference", 0.0)),
        ("1b", "MaxCIR, 500: selection falls as the ID rises (rank correlation)", "falls",
         rank_correlation(given, "selection"), at_most("correlation", -0.8)),
        ("1c", "MaxCIR: throughput of user 1, 40 over 500 packets", "lower", ratio(small, given, FIRST), LESS),
        ("1d", "MaxCIR: throughput of users 2-8, 40 over 500 packets", "higher",
         ratio(small, given, range(2, 9)), MORE),
        ("1e", "MaxCIR: average throughput, 40 over 500 packets", "lower", ratio(small, given), LESS),
        ("1f", "MaxCIR: average throughput, 1500 over 500 packets", "unchanged", ratio(large, given), EQUAL),
        ("1g", "MaxCIR: round trip of user 1, ms, 1500 less 500 packets",
         _printed(PAPER_RTT_MS[LARGE] - PAPER_RTT_MS[GIVEN]), difference(large, given, "rtt_ms", FIRST), ROSE),
        ("1h", "MaxCIR, 40: active time ratio of user 1", _printed(PAPER_ACTIVE[SMALL], 0.1), active[0], None),
        ("1i", "MaxCIR, 500: active time ratio of user 1", _printed(PAPER_ACTIVE[GIVEN], 0.1), active[1], None),
        ("1j", "MaxCIR, 1500: active time ratio of user 1", _printed(PAPER_ACTIVE[LARGE], 0.1), active[2], None),
    ]  # fmt: skip


def _table_iii(found: Buffers) -> list[Row]:
    small, given, large = (found.at(MAX_RATE, buffer) for buffer in BUFFERS)
    tcp = [found.windows[MAX_RATE, buffer].mbps(found.at(MAX_RATE, buffer)) for buffer in BUFFERS]
    rows: list[Row] = []
    for letter, buffer, outcome in zip("abc", BUFFERS, (small, given, large), strict=True):
        rows.append((f"2{letter}", f"MaxCIR, {buffer}: mean round trip of user 1, ms", _printed(PAPER_RTT_MS[buffer]),
                     mean_interval(outcome.rtt_ms[:, 0]), None))  # fmt: skip
    for letter, buffer, values in zip("def", BUFFERS, tcp, strict=True):
        rows.append((f"2{letter}", f"MaxCIR, {buffer}: TCP bandwidth of user 1, Mb/s",
                     _printed(PAPER_TCP_MBPS[buffer]), mean_interval(values), None))  # fmt: skip
    return [
        *rows,
        ("2g", "MaxCIR: round trip of user 1, ms, 500 less 40 packets",
         _printed(PAPER_RTT_MS[GIVEN] - PAPER_RTT_MS[SMALL]), difference(given, small, "rtt_ms", FIRST), ROSE),
        ("2h", "MaxCIR: TCP bandwidth of user 1, 1500 over 500 packets: saturated",
         _printed(PAPER_TCP_MBPS[LARGE] / PAPER_TCP_MBPS[GIVEN]), paired_ratio(tcp[2], tcp[1]), None),
    ]  # fmt: skip


def _flatter(found: Buffers) -> list[Row]:
    best, fair = found.at(MAX_RATE, GIVEN), found.at(MC_PF, GIVEN)
    off = abs(fair.selection - PAPER_SHARE).max(axis=1)
    return [
        ("3a", "500: Jain's index of user throughput, MC-PF less MaxCIR", "milder",
         paired_difference(jain_index(fair.throughput_mbps), jain_index(best.throughput_mbps)), ROSE),
        ("3b", "500: total throughput, MaxCIR over MC-PF", _printed(PAPER_GAIN, 0.3), gain(found, GIVEN), MORE),
        ("3c", "MC-PF, 500: the largest distance of a selection ratio from 0.1", "about 0.1 each", mean_interval(off),
         at_most("distance", NEAR_A_TENTH)),
    ]  # fmt: skip


def _sizes(found: Buffers) -> list[Row]:
    small, given, large = (found.at(MC_PF, buffer) for buffer in BUFFERS)
    middle = range(2, 7)
    return [
        ("4a", "MC-PF: throughput of user 1, 500 over 40 packets", "higher", ratio(given, small, FIRST), MORE),
        ("4b", "MC-PF: throughput of user 1, 1500 over 500 packets", "higher", ratio(large, given, FIRST), MORE),
        ("4c", "MC-PF: throughput of users 2-6, 500 over 40 packets", "higher", ratio(given, small, middle), MORE),
        ("4d", "MC-PF: throughput of users 2-6, 1500 over 500 packets", "lower", ratio(large, given, middle), LESS),
        ("4e", "MC-PF: average throughput, 500 over 40 packets", "higher", ratio(given, small), MORE),
        ("4f", "MC-PF: average throughput, 1500 over 500 packets", "lower", ratio(large, given), LESS),
        ("4g", "MC-PF: active time ratio, mean over users, 500 less 40 packets", "higher",
         difference(given, small, "active"), ROSE),
        ("4h", "MC-PF: active time ratio, mean over users, 1500 less 500 packets", "lower",
         difference(large, given, "active"), FELL),
    ]  # fmt: skip


def _more_loss(found: Buffers) -> list[Row]:
    given, large = found.at(MC_PF, GIVEN), found.at(MC_PF, LARGE)
    wide, narrow = (found.windows[MC_PF, buffer].packets for buffer in (LARGE, GIVEN))
    return [
        ("5a", "MC-PF: share of packets lost at the buffers, mean over users, 1500 less 500", "higher",
         difference(large, given, "loss"), ROSE),
        ("5b", "MC-PF: users of 10 that lose a larger share with 1500 than with 500", USERS,
         users_with_more(large, given, "loss"), at_least("users", USERS - 1.0)),
        ("5c", "MC-PF: selection ratio of users 1, 7 and 10, 1500 over 500", "considerably higher",
         ratio(large, given, (1, 7, 10), "selection"), MORE),
        ("5d", "MC-PF: throughput of users 3-5 and 8, 1500 over 500", "considerably lower",
         ratio(large, given, (3, 4, 5, 8)), LESS),
        ("5e", "MC-PF: mean congestion window of user 1, 1500 over 500", "lower",
         paired_ratio(wide, narrow), LESS),
    ]  # fmt: skip


def _small(found: Buffers) -> list[Row]:
    small, given = found.at(MC_PF, SMALL), found.at(MC_PF, GIVEN)
    users = range(3, 7)
    return [
        ("6a", "MC-PF: selection ratio of users 3-6, 40 over 500 packets", "unchanged or slightly higher",
         ratio(small, given, users, "selection"), at_least("ratio", 1 - SAME)),
        ("6b", "MC-PF: throughput of users 3-6, 40 over 500 packets", "lower", ratio(small, given, users), LESS),
        ("6c", "MC-PF: bits of a subchannel that users 3-6 win, 40 over 500 packets", "lower",
         ratio(small, given, users, "bits_per_subchannel"), LESS),
        ("6d", "MC-PF: retransmission ratio of users 3-6, 40 less 500 packets", "higher",
         difference(small, given, "retransmission", users), ROSE),
    ]  # fmt: skip


def _band(found: Buffers) -> list[Row]:
    rows: list[Row] = []
    for letters, scheduler in zip(("abc", "def"), SCHEDULERS, strict=True):
        small, given, large = (found.at(scheduler, buffer).unused for buffer in BUFFERS)
        rows += [
            (f"8{letters[0]}", f"{scheduler}, 40: share of the band that carries nothing", "not fully utilised",
             mean_interval(small), above("share", 0.01)),
            (f"8{letters[1]}", f"{scheduler}: that share, 500 less 40 packets", "lower",
             paired_difference(given, small), FELL),
            (f"8{letters[2]}", f"{scheduler}: that share, 1500 less 500 packets", None,
             paired_difference(large, given), FELL),
        ]  # fmt: skip
    return rows


def _further(found: Buffers) -> list[Row]:
    """Further statements of the text on Figs 5, 6 and 8 to 11."""
    small, given, large = (found.at(MC_PF, buffer) for buffer in BUFFERS)
    (best_small, best_given, best_large), (fair_small, fair_given, _) = (
        [found.windows[scheduler, buffer].packets for buffer in BUFFERS] for scheduler in (MAX_RATE, MC_PF)
    )
    least = mean_interval(found.at(MAX_RATE, GIVEN).active.min(axis=1))
    rise = large.loss - given.loss
    losers = rise[:, [user - 1 for user in (3, 4, 5, 8)]].mean(axis=1)
    return [
        ("1k", "MaxCIR, 500: the least active time ratio of a user", "about 1", least, at_least("ratio", 0.9)),
        ("1l", "MaxCIR: mean congestion window of user 1, 500 over 40 packets", "much higher",
         paired_ratio(best_given, best_small), MORE),
        ("1m", "MaxCIR: mean congestion window of user 1, 1500 over 500 packets", "much higher",
         paired_ratio(best_large, best_given), MORE),
        ("4i", "MC-PF: mean congestion window of user 1, 500 over 40 packets", "much higher",
         paired_ratio(fair_given, fair_small), MORE),
        ("4j", "MC-PF: selection ratio of user 1, 500 over 40 packets", "higher",
         ratio(given, small, FIRST, "selection"), MORE),
        ("4k", "MC-PF: users of 10 that are active for longer with 500 than with 40 packets", USERS,
         users_with_more(given, small, "active"), at_least("users", USERS - 1.0)),
        ("4l", "MC-PF: users of 10 that are active for longer with 500 than with 1500 packets", USERS,
         users_with_more(given, large, "active"), at_least("users", USERS - 1.0)),
        ("5f", "MC-PF: rise of the share lost from 500 to 1500, users 3-5 and 8 less user 1", "significant, small",
         paired_difference(losers, rise[:, 0]), ROSE),
    ]  # fmt: skip
