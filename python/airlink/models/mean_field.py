r"""Proportional fair with a memory that ends, over fading that lasts: each user against the others' distribution.

A user's state is its rate R and its average T. Rates of a table change as the fading crosses thresholds, taken for a
Markov chain with the crossing rates of Rayleigh fading; the average moves as the scheduler moves it:

.. math::
    q_{k,k+1} = \frac{\nu_{k+1}}{P_k}, \quad q_{k+1,k} = \frac{\nu_{k+1}}{P_{k+1}}, \quad
    \nu_k = \sqrt{2\pi} f_d \rho_k e^{-\rho_k^2}, \quad \rho_k^2 = \theta_k / \bar\gamma

.. math:: T \leftarrow (1 - 1/t_c)\, T + 1\{\text{wins}\}\, R / t_c

In every slot a user wins against metrics drawn anew from the distributions of the others:

.. math:: P(\text{win} \mid R, T) = \prod_{j \ne i} P(R_j / T_j^\lambda < R / T^\lambda)

The distributions that reproduce themselves give shares, rates, gaps and service intervals.

Left out: that who is ahead of a user now is likely to be so in the next slot, and that fading remembers more than its
rate (docs/closed-forms.md says what that costs: up to a few percent of the rates); empty queues, late or wrong reports.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airlink.models.fair_sharing import Sharing, fair_sharing
from airlink.models.opportunistic import rate_probabilities

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

STEP = 0.01  # of the grid of log T, at least; with a memory below 100 slots it is what T loses in a slot
ABOVE, BELOW = (
    0.5,
    4.0,
)  # how far the grid reaches beyond log T of an endless memory, e-folds: above that of no sharing, below
LONGEST_FADE_SLOTS = 150.0  # for which it reaches farther below
REFRESHED = 20  # times per memory that the chances to win are worked out anew
SETTLED = 5e-4  # largest change of a slot share from round to round that is none, relative
ROUNDS, SHORTEST_ROUND = 20, 100  # how often that is looked at, after a memory each or this many slots
TERMS = 20  # of the series of an exponential, of a matrix whose rows add up to 1/2 at most
RARE = 1e-12  # probability of a rate that is as good as none


@dataclass(frozen=True)
class FadingCell:
    """Backlogged Rayleigh users of a table of rates under log R - lambda log T.

    Attributes
    ----------
    thresholds_db : array [rate], SNR in dB from which each rate can be used, rising.
    rates_bps : array [rate], b/s, rising, > 0.
    mean_snr_db : array [user], dB; at least two users.
    doppler_hz : maximum Doppler shift f_d, Hz, > 0.
    slot_s : length of a slot, s, > 0.
    time_constant_slots : t_c, memory of T, slots, > 1. Work grows with it: meant for up to about 1000.
    exponent : lambda >= 0, default 1: proportional fair.

    Raises
    ------
    ValueError : a value outside its range.
    """

    thresholds_db: tuple[float, ...]
    rates_bps: tuple[float, ...]
    mean_snr_db: tuple[float, ...]
    doppler_hz: float
    slot_s: float
    time_constant_slots: float
    exponent: float = 1.0

    def __post_init__(self) -> None:
        if self.doppler_hz <= 0 or self.slot_s <= 0 or self.time_constant_slots <= 1:
            raise ValueError("doppler_hz and slot_s must be above 0, time_constant_slots above 1")
        if len(self.mean_snr_db) < 2:
            raise ValueError("mean_snr_db must name at least two users")


@dataclass(frozen=True)
class MeanField:
    """What came out, in slots of the cell.

    Attributes
    ----------
    cell : what was asked.
    sharing : slots and rates of each user.
    moves : array [user, level, level], chances that the level of the next slot is this one; level 0 is no rate.
    log_averages : array [user, step], log T / (1 b/s), falling.
    chances : array [user, rate, step], of winning the slot.
    winners : array [user, rate, step], probability of this state and of winning in it.
    """

    cell: FadingCell
    sharing: Sharing
    moves: Floats
    log_averages: Floats
    chances: Floats
    winners: Floats

    def gap_pmf(self, user: int, longest: int) -> Floats:
        """P(gap = n) for n = 0 ... `longest`, from one slot that a user wins to the next: array [n].

        Parameters
        ----------
        user : index.
        longest : slots; what is missing to 1 is longer.
        """
        grid = _Grid(self.cell, self.log_averages[[user]])
        chances, moves = self.chances[[user]], self.moves[[user]]
        won = grid.after_winning(self.winners[[user]])
        state = moves.transpose(0, 2, 1) @ np.concatenate([np.zeros_like(won[:, :1]), won / won.sum()], axis=1)
        found = np.zeros(longest + 1)
        for slot in range(1, longest + 1):
            won = state[:, 1:] * chances
            found[slot] = won.sum()
            state[:, 1:] -= won
            state = moves.transpose(0, 2, 1) @ grid.after_waiting(state)
        return found

    def service_intervals(
        self, user: int, packet_bytes: int, slot_bytes: NDArray[np.int64], packets: int = 10_000, seed: int = 1
    ) -> Integers:
        """Slots from the end of one packet to the end of the next, a sample: the model has no shorter form for it.

        Parameters
        ----------
        user : index; its queue is never empty.
        packet_bytes : >= 1.
        slot_bytes : array [rate], whole bytes that a slot carries.
        packets : size of the sample, default 10 000.
        seed : of the draws.

        Returns
        -------
        array [packet], slots in rising order; 0 for a packet that ends in the slot of the one before.
        """
        random = np.random.default_rng(seed)
        carried = np.asarray(slot_bytes, dtype=np.int64)
        weights = self.winners[user] * np.minimum(carried, packet_bytes)[:, None]
        alone = weights.sum() / (self.winners[user] * carried[:, None]).sum()  # of packets, not in the slot of another
        starts = random.choice(weights.size, size=random.binomial(packets, alone), p=weights.ravel() / weights.sum())
        rate, step = np.divmod(starts, weights.shape[1])
        # What the first packet lacked is even, up to what the slot carried; so is what the slot carries of the next.
        spare = random.integers(0, np.minimum(carried[rate], packet_bytes))
        walk = _Walk(self, user, carried, random)
        intervals = walk.until_sent(rate + 1, self.log_averages[user, step], packet_bytes - spare)
        return np.sort(np.concatenate([np.zeros(packets - intervals.size, dtype=np.int64), intervals]))


def mean_field(cell: FadingCell, step: float = STEP) -> MeanField:
    """Solve a cell: slot by slot from the sharing of an endless memory on, until the shares settle.

    Parameters
    ----------
    cell : what is asked.
    step : least step of the grid of log T, > 0, default 0.01. Twice of it costs half, and a percent of the rates.

    Returns
    -------
    MeanField.

    Raises
    ------
    ValueError : thresholds or rates do not rise, a user never has a rate.
    ArithmeticError : the shares did not settle.

    References
    ----------
    [EvdoTcp], eqs (6), (7); [Rice45] for the crossing rates.

    Examples
    --------
    >>> two = FadingCell((0.0, 6.0), (1e6, 2e6), (3.0, 3.0), doppler_hz=4.0, slot_s=1 / 600, time_constant_slots=20.0)
    >>> mean_field(two).sharing.slot_shares().round(3).tolist()
    [0.422, 0.422]
    """
    endless = fair_sharing(cell.thresholds_db, cell.rates_bps, cell.mean_snr_db, cell.exponent)
    if np.any(endless.means_bps() == 0):
        raise ValueError("every user must reach the lowest rate now and then")
    moves = np.stack([_moves(cell, snr_db) for snr_db in cell.mean_snr_db])
    grid = _Grid(cell, _log_averages(cell, endless, step))
    used = rate_probabilities(cell.thresholds_db, cell.mean_snr_db)
    levels = np.hstack([np.maximum(1 - used.sum(axis=1, keepdims=True), 0.0), used])  # level 0: no rate
    state = grid.started(levels, endless)
    refresh, before = max(1, round(cell.time_constant_slots) // REFRESHED), np.zeros(len(moves))
    for _ in range(ROUNDS):
        for slot in range(max(round(cell.time_constant_slots), SHORTEST_ROUND)):
            if slot % refresh == 0:
                chances = grid.chances(state)
            winners = state[:, 1:] * chances
            state[:, 1:] -= winners
            moved = grid.after_waiting(state)
            moved[:, 1:] += grid.after_winning(winners)
            state = moves.transpose(0, 2, 1) @ moved
        shares = winners.sum(axis=(1, 2))
        if np.all(np.abs(shares - before) <= SETTLED * shares):
            sharing = Sharing(winners.sum(axis=2), np.asarray(cell.rates_bps, dtype=float))
            return MeanField(cell, sharing, moves, grid.log_averages, chances, winners)
        before = shares
    raise ArithmeticError(f"shares did not settle within {ROUNDS} memories of {cell.time_constant_slots} slots")


def _moves(cell: FadingCell, mean_snr_db: float) -> Floats:
    """Chances from level to level from one slot to the next, of one user."""
    level = np.concatenate([[0.0], rate_probabilities(cell.thresholds_db, mean_snr_db)])
    level[0] = 1 - level.sum()
    power = 10 ** ((np.asarray(cell.thresholds_db) - mean_snr_db) / 10)
    crossings = np.sqrt(2 * np.pi * power) * cell.doppler_hz * np.exp(-power)
    upwards, downwards = crossings / np.maximum(level[:-1], RARE), crossings / np.maximum(level[1:], RARE)
    speeds = np.diag(upwards, 1) + np.diag(downwards, -1)
    return _exponential((speeds - np.diag(speeds.sum(axis=1))) * cell.slot_s)


def _exponential(matrix: Floats) -> Floats:
    """Of a matrix, by its series: halved until the series is short, then squared as often."""
    halvings = max(0, math.ceil(math.log2(max(np.abs(matrix).sum(axis=1).max(), 1.0)))) + 1
    part = matrix / 2**halvings
    total = term = np.eye(len(matrix))
    for power in range(1, TERMS):
        term = term @ part / power
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


def _log_averages(cell: FadingCell, endless: Sharing, least_step: float) -> Floats:
    """Grid of log T about that of an endless memory: array [user, step], falling."""
    lost = -np.log1p(-1 / cell.time_constant_slots)
    step = max(lost, least_step)
    above = np.log(len(cell.mean_snr_db)) + ABOVE
    below = BELOW + LONGEST_FADE_SLOTS * lost
    return np.asarray(np.log(endless.means_bps())[:, None] + above - np.arange(0, above + below, step))


class _Grid:
    """States [user, level, step]: how waiting and winning move them along log T, and who wins."""

    def __init__(self, cell: FadingCell, log_averages: Floats) -> None:
        self.log_averages = log_averages
        self.users, self.steps = log_averages.shape
        self.step = float(log_averages[0, 0] - log_averages[0, 1])
        memory, rates = cell.time_constant_slots, np.asarray(cell.rates_bps, dtype=float)
        self.lost = -np.log1p(-1 / memory) / self.step  # steps a slot, at most 1
        averages = np.exp(log_averages)[:, None, :]
        won = np.log((1 - 1 / memory) * averages + rates[:, None] / memory)
        self.winning = _Spreading((log_averages[:, :1, None] - won) / self.step, rows_of=(0, 1), size=self.steps)
        metrics = np.log(rates)[:, None] - cell.exponent * log_averages[:, None, :]
        places = (metrics - metrics.min()) / self.step
        self.metering = _Spreading(places, rows_of=(0,), size=int(places.max()) + 2)

    def started(self, levels: Floats, endless: Sharing) -> Floats:
        """All of it at the T of an endless memory."""
        state = np.zeros((*levels.shape, self.steps))
        nearest = np.argmin(np.abs(self.log_averages - np.log(endless.means_bps())[:, None]), axis=1)
        state[np.arange(self.users), :, nearest] = levels
        return state

    def chances(self, state: Floats) -> Floats:
        """Of winning in each state, against draws of the others: array [user, rate, step]."""
        masses = self.metering.laid(state[:, 1:].ravel()).reshape(self.users, -1)
        below = state[:, 0].sum(axis=1)[:, None] + np.cumsum(masses, axis=1) - masses / 2  # half of what ties
        logs = np.log(np.maximum(below, np.finfo(float).tiny))
        wins = np.exp(logs.sum(axis=0) - logs)
        chances: Floats = self.metering.read(wins.ravel()).reshape(self.users, -1, self.steps)
        return chances

    def after_waiting(self, state: Floats) -> Floats:
        """T falls by one slot; at the end of the grid it stays."""
        moved: Floats = (1 - self.lost) * state
        moved[..., 1:] += self.lost * state[..., :-1]
        moved[..., -1] += self.lost * state[..., -1]
        return moved

    def after_winning(self, winners: Floats) -> Floats:
        """T takes the rate in: array [user, rate, step]."""
        moved: Floats = self.winning.laid(winners.ravel()).reshape(winners.shape)
        return moved


class _Spreading:
    """Lays masses [user, rate, step] on the two points of a grid about their places.

    Each user (and rate, if `rows_of` has axis 1) has a grid of its own, of `size` points.
    """

    def __init__(self, places: Floats, rows_of: tuple[int, ...], size: int) -> None:
        grids = int(np.prod([places.shape[axis] for axis in rows_of]))
        inside = np.clip(places, 0.0, size - 1 - 1e-9).ravel()
        below = np.floor(inside).astype(np.int64)
        self.lower = np.arange(inside.size) // (inside.size // grids) * size + below
        self.share = inside - below
        self.points = grids * size

    def laid(self, masses: Floats) -> Floats:
        """The masses on all points, grid after grid."""
        above = masses * self.share
        points: Floats = np.zeros(self.points)
        points += np.bincount(self.lower, masses - above, self.points)
        points += np.bincount(self.lower + 1, above, self.points)
        return points

    def read(self, values: Floats) -> Floats:
        """What stands on the points, at the places."""
        read: Floats = values[self.lower] * (1 - self.share) + values[self.lower + 1] * self.share
        return read


class _Walk:
    """Many copies of one user at once, drawn slot by slot."""

    def __init__(self, field: MeanField, user: int, carried: Integers, random: np.random.Generator) -> None:
        self.cell, self.carried, self.random = field.cell, carried, random
        self.top, self.step = field.log_averages[user, 0], field.log_averages[user, 0] - field.log_averages[user, 1]
        self.chances = field.chances[user]
        self.upto = np.cumsum(field.moves[user], axis=1)

    def until_sent(self, level: Integers, log_average: Floats, lacking: Integers) -> Integers:
        """Slots until each copy, which has just won at this level, has sent what it lacks."""
        kept = 1 - 1 / self.cell.time_constant_slots
        rates = np.concatenate([[0.0], self.cell.rates_bps]) / self.cell.time_constant_slots
        sizes = np.concatenate([[0], self.carried])
        average = kept * np.exp(log_average) + rates[level]
        ended: list[Integers] = []
        slot = 0
        while lacking.size:
            slot += 1
            level = (self.random.random((level.size, 1)) > self.upto[level]).sum(axis=1)
            won = self.random.random(level.size) < self._chance(level, average)
            average = kept * average + np.where(won, rates[level], 0.0)
            lacking = lacking - np.where(won, sizes[level], 0)
            waits = lacking > 0
            ended.append(np.full(np.count_nonzero(~waits), slot))
            level, average, lacking = level[waits], average[waits], lacking[waits]
        return np.concatenate(ended) if ended else np.zeros(0, dtype=np.int64)

    def _chance(self, level: Integers, average: Floats) -> Floats:
        """Of winning the slot, between the points of the grid; none without a rate."""
        place = np.clip((self.top - np.log(average)) / self.step, 0, self.chances.shape[1] - 1 - 1e-9)
        lower = place.astype(np.int64)
        of_rate = np.maximum(level - 1, 0)
        near = self.chances[of_rate, lower] * (1 - place + lower) + self.chances[of_rate, lower + 1] * (place - lower)
        return np.where(level > 0, near, 0.0)
