//! The times of downloads of each user or flow: means, quantiles and slowdowns.
//!
//! Those requested in the measured time count, whether they end or not. One that has not ended when the run does is a
//! time above its age, so quantiles are those of the product limit [Kaplan58]: with n times or ages of at least t,
//!
//!   S(t) = product over the times t_i <= t of (1 - 1/n_i),
//!
//! the quantile p is the least t with S(t) <= 1 - p; infinite if ages leave S above that. Without an age it is the time
//! of rank ceil(p n).
//!
//! Those requested before the measured time that have not ended as it begins are pending: a count of their own. A user or
//! flow that requests nothing later has their times, so who waits since before is not who waits for nothing.
//!
//! It leaves out: the way of a page's request, which comes before.

use airlink_model::types::Time;

use super::{Summary, fill};
use crate::record::Downloads;
use crate::record::downloads::Requested;
use crate::record::series::DownloadRow;
use crate::table::Table;

/// The time of one download, or, if it has not ended, its age.
#[derive(Clone, Copy, Debug)]
struct Span {
    value: f64,
    has_ended: bool,
}

/// Times and ages, from the shortest; an age after the times that equal it.
#[derive(Clone, Debug, Default)]
struct Spans(Vec<Span>);

impl Spans {
    fn sort(&mut self) {
        self.0.sort_by(|one, other| one.value.total_cmp(&other.value).then(other.has_ended.cmp(&one.has_ended)));
    }

    /// The mean, ages taken for times: the true one is above it if some have not ended.
    fn mean(&self) -> f64 {
        self.0.iter().map(|span| span.value).sum::<f64>() / self.0.len() as f64
    }

    fn unfinished(&self) -> u64 {
        self.0.iter().filter(|span| !span.has_ended).count() as u64
    }

    /// The longest age; not a number if all have ended.
    fn longest_age(&self) -> f64 {
        self.0.iter().rev().find(|span| !span.has_ended).map_or(f64::NAN, |span| span.value)
    }

    /// The quantile of the product limit; infinite beyond what is known, not a number without downloads.
    fn quantile(&self, share: f64) -> f64 {
        let mut survival = 1.0;
        for (place, span) in self.0.iter().enumerate().filter(|(_, span)| span.has_ended) {
            let at_risk = (self.0.len() - place) as f64;
            survival *= 1.0 - 1.0 / at_risk;
            // The product of n fractions is off by some n times the rounding of one.
            if survival <= 1.0 - share + 1e-9 {
                return span.value;
            }
        }
        if self.0.is_empty() { f64::NAN } else { f64::INFINITY }
    }
}

/// What downloads of one kind took, and how many times as long as alone, if that is known.
#[derive(Clone, Debug, Default)]
struct Took {
    times: Spans,
    slowdowns: Spans,
}

impl Took {
    fn add(&mut self, span: Span, alone_s: Option<f64>) {
        self.times.0.push(span);
        if let Some(alone_s) = alone_s.filter(|alone_s| alone_s.is_finite()) {
            self.slowdowns.0.push(Span { value: span.value / alone_s, ..span });
        }
    }
}

/// The downloads of a user or flow that count.
#[derive(Clone, Debug, Default)]
pub(super) struct Owned {
    measured: Took,
    pending: Took,
}

impl Owned {
    /// Those that the columns of times are of: without a request in the measured time, the pending ones.
    fn timed(&self) -> &Took {
        if self.measured.times.0.is_empty() { &self.pending } else { &self.measured }
    }
}

/// The downloads of each of `rows` users or flows.
fn by_owner(
    rows: usize,
    downloads: &Downloads,
    of: impl Fn(&DownloadRow) -> u32,
    alone_s: Option<&[f64]>,
    end: Time,
) -> Vec<Owned> {
    let mut owners = vec![Owned::default(); rows];
    for (place, row) in downloads.rows().enumerate() {
        let Some((owned, requested)) = owners.get_mut(of(row) as usize).zip(downloads.counting(place)) else {
            continue;
        };
        let has_ended = row.completed_at != Time::NEVER;
        let until = if has_ended { row.completed_at } else { end };
        let span = Span { value: until.since(row.requested_at).as_secs(), has_ended };
        let took = match requested {
            Requested::Earlier => &mut owned.pending,
            Requested::Measured => &mut owned.measured,
        };
        took.add(span, alone_s.map(|alone_s| alone_s[place]));
    }
    for took in owners.iter_mut().flat_map(|owned| [&mut owned.measured, &mut owned.pending]) {
        took.times.sort();
        took.slowdowns.sort();
    }
    owners
}

/// Adds to a table of users or flows what their measured downloads took: `of` says whose a download is, `alone_s` what each
/// takes alone, if that is known, and `end` when the run ended.
pub(crate) fn add_download_columns(
    table: &mut Table,
    downloads: &Downloads,
    of: impl Fn(&DownloadRow) -> u32,
    alone_s: Option<&[f64]>,
    end: Time,
) {
    let owners = by_owner(table.rows(), downloads, of, alone_s, end);
    fill(table, &owners, |columns| download_columns(columns, true, alone_s.is_some()));
}

