//! A case as a line of text, and what it stands for.

use std::fmt;
use std::str::FromStr;

use airlink_model::transport::{Estimator, Pacing, Reader, StallingReader, Tcp, WindowPacing};
use airlink_model::types::declare::Value;
use airlink_model::types::{Bytes, Duration, Rate, Time};

use super::conditions::CONDITIONS;
use super::draw::Draw;
use super::fields::{FIELDS, TcpField, text_of};
use super::profiles;

/// Something that a case has otherwise than on a plain network.
pub struct Change {
    pub name: &'static str,
    pub make: fn(&mut Case, &mut Draw),
}

/// What makes a case.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub seed: u64,
    /// Segments to send or, where a peer sends anything, what it sends.
    pub steps: u64,
    pub profile: &'static str,
    pub changes: Vec<Named>,
}

/// A change by its name, with the value of a field that is not to be drawn.
#[derive(Clone, Debug)]
pub struct Named {
    pub name: &'static str,
    pub value: Option<String>,
}

/// Both ends, the network between them and the application.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    pub steps: u64,
    pub tcp: Tcp,
    pub network: Network,
    pub application: Application,
}

/// What happens to packets until it heals.
#[derive(Clone, Debug)]
pub struct Network {
    /// Bytes per second of the data's way, with room for so many segments; after that, drops.
    pub rate: f64,
    pub queue: usize,
    pub data_delay: Duration,
    pub ack_delay: Duration,
    pub loss: f64,
    pub ack_loss: f64,
    pub reordering: f64,
    pub ack_reordering: f64,
    pub duplication: f64,
    pub ack_duplication: f64,
    /// By how much a reordered or duplicated packet is late, at most.
    pub lateness: Duration,
    /// What is sent in this time arrives that much later.
    pub spikes: Vec<(Time, Time, Duration)>,
    /// What is sent in this time is lost or, if it is held, arrives at its end.
    pub outages: Vec<(Time, Time, bool)>,
    pub heals_at: Time,
    /// The driver rings the bells so much late.
    pub timer_lag: Duration,
    /// It also rings them at every event, however early.
    pub rings_always: bool,
    /// At the same moment timers come before packets.
    pub timers_first: bool,
}

/// When it writes, and what.
#[derive(Clone, Debug, Default)]
pub struct Application {
    /// It writes the stream in so many pieces, with pauses up to this long.
    pub pieces: u64,
    pub pause: Duration,
    pub stops_at: Option<Time>,
    pub opens_at: Time,
}

impl Case {
    pub fn new(recipe: &Recipe) -> Self {
        let mut case = Self {
            seed: recipe.seed,
            steps: recipe.steps,
            tcp: profiles::named(recipe.profile),
            network: Network::plain(),
            application: Application { pieces: 1, ..Application::default() },
        };
        for (field, value) in recipe.fields() {
            let value = value.unwrap_or_else(|problem| panic!("{problem}"));
            field.set(&mut case.tcp, value);
        }
        case.make_allowed();
        for change in CONDITIONS.iter().filter(|change| recipe.named(change.name).is_some()) {
            (change.make)(&mut case, &mut Draw::new(recipe.seed, change.name));
        }
        case.make_finite();
        case
    }

    /// Bytes of the stream: at most a megabyte, so that every byte can be followed.
    pub fn bytes(&self) -> u64 {
        let odd = Draw::new(self.seed, "last segment").below(self.tcp.mss.count());
        (self.steps * self.tcp.mss.count()).min(1_000_000).saturating_sub(odd).max(1)
    }

    pub fn round_trip(&self) -> Duration {
        self.network.data_delay + self.network.ack_delay
    }

    /// What a scenario's checks demand of one field and another.
    fn make_allowed(&mut self) {
        let tcp = &mut self.tcp;
        tcp.rules.rack &= tcp.sack;
        tcp.rules.tail_loss_probe &= tcp.rules.rack;
        tcp.rules.dsack_detection &= tcp.sack && tcp.rules.dsack;
        tcp.rules.limited_transmit_resends &= tcp.rules.limited_transmit;
        tcp.rules.eifel_detection &= tcp.timestamps;
        tcp.rules.sack_blocks = tcp.rules.sack_blocks.min(if tcp.timestamps { 3 } else { 4 });
        tcp.vegas.beta_segments = tcp.vegas.beta_segments.max(tcp.vegas.alpha_segments);
        tcp.rto.max = tcp.rto.max.max(tcp.rto.min);
        if tcp.rto.estimator == Estimator::Ns2 && tcp.rto.tick == Duration::ZERO {
            tcp.rto.tick = Duration::from_millis(10);
        }
        let mss = tcp.mss.count();
        tcp.receiver_window = Bytes::new(tcp.receiver_window.count().clamp(mss, 1_000_000 * mss));
    }

