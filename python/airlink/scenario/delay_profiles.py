"""Power-delay profiles with a name: the paths by which a signal arrives, their delays and mean powers.

Powers are relative, as their documents print them; the engine takes them in shares of their sum. Each table was
compared with two public implementations or more, number by number (docs/models/channel.md). Leaves out lines of sight
(TDL-D and TDL-E), and profiles in files: a scenario holds its own numbers under the name "custom".
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DelayProfile:
    """Delays (ns; delay spreads where `scaled`) and powers (dB) of the same length, and their source."""

    delays: tuple[float, ...]
    powers_db: tuple[float, ...]
    source: str
    scaled: bool = False

    def delays_ns(self, delay_spread_ns: float) -> tuple[float, ...]:
        """The delays, for a delay spread where they are in units of it; to the picosecond."""
        return tuple(round(delay * delay_spread_ns, 3) for delay in self.delays) if self.scaled else self.delays


DELAY_PROFILES = {
    "tu6": DelayProfile(
        (0.0, 200.0, 500.0, 1600.0, 2300.0, 5000.0),
        (-3.0, 0.0, -2.0, -6.0, -8.0, -10.0),
        "GSM, typical urban, six paths: [Failli89], [Tgpp01] annex C; [Kakuda]",
    ),
    "pedestrian-a": DelayProfile(
        (0.0, 110.0, 190.0, 410.0), (0.0, -9.7, -19.2, -22.8), "outdoor to indoor and pedestrian, channel A: [Itu97]"
    ),
    "pedestrian-b": DelayProfile(
        (0.0, 200.0, 800.0, 1200.0, 2300.0, 3700.0),
        (0.0, -0.9, -4.9, -8.0, -7.8, -23.9),
        "outdoor to indoor and pedestrian, channel B: [Itu97]",
    ),
    "vehicular-a": DelayProfile(
        (0.0, 310.0, 710.0, 1090.0, 1730.0, 2510.0),
        (0.0, -1.0, -9.0, -10.0, -15.0, -20.0),
        "vehicular, channel A: [Itu97]",
    ),
    "vehicular-b": DelayProfile(
        (0.0, 300.0, 8900.0, 12900.0, 17100.0, 20000.0),
        (-2.5, 0.0, -12.8, -10.0, -25.2, -16.0),
        "vehicular, channel B: [Itu97]",
    ),
    "epa": DelayProfile(
        (0.0, 30.0, 70.0, 90.0, 110.0, 190.0, 410.0),
        (0.0, -1.0, -2.0, -3.0, -8.0, -17.2, -20.8),
        "LTE, extended pedestrian A: [Tgpp08] annex B.2",
    ),
    "eva": DelayProfile(
        (0.0, 30.0, 150.0, 310.0, 370.0, 710.0, 1090.0, 1730.0, 2510.0),
        (0.0, -1.5, -1.4, -3.6, -0.6, -9.1, -7.0, -12.0, -16.9),
        "LTE, extended vehicular A: [Tgpp08] annex B.2",
    ),
    "etu": DelayProfile(
        (0.0, 50.0, 120.0, 200.0, 230.0, 500.0, 1600.0, 2300.0, 5000.0),
        (-1.0, -1.0, -1.0, 0.0, 0.0, 0.0, -3.0, -5.0, -7.0),
        "LTE, extended typical urban: [Tgpp08] annex B.2",
    ),
    "tdl-a": DelayProfile(
        (
            *(0.0, 0.3819, 0.4025, 0.5868, 0.4610, 0.5375, 0.6708, 0.5750, 0.7618, 1.5375, 1.8978, 2.2242),
            *(2.1718, 2.4942, 2.5119, 3.0582, 4.0810, 4.4579, 4.5695, 4.7966, 5.0066, 5.3043, 9.6586),
        ),
        (
            *(-13.4, 0.0, -2.2, -4.0, -6.0, -8.2, -9.9, -10.5, -7.5, -15.9, -6.6, -16.7),
            *(-12.4, -15.2, -10.8, -11.3, -12.7, -16.2, -18.3, -18.9, -16.6, -19.9, -29.7),
        ),
        "NR, without a line of sight: [Tgpp17] table 7.7.2-1",
        scaled=True,
    ),
    "tdl-b": DelayProfile(
        (
            *(0.0, 0.1072, 0.2155, 0.2095, 0.2870, 0.2986, 0.3752, 0.5055, 0.3681, 0.3697, 0.5700, 0.5283),
            *(1.1021, 1.2756, 1.5474, 1.7842, 2.0169, 2.8294, 3.0219, 3.6187, 4.1067, 4.2790, 4.7834),
        ),
        (
            *(0.0, -2.2, -4.0, -3.2, -9.8, -1.2, -3.4, -5.2, -7.6, -3.0, -8.9, -9.0),
            *(-4.8, -5.7, -7.5, -1.9, -7.6, -12.2, -9.8, -11.4, -14.9, -9.2, -11.3),
        ),
        "NR, without a line of sight: [Tgpp17] table 7.7.2-2",
        scaled=True,
    ),
    "tdl-c": DelayProfile(
        (
            *(0.0, 0.2099, 0.2219, 0.2329, 0.2176, 0.6366, 0.6448, 0.6560, 0.6584, 0.7935, 0.8213, 0.9336),
            *(1.2285, 1.3083, 2.1704, 2.7105, 4.2589, 4.6003, 5.4902, 5.6077, 6.3065, 6.6374, 7.0427, 8.6523),
        ),
        (
            *(-4.4, -1.2, -3.5, -5.2, -2.5, 0.0, -2.2, -3.9, -7.4, -7.1, -10.7, -11.1),
            *(-5.1, -6.8, -8.7, -13.2, -13.9, -13.9, -15.8, -17.1, -16.0, -15.7, -21.6, -22.8),
        ),
        "NR, without a line of sight: [Tgpp17] table 7.7.2-3",
        scaled=True,
    ),
}
"""By the names that `channel.fading.profile` takes, beside "custom"."""
