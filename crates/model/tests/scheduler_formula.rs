//! Formulas as schedulers: against the built-in ones, against plain arithmetic, and texts that are none.

use crate::scheduler_fixture;

use airlink_model::scheduler::*;
use airlink_model::types::{Purpose, RandomStream, Slot, Time};
use scheduler_fixture::{AnyKind, Knowledge, LADDER_BPS, average, formula, lambda, scheduler_with};

/// Few or many of the users have packets; discrete rates for ties, or continuous ones.
fn stir(known: &mut Knowledge, draws: &mut RandomStream) {
    let (continuous, share) = (draws.uniform() < 0.3, [0.1, 0.7][(draws.uniform() * 2.0) as usize]);
    for rate in &mut known.rate_bps {
        *rate = if continuous { draws.exponential(640e3) as f32 } else { LADDER_BPS[(draws.uniform() * 7.0) as usize] };
    }
    for user in 0..known.eligible.len() {
        known.eligible[user] = draws.uniform() < share;
        known.backlog_bytes[user] = if known.eligible[user] { 1 + draws.bits() % 3000 } else { 0 };
        known.backlog_on_air_bytes[user] = known.backlog_bytes[user] * 42 / 40 + 2;
    }
}

/// The winners of 60 slots are those of the other scheduler, in any cell, with both tie rules, and whoever leaves.
fn same_winners(one: impl Into<AnyKind>, other: impl Into<AnyKind>, name: &str) {
    let (one, other) = (one.into(), other.into());
    for (users, subchannels) in [(1, 1), (21, 1), (70, 1), (5, 3), (12, 50), (70, 50), (9, 200)] {
        for ties in [Ties::Random, Ties::LowestIndex] {
            for releases in [false, true] {
                let build = |kind: &AnyKind| scheduler_with(kind.clone(), ties, releases, users, subchannels);
                let mut both = [build(&one), build(&other)];
                let mut known = Knowledge::new(users, subchannels);
                let mut draws = RandomStream::new(7, Purpose::Traffic, 0);
                for slot in 0..60 {
                    stir(&mut known, &mut draws);
                    let mut twin = known.clone();
                    let expected = known.run_slot(&mut *both[0]);
                    assert_eq!(twin.run_slot(&mut *both[1]), expected, "{name}, {users} x {subchannels}, slot {slot}");
                }
                let averages = both.each_ref().map(|scheduler| {
                    let mut bps = vec![0.0; users];
                    (scheduler.fill_averages(&mut bps), bps)
                });
                assert_eq!(averages[0], averages[1], "{name}: averages");
            }
        }
    }
}

/// Averages with each window and each moment of update.
fn averages() -> Vec<AverageConfig> {
    let mut all = Vec::new();
    for (window, initial_bps) in [(AverageWindow::Fixed, 16e3), (AverageWindow::Growing, 0.0)] {
        for updates in [AverageUpdates::Slot, AverageUpdates::Subchannel] {
            all.push(AverageConfig { window, updates, ..average(20.0, initial_bps) });
        }
    }
    all
}

#[test]
fn proportional_fair_as_a_formula_has_the_winners_of_the_built_in() {
    for memory in averages() {
        for text in ["rate / average", "(rate) / (average + 0 * 1)", "rate/average*1"] {
            // A sum with 0 and a product with 1 change no bit of what is positive.
            same_winners(SchedulerKind::ProportionalFair(memory), formula(text, memory), text);
        }
    }
}

#[test]
fn maximum_rate_as_a_formula_has_the_winners_of_the_built_in() {
    for text in ["rate", "-(-rate)", "max(rate, 0)"] {
        same_winners(SchedulerKind::MaxRate, formula(text, average(20.0, 16e3)), text);
    }
}

