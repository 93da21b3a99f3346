//! The engine as a whole: scenarios in, every recorded number checked against paper and pencil, a law or a balance.

#[path = "engine/assembly.rs"]
mod assembly;
#[path = "engine/bottleneck.rs"]
mod bottleneck;
#[path = "engine/captured.rs"]
mod captured;
#[path = "engine/captures.rs"]
mod captures;
#[path = "engine/case.rs"]
mod case;
#[path = "engine/congestion.rs"]
mod congestion;
#[path = "engine/conservation.rs"]
mod conservation;
#[path = "engine/determinism.rs"]
mod determinism;
#[path = "engine/downloads.rs"]
mod downloads;
#[path = "engine/events.rs"]
mod events;
#[path = "engine/fifo.rs"]
mod fifo;
#[path = "engine/fixed_link.rs"]
mod fixed_link;
#[path = "engine/harq.rs"]
mod harq;
#[path = "engine/holding.rs"]
mod holding;
#[path = "engine/limits.rs"]
mod limits;
#[path = "engine/outer_loop.rs"]
mod outer_loop;
#[path = "engine/queueing.rs"]
mod queueing;
#[path = "engine/random_case.rs"]
mod random_case;
#[path = "engine/repeated_slots.rs"]
mod repeated_slots;
#[path = "engine/repetition.rs"]
mod repetition;
#[path = "engine/segments.rs"]
mod segments;
#[path = "engine/spurious_timeout.rs"]
mod spurious_timeout;
#[path = "engine/streams.rs"]
mod streams;
#[path = "engine/subchannels.rs"]
mod subchannels;
#[path = "engine/turns.rs"]
mod turns;
#[path = "engine/warm_up.rs"]
mod warm_up;
