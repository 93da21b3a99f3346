r"""How often a coded block is lost: the best code of its length, over one signal or over several.

A channel use carries a complex symbol in white Gaussian noise: one of the 2^m equally likely points of a square
quadrature amplitude modulation, or an amplitude drawn from a Gaussian. Its information density i has the mean C (bit)
and the variance V (bit^2). The engine has the same laws in `crates/model/src/link`, from another quadrature and tables;
tests hold one against the other. Left out: labels of bits, error floors, correlation of symbols.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(160)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def information_moments(snr_db: ArrayLike, bits_per_symbol: int | None) -> tuple[Floats, Floats]:
    r"""Mean and variance of the information density of a channel use.

    .. math:: i = \log_2 \frac{p(y|x)}{\frac{1}{2^m}\sum_{x'} p(y|x')}, \quad
        C = E[i], \quad V = \mathrm{Var}[i]

    over points x and noise; for a Gaussian input on the power shell
    :math:`C = \log_2(1+\gamma)`, :math:`V = \frac{\gamma(\gamma+2)}{(\gamma+1)^2}\log_2^2 e`.

    Parameters
    ----------
    snr_db : array [any] or number, ratio of symbol energy to noise density, dB.
    bits_per_symbol : 2, 4, 6 or 8 for a modulation; None for a Gaussian input.

    Returns
    -------
    C in bit and V in bit^2, arrays of the shape of `snr_db`.

    Raises
    ------
    ValueError : bits_per_symbol is none of these.

    References
    ----------
    [Polyanskiy10] theorem 54 for V of a Gaussian input.

    Examples
    --------
    >>> [round(float(value), 4) for value in information_moments(0.0, None)]
    [1.0, 1.561]
    >>> [round(float(value), 4) for value in information_moments(0.0, 2)]
    [0.9719, 1.3194]
    """
    snr = 10.0 ** (np.asarray(snr_db, dtype=float) / 10.0)
    if bits_per_symbol is None:
        return np.log2(1.0 + snr), snr * (snr + 2.0) / (snr + 1.0) ** 2 * math.log2(math.e) ** 2
    if bits_per_symbol not in (2, 4, 6, 8):
        raise ValueError(f"bits_per_symbol is {bits_per_symbol}; it must be 2, 4, 6 or 8")
    levels = 2 ** (bits_per_symbol // 2)
    density = _amplitude_density(snr, levels)
    mean = (density.mean(axis=-2) * _WEIGHTS).sum(axis=-1)
    square = ((density**2).mean(axis=-2) * _WEIGHTS).sum(axis=-1)
    return 2.0 * mean, 2.0 * (square - mean**2)


def _amplitude_density(snr: Floats, levels: int) -> Floats:
    """Information density on one axis; axes [snr..., level sent, noise]."""
    spacing = np.sqrt(12.0 * snr / (levels**2 - 1))[..., None, None, None]
    away = np.arange(levels)[None, :] - np.arange(levels)[:, None]  # [sent, other]
    distance = spacing * away[:, :, None]
    exponent = distance * _NODES - 0.5 * distance**2  # [..., sent, other, noise]
    largest = exponent.max(axis=-2, keepdims=True)
    total = np.log(np.exp(exponent - largest).sum(axis=-2)) + largest[..., 0, :]
    return np.asarray(math.log2(levels) - total * math.log2(math.e))


def block_error_rate(
    snr_db: ArrayLike,
    block_bits: float,
    bits_per_symbol: int,
    code_rate: float,
    *,
    gap_db: float = 0.0,
    gaussian_input: bool = False,
) -> Floats:
    r"""Probability that a block of k bits is lost, by the normal approximation.

    .. math:: \epsilon = Q\left(\frac{n C - k + \frac12\log_2 n}{\sqrt{n V}}\right), \quad n = \frac{k}{m r}

    C and V at the SNR less `gap_db`, which stands for what a real code and receiver lose.

    Parameters
    ----------
    snr_db : array [any] or number, dB.
    block_bits : information bits k of the block, >= 8.
    bits_per_symbol : m, 2, 4, 6 or 8.
    code_rate : r, information bits per coded bit, 0 to 1.
    gap_db : SNR lost against the approximation, dB, default 0.
    gaussian_input : take C and V of a Gaussian input instead of the modulation's, default False.

    Returns
    -------
    array of the shape of `snr_db`.

    Raises
    ------
    ValueError : block_bits below 8, code_rate not between 0 and 1.

    References
    ----------
    [Polyanskiy10].

    Examples
    --------
    >>> block_error_rate([0.0, 1.0, 2.0], 336, 2, 0.5).round(4).tolist()
    [0.5984, 0.0131, 0.0]
    """
    if block_bits < 8:
        raise ValueError(f"block_bits is {block_bits}; it must be at least 8")
    if not 0 < code_rate < 1:
        raise ValueError(f"code_rate is {code_rate}; it must be between 0 and 1")
    reduced_db = np.asarray(snr_db, dtype=float) - gap_db
    mean, variance = information_moments(reduced_db, None if gaussian_input else bits_per_symbol)
    uses = block_bits / (bits_per_symbol * code_rate)
    argument = (uses * mean - block_bits + 0.5 * math.log2(uses)) / np.sqrt(uses * np.maximum(variance, 1e-12))
    tail = np.vectorize(lambda x: 0.5 * math.erfc(x / math.sqrt(2.0)), otypes=[float])
    return np.asarray(tail(argument))


def required_snr_db(
    block_error_rate_wanted: float,
    block_bits: float,
    bits_per_symbol: int,
    code_rate: float,
    *,
    gap_db: float = 0.0,
    gaussian_input: bool = False,
) -> float:
    """The SNR at which `block_error_rate` has a value, by halving between -30 and 42 dB above the gap.

    Parameters
    ----------
    block_error_rate_wanted : 0 to 1.
    block_bits, bits_per_symbol, code_rate, gap_db, gaussian_input : as for `block_error_rate`.

    Returns
    -------
    float, dB.

    Examples
    --------
    >>> round(required_snr_db(0.1, 336, 2, 0.5), 3)
    0.629
    """
    low, high = gap_db - 30.0, gap_db + 42.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        rate = block_error_rate(
            middle, block_bits, bits_per_symbol, code_rate, gap_db=gap_db, gaussian_input=gaussian_input
        )
        low, high = (middle, high) if float(rate) > block_error_rate_wanted else (low, middle)
    return high


@dataclass(frozen=True)
class CodedBlock:
    """A block and the scheme that it is sent by.

    Attributes
    ----------
    block_bits : information bits, >= 8.
    bits_per_symbol : 2, 4, 6 or 8.
    code_rate : information bits per coded bit, 0 to 1.
    gap_db : SNR lost against the normal approximation, dB, default 0.
    gaussian_input : take symbols as Gaussian amplitudes, default False.
    """

    block_bits: float
    bits_per_symbol: int
    code_rate: float
    gap_db: float = 0.0
    gaussian_input: bool = False

    def error_rate(self, snr_db: float) -> float:
        """`block_error_rate` of this block."""
        rate = block_error_rate(
            snr_db,
            self.block_bits,
            self.bits_per_symbol,
            self.code_rate,
            gap_db=self.gap_db,
            gaussian_input=self.gaussian_input,
        )
        return float(rate)

    def combined_error_rate(self, snr_db: float, count: int) -> float:
        """The same where the information of `count` transmissions at `snr_db` adds up."""
        inputs = None if self.gaussian_input else self.bits_per_symbol

        def information(db: float) -> float:
            return float(information_moments(db, inputs)[0])

        together = count * information(snr_db - self.gap_db)
        if inputs is not None and together >= inputs:
            return 0.0
        return self.error_rate(self.gap_db + _where(information, together, np.array([-40.0, 60.0])))


def harq_error_rates(
    block: CodedBlock,
    snr_db: float,
    combining: Literal["none", "chase", "incremental_redundancy"],
    transmissions: int = 4,
) -> Floats:
    r"""Probability that the i-th transmission of a block is lost when all before it were, on a constant channel.

    .. math:: \epsilon_i = \epsilon(i\gamma) \text{ (chase)}, \quad
        \epsilon_i = \epsilon(C^{-1}(i\,C(\gamma))) \text{ (incremental redundancy)}

    with :math:`\epsilon` of `block_error_rate` at the block's length, and 0 where the information is more than symbols
    can have. What is left after n transmissions is :math:`\prod_{i \le n} \epsilon_i`; their mean number is
    :math:`\sum_{i \le n} \prod_{j < i} \epsilon_j`.

    Parameters
    ----------
    block : what is sent.
    snr_db : of each transmission, dB.
    combining : what the receiver does with what it has: nothing, add signals, add information.
    transmissions : how many, >= 1, default 4.

    Returns
    -------
    array [transmission].

    Raises
    ------
    ValueError : transmissions below 1.

    References
    ----------
    [Polyanskiy10] for each transmission.

    Examples
    --------
    >>> harq_error_rates(CodedBlock(336, 2, 0.5), -2.4, "chase").round(4).tolist()
    [1.0, 0.1082, 0.0, 0.0]
    >>> harq_error_rates(CodedBlock(336, 2, 0.5), -2.4, "incremental_redundancy").round(4).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    if transmissions < 1:
        raise ValueError(f"transmissions is {transmissions}; it must be at least 1")
    counts = range(1, transmissions + 1)
    if combining == "incremental_redundancy":
        return np.array([block.combined_error_rate(snr_db, count) for count in counts])
    gain_db = 10.0 if combining == "chase" else 0.0
    return np.array([block.error_rate(snr_db + gain_db * math.log10(count)) for count in counts])


