"""RFC 6298 sections 2, 3 and 5, in seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Timer:
    """SRTT, RTTVAR and RTO; G is 0."""

    least_s: float
    most_s: float
    rto_s: float
    srtt_s: float | None = None
    rttvar_s: float = 0.0

    def on_sample(self, sample_s: float) -> None:
        """(2.2) and (2.3), then (2.4) and (2.5). A sample ends the back-off."""
        if self.srtt_s is None:
            self.srtt_s, self.rttvar_s = sample_s, sample_s / 2
        else:
            self.rttvar_s = 0.75 * self.rttvar_s + 0.25 * abs(self.srtt_s - sample_s)
            self.srtt_s = 0.875 * self.srtt_s + 0.125 * sample_s
        self.rto_s = min(max(self.srtt_s + 4 * self.rttvar_s, self.least_s), self.most_s)

    def on_expiry(self) -> None:
        """(5.5)."""
        self.rto_s = min(2 * self.rto_s, self.most_s)
