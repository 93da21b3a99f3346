"""A study in one file: what proportional fair gains over round robin, and what the gain depends on.

[Viswanath02] says that with N equal users whose channels fade independently, and rates in proportion to the signal, the
gain is 1 + 1/2 + ... + 1/N in the limit of a long memory of the scheduler. Run it with `python diversity_study.py`, or
with `--quick` for a first look. Left out: TCP. All users always have data.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from airlink.campaign import CampaignResult, Plan
from airlink.plots import style
from airlink.plots.sweep import banded, paper_point
from airlink.report import Claim, Illustration, Sheet, Statement, about, at_most, plus_minus
from airlink.scenario import Scenario
from airlink.statistics import Estimate
from airlink.study import Part, PartResult, Request, Runner, Texts, block_of_seeds, study_of

# The scenario. Say of every value where it comes from: given, inferred or chosen.
CELL = Scenario.from_toml("""
name = "diversity"
duration_s = 20                                           # chosen
users = 4                                                 # the plans below change it
slot.duration_ms = 1                                      # chosen
channel.placement = { kind = "mean_snr", mean_snr_db = -20 }  # chosen: so weak that capacity grows as the SNR
channel.fading = { kind = "rayleigh", terms = 64, doppler_hz = 20 }  # given: Rayleigh; chosen: the speed
link.rate = { kind = "capacity", bandwidth_hz = 1e8 }     # inferred; wide, so that a slot has many bytes in a fade, too
scheduler = { kind = "proportional_fair", time_constant_slots = 10_000 }  # chosen: long, as the limit asks for
rlc.segment_bytes = 1
[[flows]]
traffic.kind = "backlogged"                               # given: all users have data
""")
USERS = (2, 4, 8)
SLOW, SHORT = "walking slowly", "short memory"


def law(users: int) -> float:
    """The gain in the limit of a long memory."""
    return sum(1 / n for n in range(1, users + 1))


def plans(request: Request) -> Mapping[str, Plan]:
    """What is run: both schedulers for each number of users, and what changes one assumption of four users."""
    seeds = block_of_seeds(request.seed, 4 if request.quick else 20, size=50)
    arms = {}
    for users in USERS:
        arms[f"PF {users}"] = CELL.with_(users=users)
        arms[f"RR {users}"] = CELL.with_(users=users, **{"scheduler.kind": "round_robin"})
    arms[SHORT] = arms["PF 4"].with_(**{"scheduler.time_constant_slots": 10})
    slow = {"channel.fading.doppler_hz": 0.2}
    arms[SLOW] = arms["PF 4"].with_(**slow, **{"scheduler.time_constant_slots": 100})
    arms[f"RR, {SLOW}"] = arms["RR 4"].with_(**slow)
    return {"gain": Plan(arms, seeds)}


def gain(found: CampaignResult, arm: str, baseline: str) -> Estimate:
    """Rate of an arm over round robin's on the same seeds, with its interval."""
    return found.compare(arm, baseline, "granted_bps", ratio=True)


def claims(found: CampaignResult) -> list[Claim]:
    """The claims. The bounds of the law were written down before the run, those of the two assumptions after one."""
    told = f"{len(found.plan.seeds)} seeds"
    sizes = [
        Statement(f"own-1{letter}", f"{users} users: the gain is {law(users):.3f} (within 3 %)", law(users)).against(
            gain(found, f"PF {users}", f"RR {users}"), about("gain", law(users), 0.03), told
        )
        for letter, users in zip("abc", USERS, strict=True)
    ]
    return [
        *sizes,
        Statement("own-2a", "four users, a memory of 10 slots: at most 1.3", after_run=True).against(
            gain(found, SHORT, "RR 4"), at_most("gain", 1.3), told
        ),
        Statement("own-2b", "four users, a channel slower than the memory: 1 (within 5 %)", after_run=True).against(
            gain(found, SLOW, f"RR, {SLOW}"), about("gain", 1, 0.05), told
        ),
    ]


def picture(found: CampaignResult) -> Illustration:
    """The gain over the number of users, ours and the law's."""
    figure, (axes,) = style.blank(rows=1, height_in=2.4)
    banded(axes, USERS, [gain(found, f"PF {users}", f"RR {users}") for users in USERS], 0, "airlink")
    paper_point(axes, USERS, [law(users) for users in USERS], "1 + 1/2 + ... + 1/N")
    style.label(axes, "users", "gain over round robin")
    style.legend(axes, loc="upper left")
    words = "Gain of proportional fair over round robin; band: 95 % over seeds."
    return Illustration("gain-users", words, figure, "The gain rises with the number of users, close to the law.")


def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    """Judges and draws what came out."""
    found = results["gain"]
    short, slow = gain(found, SHORT, "RR 4"), gain(found, SLOW, f"RR, {SLOW}")
    rows = [(f"{n}", plus_minus(gain(found, f"PF {n}", f"RR {n}"), 3), f"{law(n):.3f}") for n in USERS]
    rows += [(f"4, {name}", plus_minus(each, 3), "") for name, each in ((SHORT, short), (SLOW, slow))]
    sheet = Sheet("Gain over round robin", ("users", "airlink", "law"), rows)
    four = gain(found, "PF 4", "RR 4").mean
    sentence = (
        f"Four users gain {four:.2f} times (law: {law(4):.2f}), with a memory of 10 slots {short.mean:.2f} times, on a "
        f"channel that is slower than the memory {slow.mean:.2f} times."
    )
    return PartResult(claims=claims(found), items=[picture(found), sheet], printed=[sheet], sentences=[sentence])


TEXTS = Texts(
    heading="The gain of proportional fair over round robin",
    paper="[Viswanath02] P. Viswanath, D. N. C. Tse, R. Laroia, Opportunistic beamforming using dumb antennas, 2002",
    lead="Does proportional fair gain 1 + 1/2 + ... + 1/N over round robin, and what does the gain need?",
)
PART = Part("gain", "The gain", figures=("gain",), plans=plans, show=show, headline=True)
STUDY = study_of("diversity", "The gain of proportional fair over round robin", TEXTS, [PART])

if __name__ == "__main__":
    quick = "--quick" in sys.argv
    done = STUDY.run(Path("diversity"), quick=quick, force=True)
    for claim in done.claims:
        sys.stdout.write(f"{claim.id}: {claim.claim}: {claim.measured:.4g} ({claim.verdict})\n")
