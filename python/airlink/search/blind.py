"""A found scheduler against others on seeds that nobody had seen: its hash is written down first, then they are drawn.

The ledger is that of the judge (`airlink.suites.Ledger`): hash, hidden seed and outcome, each in a line that holds the
hash of the line before. Runs of all schedulers have the same seeds, so differences are paired. Left out: other cells,
on which `airlink.suites.judge` judges.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path

import airlink.campaign.compare as campaign
from airlink import engine
from airlink.campaign.answer import Comparison
from airlink.engine import RequestError
from airlink.scenario import ScenarioWarning
from airlink.search.found import Found
from airlink.suites import Candidate, Ledger, read_candidate
from airlink.suites.judging import hidden_seeds

SUITE = "blind comparison"


def compared(
    found: Found,
    rivals: Mapping[str, Candidate | str],
    runs: int = 100,
    ledger: Path | str = "judgings.jsonl",
    threads: int | None = None,
) -> Comparison:
    """Compares what was found with other schedulers in the goal's scenario, on hidden seeds.

    Parameters
    ----------
    found : the baseline of the comparison, called "found".
    rivals : label -> scheduler, as a candidate or as `airlink.suites.read_candidate` takes it.
    runs : seeds, drawn after the hash was written down; at least 2.
    ledger : file that hash and seed are written to.
    threads : default: all cores.

    Returns
    -------
    Comparison by the aim; the measures of limits are beside it. A rival that is "worse" has a worse aim than what was
    found.

    Raises
    ------
    RequestError : an aim that is a function, which no comparison has; fewer than 2 runs; a rival called "found".
    ResultError : the ledger can't be written; nothing is run then.
    """
    goal = found.goal
    if not isinstance(goal.aim, str):
        raise RequestError("the aim is a function; a comparison needs a measure")
    if runs < 2:
        raise RequestError(f"runs is {runs!r}; it must be at least 2")
    if "found" in rivals:
        raise RequestError("a rival is called 'found'; that is the name of the baseline")
    candidate = found.candidate()
    book = Ledger(Path(ledger))
    number = book.commit(candidate, SUITE, engine.engine_version())
    seeds = hidden_seeds(book.reveal(number), runs)
    schedulers = {name: read_candidate(each) if isinstance(each, str) else each for name, each in rivals.items()}
    arms = {name: each.in_place(goal.scenario) for name, each in {"found": candidate, **schedulers}.items()}
    others = list(dict.fromkeys(name for name in goal.names[1:] if name != goal.aim))
    with warnings.catch_warnings():
        # A field may be without effect under one of the schedulers.
        warnings.simplefilter("ignore", ScenarioWarning)
        answer = campaign.compare(
            arms, measure=goal.aim, others=others, baseline="found", seeds=seeds, store=None, threads=threads
        )
    verdicts = {label: judged.verdict for label, judged in (answer.comparison or {}).items()}
    book.close(number, {"rivals": verdicts})
    return answer
