//! A wired bottleneck as flows meet it: its records, and a queue and wire whose packets carry a price, if any.

use std::collections::BTreeSet;

use airlink_model::path::{Bottleneck, Sent};
use airlink_model::probe::Probe;
use airlink_model::queue::{Price, PriceConfig};
use airlink_model::types::{Bytes, Dropped, Packet, Time};

use crate::flow::Payload;
use crate::record::{Doubled, Recorder};
use crate::stamps::{Key, Stamps};

/// A bottleneck in the cell's place.
#[derive(Clone)]
pub(crate) struct Wired(PricedQueue);

impl Wired {
    pub(crate) fn new(queue: PricedQueue) -> Self {
        Self(queue)
    }

    /// Packets and bytes in the queue or on the wire.
    pub(crate) fn held(&self) -> (u64, Bytes) {
        self.0.bottleneck.held()
    }

    pub(crate) fn poll_timeout(&self) -> Time {
        self.0.poll_timeout()
    }

    /// Takes a packet in, and tells whether its wire will double it; or gives it back.
    pub(crate) fn push(
        &mut self,
        now: Time,
        packet: Packet<Payload>,
        recorder: &mut Recorder,
    ) -> Result<bool, Dropped<Payload>> {
        self.record_sent(now, recorder);
        let (packets, bytes) = self.0.bottleneck.waiting();
        // Written down before it is known whether there is room: the packet itself is gone afterwards.
        let room = self.0.bottleneck.has_room(now, packet.bytes);
        if room {
            recorder.on_queued(now, &packet, packets + 1, bytes + packet.bytes);
        }
        let (id, flow, user, size) = (packet.id, packet.flow, packet.user, packet.bytes);
        let taken = self.0.push(now, packet);
        if taken.is_ok() {
            recorder.on_held(now, flow, self.0.bottleneck.held_until());
        }
        match &taken {
            Ok(true) => recorder.on_doubled(&Doubled { id, flow, user, bytes: size }),
            Ok(false) => {}
            Err(dropped) => recorder.on_refused(now, &dropped.packet, dropped.reason),
        }
        taken
    }

    /// Writes down what has left the queue by `now`, in order and with the right times.
    pub(crate) fn record_sent(&mut self, now: Time, recorder: &mut Recorder) {
        while let Some(sent) = self.0.pop_sent(now) {
            let (packets, bytes) = self.0.bottleneck.waiting();
            if recorder.wants_prices()
                && let Some(prices) = &self.0.prices
            {
                recorder.on_price(&prices.price.told(sent.at, (sent.user, sent.flow), prices.told));
            }
            recorder.on_sent(&sent, packets, bytes);
        }
    }

    /// The next packet that was lost on the wire by `now`.
    pub(crate) fn poll_lost(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let lost = self.0.bottleneck.poll_lost(now)?;
        if let Some(prices) = &mut self.0.prices {
            prices.take(&lost.item);
        }
        recorder.on_lost(lost.at, &lost.item, lost.reason);
        Some(lost.item)
    }

    /// The next packet that comes out of the wire by `now`.
    #[inline]
    pub(crate) fn poll_packet(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let packet = self.0.poll_packet(now)?;
        recorder.on_delivered(now, &packet);
        Some(packet)
    }
}

/// A bottleneck's queue and wire, and the price that its packets carry beside those of queues before it, if any.
#[derive(Clone)]
pub(crate) struct PricedQueue {
    bottleneck: Bottleneck<Payload>,
    prices: Option<Prices>,
}

impl PricedQueue {
    pub(crate) fn new(bottleneck: Bottleneck<Payload>, price: &PriceConfig) -> Self {
        Self { bottleneck, prices: Price::new(price).map(Prices::new) }
    }

    pub(crate) fn poll_timeout(&self) -> Time {
        self.bottleneck.poll_timeout().unwrap_or(Time::NEVER)
    }

    /// Packets and bytes that wait or are being sent.
    pub(crate) fn waiting(&self) -> (u64, Bytes) {
        self.bottleneck.waiting()
    }

    /// Until when the packet taken in last waits or is sent.
    pub(crate) fn held_until(&self) -> Time {
        self.bottleneck.held_until()
    }

    /// Takes a packet in, and tells whether its wire will double it; or gives it back. [`Self::pop_sent`] has told of all that
    /// left before.
    pub(crate) fn push(&mut self, now: Time, packet: Packet<Payload>) -> Result<bool, Dropped<Payload>> {
        let bytes = self.bottleneck.waiting().1 + packet.bytes;
        let key = (packet.flow, packet.id);
        let taken = self.bottleneck.push(now, packet);
        if let (Ok(twice), Some(prices)) = (&taken, &mut self.prices) {
            prices.on_arrival(now, bytes, key, *twice);
        }
        taken
    }

    /// The next packet that left the queue by `now`.
    pub(crate) fn pop_sent(&mut self, now: Time) -> Option<Sent> {
        let sent = self.bottleneck.pop_sent(now)?;
        if let Some(prices) = &mut self.prices {
            prices.on_sent(&sent);
        }
        Some(sent)
    }

    /// The next packet that comes out of the wire by `now`.
    #[inline]
    pub(crate) fn poll_packet(&mut self, now: Time) -> Option<Packet<Payload>> {
        let mut packet = self.bottleneck.poll_packet(now)?;
        if let Some(prices) = &mut self.prices {
            packet.price += prices.take(&packet);
        }
        Some(packet)
    }
}

/// The price of the queue, and that of each packet when it left.
#[derive(Clone)]
struct Prices {
    price: Price,
    /// When the last packet left.
    left_at: Time,
    /// What it was told.
    told: f32,
    stamps: Stamps,
    /// Packets in the queue that the wire will double.
    doubled: BTreeSet<Key>,
}

impl Prices {
    fn new(price: Price) -> Self {
        let (stamps, doubled) = (Stamps::default(), BTreeSet::new());
        Self { price, left_at: Time::ZERO, told: 0.0, stamps, doubled }
    }

    fn on_arrival(&mut self, now: Time, queue: Bytes, packet: Key, twice: bool) {
        self.price.on_arrival(now, packet.0, queue);
        if twice {
            self.doubled.insert(packet);
        }
    }

    fn on_sent(&mut self, sent: &Sent) {
        if sent.queued_at >= self.left_at {
            self.price.on_busy(sent.queued_at);
        }
        self.price.on_departure(sent.at, sent.queued_at, sent.bytes);
        self.left_at = sent.at;
        let packet = (sent.flow, sent.id);
        let copies = 1 + i32::from(self.doubled.remove(&packet));
        self.told = self.stamps.leave(packet, copies, self.price.per_rate());
    }

    /// The price of one that comes out of the wire.
    fn take(&mut self, packet: &Packet<Payload>) -> f32 {
        self.stamps.take((packet.flow, packet.id), self.price.per_rate())
    }
}
