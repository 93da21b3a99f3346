r"""The queue behind TCP-PF: M/G/1 with batch arrivals, whose server takes a vacation after every segment.

Packets of K segments arrive by a Poisson process; a segment takes a slot X, then the scheduler serves others for a
vacation V. All times in one unit (s or slots) of the caller's choice.

Left out: that packets of TCP do not come by Poisson's law, that a backlogged queue is not in steady state, and
correlation between vacations (fading).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Moments:
    """First two moments of a random time.

    Attributes
    ----------
    mean : E X, > 0, any unit of time.
    square : E X^2, that unit squared, >= mean^2.
    """

    mean: float
    square: float

    def __post_init__(self) -> None:
        # A constant has square == mean^2; its two sides may differ by rounding.
        if self.mean <= 0 or self.square < self.mean * self.mean * (1 - 1e-12):
            raise ValueError(f"no random time has mean {self.mean} and mean square {self.square}")


def utilisation(
    packets_per_time: float, segments_per_packet: float, service_mean: float, vacation_mean: float
) -> float:
    r"""Share of time that is not idle: a segment holds the server for its service and the vacation behind it.

    .. math:: \rho = \lambda_p\, E K\, (EX + EV)

    Parameters
    ----------
    packets_per_time : :math:`\lambda_p`, packets per unit of time, >= 0.
    segments_per_packet : E K, >= 1.
    service_mean, vacation_mean : E X, E V, >= 0.

    Returns
    -------
    float; the queue has a steady state below 1.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Klein04] below eq. (7).

    Examples
    --------
    >>> utilisation(0.01, 2.0, 1.0, 20.0)
    0.42
    """
    if packets_per_time < 0 or segments_per_packet < 1 or service_mean < 0 or vacation_mean < 0:
        raise ValueError("rates and times must be >= 0, segments_per_packet at least 1")
    return packets_per_time * segments_per_packet * (service_mean + vacation_mean)


def residual_time(cycle: Moments, vacation: Moments, load: float) -> float:
    r"""Mean time until the server is free for an arriving packet.

    .. math:: S = \frac{\rho}{2} \frac{E(X+V)^2}{EX + EV} + \frac{1-\rho}{2} \frac{E V^2}{E V}

    Parameters
    ----------
    cycle : moments of X + V.
    vacation : moments of V.
    load : utilisation :math:`\rho = \lambda_p E K (EX + EV)`, 0..1.

    Returns
    -------
    float, the unit of the moments.

    Raises
    ------
    ValueError : load outside 0..1.

    References
    ----------
    [Klein04] eq. (7); [Bertsekas92] sec. 3.5.

    Examples
    --------
    >>> residual_time(Moments(21.0, 441.0), Moments(20.0, 400.0), load=0.5)
    10.25
    """
    if not 0 <= load <= 1:
        raise ValueError(f"load is {load}; it must lie in 0..1")
    return load / 2 * cycle.square / cycle.mean + (1 - load) / 2 * vacation.square / vacation.mean


def equal_users_residual_time(vacation: Moments, users: int, load: float) -> float:
    r"""`residual_time` in a cell of M equal users: eq. (8) put into eq. (7).

    .. math:: S = \frac{\rho}{2} \frac{E V^2 + \frac{(EV)^2}{M-1}}{EV} + \frac{1-\rho}{2} \frac{E V^2}{EV}

    Parameters
    ----------
    vacation : moments of V.
    users : M, >= 2.
    load : utilisation :math:`\rho`, 0..1.

    Returns
    -------
    float, the unit of the moments.

    Raises
    ------
    ValueError : users below 2, load outside 0..1.

    References
    ----------
    [Klein04] eq. (9), with (EV)^2 in the inner term as in `cycle_second_moment`.

    Examples
    --------
    >>> equal_users_residual_time(Moments(20.0, 400.0), users=21, load=0.5)
    10.25
    """
    square = cycle_second_moment(vacation, users)
    return residual_time(Moments(vacation.mean * users / (users - 1), square), vacation, load)


def cycle_second_moment(vacation: Moments, users: int) -> float:
    r"""Second moment of X + V when a vacation is the sum of the M - 1 other users' independent services.

    .. math:: E(X+V)^2 = \frac{M}{M-1} \Big[ E V^2 + \frac{(EV)^2}{M-1} \Big]

    The paper prints the same overline on both inner terms; only (EV)^2 in the second gives the sum of M services.

    Parameters
    ----------
    vacation : moments of V.
    users : M, >= 2.

    Returns
    -------
    float, the square of the moments' unit.

    Raises
    ------
    ValueError : users below 2.

    References
    ----------
    [Klein04] eq. (8).

    Examples
    --------
    >>> cycle_second_moment(Moments(20.0, 400.0), users=21)
    441.0
    """
    if users < 2:
        raise ValueError(f"users is {users}; a vacation needs at least 2")
    others = users - 1
    return users / others * (vacation.square + vacation.mean**2 / others)


def large_cell_residual_time(vacation: Moments) -> float:
    r"""The residual time in a cell of many users, the form that TCP-PF measures.

    .. math:: S \simeq \frac{E V^2}{2\, E V}

    Parameters
    ----------
    vacation : moments of V.

    Returns
    -------
    float, the unit of the moments.

    References
    ----------
    [Klein04] eq. (10).

    Examples
    --------
    >>> large_cell_residual_time(Moments(20.0, 800.0))
    20.0
    """
    return vacation.square / (2 * vacation.mean)


def segments_waiting(
    residual: float, load: float, segments: Moments, service_mean: float, vacation_mean: float
) -> float:
    r"""N_s: mean number of segments that wait, their service not begun, in the steady state.

    .. math::
        N_s = \frac{\rho}{1 - \rho} \Big[ \frac{S}{EX + EV} + \frac{E K(K-1)}{2\, E K} \Big]

    The paper leaves N_s to the base station, which measures it as Q/A; this is what its queue has. A segment waits for
    S, for those before it and for the earlier ones of its own packet; Little's law closes the circle.

    Parameters
    ----------
    residual : S, from `residual_time`.
    load : utilisation :math:`\rho`, from `utilisation`, 0 <= load < 1.
    segments : moments of K, the segments of a packet.
    service_mean, vacation_mean : E X, E V, the unit of S.

    Returns
    -------
    float, segments.

    Raises
    ------
    ValueError : load outside its range: the queue has no steady state.

    References
    ----------
    [Bertsekas92] sec. 3.5; [Takagi91].

    Examples
    --------
    >>> round(segments_waiting(10.25, 0.5, Moments(2.0, 4.0), 1.0, 20.0), 3)
    0.988
    """
    if not 0 <= load < 1:
        raise ValueError(f"load is {load}; it must be at least 0 and below 1")
    before_in_packet = (segments.square / segments.mean - 1) / 2
    return load / (1 - load) * (residual / (service_mean + vacation_mean) + before_in_packet)


def measured_system_time(vacation: Moments, queue_bits: float, rate_bps: float) -> float:
    r"""What TCP-PF takes for a packet's time in the system: the bracket of its metric.

    .. math:: T_p \simeq \frac{E V^2}{2\, E V} + \frac Q A

    Eq. (5) in a large cell: N_s (EX + EV) is measured as Q/A; the rest of the packet and the service are left away.

    Parameters
    ----------
    vacation : moments of V, s.
    queue_bits : mean queue Q, bits, >= 0.
    rate_bps : mean rate A, b/s, > 0.

    Returns
    -------
    float, s.

    Raises
    ------
    ValueError : a value outside its range.

    References
    ----------
    [Klein04] eq. (11).

    Examples
    --------
    >>> measured_system_time(Moments(0.1, 0.02), queue_bits=8000, rate_bps=80_000)
    0.2
    """
    if queue_bits < 0 or rate_bps <= 0:
        raise ValueError(f"queue_bits {queue_bits} must be >= 0, rate_bps {rate_bps} above 0")
    return large_cell_residual_time(vacation) + queue_bits / rate_bps


def packet_system_time(
    residual: float, waiting: float, segments_per_packet: float, service_mean: float, vacation_mean: float
) -> float:
    r"""Mean time of a packet from its arrival to the end of its last segment.

    .. math:: T_p = S + N_s (EX + EV) + (EK - 1)(EX + EV) + EX

    Parameters
    ----------
    residual : S, from `residual_time`.
    waiting : N_s, mean number of segments found waiting, from `segments_waiting` or measured.
    segments_per_packet : E K, >= 1.
    service_mean, vacation_mean : E X, E V, the unit of S.

    Returns
    -------
    float, the unit of S.

    References
    ----------
    [Klein04] eqs (4)-(5).

    Examples
    --------
    >>> packet_system_time(10.0, 3.0, 2.0, 1.0, 20.0)
    95.0
    """
    cycle = service_mean + vacation_mean
    return residual + (waiting + segments_per_packet - 1) * cycle + service_mean
