"""What codes of NR lose against the normal approximation, from simulated error rates of PDSCH.

As a script it prints the table of docs/models/link.md: `PYTHONPATH=tests python tests/code_gap.py FOLDER`. The folder
holds Sionna's `PDSCH_table1.json` and `PDSCH_table2.json`: error rates by scheme, length and SNR. Each rate between 1
and 90 % says, through the curve's own slope, where 10 % would be; a grid of 1.6 to 1.8 dB is too coarse to interpolate
steep curves. A rate was counted from 120 to 3000 blocks, until about 110 were lost: all rates are whole multiples of
such shares.

Leaves out rates below 1 %, where the curve's shape would decide.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.models import information_moments
from airlink.scenario.mcs_sets import MCS_SETS

Floats = NDArray[np.float64]
SETS = {1: "nr-mcs-64qam", 2: "nr-mcs-256qam"}
TARGET = 0.1
READ = (0.01, 0.9)
LEAST_BLOCKS, MOST_BLOCKS, LOST_BLOCKS = 120.0, 3000.0, 110.0
SHAPE_DB = 0.05
"""What the curve's shape may add to the error of a rate that is not 10 %."""
FITTED_DB_BITS = 15.0
"""What short blocks lose beside the rest, dB x bits: fitted to QPSK, `short_block_gap_db = 0.15`."""
NORMAL = NormalDist()
FINE_DB = np.arange(-12.0, 32.0, 0.02)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(64)


@dataclass(frozen=True)
class Simulated:
    """The rates of one scheme and length.

    Attributes
    ----------
    table, mcs, bits : which.
    bits_per_symbol, code_rate : of the scheme.
    snr_db, bler : arrays [point].
    """

    table: int
    mcs: int
    bits: int
    bits_per_symbol: int
    code_rate: float
    snr_db: Floats
    bler: Floats

    @property
    def uses(self) -> float:
        """Channel uses of a block."""
        return self.bits / (self.bits_per_symbol * self.code_rate)

    def crossing_db(self) -> tuple[float, float] | None:
        """The two neighbours on the grid between which 10 % is crossed; None if the grid ends before."""
        above = np.flatnonzero((self.bler[:-1] > TARGET) & (self.bler[1:] <= TARGET))
        return (float(self.snr_db[above[0]]), float(self.snr_db[above[0] + 1])) if above.size else None


@dataclass(frozen=True)
class Gap:
    """SNR that a code needs for 10 % beyond the normal approximation, dB, and the standard error of that.

    Attributes
    ----------
    whole_db : against the information that symbols carry.
    bitwise_db : against what a receiver can use that demodulates bit by bit.
    sd_db : from the counts of blocks and the curve's shape.
    """

    whole_db: float
    bitwise_db: float
    sd_db: float


def simulated(folder: Path) -> Iterator[Simulated]:
    """Every scheme and length of both tables."""
    for table, name in SETS.items():
        schemes = MCS_SETS[name]
        data: Any = json.loads((folder / f"PDSCH_table{table}.json").read_text())
        for index in (each for category in data["category"].values() for each in category["index"].values()):
            for mcs, of_scheme in index["MCS"].items():
                scheme = (schemes.bits_per_symbol[int(mcs)], schemes.code_rates[int(mcs)])
                grid = np.asarray(of_scheme.get("SNR_db", index.get("SNR_db")), dtype=float)
                for bits, found in of_scheme["CBS"].items():
                    yield Simulated(table, int(mcs), int(bits), *scheme, grid, np.asarray(found["BLER"], dtype=float))


def bitwise_information(snr_db: Floats, bits_per_symbol: int) -> Floats:
    """What Gray-labelled points of a square modulation carry bit by bit: the sum over bits of I(bit; y)."""
    count = bits_per_symbol // 2
    levels = np.arange(2**count)
    spacing = np.sqrt(12 * 10 ** (snr_db / 10) / (len(levels) ** 2 - 1))[:, None, None, None]
    distance = spacing * (levels[None, :] - levels[:, None])[:, :, None]  # [snr, sent, other, noise]
    exponent = distance * _NODES - 0.5 * distance**2
    likelihood = np.exp(exponent - exponent.max(axis=-2, keepdims=True))
    total = likelihood.sum(axis=-2)
    carried = np.zeros(len(snr_db))
    for bit in range(count):
        label = (levels ^ (levels >> 1)) >> bit & 1
        agreeing = (likelihood * (label[None, :] == label[:, None])[:, :, None]).sum(axis=-2)
        carried += 1 + (np.log2(agreeing / total).mean(axis=-2) * _WEIGHTS).sum(axis=-1) / _WEIGHTS.sum()
    return 2 * carried


