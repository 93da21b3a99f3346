//! The end of a connection that a script plays to.

use airlink_model::types::Time;

use super::words::{Input, Output};

/// An end of a connection, as a script sees it.
pub(super) trait Endpoint {
    /// Payload of a full segment: an expected range stands for so many segments.
    fn mss(&self) -> u64;
    /// Takes a packet in.
    fn put_in(&mut self, now: Time, input: &Input);
    /// All packets of a line are in: no more arrive at that time.
    fn end_line(&mut self) {}
    /// The next packet it sends.
    fn output(&mut self, now: Time) -> Option<Output>;
    /// A quantity by its name, one of the list of its side.
    fn show(&self, name: &str) -> String;
    /// When its next timer expires.
    fn timer(&self) -> Option<Time>;
    /// Handles the timers that are due.
    fn expire(&mut self, now: Time);
}
