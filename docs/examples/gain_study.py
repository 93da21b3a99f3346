"""A first study: one number of a paper, and the same with one assumption changed. Run `python gain_study.py`.

Left out: figures, and every other claim of the paper.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from airlink.campaign import CampaignResult, Plan
from airlink.report import Printed, Sheet, Statement, above, plus_minus
from airlink.scenario import ready
from airlink.study import Part, PartResult, Request, Runner, Texts, block_of_seeds, study_of

# Table I of [Klein04] prints 194.43 and 173.97 kB/s. The claim is on their ratio, so this is 1.118 and not 11.8 (%).
PAPER = Printed(194.43 / 173.97, trials=50)
SETTINGS = {"as the paper": [], "link ARQ": ["link.arq.max_retransmissions=inf"]}


def plans(request: Request) -> Mapping[str, Plan]:
    """What is run: both schedulers in both settings, all with the same seeds."""
    arms = {}
    for name, changes in SETTINGS.items():
        arms[f"TCP-PF, {name}"] = ready("k3", changes)
        arms[f"PF, {name}"] = ready("k3", [*changes, "scheduler.kind=proportional_fair"])
    return {"gain": Plan(arms, block_of_seeds(request.seed, 5 if request.quick else 50, size=50))}


def show(results: Mapping[str, CampaignResult], _: Runner) -> PartResult:
    """Judges what came out, and puts it into a table and a sentence."""
    found = results["gain"]
    told = f"{len(found.plan.seeds)} seeds"
    paper, arq = (found.compare(f"TCP-PF, {name}", f"PF, {name}", "goodput_bps", ratio=True) for name in SETTINGS)
    claims = [
        Statement("own-1", "as the paper, TCP-PF carries more", PAPER).against(paper, above("gain", 1), told),
        Statement("own-2", "with link ARQ, TCP-PF carries more").against(arq, above("gain", 1), told),
    ]
    rows = [("as the paper", plus_minus(paper, 3), "1.118"), ("link ARQ", plus_minus(arq, 3), "")]
    sheet = Sheet("Goodput of TCP-PF over PF", ("setting", "airlink", "paper"), rows)
    sentence = f"TCP-PF carries {paper.mean:.3f} times what PF carries, with link ARQ {arq.mean:.3f} times."
    return PartResult(claims=claims, items=[sheet], printed=[sheet], sentences=[sentence], judged_by=["own-1"])


TEXTS = Texts("The gain of TCP-PF", "[Klein04], Table I", "Does TCP-PF carry more than PF, and what does that need?")
STUDY = study_of("gain", "The gain of TCP-PF", TEXTS, [Part("gain", "The gain", (), plans, show, headline=True)])

if __name__ == "__main__":
    done = STUDY.run(Path("gain"), quick="--quick" in sys.argv, force=True)
    for claim in done.claims:
        sys.stdout.write(f"{claim.id}: {claim.claim}: {claim.measured:.4g}, {claim.bound} ({claim.verdict})\n")
