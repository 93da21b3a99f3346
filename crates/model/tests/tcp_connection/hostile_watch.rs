//! What every sender keeps to on a hostile network, whatever its rules: the fates of packets, and who looks at each.

use airlink_model::transport::{Segment, Sender, Tcp};
use airlink_model::types::{Bytes, Time};
use proptest::prelude::*;

use super::wire::{Fate, MSS, Observer, milliseconds};

/// Plays the fates it was given, then delivers everything; knows how far the receiver ever let the sender go.
pub struct Watch {
    data_fates: std::vec::IntoIter<Fate>,
    ack_fates: std::vec::IntoIter<Fate>,
    supplied: u64,
    edge: u64,
    acknowledged: u64,
    sent_now: u32,
    latest: Time,
}

impl Watch {
    pub fn new(config: &Tcp, supplied: u64, data_fates: Vec<Fate>, ack_fates: Vec<Fate>) -> Self {
        Self {
            data_fates: data_fates.into_iter(),
            ack_fates: ack_fates.into_iter(),
            supplied,
            edge: config.receiver_window.count(),
            acknowledged: 0,
            sent_now: 0,
            latest: Time::ZERO,
        }
    }
}

impl Observer for Watch {
    fn fate_of_data(&mut self, _segment: &Segment) -> Fate {
        self.data_fates.next().unwrap_or(Fate::Deliver)
    }

    fn fate_of_ack(&mut self, _ack: &Segment) -> Fate {
        self.ack_fates.next().unwrap_or(Fate::Deliver)
    }

    fn on_sent(&mut self, now: Time, segment: &Segment, sender: &Sender) {
        assert!(u64::from(segment.length) <= MSS);
        let is_empty = segment.flags.syn() || sender.statistics().window_probes > 0;
        assert!(segment.length > 0 || is_empty, "only what opens and what probes a window is empty");
        assert!(
            segment.length == 0 || segment.sequence >= self.acknowledged,
            "what is acknowledged is never sent again"
        );
        assert!(segment.end() <= self.supplied, "only what was supplied is sent");
        assert!(segment.end() <= self.edge, "nothing beyond the receiver's window");
        assert!(sender.poll_timeout().is_some_and(|timer| timer >= now), "with something out the timer runs");
        assert!(sender.cwnd() >= MSS as f64);
        self.sent_now = if now == self.latest { self.sent_now + 1 } else { 1 };
        self.latest = now;
        assert!(self.sent_now < 1000, "a moment comes to its end");
    }

    fn on_ack(&mut self, _now: Time, ack: &Segment, sender: &mut Sender) {
        self.acknowledged = self.acknowledged.max(ack.number);
        self.edge = self.edge.max(ack.number + ack.window.count());
        assert_eq!(sender.acknowledged(), Bytes::new(self.acknowledged));
    }
}

/// Mostly delivered.
pub fn fate() -> impl Strategy<Value = Fate> {
    let span = (0..400_u64).prop_map(milliseconds);
    prop_oneof![
        8 => Just(Fate::Deliver),
        2 => Just(Fate::Drop),
        1 => span.clone().prop_map(Fate::Duplicate),
        2 => span.prop_map(Fate::Delay),
    ]
}
