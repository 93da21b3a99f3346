//! Workloads A and B: one carrier beside its floor, with the same user-slots and packets.

use airlink_sim::Problem;

use crate::beside::Beside;
use crate::floor::{self, Registers, Work, least_stages};
use crate::workload::{Workload, cell_count, delivered_bps, floor_work, packets_delivered, run_engine};

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
    let packets = packets_delivered(&replica);
    let run = |work: &Work, registers| floor::run(work, registers, None);
    let work = floor_work(scenario, &replica).with_packets(packets, run);
    let (users, slots, duration_s) = (scenario.users as f64, cell_count(&replica, "slots") as f64, scenario.duration_s);
    println!("Workload {}: {users} users x {slots} slots = {:.0} thousand", workload.name, users * slots / 1e3);
    println!("  {packets} packets delivered in {duration_s} s, {:.2} Mb/s", delivered_bps(&replica) / 1e6);
    let beside = Beside::measure(repetitions, || run_engine(scenario), |registers| run(&work, registers));
    beside.print(|registers| print_units(&work, registers));
    let (engine_s, least_s) = (beside.engine_s(), beside.least_engine_s());
    println!(
        "  the engine: {:.0} simulated s or {:.0} UE-s per CPU-second,",
        duration_s / engine_s,
        users * duration_s / engine_s
    );
    println!(
        "    {:.1} ns for each packet, its slots and its ACK included (least {:.1})\n",
        engine_s * 1e9 / packets as f64,
        least_s * 1e9 / packets as f64,
    );
}

fn print_units(work: &Work, registers: Registers) {
    let (stages, done) = least_stages(|stages| floor::run(work, registers, Some(stages)));
    let reference = match registers {
        Registers::Avx512 => REFERENCE_AVX512,
        Registers::Avx2 | Registers::Baseline => REFERENCE_AVX2,
    };
    let user_slots = (work.slots * work.mean_snr.len()) as f64;
    let fading = stages.fading / user_slots * 1e9;
    println!("      set-up {:7.3} ms", stages.set_up * 1e3);
    println!("      fading {fading:7.2} ns per user-slot with the ladder ({} without)", reference[0]);
    let per_slot = stages.scheduling / work.slots as f64 * 1e9;
    println!("      PF     {per_slot:7.1} ns per slot (reference {})", reference[1]);
    let per_packet = stages.packets / done.packets as f64 * 1e9;
    println!("      TCP    {per_packet:7.1} ns per packet, {} packets ({})", done.packets, reference[2]);
}
