//! The engine beside its floor: the same user-slots and packets, taken in turn in one run.

use airlink_sim::Problem;

use crate::cpu_time::{cpu_s_of, least, median};
use crate::floor::{self, Registers, StageSeconds, Work};
use crate::workload::{Workload, cell_count, floor_work, packets_delivered, run_engine};

/// Units of a published floor for this kind of registers, ns: fading per user-slot, PF per slot, TCP per packet.
///
/// Measured once with toy kernels on a 2-core Zen 5 guest; a floor here that is much slower is a defect.
const REFERENCE_AVX512: [&str; 3] = ["0.56-0.72", "22-28", "10-12"];
const REFERENCE_AVX2: [&str; 3] = ["1.38-1.42", "22-28", "10-12"];

/// Prints workload A, and B with exact and with noisy reports.
pub fn print() -> Result<(), Vec<Problem>> {
    for (workload, repetitions) in [(Workload::a()?, 15), (Workload::b()?, 101), (Workload::b_with_noise()?, 101)] {
        print_workload(&workload, repetitions);
    }
    Ok(())
}

fn print_workload(workload: &Workload, repetitions: usize) {
    let scenario = &workload.scenario;
    let replica = run_engine(scenario);
    let work = floor_work(scenario, &replica);
    let (users, slots) = (scenario.users as f64, cell_count(&replica, "slots") as f64);
    println!(
        "Workload {}: {} users x {slots} slots = {:.0} thousand user-slots, {:.0} s, {} packets delivered, {:.2} Mb/s",
        workload.name,
        users,
        users * slots / 1e3,
        scenario.duration_s,
        packets_delivered(&replica),
        replica.tables["cell"].reals("delivered_bps").map_or(f64::NAN, |rate| rate[0] / 1e6),
    );
    let floors = Registers::available();
    let mut engine_s = Vec::new();
    let mut floor_s = vec![Vec::new(); floors.len()];
    for _ in 0..repetitions {
        engine_s.push(cpu_s_of(|| run_engine(scenario)).0);
        for (registers, seconds) in floors.iter().zip(&mut floor_s) {
            seconds.push(cpu_s_of(|| floor::run(&work, *registers, None)).0);
        }
    }
    let typical_s = median(&engine_s);
    println!(
        "  engine          {:9.3} ms CPU (least {:.3})   {:.0} simulated s and {:.0} UE-s per CPU-second",
        typical_s * 1e3,
        least(&engine_s) * 1e3,
        scenario.duration_s / typical_s,
        users * scenario.duration_s / typical_s,
    );
    println!(
        "                  {:9.1} ns CPU for each packet delivered, its slots and its ACK included (least {:.1})",
        typical_s * 1e9 / packets_delivered(&replica) as f64,
        least(&engine_s) * 1e9 / packets_delivered(&replica) as f64,
    );
    for (registers, seconds) in floors.iter().zip(&floor_s) {
        print_floor(&work, *registers, seconds, &engine_s);
    }
    println!();
}

fn print_floor(work: &Work, registers: Registers, floor_s: &[f64], engine_s: &[f64]) {
    println!(
        "  floor, {:8} {:9.3} ms CPU (least {:.3})   engine / floor = {:.2} (of the least {:.2})",
        registers.name(),
        median(floor_s) * 1e3,
        least(floor_s) * 1e3,
        median(engine_s) / median(floor_s),
        least(engine_s) / least(floor_s),
    );
    let done = floor::run(work, registers, None);
    let stages = least_stages(work, registers);
    let reference = match registers {
        Registers::Avx512 => REFERENCE_AVX512,
        Registers::Avx2 | Registers::Baseline => REFERENCE_AVX2,
    };
    let user_slots = (work.slots * work.mean_snr.len()) as f64;
    println!("      set-up  {:8.3} ms", stages.set_up * 1e3);
    println!(
        "      fading  {:8.2} ns per user-slot, rate ladder included (reference without it {})",
        stages.fading / user_slots * 1e9,
        reference[0]
    );
    let per_slot = stages.scheduling / work.slots as f64 * 1e9;
    println!("      PF      {per_slot:8.1} ns per slot (reference {})", reference[1]);
    println!(
        "      TCP     {:8.1} ns per packet, {} packets (reference {})",
        stages.packets / done.packets as f64 * 1e9,
        done.packets,
        reference[2]
    );
}

/// Each stage's least time of some runs with a look at the wall clock between stages: whatever the machine does beside
/// only adds to it.
fn least_stages(work: &Work, registers: Registers) -> StageSeconds {
    let mut least = StageSeconds::default();
    for run in 0..15 {
        let mut stages = StageSeconds::default();
        floor::run(work, registers, Some(&mut stages));
        least = if run == 0 { stages } else { least.min(stages) };
    }
    least
}
