//! The engine as a whole: scenarios in, every recorded number checked against paper and pencil, a law or a balance.

mod assembly;
mod bottleneck;
mod captured;
mod captures;
mod case;
mod congestion;
mod conservation;
mod determinism;
mod downloads;
mod events;
mod fifo;
mod fixed_link;
mod harq;
mod holding;
mod limits;
mod outer_loop;
mod queueing;
mod random_case;
mod repeated_slots;
mod repetition;
mod segments;
mod spurious_timeout;
mod streams;
mod subchannels;
mod turns;
mod warm_up;