/// Declares what users or flows have of their downloads.
pub(super) fn download_columns(table: &mut Summary<'_, Owned>, has_downloads: bool, has_slowdowns: bool) {
    table.only(has_downloads, "there are files or sessions", |table| {
        count_columns(table);
        time_columns(table);
    });
    table.only(has_slowdowns, "`downloads` is recorded, which `airlink run` does by itself", slowdown_columns);
}

fn count_columns(table: &mut Summary<'_, Owned>) {
    let all = "files and pages requested in the measured time, whether they ended or not";
    table.count("downloads", all, |own| own.measured.times.0.len() as u64);
    let open = "of these, those that had not ended when the run did, `drain_s` included";
    table.count("downloads_unfinished", open, |own| own.measured.times.unfinished());
    let pending = "requested before the measured time and not ended as it began; not among `downloads`";
    table.count("downloads_pending_at_start", pending, |own| own.pending.times.0.len() as u64);
    table.count("downloads_pending_unfinished", open, |own| own.pending.times.unfinished());
    table.real_or(
        "download_pending_longest_age_s",
        "the longest age of one of these, from its request to the end of the run",
        "NaN when all have ended",
        |own| own.pending.times.longest_age(),
    );
}

fn time_columns(table: &mut Summary<'_, Owned>) {
    let mean = "mean time from `requested_s` of the series `downloads` to the last byte at the user, of uploads at the \
                server; one that has not ended counts with its age, so where there are such the true mean is above it. Without a request in the measured time, this \
                and what follows are of those pending at its start";
    table.real_or("download_mean_s", mean, "NaN without those", |own| own.timed().times.mean());
    let median = "their median, of the product limit [Kaplan58]; inf when it is above `download_longest_age_s`";
    table.real("download_p50_s", median, |own| own.timed().times.quantile(0.5));
    table.real("download_p95_s", "their 95th percentile; inf as before", |own| own.timed().times.quantile(0.95));
    let age = "the longest age of one that has not ended";
    table.real_or("download_longest_age_s", age, "NaN when all have", |own| own.timed().times.longest_age());
}

fn slowdown_columns(table: &mut Summary<'_, Owned>) {
    let mean = "mean of the time over that of the same download alone in the network, with the same channel; ages count \
                as before";
    let missing = "NaN when none ends even alone";
    table.real_or("download_slowdown_mean", mean, missing, |own| own.timed().slowdowns.mean());
    let median = "its median; inf when it is above `download_slowdown_longest_age`";
    table.real("download_slowdown_p50", median, |own| own.timed().slowdowns.quantile(0.5));
    let p95 = "its 95th percentile; inf as before";
    table.real("download_slowdown_p95", p95, |own| own.timed().slowdowns.quantile(0.95));
    let age = "the largest slowdown so far of one that has not ended";
    table.real_or("download_slowdown_longest_age", age, "NaN when all have", |own| own.timed().slowdowns.longest_age());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(times: &[f64], ages: &[f64]) -> Spans {
        let of = |has_ended: bool| move |&value: &f64| Span { value, has_ended };
        let mut all = Spans(times.iter().map(of(true)).chain(ages.iter().map(of(false))).collect());
        all.sort();
        all
    }

    #[test]
    fn without_an_age_quantiles_are_order_statistics() {
        let times: Vec<f64> = (1..=20).map(f64::from).collect();
        let all = spans(&times, &[]);
        assert_eq!(
            [0.05, 0.5, 0.94, 0.95, 0.96, 1.0].map(|share| all.quantile(share)),
            [1.0, 10.0, 19.0, 19.0, 20.0, 20.0]
        );
    }

    #[test]
    fn the_remission_times_of_the_textbook_have_its_median() {
        // Remission under 6-MP, 21 patients [Freireich63]: times, and ages marked "+". Median 23, S(23) = 0.448.
        let times = [6.0, 6.0, 6.0, 7.0, 10.0, 13.0, 16.0, 22.0, 23.0];
        let ages = [6.0, 9.0, 10.0, 11.0, 17.0, 19.0, 20.0, 25.0, 32.0, 32.0, 34.0, 35.0];
        let all = spans(&times, &ages);
        assert_eq!((all.quantile(0.5), all.quantile(0.25), all.quantile(0.56)), (23.0, 13.0, f64::INFINITY));
        assert_eq!((all.unfinished(), all.longest_age()), (12, 35.0));
    }

    #[test]
    fn an_unfinished_download_never_makes_a_user_faster() {
        // One page pending for 31 s beside five of 50 ms.
        let all = spans(&[0.05; 5], &[31.0]);
        assert_eq!((all.quantile(0.5), all.quantile(0.95)), (0.05, f64::INFINITY));
        assert!((all.mean() - 31.25 / 6.0).abs() < 1e-12);
        assert_eq!((spans(&[], &[2.0]).quantile(0.5), spans(&[], &[]).quantile(0.5).is_nan()), (f64::INFINITY, true));
    }
}
