"""Sets of modulation and coding schemes with a name.

A row is the bits of a symbol and the code rate x 1024, in the order of the source; docs/models/link.md says against
which two public sources each was checked. Leaves out rows that are reserved or "out of range", pi/2-BPSK, 1024QAM.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class McsSet:
    """Bits of a symbol and code rates (information bits per coded bit) of the same length, and their source."""

    bits_per_symbol: tuple[int, ...]
    code_rates: tuple[float, ...]
    source: str


def _set(source: str, **rates_by_modulation: tuple[float, ...]) -> McsSet:
    """Code rates x 1024 by modulation, in their order."""
    rows = [(_BITS[name], rate / 1024) for name, rates in rates_by_modulation.items() for rate in rates]
    return McsSet(tuple(bits for bits, _ in rows), tuple(rate for _, rate in rows), source)


_BITS = {"qpsk": 2, "qam16": 4, "qam64": 6, "qam256": 8}

MCS_SETS = {
    "imt-advanced": _set(
        "[Kakuda], Table I",
        qpsk=(128, 256, 512, 2048 / 3),
        qam16=(512, 2048 / 3),
        qam64=(512, 2048 / 3, 768),
    ),
    "cqi-64qam": _set(
        "CQI 1 to 15 of LTE and NR: TS 36.213 table 7.2.3-1, TS 38.214 table 5.2.2.1-2",
        qpsk=(78, 120, 193, 308, 449, 602),
        qam16=(378, 490, 616),
        qam64=(466, 567, 666, 772, 873, 948),
    ),
    "cqi-256qam": _set(
        "CQI 1 to 15 of LTE and NR with 256QAM: TS 36.213 table 7.2.3-2, TS 38.214 table 5.2.2.1-3",
        qpsk=(78, 193, 449),
        qam16=(378, 490, 616),
        qam64=(466, 567, 666, 772, 873),
        qam256=(711, 797, 885, 948),
    ),
    "cqi-low-efficiency": _set(
        "CQI 1 to 15 of NR at low efficiency: TS 38.214 table 5.2.2.1-4",
        qpsk=(30, 50, 78, 120, 193, 308, 449, 602),
        qam16=(378, 490, 616),
        qam64=(466, 567, 666, 772),
    ),
    "nr-mcs-64qam": _set(
        "MCS 0 to 28 of NR: TS 38.214 table 5.1.3.1-1",
        qpsk=(120, 157, 193, 251, 308, 379, 449, 526, 602, 679),
        qam16=(340, 378, 434, 490, 553, 616, 658),
        qam64=(438, 466, 517, 567, 616, 666, 719, 772, 822, 873, 910, 948),
    ),
    "nr-mcs-256qam": _set(
        "MCS 0 to 27 of NR with 256QAM: TS 38.214 table 5.1.3.1-2",
        qpsk=(120, 193, 308, 449, 602),
        qam16=(378, 434, 490, 553, 616, 658),
        qam64=(466, 517, 567, 616, 666, 719, 772, 822, 873),
        qam256=(682.5, 711, 754, 797, 841, 885, 916.5, 948),
    ),
    "nr-mcs-low-efficiency": _set(
        "MCS 0 to 28 of NR at low efficiency: TS 38.214 table 5.1.3.1-3",
        qpsk=(30, 40, 50, 64, 78, 99, 120, 157, 193, 251, 308, 379, 449, 526, 602),
        qam16=(340, 378, 434, 490, 553, 616),
        qam64=(438, 466, 517, 567, 616, 666, 719, 772),
    ),
}
