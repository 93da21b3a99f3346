//! Proportional fair with a weight for each user, by its equation: for the engine, and as a C function.
//!
//! It leaves out: a state from slot to slot.

use airlink_model::scheduler::{SlotMetric, SlotView};
use airlink_sim::RawView;

/// w R / A, with `scheduler.weight` and the averages of `[scheduler]`.
#[derive(Clone, Copy, Debug)]
pub struct WeightedFair;

impl SlotMetric for WeightedFair {
    fn fill(&mut self, view: &SlotView<'_>, metrics: &mut [f64]) {
        fill(view.rate_bps, view.average_bps, view.weight, metrics);
    }

    fn boxed_clone(&self) -> Box<dyn SlotMetric> {
        Box::new(*self)
    }
}

/// Rates and metrics have an element per user and subchannel, user after user; the others one per user.
fn fill(rates: &[f32], averages: &[f64], weights: &[f64], metrics: &mut [f64]) {
    let subchannels = metrics.len() / weights.len();
    for (place, metric) in metrics.iter_mut().enumerate() {
        let user = place / subchannels;
        *metric = weights[user] * f64::from(rates[place]) / averages[user];
    }
}

/// The same metric for `airlink.run`.
///
/// # Safety
///
/// `view` points to a view and `metrics` to users x subchannels numbers, as the engine hands them over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weighted_fair(view: *const RawView, metrics: *mut f64) {
    // SAFETY: as above; columns have an element per user, rates one per user and subchannel.
    unsafe {
        let view = &*view;
        let (users, cells) = (view.users as usize, (view.users * view.subchannels) as usize);
        fill(
            std::slice::from_raw_parts(view.rate_bps, cells),
            std::slice::from_raw_parts(view.average_bps, users),
            std::slice::from_raw_parts(view.weight, users),
            std::slice::from_raw_parts_mut(metrics, cells),
        );
    }
}