#[test]
fn the_lambda_rule_as_a_formula_has_the_winners_of_the_built_in() {
    for memory in averages() {
        for (exponent, text) in
            [(0.5, "log(rate) - 0.5 * log(average)"), (2.0, "ln(rate) - 2 * ln(average)"), (0.0, "log(rate)")]
        {
            let built_in = lambda(exponent, memory);
            let formula = formula(text, memory);
            if exponent == 0.0 {
                // Without a word of averages a formula keeps none, and the largest logarithm is the largest rate.
                same_winners(SchedulerKind::MaxRate, formula, text);
            } else {
                same_winners(built_in, formula, text);
            }
        }
    }
}

#[test]
fn relative_snr_as_a_formula_has_the_winners_of_the_built_in() {
    let text = "reported_db - mean_snr_db";
    same_winners(SchedulerKind::RelativeSnr, formula(text, average(20.0, 16e3)), text);
}

/// Two columns of any numbers, `mean_snr_db` and `weight`, as x and y.
struct Columns {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Columns {
    /// Every pair of peculiar and plain numbers.
    fn new() -> Self {
        let numbers =
            [0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 2.0, 3.0, 1e-310, 1e300, 709.8, f64::INFINITY, f64::NEG_INFINITY];
        let numbers: Vec<f64> = numbers.into_iter().chain([f64::NAN]).collect();
        let pairs = numbers.iter().flat_map(|&x| numbers.iter().map(move |&y| (x, y)));
        let (x, y) = pairs.unzip();
        Self { x, y }
    }

    /// What the formula, in which x and y stand for the columns, is for each user.
    fn values(&self, text: &str) -> Vec<f64> {
        let text = text.replace('x', "mean_snr_db").replace('y', "weight").replace("emean_snr_dbp", "exp");
        let text = text.replace("mamean_snr_db", "max");
        let metric = Formula::read(&text).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"));
        let users = self.x.len();
        let mut metric = FormulaMetric::new(&FormulaConfig { metric, average: AverageConfig::default() }, users);
        let candidates: Vec<u32> = (0..users as u32).collect();
        let view = SlotView {
            now: Time::from_nanos(1_500_000_000),
            slot: Slot::new(1500),
            slot_s: 1e-3,
            users,
            subchannels: 1,
            candidates: &candidates,
            eligible: &vec![true; users],
            mean_snr_db: &self.x,
            weight: &self.y,
            ..SlotView::default()
        };
        let (contest, mut values) = (Contest::of(&view), vec![0.0; users]);
        metric.observe(&contest);
        metric.evaluate(&contest, 0, &vec![1e6; users], &mut values);
        values
    }

