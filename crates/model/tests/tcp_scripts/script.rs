//! A small language for timed packets in, timed packets out, after packetdrill.
//!
//! One line is `<milliseconds> <sign> <words>`; text after `#` is a remark. The signs:
//! `<` goes into the endpoint, `>` must come out at exactly that time, `=` is what it must show then.
//! Several inputs or checks on a line are separated by commas. Nothing may come out that is not in the script, and
//! timers run by themselves. `= silent` says that nothing came out up to that time.

use airlink_model::types::{Duration, Time};

/// What a script can drive: everything it says and hears is text.
pub trait Endpoint {
    /// One input, such as `ack 3000`.
    fn input(&mut self, now: Time, words: &[&str]);
    /// The next packet it sends, such as `0..1000`.
    fn output(&mut self, now: Time) -> Option<String>;
    /// The packets that one expectation stands for.
    fn expand(&self, expected: &str) -> Vec<String>;
    /// A quantity by name.
    fn show(&self, name: &str) -> String;
    /// When its timer expires.
    fn timer(&self) -> Option<Time>;
    /// Lets the timer expire.
    fn expire(&mut self, now: Time);
}

/// Plays `text` to `endpoint`; panics with the offending line.
pub fn play(endpoint: impl Endpoint, text: &str) {
    let mut stage = Stage { endpoint, sent: Vec::new() };
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if !line.is_empty() {
            stage.play_line(line);
        }
    }
    assert!(stage.sent.is_empty(), "the script ends, but these were sent too: {:?}", stage.sent);
}

struct Stage<E> {
    endpoint: E,
    sent: Vec<(Time, String)>,
}

impl<E: Endpoint> Stage<E> {
    fn play_line(&mut self, line: &str) {
        let (time, rest) = line.split_once(char::is_whitespace).expect("a line is: time sign words");
        let (sign, words) = rest.trim().split_at(1);
        let now = Time::ZERO + Duration::from_secs(time.parse::<f64>().expect("a time in milliseconds") / 1000.0);
        self.run_timers(now, sign == "<");
        match sign {
            "<" => self.put_in(now, words, line),
            ">" => self.expect_out(now, words.trim(), line),
            "=" => self.check(words, line),
            _ => panic!("unknown sign in `{line}`"),
        }
    }

    /// Timers due before `now`, or by `now` if nothing goes in then: packets come before timers.
    fn run_timers(&mut self, now: Time, exclusive: bool) {
        while let Some(due) = self.endpoint.timer().filter(|&due| due < now || (due == now && !exclusive)) {
            self.endpoint.expire(due);
            self.collect(due);
        }
    }

    fn collect(&mut self, now: Time) {
        while let Some(packet) = self.endpoint.output(now) {
            self.sent.push((now, packet));
        }
    }

    fn put_in(&mut self, now: Time, inputs: &str, line: &str) {
        assert!(self.sent.is_empty(), "before `{line}` these were sent: {:?}", self.sent);
        for input in inputs.split(',') {
            let words: Vec<&str> = input.split_whitespace().collect();
            self.endpoint.input(now, &words);
            self.collect(now);
        }
    }

    fn expect_out(&mut self, now: Time, expected: &str, line: &str) {
        for packet in self.endpoint.expand(expected) {
            assert!(!self.sent.is_empty(), "`{line}`: {packet} was not sent");
            assert_eq!(self.sent.remove(0), (now, packet), "`{line}`; then {:?}", self.sent);
        }
    }

    fn check(&self, checks: &str, line: &str) {
        for check in checks.split(',').map(str::trim) {
            match check.split_once(' ') {
                None => assert!(check == "silent" && self.sent.is_empty(), "`{line}`: sent {:?}", self.sent),
                Some((name, value)) => assert_eq!(self.endpoint.show(name), value, "`{line}`: {name}"),
            }
        }
    }
}
