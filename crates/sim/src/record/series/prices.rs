//! The series `prices`.

use airlink_model::types::MarkRecord;

use super::{Asks, ChunkedVec, Needs, Series, columns, number};

/// The price of a queue as a packet left it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PriceRow(MarkRecord);

columns! { PriceRow:
    time_s real |row| row.0.at.as_secs() =>
        "when the packet left the queue of the network: in a cell those delivered have a row, at a bottleneck those too that are lost on its wire";
    user whole |row| number(row.0.user.index()).into() => "whose packet";
    flow whole |row| number(row.0.flow.index()).into() => "number of its flow";
    mean_bytes real |row| row.0.mean_bytes => "mean of the queue, as arrivals have left it";
    free_bytes real |row| row.0.free_bytes => "a, the bytes without a price, as it is by then";
    service_bps real |row| 8.0 * row.0.service_bytes_per_s => "rate at which the queue drains, with headers",
        missing "NaN until that is known";
    price_s_per_byte real |row| row.0.addition.into() =>
        "p, what the packet carries of this queue; what a queue upstream adds is not in it";
}

impl Series for ChunkedVec<PriceRow> {
    const WHAT: &'static str = "the price of each packet that leaves a queue, and its components";
    const NEEDS: Needs = Needs::Price;
    const ASKS: &'static [Asks] = &[Asks::MarksAdded];
    type Rows = Self;

    fn on_mark_added(&mut self, record: &MarkRecord) {
        self.push(PriceRow(*record));
    }
}
