//! Workload C: a carrier of 400 subchannels beside its floor, with the same user-slots, subchannels and packets; once with
//! frames that always arrive, once with code blocks that are lost and repeated, which the floor knows nothing of.

use airlink_model::channel::FadingKind;
use airlink_sim::{Problem, Scenario};

use crate::beside::Beside;
use crate::floor::shared::{self, Band};
use crate::floor::{Registers, Work, least_stages};
use crate::workload::{Workload, delivered_bps, floor_work, packets_delivered, radio, ratio, run_engine};

/// Runs of the engine and of each floor: a run takes a second or two.
const REPETITIONS: usize = 5;

/// Units of a published floor for this kind of registers, ns per user, subchannel and slot: H with the ladder, metric and argmax.
const REFERENCE_AVX512: [&str; 2] = ["0.25-0.34", "0.03"];
const REFERENCE_AVX2: [&str; 2] = ["0.57", "0.05"];

/// Prints the engine's time, each floor's and their ratios.
pub fn print() -> Result<(), Vec<Problem>> {
    for workload in [Workload::c()?, Workload::c_with_harq()?] {
        print_workload(&workload);
    }
    Ok(())
}

fn print_workload(workload: &Workload) {
    let scenario = &workload.scenario;
    let replica = run_engine(scenario);
    let (band, packets) = (band(scenario), packets_delivered(&replica));
    let run = |work: &Work, registers| shared::run(work, &band, registers, None);
    let work = floor_work(scenario, &replica).with_packets(packets, run);
    let (users, duration_s) = (scenario.users, scenario.duration_s);
    println!("Workload {}: {users} users x {} subchannels x {} slots", workload.name, band.subchannels, work.slots);
    println!("  {packets} packets delivered in {duration_s} s, {:.1} Mb/s", delivered_bps(&replica) / 1e6);
    let beside = Beside::measure(REPETITIONS, || run_engine(scenario), |registers| run(&work, registers));
    beside.print(|registers| print_units(&work, &band, registers));
    let engine_s = beside.engine_s();
    println!(
        "  the engine: {:.0} simulated s per CPU-second, {:.2} us a slot, {:.2} ns per\n    user, subchannel and slot\n",
        duration_s / engine_s,
        engine_s / work.slots as f64 * 1e6,
        engine_s * 1e9 / (users * band.subchannels * work.slots) as f64,
    );
}

fn print_units(work: &Work, band: &Band, registers: Registers) {
    let (stages, done) = least_stages(|stages| shared::run(work, band, registers, Some(stages)));
    let reference = match registers {
        Registers::Avx512 => REFERENCE_AVX512,
        Registers::Avx2 | Registers::Baseline => REFERENCE_AVX2,
    };
    let each = 1e9 / (work.slots * band.subchannels * work.mean_snr.len()) as f64;
    let (signal, decision) = (stages.fading * each, stages.scheduling * each);
    println!("      H, ladder {signal:7.3} ns per user, subchannel and slot (reference {})", reference[0]);
    println!("      PF        {decision:7.3} ns (reference {})", reference[1]);
    let per_packet = stages.packets / done.packets as f64 * 1e9;
    println!("      TCP       {per_packet:7.1} ns per packet, {} packets", done.packets);
}

/// The carrier as the floor has it.
fn band(scenario: &Scenario) -> Band {
    let radio = radio(scenario);
    let FadingKind::TappedDelayLine { delays_ns, powers_db, .. } = &radio.channel.fading else {
        panic!("workload C has a tapped delay line")
    };
    let powers: Vec<f64> = powers_db.iter().map(|&db| f64::from(ratio(db))).collect();
    let all: f64 = powers.iter().sum();
    Band {
        taps: delays_ns.iter().zip(powers).map(|(ns, own)| (ns * 1e-9, own / all)).collect(),
        subchannels: radio.carrier.subchannels,
        spacing_hz: radio.carrier.subchannel_hz,
    }
}
