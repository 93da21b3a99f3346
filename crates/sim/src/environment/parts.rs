//! What environments show and what they reward: each part declared once, with its unit and its bounds.

/// Which decision of a run is left to somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Who gets each subchannel of a slot.
    Slots,
    /// Windows and pacing rates of the senders of a group of flows.
    Senders,
    /// Limits and marks of the users' queues at the base station.
    Queues,
}

impl Decision {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Slots, Self::Senders, Self::Queues];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slots => "slots",
            Self::Senders => "senders",
            Self::Queues => "queues",
        }
    }

    /// The parts of which an observation can be composed.
    pub const fn observations(self) -> &'static [Part] {
        match self {
            Self::Slots => SLOT_COLUMNS,
            Self::Senders => SENDER_COLUMNS,
            Self::Queues => QUEUE_COLUMNS,
        }
    }

    /// The parts of which an action can be composed; of slots there is one at a time, which has no bounds of its own.
    pub const fn actions(self) -> &'static [Part] {
        match self {
            Self::Slots => &[],
            Self::Senders => SENDER_ACTIONS,
            Self::Queues => QUEUE_ACTIONS,
        }
    }

    /// The parts that a reward can be a weighted sum of.
    pub fn rewards(self) -> impl Iterator<Item = &'static Part> {
        let own = match self {
            Self::Slots => SLOT_REWARDS,
            Self::Senders => SENDER_REWARDS,
            Self::Queues => QUEUE_REWARDS,
        };
        ANY_REWARDS.iter().chain(own)
    }
}

/// A number of an observation, an action or a reward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Its name, whose end is its unit.
    pub name: &'static str,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    /// The least value; what is below is shown as this.
    pub low: f64,
    /// The largest value; what is above is shown as this.
    pub high: f64,
    /// What has one each.
    pub of: Of,
    /// What it is.
    pub meaning: &'static str,
}

/// What a part has a number for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The whole run.
    Run,
    /// Each user.
    User,
    /// Each user and subchannel.
    UserAndSubchannel,
    /// Each flow of the group.
    Flow,
}

impl Of {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::User => "user",
            Self::UserAndSubchannel => "user, subchannel",
            Self::Flow => "flow",
        }
    }
}

const fn part(name: &'static str, unit: &'static str, (low, high): (f64, f64), of: Of, meaning: &'static str) -> Part {
    Part { name, unit, low, high, of, meaning }
}

const NOT_NEGATIVE: (f64, f64) = (0.0, f64::INFINITY);

const SLOT_COLUMNS: &[Part] = &[
    part("rate_bps", "b/s", (0.0, 1e8), Of::UserAndSubchannel, "the rate that the report permits; 0: none"),
    part("reported_db", "dB", (-30.0, 50.0), Of::UserAndSubchannel, "the SNR that was reported"),
    part("candidate", "", (0.0, 1.0), Of::UserAndSubchannel, "1 for who may win here: with data and a rate above 0"),
    part("average_bps", "b/s", (0.0, 1e8), Of::User, "the averaged rate that the scenario's scheduler keeps"),
    part("backlog_bytes", "bytes", (0.0, 1e6), Of::User, "what waits for the user and is not on air"),
    part("retransmit_bytes", "bytes", (0.0, 1e6), Of::User, "of these, what was lost and is sent again"),
    part("head_of_line_delay_s", "s", (0.0, 10.0), Of::User, "how long the oldest packet has waited; 0 without one"),
    part("gap_slots", "slots", (0.0, 1e4), Of::User, "slots since the user won last"),
    part("mean_snr_db", "dB", (-30.0, 50.0), Of::User, "the user's mean SNR"),
    part("weight", "", (0.0, 100.0), Of::User, "scheduler.weight"),
    part("delay_budget_s", "s", (0.0, 10.0), Of::User, "scheduler.delay_budget_ms, in seconds"),
];

