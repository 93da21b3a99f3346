//! Users who load pages over several flows: their browsers, and what those ask of which flow.

use airlink_model::traffic::{Ask, Browser};
use airlink_model::types::Time;

/// The browser of a user, and the flows that are its connections.
#[derive(Clone, Debug)]
pub(crate) struct UserBrowser {
    /// Its connections are this flow and those that follow.
    pub(crate) first_flow: usize,
    /// When it asks for its first page; never if it waits to be asked for each.
    pub(crate) start: Time,
    /// From then on nothing is asked for.
    pub(crate) stop: Time,
    pub(crate) browser: Browser,
}

/// Which connection of which browser a flow is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connection {
    pub(crate) browser: usize,
    pub(crate) number: usize,
}

impl UserBrowser {
    /// When it asks for the page after one that ended at `now`; never if it waits to be asked.
    pub(crate) fn next_page_at(&mut self, now: Time) -> Time {
        if self.start == Time::NEVER { Time::NEVER } else { self.browser.next_page_at(now) }
    }

    /// The flow of the next request, and the request; none that would leave after the stop.
    pub(crate) fn poll_ask(&mut self) -> Option<(usize, Ask)> {
        let ask = self.browser.poll_ask().filter(|ask| ask.at < self.stop)?;
        Some((self.first_flow + ask.connection, ask))
    }
}
