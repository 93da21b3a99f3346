//! The engine and its floors taken in turn within one run, so that a disturbance of the machine meets all of them.

use crate::cpu_time::{cpu_s_of, least, median};
use crate::floor::Registers;

/// CPU seconds of each run.
pub struct Beside {
    engine_s: Vec<f64>,
    /// For each set of registers that the machine has.
    floor_s: Vec<(Registers, Vec<f64>)>,
}

impl Beside {
    /// Runs the engine, then each floor, `repetitions` times.
    pub fn measure<E, F>(repetitions: usize, engine: impl Fn() -> E, floor: impl Fn(Registers) -> F) -> Self {
        let mut engine_s = Vec::new();
        let mut floor_s: Vec<_> = Registers::available().into_iter().map(|registers| (registers, Vec::new())).collect();
        for _ in 0..repetitions {
            engine_s.push(cpu_s_of(&engine).0);
            for (registers, seconds) in &mut floor_s {
                seconds.push(cpu_s_of(|| floor(*registers)).0);
            }
        }
        Self { engine_s, floor_s }
    }

    /// The engine's time in a typical run.
    pub fn engine_s(&self) -> f64 {
        median(&self.engine_s)
    }

    /// The engine's time in the run that was disturbed least.
    pub fn least_engine_s(&self) -> f64 {
        least(&self.engine_s)
    }

    /// Prints a line for the engine and one for each floor, with what `explain` adds below the latter.
    pub fn print(&self, explain: impl Fn(Registers)) {
        println!("  {:16}{:>12}{:>12}{:>18}{:>14}", "CPU ms", "median", "least", "engine / floor", "of the least");
        println!("  {:16}{:12.3}{:12.3}", "engine", self.engine_s() * 1e3, self.least_engine_s() * 1e3);
        for (registers, floor_s) in &self.floor_s {
            println!(
                "  {:16}{:12.3}{:12.3}{:18.2}{:14.2}",
                format!("floor, {}", registers.name()),
                median(floor_s) * 1e3,
                least(floor_s) * 1e3,
                self.engine_s() / median(floor_s),
                self.least_engine_s() / least(floor_s),
            );
            explain(*registers);
        }
    }
}
