"""Which way a column is better, as far as anybody knows.

More goodput and fairness, less delay, loss and waste are better. Of the rest (how many packets, which SNR, what was put
on air) a change is neither.
"""

from __future__ import annotations

import re
from typing import Literal

Better = Literal["higher", "lower", ""]

_HIGHER = re.compile(
    r"(cell_edge_)?goodput_(bps|bytes)|goodput_up_(bps|bytes)|(delivered|granted)_(bps|bytes)|jain_index(_up)?|mean_log10_goodput_kBps"
    r"|min_max_resource_share"
)

_LOWER = re.compile(
    r"(hol_delay|queueing_delay|datagram_delay|burst_delay|rtt|gap)_(?!count).*"
    r"|datagrams_lost|datagram_loss_rate|deadline_miss(es|_rate)|ce_lost|(retransmissions|timeouts)_up"
    r"|drops_.*|(downlink|uplink)_(wire_loss|outage)|uplink_(queue_full|aqm)|upstream_(queue_(full|mean_bytes)|aqm)"
    r"|frame_errors|first_frame_errors|frames_repeated|frames_given_up|slots_wasted|report_error_mean_db"
    r"|timeouts|spurious_timeouts|initial_timeouts.*|fast_retransmits|(sack_)?retransmissions|time_rto_s"
    r"|completion_s|download_.*|downloads_(unfinished|pending_.*)|time_s|share_unfinished"
)


def better(column: str, aggregate: str) -> Better:
    """The better direction of a column; empty where nobody knows.

    Parameters
    ----------
    column : its name.
    aggregate : what is made of its values: "" of one value, "mean", "p95", "jain", ...

    Examples
    --------
    >>> better("goodput_bps", "mean"), better("queueing_delay_p95_s", ""), better("packets_in", "sum")
    ('higher', 'lower', '')
    """
    if aggregate == "jain":
        return "higher"
    if aggregate == "sd":
        return ""
    if _HIGHER.fullmatch(column):
        return "higher"
    return "lower" if _LOWER.fullmatch(column) else ""
