//! What compiled code hears of, as numbers.

/// Kinds of events, of flows and of queues, as `airlink.own.compiled` names them.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Start,
    Ack,
    Loss,
    Mark,
    Recovered,
    Timeout,
    Idle,
    WindowSet,
    Restored,
    Sent,
    Lost,
    Arrival,
    Head,
    Refused,
    Empty,
}
