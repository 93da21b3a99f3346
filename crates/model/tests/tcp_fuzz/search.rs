//! Kept cases first, then new ones until the time is over; one that fails is shrunk to the line to keep.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use super::case::{Case, Named, Recipe};
use super::conditions::CONDITIONS;
use super::draw::Draw;
use super::fields::FIELDS;
use super::profiles;

const KEPT: &str = include_str!("seeds.txt");
const SECONDS_OF_A_TEST: f64 = 2.0;
/// A case that takes longer is reported.
const SLOW_SECONDS: f64 = 2.0;

/// Something to run cases against; it answers with a digest of what it saw.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&Case) -> u64,
}

thread_local! {
    static REASON: RefCell<String> = const { RefCell::new(String::new()) };
}

pub fn run(target: &Target) {
    keep_panics_quiet();
    if let Ok(line) = std::env::var("FUZZ_CASE") {
        replay(target, &line);
        return;
    }
    KEPT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).for_each(|line| replay(target, line));
    let given = std::env::var("FUZZ_SECONDS").ok().map(|seconds| seconds.parse().expect("FUZZ_SECONDS is a number"));
    let chosen = std::env::var("FUZZ_SEED").ok().map(|seed| seed.parse().expect("FUZZ_SEED is a whole number"));
    let seed = chosen.unwrap_or_else(|| if given.is_some() { clock() } else { 0 });
    search(target, seed, Duration::from_secs_f64(given.unwrap_or(SECONDS_OF_A_TEST)));
}

/// A line is `target seed steps profile change…`.
fn replay(target: &Target, line: &str) {
    let (name, recipe) = line.split_once(' ').unwrap_or((line, ""));
    if name == target.name {
        let recipe = recipe.parse().unwrap_or_else(|problem| panic!("{line}: {problem}"));
        if let Err(reason) = attempt(target, &recipe) {
            panic!("a case that once failed fails again: {line}\n{reason}\n{:#?}", Case::new(&recipe));
        }
    }
}

fn search(target: &Target, seed: u64, time: Duration) {
    let begin = Instant::now();
    let mut cases = 0_u64;
    let mut batch = 0;
    while begin.elapsed() < time {
        let mut draw = Draw::new(seed ^ batch, target.name);
        let bytes: Vec<u8> = (0..32).map(|_| draw.below(256) as u8).collect();
        let config = Config { cases: 100, max_shrink_iters: 3000, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let has_failed = Cell::new(false);
        let outcome = runner.run(&recipe(), |recipe| {
            if begin.elapsed() >= time && !has_failed.get() {
                return Ok(()); // The rest of the batch; a failure found is shrunk all the same.
            }
            attempt(target, &recipe).map_err(|reason| {
                has_failed.set(true);
                TestCaseError::fail(reason)
            })
        });
        match outcome {
            Ok(()) => {}
            Err(TestError::Fail(reason, recipe)) => panic!(
                "{reason}\nafter {:.1} s, in cases {cases} to {}. Once it is mended, keep this line in \
                 crates/model/tests/tcp_fuzz/seeds.txt:\n{} {}\n",
                begin.elapsed().as_secs_f64(),
                cases + 100,
                target.name,
                recipe.with_values(),
            ),
            Err(TestError::Abort(reason)) => panic!("{reason}"),
        }
        cases += 100;
        batch += 1;
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!("{}: {cases} cases in {seconds:.1} s, {:.0} a second", target.name, cases as f64 / seconds);
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let fields: Vec<&'static str> = FIELDS.iter().map(|field| field.path.as_str()).collect();
    let conditions: Vec<&'static str> = CONDITIONS.iter().map(|change| change.name).collect();
    let few = |names: &[&'static str]| subsequence(names.to_vec(), 0..=6);
    let many = |names: &[&'static str]| subsequence(names.to_vec(), 0..=names.len());
    let changes = prop_oneof![
        4 => (few(&fields), few(&conditions)),
        1 => (many(&fields), many(&conditions)),
    ];
    let steps = prop_oneof![3 => 1..40_u64, 1 => 1..300_u64];
    (any::<u64>().no_shrink(), steps, select(profiles::NAMES.as_slice()), changes).prop_map(
        |(seed, steps, profile, (fields, conditions))| {
            let drawn = |name| Named { name, value: None };
            let changes = fields.into_iter().chain(conditions).map(drawn).collect();
            Recipe { seed, steps, profile, changes }
        },
    )
}

fn attempt(target: &Target, recipe: &Recipe) -> Result<(), String> {
    let begin = Instant::now();
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
        let case = Case::new(recipe);
        let digest = (target.run)(&case);
        if recipe.seed.is_multiple_of(8) {
            assert_eq!(digest, (target.run)(&case), "the same case does the same again");
        }
    }));
    let seconds = begin.elapsed().as_secs_f64();
    if seconds > SLOW_SECONDS {
        println!("slow, {seconds:.1} s: {} {recipe}", target.name);
    }
    outcome.map_err(|_| REASON.take())
}

/// Panics are reported once, when their case is shrunk.
fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_caught = info.location().is_none_or(|location| !location.file().ends_with("search.rs"));
            REASON.set(info.to_string());
            if !is_caught {
                loud(info);
            }
        }));
    });
}

fn clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}