def exponential_effective_snr(snr_db: ArrayLike, weights: ArrayLike, beta: float) -> float:
    r"""The one SNR that stands for several by an exponential mean (EESM).

    .. math:: \gamma = -\beta \ln \sum_i w_i e^{-\gamma_i/\beta}

    Parameters
    ----------
    snr_db : array [part], dB.
    weights : array [part], each >= 0; only their ratios count.
    beta : linear ratio, > 0.

    Returns
    -------
    float, dB; between the least and the largest.

    Raises
    ------
    ValueError : beta is not above 0.

    References
    ----------
    [Brueninghaus05].

    Examples
    --------
    >>> round(exponential_effective_snr([0.0, 4.771213], [1, 1], 1.0), 4)
    1.9485
    """
    if beta <= 0:
        raise ValueError(f"beta is {beta}; it must be above 0")
    snr = 10.0 ** (np.asarray(snr_db, dtype=float) / 10.0)
    share = np.asarray(weights, dtype=float) / np.sum(weights)
    least = float(snr.min())
    mean = float(np.sum(share * np.exp(-(snr - least) / beta)))
    return 10.0 * math.log10(least - beta * math.log(mean))


def mutual_information_effective_snr(snr_db: ArrayLike, weights: ArrayLike, bits_per_symbol: int | None) -> float:
    r"""The one SNR that stands for several by the mean of mutual information (MIESM).

    .. math:: C(\gamma) = \sum_i w_i C(\gamma_i)

    Parameters
    ----------
    snr_db : array [part], dB.
    weights : array [part], each >= 0; only their ratios count.
    bits_per_symbol : 2, 4, 6 or 8 for a modulation; None for a Gaussian input.

    Returns
    -------
    float, dB; between the least and the largest.

    References
    ----------
    [Brueninghaus05].

    Examples
    --------
    >>> round(mutual_information_effective_snr([0.0, 8.450980], [1, 1], None), 4)
    4.7712
    """
    values_db = np.asarray(snr_db, dtype=float)
    share = np.asarray(weights, dtype=float) / np.sum(weights)
    wanted = float(np.sum(share * information_moments(values_db, bits_per_symbol)[0]))
    return _where(lambda db: float(information_moments(db, bits_per_symbol)[0]), wanted, values_db)