    fn check(&self, text: &str, of: impl Fn(f64, f64) -> f64) {
        for (place, value) in self.values(text).into_iter().enumerate() {
            let (x, y) = (self.x[place], self.y[place]);
            let expected = of(x, y);
            let same = value.to_bits() == expected.to_bits() || (value.is_nan() && expected.is_nan());
            assert!(same, "{text} of {x}, {y}: {value}, not {expected}");
        }
    }
}

#[test]
fn each_operator_has_the_bits_of_plain_arithmetic_and_libm() {
    let columns = Columns::new();
    let truth = |holds: bool| f64::from(u8::from(holds));
    let unless_nan =
        |x: f64, y: f64, of: fn(f64, f64) -> f64| if x.is_nan() || y.is_nan() { f64::NAN } else { of(x, y) };
    columns.check("x + y", |x, y| x + y);
    columns.check("x - y", |x, y| x - y);
    columns.check("x * y", |x, y| x * y);
    columns.check("x / y", |x, y| x / y);
    columns.check("x ^ y", libm::pow);
    columns.check("x ** y", libm::pow);
    columns.check("pow(x, y)", libm::pow);
    columns.check("-x", |x, _| -x);
    columns.check("+x", |x, _| x);
    columns.check("x < y", |x, y| truth(x < y));
    columns.check("x <= y", |x, y| truth(x <= y));
    columns.check("x > y", |x, y| truth(x > y));
    columns.check("x >= y", |x, y| truth(x >= y));
    columns.check("x == y", |x, y| truth(x == y));
    columns.check("x != y", |x, y| truth(x != y));
    columns.check("0 + min(x, y)", |x, y| 0.0 + unless_nan(x, y, f64::min));
    columns.check("0 + max(x, y)", |x, y| 0.0 + unless_nan(x, y, f64::max));
    columns.check("0 + max(x, y, 2, 1)", |x, y| unless_nan(x, y, |x, y| x.max(y).max(2.0)));
    columns.check("abs(x)", |x, _| x.abs());
    columns.check("sqrt(x)", |x, _| libm::sqrt(x));
    columns.check("exp(x)", |x, _| libm::exp(x));
    columns.check("log(x)", |x, _| libm::log(x));
    columns.check("ln(x)", |x, _| libm::log(x));
    columns.check("log2(x)", |x, _| libm::log2(x));
    columns.check("log10(x)", |x, _| libm::log10(x));
    columns.check("tanh(x)", |x, _| libm::tanh(x));
    columns.check("floor(x)", |x, _| libm::floor(x));
    columns.check("ceil(x)", |x, _| libm::ceil(x));
    columns.check("where(x, y, 7)", |x, y| if x == 0.0 { 7.0 } else { y });
    columns.check("where(x > 0, x, y)", |x, y| if x > 0.0 { x } else { y });
}

#[test]
fn precedence_is_that_of_arithmetic() {
    let columns = Columns::new();
    columns.check("1 - x - y", |x, y| (1.0 - x) - y);
    columns.check("1 / x / y", |x, y| (1.0 / x) / y);
    columns.check("1 + x * y", |x, y| 1.0 + x * y);
    columns.check("-x ^ 2", |x, _| -libm::pow(x, 2.0));
    columns.check("2 ^ -x", |x, _| libm::pow(2.0, -x));
    columns.check("2 ^ x ^ y", |x, y| libm::pow(2.0, libm::pow(x, y)));
    columns.check("x * -y + 1", |x, y| x * -y + 1.0);
    columns.check("(x < y) * 2", |x, y| if x < y { 2.0 } else { 0.0 });
    columns.check("x + 1 < y * 2", |x, y| if x + 1.0 < y * 2.0 { 1.0 } else { 0.0 });
    columns.check("1.5e3 + .5 + 2. + 1E-2 + x", |x, _| 1.5e3 + 0.5 + 2.0 + 1e-2 + x);
    columns.check("pi + e * x + inf * y", |x, y| std::f64::consts::PI + std::f64::consts::E * x + f64::INFINITY * y);
    columns.check("users + slot_s + now_s + slot + x", |x, _| 196.0 + 1e-3 + 1.5 + 1500.0 + x);
}

#[test]
fn a_value_that_is_no_number_never_wins() {
    let kind = || formula("log(mean_snr_db) + 0 * rate", average(20.0, 16e3));
    for subchannels in [1, 2] {
        let mut known = Knowledge::new(3, subchannels);
        known.mean_snr_db = vec![-1.0, 2.0, f64::NAN];
        let mut scheduler = scheduler_with(kind(), Ties::LowestIndex, false, 3, subchannels);
        assert_eq!(known.run_slot(&mut *scheduler), vec![Some(UserRow::new(1)); subchannels]);
        known.mean_snr_db[1] = 0.0;
        assert_eq!(known.run_slot(&mut *scheduler), vec![None; subchannels]);
    }
}

#[test]
fn a_product_with_a_negative_weight_keeps_its_order() {
    // The largest of -2, -3 and -4 wins, not the largest weight's.
    let kind = formula("rate * mean_snr_db", average(20.0, 16e3));
    let mut known = Knowledge::new(3, 2);
    (known.mean_snr_db, known.rate_bps) = (vec![-2.0, -1.0, -4.0], vec![1.0, 1.0, 3.0, 1.0, 1.0, 0.1]);
    let mut scheduler = scheduler_with(kind, Ties::LowestIndex, false, 3, 2);
    assert_eq!(known.run_slot(&mut *scheduler), [0, 2].map(|user| Some(UserRow::new(user))));
}

/// A formula with its value, drawn with so many levels of operations at the most.
fn drawn(draws: &mut RandomStream, depth: u32) -> (String, Box<dyn Fn(f64, f64) -> f64>) {
    let kind = draws.bits() % if depth == 0 { 3 } else { 12 };
    let part = |draws: &mut RandomStream| drawn(draws, depth.saturating_sub(1));
    match kind {
        0 => ("mean_snr_db".to_owned(), Box::new(|x, _| x)),
        1 => ("weight".to_owned(), Box::new(|_, y| y)),
        2 => {
            let number = (draws.bits() % 1000) as f64 / 8.0;
            (format!("{number}"), Box::new(move |_, _| number))
        }
        3..=7 => {
            let ((left, of_left), (right, of_right)) = (part(draws), part(draws));
            let sign = ["+", "-", "*", "/", "^"][kind as usize - 3];
            let of = [|x, y| x + y, |x, y| x - y, |x, y| x * y, |x, y| x / y, libm::pow][kind as usize - 3];
            (format!("({left}) {sign} ({right})"), Box::new(move |x, y| of(of_left(x, y), of_right(x, y))))
        }
        8 => {
            let ((left, of_left), (right, of_right)) = (part(draws), part(draws));
            let of = move |x, y| f64::from(u8::from(of_left(x, y) < of_right(x, y)));
            (format!("({left} < {right})"), Box::new(of))
        }
        9 => {
            let ((c, of_c), (yes, of_yes), (no, of_no)) = (part(draws), part(draws), part(draws));
            let of = move |x, y| if of_c(x, y) == 0.0 { of_no(x, y) } else { of_yes(x, y) };
            (format!("where({c}, {yes}, {no})"), Box::new(of))
        }
        _ => {
            let (inner, of_inner) = part(draws);
            let at = draws.bits() as usize % 4;
            let of = [libm::exp, libm::log, libm::sqrt, |x: f64| -x][at];
            (format!("{}({inner})", ["exp", "log", "sqrt", "-"][at]), Box::new(move |x, y| of(of_inner(x, y))))
        }
    }
}

/// Text that may be a formula: words of one, and other characters.
fn soup(draws: &mut RandomStream) -> String {
    let words = [
        "rate",
        "average",
        "mean_snr_db",
        "(",
        ")",
        "(",
        ")",
        "+",
        "-",
        "*",
        "/",
        "^",
        "<",
        "<=",
        "==",
        ",",
        "min",
        "max(",
        "where(",
        "exp(",
        "log",
        "2",
        "0.5",
        "1e3",
        "1e999",
        ".",
        "e",
        "inf",
        " ",
        "é",
        "\n",
        "\0",
        "{",
        "=",
        "!",
        "rat",
        "_",
        "-",
        "-",
    ];
    let length = if draws.uniform() < 0.05 { 700 } else { 30 };
    let count = draws.bits() % length;
    (0..count).map(|_| words[draws.bits() as usize % words.len()]).collect()
}

/// Runs so many drawn formulas, and as many texts.
fn fuzz(seed: u64, count: usize) {
    let mut draws = RandomStream::new(seed, Purpose::Traffic, 0);
    let columns = Columns { x: vec![-1.5, 0.0, 2.0, 1e200], y: vec![0.5, -3.0, f64::INFINITY, 7.0] };
    let mut formulas = 0;
    for _ in 0..count {
        let (text, of) = drawn(&mut draws, 4);
        match Formula::read(&text) {
            Ok(_) => columns.check(&text.replace("mean_snr_db", "x").replace("weight", "y"), of),
            Err(mistakes) => assert!(mistakes[0].message.contains("at most"), "{text}: {mistakes:?}"),
        }
        let text = soup(&mut draws);
        match Formula::read(&text) {
            Ok(formula) => {
                let config = FormulaConfig { metric: formula, average: average(20.0, 16e3) };
                let mut known = Knowledge::new(3, 2);
                let mut metric = build(
                    &SchedulerConfig { kind: SchedulerKind::Formula(config), ..SchedulerConfig::default() },
                    3,
                    2,
                    1,
                );
                known.run_slot(&mut *metric);
                formulas += 1;
            }
            Err(mistakes) => {
                assert!(!mistakes.is_empty());
                let last = text.chars().count() + 1;
                for Mistake { character, message } in mistakes {
                    assert!((1..=last).contains(&character) && !message.is_empty(), "{text:?}: {character} {message}");
                }
            }
        }
    }
    assert!(formulas * 1000 > count, "{formulas} texts of {count} are formulas");
}

use airlink_model::scheduler::FormulaMistake as Mistake;

#[test]
fn no_text_makes_reading_or_running_panic_and_formulas_have_their_values() {
    fuzz(1, 4000);
}

#[test]
#[ignore = "a million formulas and a million texts: make validate PART=rust"]
fn a_million_texts_make_nothing_panic() {
    fuzz(2, 1_000_000);
}

#[test]
fn the_deepest_texts_are_read_or_refused() {
    for (text, is_formula) in [
        ("(".repeat(30) + "1" + &")".repeat(30), true),
        ("(".repeat(31) + "1" + &")".repeat(31), false),
        ("-".repeat(399) + "1", true),
        ("-".repeat(400) + "1", false),
        ("2^".repeat(199) + "2", true),
        ("exp(".repeat(30) + "1" + &")".repeat(30), true),
        ("1".repeat(1000), true),
        ("1".repeat(1001), false),
        ("(-2^".repeat(30) + "2" + &")".repeat(30), true),
    ] {
        assert_eq!(Formula::read(&text).is_ok(), is_formula, "{text}");
    }
}

#[test]
fn a_bad_text_is_told_where_and_why() {
    let cases = [
        ("", "at character 1: a value is missing at the end"),
        ("   ", "at character 4: a value is missing at the end"),
        ("rate / averag", "at character 8: no column \"averag\"; nearest: average"),
        ("Rate / average", "at character 1: no column \"Rate\"; nearest: rate"),
        ("rate * delay", "at character 8: no column \"delay\"; nearest: delay_budget_s, head_of_line_delay_s"),
        (
            "rate * snr + foo",
            "at character 8: no column \"snr\"; nearest: mean_snr_db; at character 14: no column \"foo\"",
        ),
        ("expp(rate)", "at character 1: no function \"expp\"; nearest: exp"),
        ("zeta(rate)", "at character 1: no function \"zeta\""),
        ("rate(2)", "at character 1: \"rate\" is no function, but a value"),
        ("exp", "at character 1: \"exp\" is a function: exp(x)"),
        ("exp()", "at character 1: exp can't have 0 arguments: write exp(x)"),
        ("exp(1, 2)", "at character 1: exp can't have 2 arguments: write exp(x)"),
        ("1 + max(2)", "at character 5: max can't have 1 argument: write max(x, y, ...)"),
        ("where(rate, 1)", "at character 1: where can't have 2 arguments: write where(condition, yes, no)"),
        ("rate /", "at character 7: a value is missing at the end"),
        ("rate / * 2", "at character 8: a value is missing before \"*\""),
        ("(rate", "at character 1: this parenthesis is never closed"),
        ("rate)", "at character 5: this parenthesis was never opened"),
        ("max(rate, )", "at character 11: a value is missing before \")\""),
        ("()", "at character 2: a value is missing before \")\""),
        ("rate average", "at character 6: an operator is missing before \"average\""),
        ("2 (rate)", "at character 3: an operator is missing before \"(\""),
        ("2rate", "at character 2: an operator is missing before \"rate\""),
        ("rate, 2", "at character 5: a comma separates arguments of functions only"),
        ("1 < rate < 2", "at character 10: \"<\" can't follow another comparison: put one in parentheses"),
        ("rate & 2", "at character 6: '&' is no part of a formula"),
        ("rate = 2", "at character 6: '=' is no part of a formula"),
        ("__import__('os')", "at character 12: '\\'' is no part of a formula"),
    ];
    for (text, told) in cases {
        let expected = format!("{told} (airlink list formula)");
        assert_eq!(Formula::refusal(text).as_deref(), Some(expected.as_str()));
    }
    assert_eq!(Formula::refusal("rate"), None);
}
