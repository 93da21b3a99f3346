//! A scheduler of one's own, as a crate beside airlink's: proportional fair with a weight for each user, by its equation.
//!
//! [`WeightedFair`] goes into the engine by `Components`; [`weighted_fair`] is the same as a C function, which Python takes from the
//! built library: `airlink.run(scenario, scheduler=airlink.own.compiled.library_function(path, "weighted_fair"))`. It leaves out: a
//! state from slot to slot.

use airlink_model::scheduler::{SlotMetric, SlotView};
use airlink_sim::{Components, RecordKind, Replica, Scenario, Simulation};

/// w R / A, with `scheduler.weight` and the averages of `[scheduler]`.
#[derive(Clone, Copy, Debug)]
pub struct WeightedFair;

impl SlotMetric for WeightedFair {
    fn fill(&mut self, view: &SlotView<'_>, metrics: &mut [f64]) {
        for (place, metric) in metrics.iter_mut().enumerate() {
            let user = place / view.subchannels;
            *metric = view.weight[user] * f64::from(view.rate_bps[place]) / view.average_bps[user];
        }
    }

    fn boxed_clone(&self) -> Box<dyn SlotMetric> {
        Box::new(*self)
    }
}

/// Runs a scenario without traces under it.
pub fn run(scenario: &Scenario, seed: u64, record: &[RecordKind]) -> Replica {
    let components = Components::default().metric(Box::new(WeightedFair));
    let mut simulation = Simulation::with_components(scenario, &[], seed, record, &components);
    while !simulation.is_finished() {
        simulation.step();
    }
    simulation.into_replica(seed)
}

/// `struct view` of `airlink.own.compiled`, up to the last column that is read here.
#[repr(C)]
pub struct View {
    slot: i64,
    now_s: f64,
    slot_s: f64,
    users: i64,
    subchannels: i64,
    rate_bps: *const f32,
    reported_db: *const f32,
    mean_snr_db: *const f64,
    average_bps: *const f64,
    head_of_line_delay_s: *const f64,
    weight: *const f64,
}

/// The same metric for `airlink.run`.
///
/// # Safety
///
/// `view` points to a view and `metrics` to users x subchannels numbers, as the engine hands them over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weighted_fair(view: *const View, metrics: *mut f64) {
    // SAFETY: as above; columns have an element per user, rates one per user and subchannel.
    let (view, users, subchannels) = unsafe { (&*view, (*view).users as usize, (*view).subchannels as usize) };
    let (rates, averages, weights, metrics) = unsafe {
        (
            std::slice::from_raw_parts(view.rate_bps, users * subchannels),
            std::slice::from_raw_parts(view.average_bps, users),
            std::slice::from_raw_parts(view.weight, users),
            std::slice::from_raw_parts_mut(metrics, users * subchannels),
        )
    };
    for (place, metric) in metrics.iter_mut().enumerate() {
        let user = place / subchannels;
        *metric = weights[user] * f64::from(rates[place]) / averages[user];
    }
}
