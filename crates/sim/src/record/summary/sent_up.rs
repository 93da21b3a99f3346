//! What users send: its rate, apart from that of what goes down, whose columns keep their meaning.

use super::cell::jain;
use super::{FlowRow, Summary};

/// What a flow, or all flows of a user, sent up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SentUp {
    /// It has data to send up.
    sends: bool,
    goodput_bps: f64,
}

impl SentUp {
    /// Of each flow.
    pub(super) fn of_flows(flows: &[FlowRow<'_>], measured_s: f64) -> Vec<Self> {
        let rate = |flow: &FlowRow<'_>| flow.counts.goodput_up_bytes as f64 * 8.0 / measured_s;
        flows.iter().map(|flow| Self { sends: flow.end.sends_up, goodput_bps: rate(flow) }).collect()
    }

    /// Of each of so many users.
    pub(super) fn of_users(flows: &[FlowRow<'_>], users: usize, measured_s: f64) -> Vec<Self> {
        let (mut sent_up, mut bytes) = (vec![Self::default(); users], vec![0; users]);
        for flow in flows {
            sent_up[flow.end.user].sends |= flow.end.sends_up;
            bytes[flow.end.user] += flow.counts.goodput_up_bytes;
        }
        for (user, bytes) in sent_up.iter_mut().zip(bytes) {
            user.goodput_bps = bytes as f64 * 8.0 / measured_s;
        }
        sent_up
    }
}

/// What is counted of the data from users.
const GOODPUT_UP: &str =
    "payload from users that reached the server's application in order, each byte once; without TCP, whole packets";

const DATA_UP: &str = "some flow has data from its user, too";

/// Declares the columns of a flow or user.
pub(super) fn up_columns(table: &mut Summary<'_, SentUp>, has_data_up: bool) {
    table.only(has_data_up, DATA_UP, |table| {
        let rate = format!("rate over the measured time: {GOODPUT_UP}");
        table.real("goodput_up_bps", rate, |own| own.goodput_bps);
    });
}

/// Declares the columns of all users together.
pub(super) fn up_columns_of_all(table: &mut Summary<'_, &[SentUp]>, has_data_up: bool) {
    table.only(has_data_up, DATA_UP, |table| {
        let sum = format!("sum over users: {GOODPUT_UP}");
        table.real("goodput_up_bps", sum, |users| users.iter().map(|user| user.goodput_bps).sum());
        let index = "Jain's index of the goodput up of the users who have data to send, 1/users..1";
        table.real_or("jain_index_up", index, "NaN when nobody got anything through", |users| {
            let rates: Vec<f64> = users.iter().filter(|user| user.sends).map(|user| user.goodput_bps).collect();
            jain(&rates)
        });
    });
}
