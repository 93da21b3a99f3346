"""Compiled code of one's own: what its C functions are handed, and how numba or a library gives them.

    void metric(const struct view *view, double *metrics)
    void control(int64_t kind, const struct event *event, double *state)
    int64_t queue(int64_t kind, const struct packet *packet, double *state)

`metrics` has users x subchannels numbers, user after user; `view->draw` is a number from 0 to below 1 that is drawn
anew for each slot. `state` of a control has 32 numbers, all 0 but five. The first four are cwnd and ssthresh in bytes,
a pacing rate in b/s (0: none) and the MSS in bytes, of which the first three are read after each event; the last is a
number from 0 to below 1 that is drawn anew for each event. `state` of a queue has 32 numbers, all 0 but the first two:
the most bytes that may wait or be in service beside the limits of `[queue]` (infinite at the start; read after each
event), and a number from 0 to below 1 that is drawn anew for each packet that comes or is to be sent. Of such a packet
the queue answers PASS, MARKED or DROP; its other answers count for nothing.
Draws are those, in order, of the stream 0 that `airlink.own.Run.stream` gives the same part in Python, and of its
stream 1 for packets that a queue is to send.
Compiled code holds no interpreter and so runs on all threads; nothing checks what it reads and writes.

With numba (an extra: `pip install numba`):

    from numba import cfunc
    from airlink.own import compiled

    rates, averages = compiled.column("rate_bps"), compiled.column("average_bps")

    @cfunc(compiled.metric_signature())
    def fair(view, metrics):
        rate, average = rates(view), averages(view)
        for user in range(rate.shape[0]):
            metrics[user] = rate[user, 0] / average[user]

Left out: queues of bottlenecks.
"""

from __future__ import annotations

import ctypes
import importlib
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from airlink.own.errors import OwnError

__all__ = [
    "ACK",
    "ARRIVAL",
    "DROP",
    "EMPTY",
    "EVENT",
    "HEAD",
    "IDLE",
    "LOSS",
    "LOST",
    "MARK",
    "MARKED",
    "PACKET",
    "PASS",
    "RECOVERED",
    "REFUSED",
    "RESTORED",
    "SENT",
    "START",
    "STATE_OF_FLOW",
    "STATE_OF_QUEUE",
    "STATE_OF_USER",
    "TIMEOUT",
    "VIEW",
    "WINDOW_SET",
    "Function",
    "column",
    "control_signature",
    "library_function",
    "metric_signature",
    "queue_signature",
]

VIEW = (
    ("slot", "int64"),
    ("now_s", "float64"),
    ("slot_s", "float64"),
    ("users", "int64"),
    ("subchannels", "int64"),
    ("rate_bps", "float32*"),
    ("reported_db", "float32*"),
    ("mean_snr_db", "float64*"),
    ("average_bps", "float64*"),
    ("head_of_line_delay_s", "float64*"),
    ("weight", "float64*"),
    ("delay_budget_s", "float64*"),
    ("eligible", "uint8*"),
    ("backlog_bytes", "uint64*"),
    ("retransmit_bytes", "uint64*"),
    ("last_won", "int64*"),
    ("state", "float64*"),
    ("draw", "float64"),
)
"""Fields of `struct view` in their order: `rate_bps` and `reported_db` have an element per user and subchannel, `state`
has 8 per user, which are the code's own and 0 at the start; the others have one per user (`airlink.own.View`). `draw`
is drawn anew for each slot."""

EVENT = (
    *((name, "float64") for name in (
        "now_s", "acked_bytes", "delivered_bytes", "marked_bytes", "acked_segments", "flight_bytes", "in_flight_bytes",
        "receiver_window_bytes", "bytes", "rtt_s", "newest_rtt_s", "smoothed_rtt_s", "delivery_rate_bps", "idle_s",
        "window_bytes", "slow_start_threshold_bytes",
    )),
    *((name, "uint8") for name in (
        "is_window_limited", "is_retransmission", "is_repeated", "may_raise", "is_validated",
    )),
)  # fmt: skip
"""Fields of `struct event` in their order: `airlink.own.Event`."""

PACKET = (
    *((name, "float64") for name in (
        "now_s", "bytes", "sent_s", "queued_s", "waiting_bytes", "waiting_packets", "in_service_bytes",
        "in_service_packets",
    )),
    ("flow", "int64"),
    ("user", "int64"),
    ("takes_marks", "uint8"),
    ("is_marked", "uint8"),
)  # fmt: skip
"""Fields of `struct packet` in their order: `airlink.own.Packet`. Events without a packet have the user alone; IDLE
also has the time."""

START, ACK, LOSS, MARK, RECOVERED, TIMEOUT, IDLE, WINDOW_SET, RESTORED, SENT, LOST = range(11)
"""Kinds of events, as the methods of `airlink.own.CongestionControl`; START comes once, before the others."""

ARRIVAL, HEAD, REFUSED, EMPTY = range(11, 15)
"""Kinds of events of a queue beside START and IDLE, as the methods of `airlink.own.QueueManagement`."""

PASS, MARKED, DROP = range(3)
"""What a queue may answer of a packet: it passes, gets a congestion mark, is dropped; any other number passes it."""

STATE_OF_USER, STATE_OF_FLOW, STATE_OF_QUEUE = 8, 32, 32


