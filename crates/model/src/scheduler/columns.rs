//! The columns of a [`SlotView`] by name: what they hold, in which unit, and how they are read.
//!
//! One table, for whatever names columns in a text or shows them to people. All values are doubles; a column that has no value yet
//! has a stated one. It leaves out what no base station knows ([`Controls`](super::Controls)).

use super::{Contest, SlotView};

/// For what a column has a value each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Per {
    /// One value for all.
    Slot,
    /// One for each user.
    User,
    /// One for each user and subchannel.
    Subchannel,
}

impl Per {
    /// In a word or two.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Slot => "slot",
            Self::User => "user",
            Self::Subchannel => "user and subchannel",
        }
    }
}

macro_rules! columns {
    ($($(#[doc = $meaning:literal])+ $column:ident $name:literal $unit:literal $per:ident;)*) => {
        /// A column of a [`SlotView`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Column {
            $($(#[doc = $meaning])+ $column,)*
        }

        impl Column {
            /// All of them, in the order in which they are shown.
            pub const ALL: &'static [Self] = &[$(Self::$column),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$column => $name),* }
            }

            /// Its unit; empty for none.
            pub const fn unit(self) -> &'static str {
                match self { $(Self::$column => $unit),* }
            }

            /// For what it has a value each.
            pub const fn per(self) -> Per {
                match self { $(Self::$column => Per::$per),* }
            }

            /// What it holds.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$column => concat!($($meaning),+)),* }
            }
        }
    };
}

columns! {
    /// R: the rate that the user's report permits.
    Rate "rate" "b/s" Subchannel;
    /// A: the smoothed rate of the user; a growing window starts at 0.
    Average "average" "b/s" User;
    /// The SNR that the user reported.
    ReportedDb "reported_db" "dB" Subchannel;
    /// The user's mean SNR.
    MeanSnrDb "mean_snr_db" "dB" User;
    /// How long the oldest packet has waited; 0 without one.
    HeadOfLineDelayS "head_of_line_delay_s" "s" User;
    /// The user's scheduler.delay_budget_ms, in seconds.
    DelayBudgetS "delay_budget_s" "s" User;
    /// What waits for the user, with what is retransmitted.
    BacklogBytes "backlog_bytes" "bytes" User;
    /// The part of it that was lost and is sent again.
    RetransmitBytes "retransmit_bytes" "bytes" User;
    /// Slots since the user won last; at first those so far and 1.
    GapSlots "gap_slots" "slots" User;
    /// The user's scheduler.weight.
    Weight "weight" "" User;
    /// Users of the cell, with or without packets.
    Users "users" "" Slot;
    /// Users who may win this slot.
    Candidates "candidates" "" Slot;
    /// Subchannels of the carrier.
    Subchannels "subchannels" "" Slot;
    /// The length of a slot.
    SlotS "slot_s" "s" Slot;
    /// When the slot starts.
    NowS "now_s" "s" Slot;
    /// The number of the slot, from 0.
    Slot "slot" "" Slot;
}

impl Column {
    /// The column of that name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|column| column.name() == name)
    }

    /// The value of a column that has one for all.
    pub fn of_slot(self, view: &SlotView<'_>) -> f64 {
        // Counts are far below 2^53, so the conversions are exact.
        match self {
            Self::Users => view.users as f64,
            Self::Candidates => view.candidates.len() as f64,
            Self::Subchannels => view.subchannels as f64,
            Self::SlotS => view.slot_s,
            Self::NowS => view.now.as_secs(),
            Self::Slot => view.slot.number() as f64,
            _ => panic!("{} has a value for each {}", self.name(), self.per().words()),
        }
    }

    /// Writes the column for the users of a contest, by place; of one per subchannel that of `subchannel`. The averages are those that
    /// the view has: none for the scheduler that keeps them.
    pub fn fill(self, contest: &Contest<'_>, subchannel: usize, out: &mut [f64]) {
        let (view, cell) = (contest.view, |user: usize| user * contest.view.subchannels + subchannel);
        match self {
            Self::Rate => contest.fill(out, |_, user| f64::from(view.rate_bps[cell(user)])),
            Self::Average => contest.fill(out, |_, user| view.average_bps[user]),
            Self::ReportedDb => contest.fill(out, |_, user| f64::from(view.reported_db[cell(user)])),
            Self::MeanSnrDb => contest.fill(out, |_, user| view.mean_snr_db[user]),
            Self::HeadOfLineDelayS => contest.fill(out, |_, user| view.head_of_line_delay_s(user)),
            Self::DelayBudgetS => contest.fill(out, |_, user| view.delay_budget_s[user]),
            Self::BacklogBytes => contest.fill(out, |_, user| view.backlog_bytes[user] as f64),
            Self::RetransmitBytes => contest.fill(out, |_, user| view.retransmit_bytes[user] as f64),
            Self::GapSlots => contest.fill(out, |_, user| view.gap_slots(user) as f64),
            Self::Weight => contest.fill(out, |_, user| view.weight[user]),
            of_slot => out.fill(of_slot.of_slot(view)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Slot, Time};

    #[test]
    fn each_column_holds_what_the_view_knows_by_place() {
        let view = SlotView {
            now: Time::from_nanos(3_000_000),
            slot: Slot::new(3),
            slot_s: 1e-3,
            users: 9,
            subchannels: 2,
            rate_bps: &std::array::from_fn::<f32, 18, _>(|cell| cell as f32),
            reported_db: &std::array::from_fn::<f32, 18, _>(|cell| -(cell as f32)),
            mean_snr_db: &[7.5; 9],
            average_bps: &[12.0; 9],
            candidates: &[4, 5],
            eligible: &std::array::from_fn::<bool, 9, _>(|user| user == 4 || user == 5),
            backlog_bytes: &[100; 9],
            retransmit_bytes: &[40; 9],
            head_of_line_since: &std::array::from_fn::<Time, 9, _>(|user| match user {
                4 => Time::from_nanos(1_000_000),
                _ => Time::NEVER,
            }),
            last_won: &[-1, 0, 0, 0, 1, -1, 0, 0, 0],
            weight: &[2.0; 9],
            delay_budget_s: &[0.1; 9],
            ..SlotView::default()
        };
        let contest = Contest::of(&view);
        assert_eq!(contest.listed(), Some([4, 5].as_slice()));
        let expected = [
            [9.0, 11.0],
            [12.0, 12.0],
            [-9.0, -11.0],
            [7.5, 7.5],
            [0.002, 0.0],
            [0.1, 0.1],
            [100.0, 100.0],
            [40.0, 40.0],
            [2.0, 4.0],
            [2.0, 2.0],
            [9.0, 9.0],
            [2.0, 2.0],
            [2.0, 2.0],
            [0.001, 0.001],
            [0.003, 0.003],
            [3.0, 3.0],
        ];
        assert_eq!(Column::ALL.len(), expected.len());
        for (column, expected) in Column::ALL.iter().zip(expected) {
            let mut found = [f64::NAN; 2];
            column.fill(&contest, 1, &mut found);
            assert_eq!(found, expected, "{}", column.name());
            assert_eq!(Column::of_name(column.name()), Some(*column));
        }
    }

    #[test]
    fn a_row_of_the_list_of_columns_fits_into_eighty_characters() {
        for column in Column::ALL {
            let length = column.name().len() + column.unit().len() + column.meaning().trim().len();
            assert!(length < 76, "{}: {length}", column.name());
        }
    }
}
