//! Cost of a user, a subchannel and a slot on carriers of many sizes: workload C with more or fewer of them, with the selected
//! compiled form of the hot loops, with the portable one, and with code blocks. If the cost is linear, all lines show the
//! same number.
//!
//! Packets cost time, too. Every size carries about the same number a second, so small sizes have more packets for each
//! user and subchannel.

use airlink_model::channel::Placement;
use airlink_model::types::declare::PerUser;
use airlink_sim::{Problem, Scenario, choose_vector_path, vector_path};

use crate::cpu_time::{cpu_s_of, least};
use crate::workload::{Workload, cell_count, packets_delivered, radio_mut, run_engine};

/// Users and subchannels; workload C has those of `LIKE_C`.
const SIZES: [(usize, usize); 6] = [(10, 100), (10, 400), (100, 100), (10, 1600), (10, 3300), (100, 400)];
const LIKE_C: usize = 1;

const REPETITIONS: usize = 3;
const DURATION_S: f64 = 3.0;

/// A column: a workload in one of the compiled forms.
struct Variant {
    title: String,
    path: &'static str,
    workload: Scenario,
}

/// Prints a line for each size.
pub fn print() -> Result<(), Vec<Problem>> {
    let (plain, coded) = (Workload::c()?.scenario, Workload::c_with_harq()?.scenario);
    let chosen = vector_path();
    let variants = [
        Variant { title: chosen.to_owned(), path: chosen, workload: plain.clone() },
        Variant { title: "portable".to_owned(), path: "portable", workload: plain.clone() },
        Variant { title: format!("{chosen}, HARQ"), path: chosen, workload: coded },
    ];
    let columns = variants.each_ref().map(ns_by_size);
    choose(chosen);
    println!("A user, subchannel and slot: ns CPU, least of {REPETITIONS}, and relative to 10 x 400");
    print!("{:>14}", "size");
    variants.iter().for_each(|variant| print!("{:>18}", variant.title));
    println!("{:>10}", "packets");
    for (row, (users, subchannels)) in SIZES.into_iter().enumerate() {
        print!("{:>14}", format!("{users} x {subchannels}"));
        columns.iter().for_each(|ns| print!("{:10.2} ({:.2})", ns[row], ns[row] / ns[LIKE_C]));
        println!("{:10}", packets_delivered(&run_engine(&of_size(&plain, users, subchannels))));
    }
    println!();
    Ok(())
}

/// The least time of each size; sizes are measured in turn.
fn ns_by_size(variant: &Variant) -> Vec<f64> {
    choose(variant.path);
    let scenarios = SIZES.map(|(users, subchannels)| of_size(&variant.workload, users, subchannels));
    let mut samples = vec![Vec::new(); SIZES.len()];
    for _ in 0..REPETITIONS {
        for ((scenario, (users, subchannels)), ns) in scenarios.iter().zip(SIZES).zip(&mut samples) {
            let (cpu_s, replica) = cpu_s_of(|| run_engine(scenario));
            ns.push(cpu_s * 1e9 / (users * subchannels) as f64 / cell_count(&replica, "slots") as f64);
        }
    }
    samples.iter().map(|ns| least(ns)).collect()
}

/// The workload with `users` users, repeating its own, on `subchannels` subchannels of a carrier of the same width.
pub fn of_size(workload: &Scenario, users: usize, subchannels: usize) -> Scenario {
    let mut scenario = Scenario { users, duration_s: DURATION_S, ..workload.clone() };
    let radio = radio_mut(&mut scenario);
    let Placement::MeanSnr { mean_snr_db, .. } = &radio.channel.placement else { panic!("workload C places by SNR") };
    let mean_snr_db = (0..users).map(|user| mean_snr_db.of(user % workload.users)).collect();
    radio.channel.placement = Placement::at_mean_snr(PerUser::Each(mean_snr_db));
    radio.carrier.subchannel_hz *= radio.carrier.subchannels as f64 / subchannels as f64;
    radio.carrier.subchannels = subchannels;
    scenario.flows[0].start_spread_s = 0.1 * DURATION_S;
    scenario
}

fn choose(path: &str) {
    choose_vector_path(path).expect("it was chosen before, or runs anywhere");
}
