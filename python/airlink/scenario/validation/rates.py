"""Checks of what rates there are, and of the curve by which code blocks sent at them are lost.

Leaves out what a replayed rate asks of the channel (`cell.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from ..errors import Problem
from ..fields import number_text
from ..mcs_sets import MCS_SETS
from ..sections import CodedErrorCurve, Link, RateFromMcs, RateFromTable
from ..tables import TABLES

MOST_RATES = 255
MODULATIONS = (2, 4, 6, 8)
KIND, CURVE = "link.rate.kind", "link.errors.curve"


def check(link: Link) -> Iterator[Problem]:
    """Every mistake between the fields of rates, errors and HARQ."""
    if isinstance(link.rate, RateFromTable):
        yield from _table(link.rate)
    if isinstance(link.rate, RateFromMcs):
        yield from _schemes(link.rate)
    if link.errors.curve.kind != "none":
        yield from _curve(link)
    if link.harq.kind == "incremental_redundancy" and link.errors.curve.kind != "coded":
        message = f'must be "none" or "chase" unless {CURVE}.kind = "coded": only coded blocks have information to add'
        yield Problem("link.harq.kind", link.harq.kind, message, (f"{CURVE}.kind",))


def has_thresholds(rate: RateFromTable | RateFromMcs | object) -> bool:
    """Whether each rate has an SNR that it asks for."""
    return isinstance(rate, RateFromTable | RateFromMcs)


def _table(rate: RateFromTable) -> Iterator[Problem]:
    both = ("link.rate.thresholds_db", "link.rate.rates_bps", "link.rate.name")
    named = TABLES.get(rate.name)
    if named is not None:
        given, known = (rate.thresholds_db, rate.rates_bps), (named.thresholds_db, named.rates_bps)
        yield from _left_out(f'name = "{rate.name}"', 'name = "custom"', both, given, known)
        return
    if not rate.thresholds_db:
        yield Problem(both[0], rate.thresholds_db, 'must hold at least one SNR with name = "custom"', both)
    if len(rate.rates_bps) != len(rate.thresholds_db):
        message = f"has {len(rate.rates_bps)} rates for {len(rate.thresholds_db)} thresholds_db; must be as many"
        yield Problem(both[1], rate.rates_bps, message, both)
    if len(rate.thresholds_db) > MOST_RATES:
        message = f"has {len(rate.thresholds_db)} thresholds; must have at most {MOST_RATES}"
        yield Problem(both[0], rate.thresholds_db, message, both)
    for path, values in ((both[0], rate.thresholds_db), (both[1], rate.rates_bps)):
        for index, (lower, higher) in enumerate(itertools.pairwise(values)):
            if np.float32(higher) <= np.float32(lower):  # the engine compares in single precision
                message = f"must be above the one before it ({number_text(lower)}): the list increases strictly"
                yield Problem(f"{path}.{index + 1}", higher, message, both)


def _left_out(
    chosen: str, own: str, paths: tuple[str, ...], given: tuple[tuple[float, ...], ...], known: tuple[object, ...]
) -> Iterator[Problem]:
    """What has a name has its lists; they may be written only as they are."""
    for path, values, expected in zip(paths, given, known, strict=False):
        if values and values != expected:
            message = f"must be left out with {chosen}, which brings its own; or use {own}"
            yield Problem(path, values, message, paths)


def _schemes(rate: RateFromMcs) -> Iterator[Problem]:
    both = ("link.rate.bits_per_symbol", "link.rate.code_rates", "link.rate.set")
    named = MCS_SETS.get(rate.set)
    if named is not None:
        given, known = (rate.bits_per_symbol, rate.code_rates), (named.bits_per_symbol, named.code_rates)
        yield from _left_out(f'set = "{rate.set}"', 'set = "custom"', both, given, known)
        return
    if not 1 <= len(rate.bits_per_symbol) <= MOST_RATES:
        message = f'must hold 1 to {MOST_RATES} schemes with set = "custom"'
        yield Problem(both[0], rate.bits_per_symbol, message, both)
    if len(rate.code_rates) != len(rate.bits_per_symbol):
        message = f"has {len(rate.code_rates)} rates for {len(rate.bits_per_symbol)} bits_per_symbol; must be as many"
        yield Problem(both[1], rate.code_rates, message, both)
    for index, bits in enumerate(rate.bits_per_symbol):
        if bits not in MODULATIONS:
            message = "must be 2, 4, 6 or 8 (QPSK, 16QAM, 64QAM, 256QAM)"
            yield Problem(f"{both[0]}.{index}", bits, message, both)


def _curve(link: Link) -> Iterator[Problem]:
    errors, rate = link.errors, link.rate
    curve = errors.curve
    if isinstance(curve, CodedErrorCurve):
        if isinstance(rate, RateFromMcs):
            yield from _betas(curve, len(rate.with_numbers().bits_per_symbol))
        else:
            message = f'must be "none" or "logistic" with {KIND} = "{rate.kind}"; a coded block needs {KIND} = "mcs"'
            message = message if has_thresholds(rate) else f'must be "none" with {KIND} = "{rate.kind}"'
            yield Problem(f"{CURVE}.kind", curve.kind, message, (KIND,))
    elif not has_thresholds(rate):
        message = f'must be "none" with {KIND} = "{rate.kind}", which has no thresholds'
        yield Problem(f"{CURVE}.kind", curve.kind, message, (KIND,))
    if errors.probability > 0:
        message = f"must be 0 beside a curve ({CURVE}), which says it all"
        yield Problem("link.errors.probability", errors.probability, message, (CURVE,))
    if errors.threshold_rule:
        message = f"must be false beside a curve ({CURVE}), which says it all"
        yield Problem("link.errors.threshold_rule", True, message, (CURVE,))


def _betas(curve: CodedErrorCurve, schemes: int) -> Iterator[Problem]:
    path = f"{CURVE}.betas"
    if curve.betas and curve.effective != "eesm":
        message = f'must be left out with effective = "{curve.effective}", which has none'
        yield Problem(path, curve.betas, message, (f"{CURVE}.effective",))
    elif curve.betas and len(curve.betas) != schemes:
        message = f"has {len(curve.betas)} ratios for {schemes} schemes of link.rate; must be as many, or none"
        yield Problem(path, curve.betas, message, ("link.rate.set",))