    /// Nothing takes thousands of timeouts: a run that comes to its end must do so soon.
    fn make_finite(&mut self) {
        let rto = self.tcp.rto;
        // A timeout that hardly grows stays where it began, however far away its largest is.
        let shortest = if rto.backoff_factor < 1.2 { rto.max.min(rto.initial).min(rto.min) } else { rto.max };
        let network = &mut self.network;
        network.data_delay = network.data_delay.min(shortest * 12);
        network.ack_delay = network.ack_delay.min(shortest * 12);
        network.heals_at = network.heals_at.min(Time::ZERO + shortest * 1000);
        network.timer_lag = network.timer_lag.min(shortest * 10);
        self.application.pause =
            self.application.pause.min(Duration::from_nanos(shortest.as_nanos() * 500 / self.application.pieces));
        let (bytes, round_trip) = (self.bytes() as f64, self.round_trip());
        let tcp = &mut self.tcp;
        tcp.delayed_ack.timer = tcp.delayed_ack.timer.min(shortest * 500);
        // What a timeout forgot and a block reports again is a sample since its first sending: paced slower than a window in
        // a round trip, the gap then grows with all the time that has passed.
        let slow = if tcp.sack && tcp.rules.forget_sack_on_timeout { 1.0 } else { 0.05 };
        // Nor does a segment wait for its turn through hundreds of timeouts.
        let least_gain = f64::max(slow, (round_trip + tcp.rto.tick * 2).as_secs() / (100.0 * shortest.as_secs()));
        if let Pacing::Window(WindowPacing { slow_start_gain, avoidance_gain, .. }) = &mut tcp.pacing {
            (*slow_start_gain, *avoidance_gain) = (slow_start_gain.max(least_gain), avoidance_gain.max(least_gain));
        }
        if let Reader::Stalling(StallingReader { rate, stall_for, .. }) = &mut tcp.reader {
            *rate = Rate::from_bps(rate.bps().max(8.0 * bytes / (500.0 * shortest.as_secs())));
            *stall_for = (*stall_for).min(shortest * 500);
        }
    }
}

impl Network {
    fn plain() -> Self {
        Self {
            rate: f64::INFINITY,
            queue: 100,
            data_delay: Duration::from_millis(20),
            ack_delay: Duration::from_millis(20),
            loss: 0.0,
            ack_loss: 0.0,
            reordering: 0.0,
            ack_reordering: 0.0,
            duplication: 0.0,
            ack_duplication: 0.0,
            lateness: Duration::from_millis(30),
            spikes: Vec::new(),
            outages: Vec::new(),
            heals_at: Time::ZERO + Duration::from_millis(5000),
            timer_lag: Duration::ZERO,
            rings_always: false,
            timers_first: false,
        }
    }
}

impl Recipe {
    fn named(&self, name: &str) -> Option<&Named> {
        self.changes.iter().find(|change| change.name == name)
    }

    /// The fields that it changes, with their values.
    fn fields(&self) -> impl Iterator<Item = (&'static TcpField, Result<Value, String>)> + '_ {
        FIELDS.iter().filter_map(|field| {
            let value = match &self.named(&field.path)?.value {
                Some(text) => field.parse(text),
                None => Ok(field.draw(&mut Draw::new(self.seed, &field.path))),
            };
            Some((field, value))
        })
    }

    /// The same with every value given, for a line that is kept.
    pub fn with_values(&self) -> Self {
        let mut given = self.clone();
        for (field, value) in self.fields() {
            let change = given.changes.iter_mut().find(|change| change.name == field.path);
            change.expect("it changes the field").value = value.ok().map(|value| text_of(&value));
        }
        given
    }
}

impl fmt::Display for Named {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value } = self;
        match value {
            Some(value) => write!(formatter, "{name}={value}"),
            None => formatter.write_str(name),
        }
    }
}

impl FromStr for Named {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value.to_owned())));
        let field = FIELDS.iter().find(|field| field.path == name).map(|field| field.path.as_str());
        let condition = CONDITIONS.iter().find(|change| change.name == name && value.is_none());
        let name = field.or(condition.map(|change| change.name)).ok_or(format!("{word} is no change"))?;
        Ok(Self { name, value })
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} {}", self.seed, self.steps, self.profile)?;
        self.changes.iter().try_for_each(|change| write!(formatter, " {change}"))
    }
}

impl FromStr for Recipe {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let mut number = || words.next().and_then(|word| word.parse().ok()).ok_or("a seed and a number of steps");
        let (seed, steps) = (number()?, number()?);
        let profile = words.next().and_then(|word| profiles::NAMES.into_iter().find(|name| *name == word));
        let changes = words.map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self { seed, steps, profile: profile.ok_or("a profile")?, changes })
    }
}
