//! Whether the engine's cost is linear in users, slots and packets: one of them grows, the others stay.

use airlink_model::channel::Placement;
use airlink_model::types::Bytes;
use airlink_model::types::declare::PerUser;
use airlink_sim::{Problem, Scenario};

use crate::cpu_time::{cpu_s_of, median};
use crate::workload::{Workload, cell_count, packets_delivered, radio_mut, run_engine};

const REPETITIONS: usize = 11;

/// One run of a series.
struct Point {
    label: String,
    /// What grows: user-slots, slots or packets.
    amount: f64,
    cpu_s: f64,
    packets: u64,
}

/// Prints the three series.
pub fn print() -> Result<(), Vec<Problem>> {
    let base = Scenario { duration_s: 25.0, ..Workload::a()?.scenario };
    print_series("users (25 s, all users at 20 dB)", "user-slot", &measure(&users(&base)));
    print_series("slots (A)", "slot", &measure(&slots(&base)));
    print_series("packets (A for 25 s)", "packet", &measure(&packets(&base)));
    Ok(())
}

/// One scenario of a series, and what grows in it as a function of (slots, packets).
struct Case {
    label: String,
    scenario: Scenario,
    amount: fn(&Scenario, u64, u64) -> f64,
}

/// All users near the top rate, so that their number hardly changes that of the packets.
fn users(base: &Scenario) -> Vec<Case> {
    let case = |users: usize| {
        let mut scenario = Scenario { users, ..without_queue_limit(base) };
        radio_mut(&mut scenario).channel.placement = Placement::at_mean_snr(PerUser::All(20.0));
        let amount = |scenario: &Scenario, slots, _| (scenario.users as u64 * slots) as f64;
        Case { label: format!("{users} users"), scenario, amount }
    };
    [5, 10, 20, 40, 80].map(case).into()
}

fn slots(base: &Scenario) -> Vec<Case> {
    let case = |factor: f64| {
        let scenario = Scenario { duration_s: 12.5 * factor, ..base.clone() };
        Case { label: format!("{} s", scenario.duration_s), scenario, amount: |_, slots, _| slots as f64 }
    };
    [1.0, 2.0, 4.0, 8.0].map(case).into()
}

fn packets(base: &Scenario) -> Vec<Case> {
    let case = |packet_bytes: u64| {
        let mut scenario = without_queue_limit(base);
        let tcp = &mut scenario.flows[0].tcp;
        tcp.mss = Bytes::new(packet_bytes) - tcp.header;
        // The same window in packets, so that only their number changes.
        tcp.receiver_window = Bytes::new(64 * tcp.mss.count());
        Case { label: format!("{packet_bytes} bytes"), scenario, amount: |_, _, packets| packets as f64 }
    };
    [1600, 800, 400, 200].map(case).into()
}

fn without_queue_limit(base: &Scenario) -> Scenario {
    let mut scenario = base.clone();
    radio_mut(&mut scenario).queue.limit_packets = u64::MAX;
    scenario
}

/// Medians of runs taken in turn, so that a disturbance of the machine meets all points alike.
fn measure(cases: &[Case]) -> Vec<Point> {
    let mut samples = vec![Vec::new(); cases.len()];
    for _ in 0..REPETITIONS {
        for (case, seconds) in cases.iter().zip(&mut samples) {
            seconds.push(cpu_s_of(|| run_engine(&case.scenario)).0);
        }
    }
    let point = |(case, seconds): (&Case, &Vec<f64>)| {
        let replica = run_engine(&case.scenario);
        let (slots, packets) = (cell_count(&replica, "slots"), packets_delivered(&replica));
        let amount = (case.amount)(&case.scenario, slots, packets);
        Point { label: case.label.clone(), amount, cpu_s: median(seconds), packets }
    };
    cases.iter().zip(&samples).map(point).collect()
}

fn print_series(title: &str, unit: &str, points: &[Point]) {
    let (fixed_s, slope_s) = straight_line(points);
    println!("Cost against {title}: {:.1} ns per {unit} + {:.2} ms", slope_s * 1e9, fixed_s * 1e3);
    for point in points {
        let line_s = fixed_s + slope_s * point.amount;
        println!(
            "  {:>10}{:9.0} {unit}s{:7} packets{:8.2} ms{:+6.1} % off",
            point.label,
            point.amount,
            point.packets,
            point.cpu_s * 1e3,
            (point.cpu_s / line_s - 1.0) * 100.0
        );
    }
    println!();
}

/// Least squares of the relative deviation: intercept and slope.
fn straight_line(points: &[Point]) -> (f64, f64) {
    let sum =
        |of: &dyn Fn(&Point) -> f64| points.iter().map(|point| of(point) / (point.cpu_s * point.cpu_s)).sum::<f64>();
    let (n, x, y) = (sum(&|_| 1.0), sum(&|point| point.amount), sum(&|point| point.cpu_s));
    let (xx, xy) = (sum(&|point| point.amount * point.amount), sum(&|point| point.amount * point.cpu_s));
    let slope = (n * xy - x * y) / (n * xx - x * x);
    ((y - slope * x) / n, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_give_the_line() {
        let point = |amount: f64| Point { label: String::new(), amount, cpu_s: 3.0 + 2.0 * amount, packets: 0 };
        let (fixed, slope) = straight_line(&[1.0, 5.0, 20.0].map(point));
        assert!((fixed - 3.0).abs() < 1e-9 && (slope - 2.0).abs() < 1e-9);
    }
}
