"""Rate tables with a name: SNR thresholds in dB and the rates they allow in b/s.

A rate may be used when the reported SNR is at or above its threshold; below the first threshold the
rate is 0. Leaves out tables in files: a scenario holds its own numbers under the name "custom".
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RateTable:
    """Thresholds (dB, strictly increasing) and rates (b/s) of the same length, and their source."""

    thresholds_db: tuple[float, ...]
    rates_bps: tuple[float, ...]
    source: str


TABLES = {
    "1xev-do": RateTable(
        (-12.5, -9.5, -6.5, -5.7, -4.0, -1.0, 1.3, 3.0, 7.2, 9.5),
        (38400.0, 76800.0, 153600.0, 204800.0, 307200.0, 614400.0, 921600.0, 1228800.0, 1843200.0, 2457600.0),
        "[EvdoTcp], Table I (slots of 5/3 ms, segments of 8 bytes)",
    ),
    "klein-2004": RateTable(
        (-7.1, -5.2, -3.7, 0.1, 2.8, 5.0),
        (320000.0, 480000.0, 640000.0, 1280000.0, 1920000.0, 2560000.0),
        "[Klein04]: rates given; thresholds inferred from Shannon over 1.25 MHz (profile K3)",
    ),
    "imt-advanced": RateTable(
        (-5.54, -2.22, 1.41, 3.08, 5.72, 7.89, 8.87, 11.61, 12.89),
        (15.128e6, 30.344e6, 60.8e6, 81.04e6, 121.76e6, 162.32e6, 182.64e6, 243.6e6, 274e6),
        "[Kakuda]: rates of the whole 80 MHz given; thresholds inferred from Shannon over 80 MHz, 3 dB (profile W1)",
    ),
}
