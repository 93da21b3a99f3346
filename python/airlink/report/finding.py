"""A finding: a sentence with which a report begins, and the verdict of the claims that judge it.

Left out: what the sentence says. It is computed by the study, its verdict comes from the claims alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from airlink.report.claims import Claim, Verdict


@dataclass(frozen=True)
class Finding:
    """A finding.

    Attributes
    ----------
    sentence : what came out, the paper's number beside ours.
    verdict : what its claims say, "holds (001-2a)"; empty: the paper claims nothing of it.
    holds : True: all of its verdicts hold; False: one does not and none does; None: anything else, or there is none.
    """

    sentence: str
    verdict: str = ""
    holds: bool | None = None

    @classmethod
    def judged(cls, sentence: str, claims: Sequence[Claim], by: Collection[str]) -> Finding:
        """The finding with the verdict of the claims of these ids; of those that were not judged nothing is said."""
        judging = [claim for claim in claims if claim.id in by]
        verdicts = [each for claim in judging for each in (claim.direction, claim.size) if each is not None]
        if not verdicts:
            return cls(sentence)
        holds = True if set(verdicts) == {Verdict.HOLDS} else None
        if Verdict.FAILS in verdicts and Verdict.HOLDS not in verdicts:
            holds = False
        return cls(sentence, f"{_together(verdicts)} ({_ids([claim.id for claim in judging])})", holds)

    def __str__(self) -> str:
        return f"{self.sentence} Verdict: {self.verdict}." if self.verdict else self.sentence


def _together(verdicts: Sequence[Verdict]) -> str:
    """One word when all agree, else how many say what.

    >>> _together([Verdict.HOLDS] * 2), _together([Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED])
    ('holds', 'holds in part: 1 of 3, 1 does not hold, 1 undecided')
    """
    if len(set(verdicts)) == 1:
        return verdicts[0].value
    held, failed, undecided = (verdicts.count(each) for each in (Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED))
    told = [f"{held} of {len(verdicts)}"] if held else []
    if failed:
        told.append(f"{failed} {'does' if failed == 1 else 'do'} not hold")
    if undecided:
        told.append(f"{undecided} undecided")
    return f"holds in part: {', '.join(told)}" if held else ", ".join(told)


def _ids(ids: Sequence[str]) -> str:
    """The ids as a line has them: the paper's number once.

    >>> _ids(["001-2a"]), _ids(["001-2a", "001-2b", "001-3"])
    ('claim 001-2a', 'claims 001-2a, 2b, 3')
    """
    first = ids[0].partition("-")[0]
    others = [each.removeprefix(f"{first}-") for each in ids[1:]]
    return f"claim{'s' if others else ''} {', '.join([ids[0], *others])}"
