//! Which seed names the draws of who the users are: their places and their shadowing.
//!
//! With a seed of its own a user has the same mean SNR, and the same shadowing at any time, in the runs of all seeds; fading, losses and
//! traffic are still drawn for each run. Left out: where in a trace a user starts, which is drawn with the run, as fading is.

use crate::types::declare::{Field, Form, Reader, Rule, Value};

/// The seed of places and shadowing: a number, or "run".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlacementSeed {
    /// That of the run.
    #[default]
    OfRun,
    /// As given.
    Given(u64),
}

impl PlacementSeed {
    const OF_RUN: &str = "run";

    /// The seed of places and shadowing in a run of `seed`.
    pub fn in_run(self, seed: u64) -> u64 {
        match self {
            Self::OfRun => seed,
            Self::Given(own) => own,
        }
    }
}

impl Field for PlacementSeed {
    fn form(_: &Rule) -> Form {
        Form::Seed
    }

    fn read(value: &Value, _: &Rule, reader: &mut Reader) -> Option<Self> {
        match value {
            Value::Text(word) if word == Self::OF_RUN => Some(Self::OfRun),
            value => match value.whole() {
                Some(seed) => Some(Self::Given(seed)),
                None => {
                    let allowed = format!("a whole number from 0 to 2^64-1 or {:?}", Self::OF_RUN);
                    reader.not_allowed(value, &allowed)
                }
            },
        }
    }

    fn write(&self, _: &Rule) -> Value {
        match self {
            Self::OfRun => Value::Text(Self::OF_RUN.to_owned()),
            Self::Given(seed) => Value::of_whole(*seed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ChannelConfig;
    use super::*;
    use crate::types::declare::{Section, read};

    /// The seed that is written so, all else as declared.
    fn read_seed(seed: Value) -> Result<PlacementSeed, String> {
        let Value::Table(mut fields) = ChannelConfig::default().to_value() else { panic!("a section is a table") };
        fields.iter_mut().find(|(name, _)| name == "placement_seed").expect("a declared field").1 = seed;
        let channel: Result<ChannelConfig, _> = read(&Value::Table(fields), "channel");
        channel.map(|channel| channel.placement_seed).map_err(|problems| problems[0].to_string())
    }

    #[test]
    fn a_seed_is_any_whole_number_of_64_bits_or_that_of_the_run() {
        assert_eq!(read_seed(Value::Text("run".to_owned())), Ok(PlacementSeed::OfRun));
        for seed in [0, 1, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, u64::MAX] {
            assert_eq!(read_seed(Value::of_whole(seed)), Ok(PlacementSeed::Given(seed)));
        }
        let two_to_64 = 18_446_744_073_709_551_616.0;
        for wrong in [Value::Number(-1.0), Value::Number(0.5), Value::Number(two_to_64), Value::Null] {
            let allowed = format!("{wrong} is not allowed: a whole number from 0 to 2^64-1 or \"run\"");
            assert_eq!(read_seed(wrong), Err(format!("channel.placement_seed: {allowed}")));
        }
    }
}
