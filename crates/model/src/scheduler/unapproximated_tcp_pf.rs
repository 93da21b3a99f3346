//! TCP-PF without the approximations (8) to (11), a control: M\[n\] = (R\[n\] / A\[n-1\]) T_p, [Klein04] eqs (5) to (7).
//!
//! T_p = S + N_s (X + V) + (K - 1)(X + V) + X (5), S = rho E(X+V)^2 / (2 E(X+V)) + (1 - rho) E V^2 / (2 E V) (7), with
//! - X one slot, X + V the trial gap and V that gap less one slot (eqs 16 to 18 for both);
//! - a segment = what one selection carried: the mean, smoothed with alpha, over selections that carried anything;
//! - K = packet bytes per segment, at least 1, and N_s = Q per segment, Q of eq. (12);
//! - rho = lambda_p K (X + V), clipped to \[0, 1\], lambda_p the arrivals per slot, smoothed like A.
//!
//! S is in the vacation unit and the rest in seconds, so the literal mix of units can be compared with eq. (19)'s.
//! No base station knows packets and their arrivals as seen here. What this leaves out: the correlation of gaps.

use super::gap_moments::slot_number;
use super::{
    AveragedRate, Contest, GapMoments, Metric, SlotOutcome, SlotView, SmoothedQueue, TcpPfConfig, Terms, VacationUnit,
};
use crate::types::Slot;

/// The metric of the unapproximated control.
#[derive(Clone, Debug)]
pub struct UnapproximatedTcpPf {
    average: AveragedRate,
    queue: SmoothedQueue,
    gaps: GapMoments,
    vacations: GapMoments,
    vacation_unit: VacationUnit,
    terms: Terms,
    arrivals: Arrivals,
    segments: Segments,
}

/// Smoothed packet arrivals and the mean packet.
#[derive(Clone, Debug)]
struct Arrivals {
    weight: f64,
    per_slot: Vec<f64>,
    seen_packets: Vec<u64>,
    packet_bits: Vec<f64>,
}

/// Smoothed bits per selection.
#[derive(Clone, Debug)]
struct Segments {
    weight: f64,
    initial_slots: f64,
    initial_bps: f64,
    bits: Vec<Option<f64>>,
}

impl UnapproximatedTcpPf {
    /// The metric of `users` users before the first slot.
    pub fn new(config: TcpPfConfig, users: usize) -> Self {
        let weight = 1.0 / config.average.time_constant_slots;
        Self {
            average: AveragedRate::new(config.average, users),
            queue: SmoothedQueue::new(config.average.time_constant_slots, users),
            gaps: GapMoments::of_gaps(config.gaps, users),
            vacations: GapMoments::of_vacations(config.gaps, users),
            vacation_unit: config.gaps.vacation_unit,
            terms: config.terms,
            arrivals: Arrivals::new(weight, users),
            segments: Segments::new(&config, users),
        }
    }

    /// T_p of eq. (5): the residual time in the vacation unit plus the rest in seconds.
    fn system_time(&self, contest: &Contest<'_>, place: usize) -> f64 {
        let (view, user) = (contest.view, contest.user(place));
        let slot = slot_number(view.slot);
        let (gap, vacation) = (self.gaps.trial(user, slot), self.vacations.trial(user, slot));
        let segment_bits = self.segments.bits(user, view.slot_s);
        let segments_per_packet = (self.arrivals.packet_bits[user] / segment_bits).max(1.0);
        let waiting_segments = self.queue.bits()[place] / segment_bits;
        let load = (self.arrivals.per_slot[user] * segments_per_packet * gap.mean).min(1.0);
        let vacation_residual = if vacation.mean > 0.0 { vacation.square / vacation.mean } else { 0.0 };
        let residual = 0.5 * load * gap.square / gap.mean + 0.5 * (1.0 - load) * vacation_residual;
        let rest_slots = (waiting_segments + segments_per_packet - 1.0) * gap.mean + 1.0;
        let (vacation_share, queue_share) = self.terms.shares();
        let vacation = vacation_share * self.vacation_unit.scale(view.slot_s) * residual;
        vacation + queue_share * (view.slot_s * rest_slots)
    }
}