const SENDER_COLUMNS: &[Part] = &[
    part("window_bytes", "bytes", (0.0, 1e7), Of::Flow, "the congestion window"),
    part("in_flight_bytes", "bytes", (0.0, 1e7), Of::Flow, "what was in flight at the last ACK"),
    part("smoothed_round_trip_s", "s", (0.0, 10.0), Of::Flow, "the smoothed round-trip time; 0 before the first"),
    part("least_round_trip_s", "s", (0.0, 10.0), Of::Flow, "the least round-trip time so far; 0 before the first"),
    part("delivered_bps", "b/s", (0.0, 1e8), Of::Flow, "what was newly reported as arrived, over the step"),
    part("lost_bps", "b/s", (0.0, 1e8), Of::Flow, "what was given up for lost, over the step"),
    part("marked_bps", "b/s", (0.0, 1e8), Of::Flow, "what was reported as marked (CE), over the step"),
    part("timeouts", "", (0.0, 10.0), Of::Flow, "retransmission timers that expired in the step"),
];

const SENDER_ACTIONS: &[Part] = &[
    part("window_bytes", "bytes", (1500.0, 1.5e6), Of::Flow, "the congestion window; at least one segment"),
    part("pacing_bps", "b/s", (1e4, 1e9), Of::Flow, "the rate of payload at which segments leave"),
];

const QUEUE_COLUMNS: &[Part] = &[
    part("backlog_bytes", "bytes", (0.0, 1e6), Of::User, "what waits in the queue"),
    part("wait_s", "s", (0.0, 10.0), Of::User, "the mean wait of packets that came to the head in the step; 0: none"),
    part("arrived_bps", "b/s", (0.0, 1e8), Of::User, "what came to the queue, over the step"),
    part("left_bps", "b/s", (0.0, 1e8), Of::User, "what came to the head and was sent, over the step"),
    part("refused_packets", "packets", (0.0, 1e3), Of::User, "packets of the step for which there was no room"),
    part(
        "marked_packets",
        "packets",
        (0.0, 1e3),
        Of::User,
        "packets of the step that were marked or dropped by chance",
    ),
    part("limit_bytes", "bytes", (0.0, 1e7), Of::User, "the limit as it is set"),
    part("mark_probability", "", (0.0, 1.0), Of::User, "the probability as it is set"),
];

const QUEUE_ACTIONS: &[Part] = &[
    part("limit_bytes", "bytes", (3000.0, 3e6), Of::User, "the most bytes that may wait or be in service"),
    part(
        "mark_probability",
        "",
        (0.0, 1.0),
        Of::User,
        "the chance of a packet that comes to be marked (CE), or dropped if its sender takes no part in ECN",
    ),
];

const ANY_REWARDS: &[Part] = &[
    part("goodput_bits", "b", NOT_NEGATIVE, Of::Run, "bits that reached the users' applications in order"),
    part(
        "log_goodput",
        "",
        NOT_NEGATIVE,
        Of::Run,
        "growth of the sum over users of ln(1500 + in-order bytes since the start): all steps of an episode add up to the utility \
         that is proportionally fair",
    ),
    part("jain_index", "", (-1.0, 1.0), Of::Run, "growth of Jain's index of the users' bytes since the start"),
    part("dropped_packets", "packets", NOT_NEGATIVE, Of::Run, "packets that queues or the air dropped"),
];

const SLOT_REWARDS: &[Part] = &[
    part("sent_bits", "b", NOT_NEGATIVE, Of::Run, "bits that were put on air"),
    part(
        "head_of_line_delay_s",
        "s",
        NOT_NEGATIVE,
        Of::Run,
        "mean over users of how long the oldest packet has waited",
    ),
    part("overdue_users", "", NOT_NEGATIVE, Of::Run, "users whose oldest packet has waited longer than their budget"),
];

const SENDER_REWARDS: &[Part] = &[
    part("round_trip_s", "s", NOT_NEGATIVE, Of::Run, "mean over flows of the smoothed round-trip time"),
    part("lost_bytes", "bytes", NOT_NEGATIVE, Of::Run, "what the senders gave up for lost"),
];

const QUEUE_REWARDS: &[Part] = &[part(
    "wait_s",
    "s",
    NOT_NEGATIVE,
    Of::Run,
    "mean wait of all packets that came to the head in the step; 0: none",
)];