def gap(found: Simulated, whole: Mapping[int, tuple[Floats, Floats]], bitwise: Mapping[int, Floats]) -> Gap | None:
    """The weighted mean over the rates that are read; None if none is."""
    information, variance = whole[found.bits_per_symbol]
    places = [place for place, rate in enumerate(found.bler) if READ[0] < rate < READ[1]]
    if not places:
        return None
    gaps, weights = [], []
    for place in places:
        rate, snr_db = float(found.bler[place]), float(found.snr_db[place])
        at = [required_db(found, mean, variance, rate) for mean in (information, bitwise[found.bits_per_symbol])]
        gaps.append([snr_db - each for each in at])
        weights.append(1 / (_sd_db(found, information, variance, rate) ** 2 + SHAPE_DB**2))
    whole_db, bitwise_db = np.average(np.array(gaps), axis=0, weights=weights)
    return Gap(float(whole_db), float(bitwise_db), 1 / math.sqrt(sum(weights)))


def required_db(found: Simulated, information: Floats, variance: Floats, rate: float) -> float:
    """The SNR at which the normal approximation without a gap has an error rate, dB."""
    surplus = found.uses * information - found.bits + 0.5 * math.log2(found.uses)
    argument = surplus / np.sqrt(found.uses * np.maximum(variance, 1e-12))
    return float(np.interp(NORMAL.inv_cdf(1 - rate), argument, FINE_DB))


def _sd_db(found: Simulated, information: Floats, variance: Floats, rate: float) -> float:
    """Of the SNR at which a rate counted from that many blocks stands."""
    blocks = min(MOST_BLOCKS, max(LEAST_BLOCKS, LOST_BLOCKS / rate))
    spread = math.sqrt(rate * (1 - rate) / blocks)
    around = [min(max(rate + part, 1e-3), 1 - 1e-3) for part in (-spread, spread)]
    high, low = (required_db(found, information, variance, each) for each in around)
    return (high - low) / 2


def gaps(folder: Path) -> dict[tuple[int, int, int], tuple[Simulated, Gap]]:
    """By table, scheme and length; those that no rate tells of are left out."""
    whole = {bits: information_moments(FINE_DB, bits) for bits in (2, 4, 6, 8)}
    bitwise = {bits: bitwise_information(FINE_DB, bits) for bits in (2, 4, 6, 8)}
    made = {}
    for found in simulated(folder):
        of_scheme = gap(found, whole, bitwise)
        if of_scheme is not None:
            made[found.table, found.mcs, found.bits] = (found, of_scheme)
    return made


def extra_db(all_gaps: Mapping[tuple[int, int, int], tuple[Simulated, Gap]], key: tuple[int, int, int]) -> float | None:
    """How much more a block loses than blocks of the same scheme of 500 bits and more do in the mean."""
    table, mcs, bits = key
    others = [
        all_gaps[table, mcs, one][1].whole_db
        for one in (500, 1000, 2000)
        if (table, mcs, one) in all_gaps and one != bits
    ]
    return all_gaps[key][1].whole_db - float(np.mean(others)) if others else None


def page_rows(all_gaps: Mapping[tuple[int, int, int], tuple[Simulated, Gap]]) -> list[str]:
    """The rows of the table in docs/models/link.md."""
    made = []
    for symbol_bits in (2, 4, 6, 8):
        for bits in (24, 100, 500, 1000, 2000):
            keys = [
                key
                for key, (found, _) in all_gaps.items()
                if (found.bits_per_symbol, found.bits) == (symbol_bits, bits)
            ]
            whole = np.array([all_gaps[key][1].whole_db for key in keys])
            bitwise = np.array([all_gaps[key][1].bitwise_db for key in keys])
            more = [extra for key in keys if (extra := extra_db(all_gaps, key)) is not None]
            uses = [all_gaps[key][0].uses for key in keys]
            cells = [
                f"{2**symbol_bits}", f"{bits}", f"{len(keys)}", f"{min(uses):.0f} to {max(uses):.0f}",
                f"{whole.mean():.2f} ± {whole.std():.2f}", f"{whole.min():.2f} to {whole.max():.2f}",
                f"{bitwise.mean():.2f} ± {bitwise.std():.2f}", f"{np.mean(more):+.2f} ± {np.std(more):.2f}",
                f"{FITTED_DB_BITS / bits:+.2f}",
            ]  # fmt: skip
            made.append(f"| {' | '.join(cells)} |")
    return made


if __name__ == "__main__":
    sys.stdout.write("\n".join(page_rows(gaps(Path(sys.argv[1])))) + "\n")
