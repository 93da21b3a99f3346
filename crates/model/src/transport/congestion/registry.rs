//! From the table of algorithms: their words and meanings in a scenario, and a controller that is any of them.

/// Declares the algorithms: the variant, its word and meaning in a scenario, how losses are repaired, and the type; a
/// second type for configurations in which another one computes the same.
macro_rules! algorithms {
    ($($name:ident: $word:literal, $meaning:literal, $repair:ident, $control:ident
        $(, $other:ident if $applies:expr)?;)*) => {
        /// The algorithms by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
        pub enum Algorithm {
            $(#[doc = $meaning] #[word($word)] $name,)*
        }

        impl Algorithm {
            /// All words and what they stand for, as the field of a scenario says it.
            pub(in crate::transport) const MEANINGS: &str =
                concat!($("; ", $word, ": ", $meaning),*).split_at("; ".len()).1;

            /// How losses are repaired where duplicate ACKs inflate the window.
            pub const fn repair(self) -> Repair {
                match self {
                    $(Self::$name => Repair::$repair,)*
                }
            }
        }

        /// Any of the algorithms, held in place so that a sender stays one plain value; or one from outside the crate.
        #[derive(Clone, Debug)]
        pub enum Controller {
            $(#[doc = $meaning] $name($control), $(#[doc = $meaning] $other($other),)?)*
            /// Of any type.
            Boxed(Box<dyn CongestionControl>),
        }

        impl Controller {
            /// The algorithm that `config` names, at its initial window.
            pub fn new(config: &Tcp) -> Self {
                match config.congestion_control {
                    $($(Algorithm::$name if $applies(config) => Self::$other($other::new(config)),)?
                    Algorithm::$name => Self::$name($control::new(config)),)*
                }
            }
        }

        impl CongestionControl for Controller {
            $crate::transport::congestion::registry::pass_on! { [$($name $($other)?)* Boxed]
                needs(&self) -> Needs;
                window(&self) -> f64;
                slow_start_threshold(&self) -> f64;
                pacing_rate(&self) -> Option<Rate>;
                on_sent(&mut self, sent: &SentEvent);
                on_arrival(&mut self, arrival: &Arrival);
                on_ack(&mut self, ack: &AckEvent);
                on_lost(&mut self, lost: &LostEvent);
                on_loss(&mut self, loss: &LossEvent);
                on_mark(&mut self, mark: &LossEvent);
                on_recovered(&mut self);
                on_timeout(&mut self, loss: &LossEvent);
                on_idle(&mut self, idle: &IdleEvent);
                set_window(&mut self, window: f64);
                restore(&mut self, windows: Windows);
            }
        }
    };
}

/// Methods that each of these variants answers itself.
macro_rules! pass_on {
    ($variants:tt) => {};
    ($variants:tt $method:ident(&self) -> $answer:ty; $($rest:tt)*) => {
        #[inline]
        fn $method(&self) -> $answer {
            $crate::transport::congestion::registry::each!($variants self, control => control.$method())
        }
        $crate::transport::congestion::registry::pass_on! { $variants $($rest)* }
    };
    ($variants:tt $method:ident(&mut self $(, $event:ident: $type:ty)?); $($rest:tt)*) => {
        #[inline]
        fn $method(&mut self $(, $event: $type)?) {
            $crate::transport::congestion::registry::each!($variants self, control => control.$method($($event)?))
        }
        $crate::transport::congestion::registry::pass_on! { $variants $($rest)* }
    };
}

macro_rules! each {
    ([$($variant:ident)*] $self:ident, $control:ident => $answer:expr) => {
        match $self {
            $(Self::$variant($control) => $answer,)*
        }
    };
}

pub(super) use {algorithms, each, pass_on};
