//! TCP alone through a wired bottleneck: packets delivered per second of CPU time, with one flow and with sixteen, and
//! beside it those of ns-2 where that is installed.

use airlink_sim::{Problem, Scenario};

use crate::cpu_time::{cpu_s_of, least};
use crate::ns2;
use crate::workload::{packets_delivered, run_engine};

const REPETITIONS: usize = 5;

/// Prints a line for each number of flows: 10 Mb/s, 20 ms, 20 packets, 1000 s.
pub fn print() -> Result<(), Vec<Problem>> {
    let ready = Scenario::from_json(include_str!("../../../tests/fixtures/dumbbell.json"))?;
    let base = Scenario { duration_s: 1000.0, ..ready };
    println!("Dumbbell of 10 Mb/s, 20 ms and 20 packets, {} s, New Reno", base.duration_s);
    for users in [1, 16] {
        let scenario = Scenario { users, ..base.clone() };
        let (mut seconds, mut packets) = (Vec::new(), 0);
        for _ in 0..REPETITIONS {
            let (cpu_s, replica) = cpu_s_of(|| run_engine(&scenario));
            seconds.push(cpu_s);
            packets = packets_delivered(&replica);
        }
        let cpu_s = least(&seconds);
        let (rate, cost_ns) = (packets as f64 / cpu_s / 1e6, cpu_s / packets as f64 * 1e9);
        println!(
            "  {users:>2} flows: {packets} packets in {cpu_s:.4} s: {rate:.2} million a second, {cost_ns:.0} ns each"
        );
        print_ns2(users, base.duration_s, rate);
    }
    println!();
    Ok(())
}

/// Prints what ns-2 does, and how many times as fast `rate`, in millions a second, is.
fn print_ns2(flows: usize, duration_s: f64, rate: f64) {
    let runs: Option<Vec<_>> = (0..REPETITIONS).map(|_| ns2::dumbbell(flows, duration_s)).collect();
    let Some(runs) = runs else {
        println!("     ns-2 is not installed");
        return;
    };
    let (seconds, packets): (Vec<f64>, Vec<u64>) = runs.into_iter().unzip();
    let theirs = packets[0] as f64 / least(&seconds) / 1e6;
    println!(
        "     ns-2: {} packets: {theirs:.2} million a second; airlink {:.1} times as many",
        packets[0],
        rate / theirs
    );
}