impl Metric for UnapproximatedTcpPf {
    fn observe(&mut self, contest: &Contest<'_>) {
        self.queue.observe(contest);
        self.arrivals.observe(contest.view);
        self.average.observe(contest);
    }

    fn evaluate(&self, contest: &Contest<'_>, _subchannel: usize, rates: &[f64], out: &mut [f64]) {
        let inputs = rates.iter().zip(self.average.bps()).enumerate();
        for (value, (place, (&rate, &average))) in out.iter_mut().zip(inputs) {
            if rate > 0.0 {
                *value = rate / average * self.system_time(contest, place);
            }
        }
    }

    fn weigh(&self, contest: &Contest<'_>, weights: &mut [f64]) -> bool {
        if self.average.moves_within_slot() {
            return false;
        }
        for (place, (weight, &average)) in weights.iter_mut().zip(self.average.bps()).enumerate() {
            *weight = self.system_time(contest, place) / average;
        }
        true
    }

    fn on_grant(&mut self, view: &SlotView<'_>, place: usize, bits: f64) {
        self.average.on_grant(view, place, bits);
    }

    fn on_user_added(&mut self, user: usize, slot: Slot) {
        self.average.on_user_added(user);
        self.queue.on_user_added(user);
        self.gaps.on_user_added(user, slot);
        self.vacations.on_user_added(user, slot);
        self.arrivals.on_user_added(user);
        self.segments.on_user_added(user);
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        for served in outcome.served {
            self.segments.add(served.user.index(), self.average.counted_bits(served), outcome.slot_s);
        }
        self.average.on_slot_end(outcome);
        self.gaps.on_slot_end(outcome);
        self.vacations.on_slot_end(outcome);
    }
}

impl Arrivals {
    fn new(weight: f64, users: usize) -> Self {
        Self { weight, per_slot: vec![0.0; users], seen_packets: vec![0; users], packet_bits: vec![0.0; users] }
    }

    fn on_user_added(&mut self, user: usize) {
        let users = self.per_slot.len().max(user + 1);
        self.per_slot.resize(users, 0.0);
        self.seen_packets.resize(users, 0);
        self.packet_bits.resize(users, 0.0);
        (self.per_slot[user], self.seen_packets[user], self.packet_bits[user]) = (0.0, 0, 0.0);
    }

    fn observe(&mut self, view: &SlotView<'_>) {
        for user in 0..view.users {
            let (packets, bytes) = (view.controls.arrived_packets[user], view.controls.arrived_bytes[user]);
            let new_packets = packets - self.seen_packets[user];
            // Counts stay far below 2^53, so the conversions are exact.
            self.per_slot[user] = self.weight * new_packets as f64 + (1.0 - self.weight) * self.per_slot[user];
            if new_packets > 0 {
                self.packet_bits[user] = 8.0 * bytes as f64 / packets as f64;
            }
            self.seen_packets[user] = packets;
        }
    }
}

impl Segments {
    fn new(config: &TcpPfConfig, users: usize) -> Self {
        Self {
            weight: config.gaps.mean_weight,
            initial_slots: config.gaps.initial_mean_slots.mean(users),
            initial_bps: config.average.initial_bps.max(1.0),
            bits: vec![None; users],
        }
    }

    /// Bits per selection; before the first, those that A(0) and Phi(0) imply.
    fn bits(&self, user: usize, slot_s: f64) -> f64 {
        self.bits[user].unwrap_or(self.initial_bps * slot_s * self.initial_slots)
    }

    fn on_user_added(&mut self, user: usize) {
        self.bits.resize(self.bits.len().max(user + 1), None);
        self.bits[user] = None;
    }

    fn add(&mut self, user: usize, bits: f64, slot_s: f64) {
        if bits > 0.0 {
            self.bits[user] = Some(self.weight * bits + (1.0 - self.weight) * self.bits(user, slot_s));
        }
    }
}
