//! From the list of series: their names, their states of a run, and who hears what.

/// Declares the kinds of series: the name, which is also that of its file, the variant of `RecordKind`, and its type.
macro_rules! series {
    ($($name:ident $kind:ident: $series:ty;)*) => {
        /// A kind of series.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum RecordKind {
            $(#[doc = concat!("The series `", stringify!($name), "`.")] $kind,)*
        }

        impl RecordKind {
            /// All kinds.
            pub const ALL: [Self; [$(Self::$kind),*].len()] = [$(Self::$kind),*];

            /// The kind's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($name),)*
                }
            }

            /// The kind of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|kind| kind.name() == name)
            }

            /// What is declared of it.
            pub(crate) fn about(self) -> AboutTable {
                match self {
                    $(Self::$kind => AboutTable {
                        name: self.name(),
                        what: <$series>::WHAT,
                        needs: <$series>::NEEDS.name(),
                        has_few_rows: <$series>::HAS_FEW_ROWS,
                        columns: rows_of(<$series>::default()).about().iter().map(About::column).collect(),
                    },)*
                }
            }
        }

        /// All series of a run; those not asked for stay empty and cost a test.
        #[derive(Clone, Debug)]
        pub(crate) struct AllSeries {
            $($name: Option<$series>,)*
            setting: Setting,
            /// By `Asks`.
            asked: [bool; Asks::COUNT],
        }

        impl AllSeries {
            pub(crate) fn new(kinds: &[RecordKind], setting: Setting) -> Self {
                let mut asked = [false; Asks::COUNT];
                $(let $name = kinds.contains(&RecordKind::$kind).then(|| {
                    <$series>::ASKS.iter().for_each(|what| asked[*what as usize] = true);
                    let mut series = <$series>::default();
                    series.begin(setting);
                    series
                });)*
                Self { $($name,)* setting, asked }
            }

            /// Whether any was asked for.
            pub(crate) fn is_any(&self) -> bool {
                [$(self.$name.is_some()),*].contains(&true)
            }

            /// The series that were asked for.
            pub(crate) fn into_recorded(self) -> Vec<Recorded> {
                let setting = self.setting;
                let recorded = [$(self.$name.map(|series| {
                    Recorded::new(RecordKind::$kind, setting, rows_of(series))
                }),)*];
                recorded.into_iter().flatten().collect()
            }

            $crate::record::series::registry::tell! { [$($name)*]
                start_measuring();
                on_slot(record: &SlotRecord);
                on_grant(grant: &GrantRecord<'_>);
                on_mark_added(record: &MarkRecord);
                on_queue(now: Time, user: UserId, packets: u64, bytes: Bytes);
                on_packet_sent(now: Time, packet: &Packet<Payload>);
                on_packet_queued(now: Time, flow: usize, number: u64);
                on_packet_left(now: Time, flow: usize, left: &PacketLeft);
                on_ack(now: Time, flow: usize, ack: &AckHeard<'_>);
                on_round_trip(now: Time, flow: usize, rtt: Duration, sender: &Sender);
                on_window(now: Time, flow: usize, sender: &Sender, event: FlowEvent);
                on_event(now: Time, flow: usize, acknowledged: Bytes, event: FlowEvent);
                on_expiry(now: Time, flow: usize, sender: &Sender, is_held: bool);
                on_timeout_settled(flow: usize, spurious: bool);
                on_burst_sent(now: Time, flow: usize, number: u64, burst: &Burst, deadline: Duration);
                on_burst_complete(now: Time, flow: usize, number: u64);
                on_held_back(flow: usize, piece: &Piece);
                on_waited(flow: usize, piece: &Piece);
            }

            #[inline]
            pub(crate) fn on_channel(
                &mut self,
                slot: Slot,
                true_db: impl Iterator<Item = f32> + Clone,
                reported_bps: &[f32],
            ) {
                $(if let Some(series) = &mut self.$name {
                    series.on_channel(slot, true_db.clone(), reported_bps);
                })*
            }
        }
    };
}

/// Methods that tell every series that is recorded, one after the other.
macro_rules! tell {
    ($names:tt $($event:ident $arguments:tt;)*) => {
        $($crate::record::series::registry::tell! { @one $names $event $arguments })*
    };
    (@one [$($name:ident)*] $event:ident ()) => {
        #[inline]
        pub(crate) fn $event(&mut self) {
            $(if let Some(series) = &mut self.$name {
                series.$event();
            })*
        }
    };
    (@one $names:tt $event:ident ($($what:ident: $type:ty),*)) => {
        #[inline]
        pub(crate) fn $event(&mut self, $($what: $type),*) {
            $crate::record::series::registry::tell! { @each self $names $event ($($what),*) }
        }
    };
    (@each $set:ident [$($name:ident)*] $event:ident $what:tt) => {
        $(if let Some(series) = &mut $set.$name {
            series.$event $what;
        })*
    };
}

pub(super) use {series, tell};
