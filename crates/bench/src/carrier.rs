//! Workload C: a carrier of 400 subchannels beside its floor, the same user-slots, subchannels and packets, in turn in one run.

use airlink_sim::scenario::{Fading, RateRule, Scheduler};
use airlink_sim::{Problem, Replica, Scenario};

use crate::cpu_time::{cpu_s_of, least, median};
use crate::floor::shared::{self, SharedWork};
use crate::floor::{Registers, StageSeconds};
use crate::workload::{cell_count, packets_delivered, radio, ratio, run_engine, slot_s};

/// Runs of the engine and of each floor: a run takes a second or so.
const REPETITIONS: usize = 5;

/// Units of a published floor for this kind of registers, ns per user, subchannel and slot: H with the ladder, metric and argmax.
const REFERENCE_AVX512: [&str; 2] = ["0.25-0.34", "0.03"];
const REFERENCE_AVX2: [&str; 2] = ["0.57", "0.05"];

/// 10 users x 400 subchannels x 60 000 slots, TU-6, PF, one greedy TCP flow each.
fn scenario() -> Result<Scenario, Vec<Problem>> {
    Scenario::from_json(include_str!("../workloads/c.json"))
}

/// Prints the engine's time, each floor's and their ratios.
pub fn print() -> Result<(), Vec<Problem>> {
    let scenario = scenario()?;
    let replica = run_engine(&scenario);
    let work = shared_work(&scenario, &replica);
    let triples = (work.slots * work.subchannels * work.mean_snr.len()) as f64;
    println!(
        "Workload C: {} users x {} subchannels x {} slots, {:.0} s, {} packets delivered, {:.1} Mb/s",
        scenario.users,
        work.subchannels,
        work.slots,
        scenario.duration_s,
        packets_delivered(&replica),
        replica.tables["cell"].reals("delivered_bps").map_or(f64::NAN, |rate| rate[0] / 1e6),
    );
    let floors = Registers::available();
    let mut engine_s = Vec::new();
    let mut floor_s = vec![Vec::new(); floors.len()];
    for _ in 0..REPETITIONS {
        engine_s.push(cpu_s_of(|| run_engine(&scenario)).0);
        for (registers, seconds) in floors.iter().zip(&mut floor_s) {
            seconds.push(cpu_s_of(|| shared::run(&work, *registers, None)).0);
        }
    }
    println!(
        "  engine          {:9.1} ms CPU (least {:.1})   {:.0} simulated s per CPU-second, {:.2} us a slot, {:.2} ns per user and subchannel",
        median(&engine_s) * 1e3,
        least(&engine_s) * 1e3,
        scenario.duration_s / median(&engine_s),
        median(&engine_s) / work.slots as f64 * 1e6,
        median(&engine_s) / triples * 1e9,
    );
    for (registers, seconds) in floors.iter().zip(&floor_s) {
        print_floor(&work, *registers, seconds, &engine_s);
    }
    println!();
    Ok(())
}

fn print_floor(work: &SharedWork, registers: Registers, floor_s: &[f64], engine_s: &[f64]) {
    println!(
        "  floor, {:8} {:9.1} ms CPU (least {:.1})   engine / floor = {:.2} (of the least {:.2})",
        registers.name(),
        median(floor_s) * 1e3,
        least(floor_s) * 1e3,
        median(engine_s) / median(floor_s),
        least(engine_s) / least(floor_s),
    );
    let mut stages = StageSeconds::default();
    let done = shared::run(work, registers, Some(&mut stages));
    let reference = match registers {
        Registers::Avx512 => REFERENCE_AVX512,
        Registers::Avx2 | Registers::Baseline => REFERENCE_AVX2,
    };
    let per_triple = 1e9 / (work.slots * work.subchannels * work.mean_snr.len()) as f64;
    println!(
        "      H, |H|^2, ladder  {:6.3} ns per user and subchannel (reference {})",
        stages.fading * per_triple,
        reference[0]
    );
    println!(
        "      metric, argmax    {:6.3} ns per user and subchannel (reference {})",
        stages.scheduling * per_triple,
        reference[1]
    );
    println!(
        "      TCP               {:6.1} ns per packet, {} packets",
        stages.packets / done.packets as f64 * 1e9,
        done.packets
    );
}

/// The floor's work for the scenario as the engine ran it.
fn shared_work(scenario: &Scenario, replica: &Replica) -> SharedWork {
    let (slot_s, radio) = (slot_s(scenario), radio(scenario));
    let Fading::TappedDelayLine { delays_ns, powers_db, terms, doppler_hz, .. } = &radio.channel.fading else {
        panic!("workload C has a tapped delay line")
    };
    let RateRule::Table { thresholds_db, rates_bps, .. } = &radio.link.rate else { panic!("rates of a table") };
    let Scheduler::ProportionalFair { time_constant_slots, .. } = radio.scheduler else { panic!("PF") };
    let (path, tcp) = (&scenario.flows[0].path, &scenario.flows[0].tcp);
    let powers: Vec<f64> = powers_db.iter().map(|&db| f64::from(ratio(db))).collect();
    let power: f64 = powers.iter().sum();
    let subchannels = radio.carrier.subchannels;
    let rung = |(&db, &bps): (&f64, &f64)| (ratio(db), (bps * slot_s / 8.0 / subchannels as f64) as f32);
    let mean_db = replica.tables["users"].reals("mean_snr_db").expect("users have a mean SNR");
    let work = SharedWork {
        mean_snr: mean_db.iter().map(|&db| ratio(db)).collect(),
        taps: delays_ns.iter().zip(powers).map(|(ns, own)| (ns * 1e-9, own / power)).collect(),
        subchannels,
        subchannel_hz: radio.carrier.subchannel_hz,
        terms: *terms,
        doppler_per_slot: radio.channel.doppler_hz(doppler_hz) * slot_s,
        ladder: thresholds_db.iter().zip(rates_bps).map(rung).collect(),
        slots: usize::try_from(cell_count(replica, "slots")).expect("slots fit"),
        weight: (1.0 / time_constant_slots) as f32,
        packet_bytes: (tcp.mss_bytes + tcp.header_bytes) as f32,
        round_trip_slots: ((path.downlink_delay_ms + path.uplink_delay_ms) * 1e-3 / slot_s) as u32 + 1,
        window: (tcp.receiver_window_bytes / tcp.mss_bytes) as u32,
    };
    work.with_packets(packets_delivered(replica))
}