@dataclass(frozen=True)
class Function:
    """A function of a shared library.

    Attributes
    ----------
    path, name : of the library, and of the function in it.
    sha256 : of the library's bytes and the name.
    address : where it stands in this process.
    """

    path: str
    name: str
    sha256: str
    address: int

    def __reduce__(self) -> tuple[Any, ...]:
        return library_function, (self.path, self.name)


def library_function(path: str | Path, name: str) -> Function:
    """A function of a shared library, as a compiler of C or Rust makes it.

    Raises
    ------
    OwnError : there is no such library or function.
    """
    try:
        content = Path(path).read_bytes()
        function = getattr(ctypes.CDLL(str(Path(path).resolve())), name)
    except (OSError, AttributeError) as error:
        raise OwnError(f"{path}:{name} can't be loaded: {error}") from None
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    return Function(str(path), name, sha256(content + name.encode()).hexdigest(), address)


def metric_signature() -> Any:
    """The type of a metric for `numba.cfunc`: its view's columns are read with `column`."""
    types = _numba().types
    return types.void(types.CPointer(_record(VIEW)), types.CPointer(types.float64))


def control_signature() -> Any:
    """The type of a congestion control for `numba.cfunc`."""
    types = _numba().types
    return types.void(types.int64, types.CPointer(_record(EVENT)), types.CPointer(types.float64))


def queue_signature() -> Any:
    """The type of a queue's management for `numba.cfunc`."""
    types = _numba().types
    return types.int64(types.int64, types.CPointer(_record(PACKET)), types.CPointer(types.float64))


_SIGNATURES = {
    "scheduler": metric_signature,
    "congestion control": control_signature,
    "queue": queue_signature,
}


def check_signature(given: Any, role: str) -> None:
    """Raises OwnError for a numba cfunc that takes other arguments than a part of this role is handed."""
    signature = getattr(given, "_signature", None) or getattr(given, "_sig", None)
    if signature is None or not hasattr(signature, "return_type"):
        return
    types = _numba().types
    needed = _SIGNATURES[role]()

    def fits(found: Any, wanted: Any) -> bool:
        is_record = isinstance(wanted, types.CPointer) and isinstance(wanted.dtype, types.Record)
        is_any = found == types.voidptr or (isinstance(found, types.CPointer) and isinstance(found.dtype, types.Record))
        return is_any if is_record else found == wanted

    pairs = list(zip(signature.args, needed.args, strict=False))
    is_same = len(signature.args) == len(needed.args) and all(fits(*pair) for pair in pairs)
    if not is_same or signature.return_type != needed.return_type:
        name = _SIGNATURES[role].__name__
        raise OwnError(f"{role} is compiled for other arguments; it must be @cfunc(airlink.own.compiled.{name}())")


def column(name: str) -> Any:
    """A compiled function that gives a column of a view as an array: `column("rate_bps")(view)`.

    Returns
    -------
    For numba: of `view`, array [user, subchannel] for "rate_bps" and "reported_db" (float32), array [user, 8] for
    "state", array [user] for the others.
    """
    kinds = dict(VIEW)
    if not kinds.get(name, "").endswith("*"):
        columns = ", ".join(each for each, kind in VIEW if kind.endswith("*"))
        raise OwnError(f"there is no column {name!r}; there are {columns}")
    return _column(name, kinds[name].rstrip("*"), name in ("rate_bps", "reported_db"), name == "state")


@cache
def _column(name: str, kind: str, is_by_subchannel: bool, is_state: bool) -> Any:
    numba = _numba()
    pointer = _pointer_to(kind)
    width = STATE_OF_USER

    # numba reads a field by its name in the source, so each column has its own.
    text = f"def address(view):\n    return carray(view, 1)[0].{name}\n"
    made: dict[str, Any] = {"carray": numba.carray}
    exec(text, made)
    address, carray = numba.njit(made["address"]), numba.carray
    if is_by_subchannel:

        def read(view: Any) -> Any:
            sizes = carray(view, 1)[0]
            return carray(pointer(address(view)), (sizes.users, sizes.subchannels))

    elif is_state:

        def read(view: Any) -> Any:
            return carray(pointer(address(view)), (carray(view, 1)[0].users, width))

    else:

        def read(view: Any) -> Any:
            return carray(pointer(address(view)), (carray(view, 1)[0].users,))

    # A hash of the code that reads it tells the columns apart by this.
    read.__qualname__ = f"column.{name}"
    return numba.njit(read)


@cache
def _pointer_to(kind: str) -> Any:
    """A compiled function that takes an address for a pointer to numbers of this kind."""
    numba = _numba()
    extending: Any = importlib.import_module("numba.extending")
    target = numba.types.CPointer(getattr(numba.types, kind))

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def pointer(typing_context: Any, address: Any) -> Any:  # noqa: ARG001 - numba's signature
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            return builder.inttoptr(arguments[0], context.get_value_type(target))

        return target(numba.types.int64), code

    return pointer


def _record(fields: tuple[tuple[str, str], ...]) -> Any:
    types = _numba().types
    return types.Record.make_c_struct(
        [(name, types.int64 if kind.endswith("*") else getattr(types, kind)) for name, kind in fields]
    )


def _numba() -> Any:
    try:
        return importlib.import_module("numba")
    except ImportError:
        raise OwnError("numba is not installed; pip install 'airlink[numba]'") from None
