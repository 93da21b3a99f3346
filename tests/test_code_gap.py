"""The curve of coded blocks against simulated error rates of NR's codes, by length of the block (`code_gap.py`).

The rates are no part of the project: `AIRLINK_NR_BLER` names the folder that holds them; without it these tests are
skipped by name. What the page says of them (docs/models/link.md) is what is asserted, so none can be wrong unseen.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import code_gap
from airlink.models import information_moments
from code_gap import FITTED_DB_BITS, Gap, Simulated
from conftest import NR_BLER

PAGE = Path(__file__).parent.parent / "docs/models/link.md"
FEW_USES = 17
"""Below so many channel uses a block's whole symbols decide."""
Gaps = Mapping[tuple[int, int, int], tuple[Simulated, Gap]]


@cache
def measured(folder: Path) -> Gaps:
    return code_gap.gaps(folder)


@pytest.fixture
def found() -> Gaps:
    named = os.environ.get(NR_BLER, "")
    if not named:
        pytest.skip(f"{NR_BLER} is not set")
    return measured(Path(named))


def test_bit_by_bit_qpsk_loses_nothing_and_16qam_a_sixth_of_a_decibel_at_half_its_bits() -> None:
    whole = {bits: information_moments(code_gap.FINE_DB, bits)[0] for bits in (2, 4)}
    apart = {bits: whole[bits] - code_gap.bitwise_information(code_gap.FINE_DB, bits) for bits in (2, 4)}
    # 64 and 160 nodes of a quadrature agree to 5e-6.
    assert np.abs(apart[2]).max() < 5e-6
    assert apart[4].min() > -5e-6
    need_db = [np.interp(2.0, curve, code_gap.FINE_DB) for curve in (whole[4], whole[4] - apart[4])]
    # Caire, Taricco and Biglieri's Gray-labelled 16QAM at 2 bits.
    assert need_db[1] - need_db[0] == pytest.approx(0.16, abs=0.01)


def test_the_page_has_the_table(found: Gaps) -> None:
    text = PAGE.read_text()
    assert [row for row in code_gap.page_rows(found) if row not in text] == []


def test_ten_percent_lies_between_the_points_of_the_grid_that_cross_it(found: Gaps) -> None:
    """Our curve, moved by the gap, has 10 % between the two neighbours on the grid, within 4 standard errors.

    Where a curve is so steep that no rate is read, the gap is the mean of the scheme's other lengths from 500 bits on.
    """
    whole = {bits: information_moments(code_gap.FINE_DB, bits) for bits in (2, 4, 6, 8)}
    crossed = {"read": 0, "steep": 0}
    for one in code_gap.simulated(Path(os.environ[NR_BLER])):
        neighbours, key = one.crossing_db(), (one.table, one.mcs, one.bits)
        if neighbours is None or one.uses < FEW_USES or (key not in found and one.bits < 500):
            continue
        others = [
            found[one.table, one.mcs, bits][1] for bits in (500, 1000, 2000) if (one.table, one.mcs, bits) in found
        ]
        gaps = [found[key][1]] if key in found else others
        if not gaps:
            continue
        needed_db = code_gap.required_db(one, *whole[one.bits_per_symbol], code_gap.TARGET)
        ours_db = needed_db + sum(gap.whole_db for gap in gaps) / len(gaps)
        margin = 4 * max(gap.sd_db for gap in gaps)
        assert neighbours[0] - margin <= ours_db <= neighbours[1] + margin, one
        crossed["read" if key in found else "steep"] += 1
    assert crossed == {"read": 167, "steep": 32}


def test_a_gap_of_1_db_is_right_within_what_the_page_says(found: Gaps) -> None:
    assert said(of_long := [gap.whole_db - 1 for one, gap in found.values() if one.bits >= 500], 0.4, 0.6)
    assert said([gap.bitwise_db - 0.9 for one, gap in found.values() if one.bits >= 500], 0.2, 0.29)
    assert len(of_long) == 115
    low_rates = [one.code_rate for one, gap in found.values() if one.bits >= 500 and abs(gap.whole_db - 1) > 0.4]
    assert max(low_rates) < 0.67


def test_a_gap_that_grows_as_blocks_become_short_fits_better(found: Gaps) -> None:
    many = [(one.bits, gap) for one, gap in found.values() if one.uses >= FEW_USES]
    readings = {
        "1 dB": [gap.whole_db - 1 for _, gap in many],
        "1 dB + 15 dB / bits": [gap.whole_db - 1 - FITTED_DB_BITS / bits for bits, gap in many],
        "bit by bit, 0.9 dB + 15 dB / bits": [gap.bitwise_db - 0.9 - FITTED_DB_BITS / bits for bits, gap in many],
    }
    text = PAGE.read_text()
    for name, residual in readings.items():
        left = f"{np.mean(residual):+.2f} ± {np.std(residual):.2f}"
        row = f"| {name} | {len(residual)} | {left} | {np.abs(residual).max():.2f} |"
        assert row in text, row
    spreads = [float(np.sqrt(np.mean(np.square(residual)))) for residual in readings.values()]
    assert spreads[2] < spreads[1] < spreads[0]
    # The term is fitted to QPSK; there it is right within 0.1 dB at both lengths.
    for bits in (24, 100):
        qpsk = [key for key, (one, _) in found.items() if (one.bits, one.bits_per_symbol) == (bits, 2)]
        extra = [more for key in qpsk if (more := code_gap.extra_db(found, key)) is not None]
        assert np.mean(extra) == pytest.approx(FITTED_DB_BITS / bits, abs=0.1)


def test_it_does_not_hold_for_blocks_of_a_few_symbols(found: Gaps) -> None:
    """24 bits of 64QAM and 256QAM are 3 to 9 symbols: whole symbols, not the rate of the scheme, decide then."""
    gaps = [gap.whole_db for one, gap in found.values() if one.uses < 10 and one.bits_per_symbol > 4]
    assert (round(min(gaps), 1), round(max(gaps), 1)) == (-3.1, 2.1)


def said(residual: list[float], within_db: float, most_db: float) -> bool:
    """Whether the page has how many are that near, and all are within the largest."""
    share = f"{sum(abs(one) <= within_db for one in residual)} of {len(residual)} are within {within_db} dB"
    return share in PAGE.read_text() and max(map(abs, residual)) <= most_db
