"""The users of a realization in four classes by mean SNR, from the cell's edge to its centre.

Left out: the measures by which classes are compared (see the parts).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airlink.campaign import CampaignResult

Floats = NDArray[np.float64]
QUARTERS = ("edge", "lower middle", "upper middle", "centre")
EDGE, CENTRE = 0, 3


def by_snr(campaign: CampaignResult, label: str, values: Floats) -> Floats:
    """Values of users, those with the lowest mean SNR first: array [seed, user] like `values`."""
    order = np.argsort(campaign.users(label, "mean_snr_db"), axis=1, kind="stable")
    return np.asarray(np.take_along_axis(values, order, axis=1))


def quarters(
    campaign: CampaignResult, label: str, values: Floats, of: Callable[..., Any] = np.mean
) -> NDArray[np.float64]:
    """One number for each class of a realization.

    Parameters
    ----------
    campaign, label : where the values are from.
    values : array [seed, user]; a column of flows fits, too, as each user has one flow.
    of : function that combines the users of a class: `np.mean` (default), `np.sum`, `np.nanmax`.

    Returns
    -------
    array [seed, class], classes as in `QUARTERS`.
    """
    ordered = by_snr(campaign, label, values)
    return np.stack([of(part, axis=1) for part in np.array_split(ordered, len(QUARTERS), axis=1)], axis=1)
