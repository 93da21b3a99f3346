r"""When K equal users are done who each have one packet, if each slot goes to the user that can send most in it.

[Choi05] serves one packet after the other (`TransmissionDelay`) and says that under real proportional fair "every user
has a similar finish time with the last user", at better rates. This is that case as far as it goes in closed form:
rates are exponential with mean m and new in every slot, the averages of PF are equal, so the largest of the k rates
that still compete is sent. It has the mean :math:`m H_k`, and whose it is is a draw. With r(b) the mean number of users
that lack b bytes more,

.. math::
    k = \sum_{b > 0} r(b), \quad
    r_{n+1}(b) = r_n(b) + \frac{1 - p}{\max(k, 1)} \Big[ \sum_j f_k(j)\, r_n(b + j) - r_n(b) \Big], \quad
    F_k(x) = (1 - e^{-x/m})^k

where k is taken for its mean: exact as K grows, for K = 5 within a few percent. Below one user k is the probability
that one is left. The last user is done after all slots that anybody needs, :math:`\sum_n \min(k_n, 1)`.

Left out: the averages of PF (they hold back who was served: the first are done later, the last no later), fading that
lasts (the last are done much later: they wait for their channel), users that differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

STEPS = 1000  # pieces into which a packet is cut
NOBODY = 1e-6  # users left, on the mean, that are none


@dataclass(frozen=True)
class FinishTimes:
    """How many users have not got their packet yet.

    Attributes
    ----------
    remaining : array [slot], mean number of users that lack bytes when slot n = 0, 1, ... begins.
    """

    remaining: Floats

    def first(self) -> float:
        r"""Mean slots until the first user is done: :math:`\sum_n (k_n / K)^K`, users taken for independent."""
        return float(np.sum((self.remaining / self.remaining[0]) ** self.remaining[0]))

    def mean(self) -> float:
        r"""Mean slots until a user is done: :math:`\sum_n k_n / K`."""
        return float(self.remaining.sum() / self.remaining[0])

    def last(self) -> float:
        r"""Mean slots until the last user is done: :math:`\sum_n \min(k_n, 1)`."""
        return float(np.minimum(self.remaining, 1.0).sum())

    def done(self, slots: ArrayLike) -> Floats:
        """Share of users that are done within so many slots: array of the shape of `slots`."""
        at = np.clip(np.asarray(slots, dtype=float), 0, self.remaining.size - 1)
        return np.asarray(1 - self.remaining[np.floor(at).astype(int)] / self.remaining[0])

    def within(self, share: float) -> int:
        """The fewest slots within which this share of the users, 0 < share < 1, is done."""
        if not 0 < share < 1:
            raise ValueError(f"share is {share}; it must lie between 0 and 1")
        return int(np.argmax(self.remaining <= (1 - share) * self.remaining[0]))


def finish_times(
    packet_bytes: float, slot_bytes: float, users: int, error_probability: float = 0.0, steps: int = STEPS
) -> FinishTimes:
    r"""Slots in which K equal users get a packet each, the largest rate of each slot being sent.

    Parameters
    ----------
    packet_bytes : T, > 0.
    slot_bytes : m, mean bytes of a slot of one user, > 0.
    users : K, >= 1.
    error_probability : p, 0 <= p < 1, default 0: what a slot sends is lost, whatever its rate.
    steps : pieces into which the packet is cut, default 1000.

    Returns
    -------
    FinishTimes.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Choi05] sec. 4.2 for the question; [Viswanath02] sec. II for the largest of k.

    Examples
    --------
    The paper's 50 users: 800 slots one after the other, 219 when each slot goes to the best; half are done after 152.

    >>> times = finish_times(1500, 100, users=50)
    >>> round(times.last()), times.within(0.5), round(times.first())
    (219, 152, 38)
    """
    sized = 0 < packet_bytes < np.inf and 0 < slot_bytes < np.inf
    if not sized or users < 1 or steps < 1 or not 0 <= error_probability < 1:
        raise ValueError(
            f"packet_bytes {packet_bytes} and slot_bytes {slot_bytes} must be above 0 and finite, users {users} and "
            f"steps {steps} at least 1, error_probability {error_probability} at least 0 and below 1"
        )
    # What an exponential of mean m is below at the middle of each step, so that rounding to whole steps is fair.
    alone = -np.expm1(-(np.arange(steps) + 0.5) * packet_bytes / steps / slot_bytes)
    lacking = np.zeros(steps)  # [step], users that lack `steps` - step pieces
    lacking[0] = users
    remaining = [float(users)]
    while remaining[-1] > NOBODY:
        competing = max(remaining[-1], 1.0)
        sent = np.diff(alone**competing, prepend=0.0)
        served = np.fft.irfft(np.fft.rfft(lacking, 2 * steps) * np.fft.rfft(sent, 2 * steps), 2 * steps)[:steps]
        lacking = np.maximum(lacking + (1 - error_probability) / competing * (served - lacking), 0.0)
        remaining.append(float(lacking.sum()))
    return FinishTimes(np.array(remaining))
