//! What a capture says about a packet beyond its bytes: words `key=value`, a space between two.
//!
//! | where | words |
//! | --- | --- |
//! | wherever a data packet is seen | `flow`, `packet`: its number among all that the flow sent |
//! | queue | `queue_packets`, `queue_bytes`: what waits, this one included |
//! | user, behind a cell | `slot` that carried its last part, `attempts`, `queue_ms`: from the queue to the user |
//! | drops, refused ones at the queue | `dropped`: the reason; `at`: wire, queue, air or uplink; on air `slot` and `attempts` |

use airlink_model::types::{Bytes, DropReason, Duration, Slot};

use super::draft::Draft;

/// The words for a packet wherever it is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    bytes: [u8; MOST_NAME],
    length: u8,
}

/// Two keys, and two numbers of 20 digits at most.
const MOST_NAME: usize = 56;

impl Name {
    pub(super) const NONE: Self = Self { bytes: [0; MOST_NAME], length: 0 };

    /// That of a flow's packet.
    #[inline]
    pub(super) fn new(flow: usize, packet: u64) -> Self {
        let mut name = Self::NONE;
        let mut out = Draft::new(&mut name.bytes);
        number(&mut out, b"flow=", flow as u64);
        number(&mut out, b" packet=", packet);
        name.length = out.len() as u8;
        name
    }
}

/// The comment on a packet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Remark<'a> {
    /// None.
    Nothing,
    /// A handshake that the scenario leaves out.
    MadeUp,
    /// A data packet, and what happens to it here.
    Data { name: &'a Name, event: Event },
    /// An ACK was lost on its wire.
    AckLost { flow: usize, reason: DropReason },
}

/// What happens to a data packet where it is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Event {
    /// It passes.
    Passes,
    /// It entered a queue, which now holds so much.
    Queued { packets: u64, bytes: Bytes },
    /// It arrived over the air.
    Carried { slot: Slot, attempts: u32, queueing: Duration },
    /// It was lost over the air.
    LostOnAir { slot: Slot, attempts: u32, reason: DropReason },
    /// It was lost elsewhere.
    Lost { place: Place, reason: DropReason },
}

/// Where a packet can be lost besides on air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Wire,
    Queue,
    Uplink,
}

impl Remark<'_> {
    /// Writes the words.
    #[inline]
    pub(super) fn put(&self, out: &mut Draft<'_>) {
        match *self {
            Self::Nothing => {}
            Self::MadeUp => out.put(b"not simulated: tells readers the options of this connection"),
            Self::Data { name, event } => {
                out.put_first(&name.bytes, name.length.into());
                event.put(out);
            }
            Self::AckLost { flow, reason } => {
                number(out, b"flow=", flow as u64);
                lost(out, reason, b"uplink");
            }
        }
    }
}

impl Event {
    #[inline]
    fn put(&self, out: &mut Draft<'_>) {
        match *self {
            Self::Passes => {}
            Self::Queued { packets, bytes } => {
                number(out, b" queue_packets=", packets);
                number(out, b" queue_bytes=", bytes.count());
            }
            Self::Carried { slot, attempts, queueing } => {
                number(out, b" slot=", slot.number());
                number(out, b" attempts=", attempts.into());
                milliseconds(out, b" queue_ms=", queueing);
            }
            Self::LostOnAir { slot, attempts, reason } => {
                lost(out, reason, b"air");
                number(out, b" slot=", slot.number());
                number(out, b" attempts=", attempts.into());
            }
            Self::Lost { place: Place::Wire, reason } => lost(out, reason, b"wire"),
            Self::Lost { place: Place::Queue, reason } => lost(out, reason, b"queue"),
            Self::Lost { place: Place::Uplink, reason } => lost(out, reason, b"uplink"),
        }
    }
}

fn lost(out: &mut Draft<'_>, reason: DropReason, place: &[u8]) {
    out.put(b" dropped=");
    out.put_slice(reason.name().as_bytes());
    out.put(b" at=");
    out.put_slice(place);
}

/// Microseconds are enough to tell one packet's wait from another's; what is beyond them is cut off.
fn milliseconds<const N: usize>(out: &mut Draft<'_>, key: &[u8; N], duration: Duration) {
    let microseconds = duration.as_nanos() / 1000;
    number(out, key, microseconds / 1000);
    let rest = (microseconds % 1000) as u16;
    out.put(&[b'.', digit(rest / 100), digit(rest / 10), digit(rest)]);
}

/// A key and a whole number.
#[inline]
fn number<const N: usize>(out: &mut Draft<'_>, key: &[u8; N], value: u64) {
    out.put(key);
    out.put_number(value);
}

const fn digit(value: u16) -> u8 {
    b'0' + (value % 10) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(remark: Remark<'_>) -> String {
        let mut bytes = [0; 512];
        let mut out = Draft::new(&mut bytes);
        remark.put(&mut out);
        String::from_utf8(out.bytes().to_vec()).expect("words are ASCII")
    }

    #[test]
    fn words_are_keys_and_values() {
        let data = |event| text(Remark::Data { name: &Name::new(3, 172), event });
        assert_eq!(data(Event::Passes), "flow=3 packet=172");
        let queued = Event::Queued { packets: 12, bytes: Bytes::new(18_000) };
        assert_eq!(data(queued), "flow=3 packet=172 queue_packets=12 queue_bytes=18000");
        let queueing = Duration::from_nanos(41_070_999);
        let carried = Event::Carried { slot: Slot::new(1234), attempts: 2, queueing };
        assert_eq!(data(carried), "flow=3 packet=172 slot=1234 attempts=2 queue_ms=41.070");
        let on_air = Event::LostOnAir { slot: Slot::new(0), attempts: 4, reason: DropReason::RetryLimit };
        assert_eq!(data(on_air), "flow=3 packet=172 dropped=retry_limit at=air slot=0 attempts=4");
        let refused = Event::Lost { place: Place::Queue, reason: DropReason::QueueFull };
        assert_eq!(data(refused), "flow=3 packet=172 dropped=queue_full at=queue");
        let ack = Remark::AckLost { flow: 0, reason: DropReason::Outage };
        assert_eq!(text(ack), "flow=0 dropped=outage at=uplink");
        assert_eq!(text(Remark::Nothing), "");
        let longest = Remark::Data { name: &Name::new(usize::MAX, u64::MAX), event: Event::Passes };
        assert_eq!(text(longest), format!("flow={} packet={}", usize::MAX, u64::MAX));
    }
}
