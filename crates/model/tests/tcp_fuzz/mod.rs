//! The fuzz target of TCP: senders and receivers with any of their fields changed, over networks that do anything and
//! then heal, and against peers that send anything at any time.
//!
//! A case is one line: a target, a seed, a number of steps, a profile and the names of what is changed. proptest draws
//! and shrinks it; every change draws its value from a stream of its own, so a line keeps its meaning when changes are
//! added; a field may have its value beside it (`rto.min_ms=0.25`). The lines in `tcp_fuzz/seeds.txt` are the cases that once failed: they run first, each time.
//!
//!     cargo test -p airlink-model --test all tcp_fuzz::              a few seconds, always the same cases
//!     make fuzz FUZZ_SECONDS=3600                                    longer, and other cases each time
//!     FUZZ_CASE="network 7 40 linux sack=false loss" cargo test … tcp_fuzz::    one case
//!
//! What must hold is in `watch.rs` (a sender), `end_to_end.rs` (both ends) and `any_segments.rs` (a receiver). Left out:
//! FIN and what else the models leave out.

mod any_acks;
mod any_segments;
mod case;
mod conditions;
pub mod draw;
mod end_to_end;
mod ends;
mod fields;
mod profiles;
mod search;
mod watch;

use search::Target;

#[test]
fn over_any_network_everything_arrives_once_it_heals() {
    search::run(&Target { name: "network", run: end_to_end::run });
}

#[test]
fn any_acks_at_any_time_leave_a_sender_sound_and_an_honest_peer_ends_it() {
    search::run(&Target { name: "acks", run: any_acks::run });
}

#[test]
fn any_segments_at_any_time_are_delivered_once_and_in_order() {
    search::run(&Target { name: "segments", run: any_segments::run });
}