def second_order_beta(snr_db: float, bits_per_symbol: int | None) -> float:
    r"""The beta by which EESM agrees with MIESM to second order in the spread of SNRs about one.

    .. math:: \beta = -\frac{C'(\gamma)}{C''(\gamma)}

    Both are means :math:`f^{-1}(\sum_i w_i f(\gamma_i))`, which for small spread are the mean of the SNRs plus
    :math:`f''/(2f')` times their variance; for EESM :math:`f''/f' = -1/\beta`.

    Parameters
    ----------
    snr_db : where, dB.
    bits_per_symbol : 2, 4, 6 or 8 for a modulation; None for a Gaussian input.

    Returns
    -------
    float, linear ratio. For a Gaussian input 1 + SNR.

    Examples
    --------
    >>> round(second_order_beta(0.0, None), 3), round(second_order_beta(0.0, 2), 2)
    (2.0, 1.42)
    """
    snr = 10.0 ** (snr_db / 10.0)
    step = 0.01 * snr
    around_db = 10.0 * np.log10([snr - step, snr, snr + step])
    below, here, above = information_moments(around_db, bits_per_symbol)[0]
    return float(-((above - below) / (2 * step)) / ((above - 2 * here + below) / step**2))


def _where(rising: Callable[[float], float], wanted: float, around: Floats) -> float:
    """Where a rising function has a value between those at the least and the largest of `around`."""
    low, high = float(around.min()), float(around.max())
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rising(middle) < wanted else (low, middle)
    return 0.5 * (low + high)
