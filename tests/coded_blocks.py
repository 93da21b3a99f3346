"""What `airlink.models` says of coded blocks, as a table that the Rust tests hold the engine's link against.

Each line has a law, its arguments and its value; a modulation of 0 bits is a Gaussian input. Leaves out the engine: it
reads the table in crates/model/tests/link_models.rs.
"""

from __future__ import annotations

from collections.abc import Iterator

from airlink import models

INPUTS = [None, 2, 4, 6, 8]
SCHEMES = [(2, 120), (2, 602), (4, 378), (4, 658), (6, 438), (6, 873), (8, 682.5), (8, 948)]
PARTS = {"near": ([2.0, 3.5, 4.0], [100, 50, 250]), "far": ([-6.0, 1.0, 5.0, 14.0], [336, 336, 336, 100])}


def table() -> str:
    """The whole table."""
    return "\n".join([*moments(), *error_rates(), *effective_snrs(), *betas()]) + "\n"


def moments() -> Iterator[str]:
    """`moments, bits of a symbol, SNR (dB), mean (bit), variance (bit^2)`."""
    for bits in INPUTS:
        for snr_db in range(-20, 33, 4):
            mean, variance = models.information_moments(float(snr_db), bits)
            yield f"moments,{bits or 0},{snr_db},{float(mean):.6f},{float(variance):.6f}"


def error_rates() -> Iterator[str]:
    """`required, Gaussian, bits of a symbol, rate x 1024, gap (dB), bits, error rate, SNR (dB)`."""
    for gaussian in (False, True):
        for bits_per_symbol, rate in SCHEMES:
            for block_bits, wanted in [(40, 0.1), (336, 0.01), (8448, 0.5)]:
                snr_db = models.required_snr_db(
                    wanted, block_bits, bits_per_symbol, rate / 1024, gap_db=1.25, gaussian_input=gaussian
                )
                yield f"required,{int(gaussian)},{bits_per_symbol},{rate},1.25,{block_bits},{wanted},{snr_db:.5f}"


def effective_snrs() -> Iterator[str]:
    """`exponential, beta, SNRs (dB), weights, SNR (dB)` and `mutual, bits of a symbol, ...`, the rest alike."""
    for snr_db, weights in PARTS.values():
        columns = ",".join([" ".join(map(str, snr_db)), " ".join(map(str, weights))])
        for beta in (1.5, 5.0, 20.0):
            yield f"exponential,{beta},{columns},{models.exponential_effective_snr(snr_db, weights, beta):.5f}"
        for bits in INPUTS:
            value = models.mutual_information_effective_snr(snr_db, weights, bits)
            yield f"mutual,{bits or 0},{columns},{value:.5f}"


def betas() -> Iterator[str]:
    """`beta, bits of a symbol, rate x 1024, beta`, without gap, where a block of 1000 bits is lost one time in ten."""
    for bits_per_symbol, rate in SCHEMES:
        threshold_db = models.required_snr_db(0.1, 1000, bits_per_symbol, rate / 1024)
        yield f"beta,{bits_per_symbol},{rate},{models.second_order_beta(threshold_db, bits_per_symbol):.4g}"
