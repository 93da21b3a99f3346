//! From a run that has ended to its results, after checking that nothing was lost silently.

use airlink_model::traffic::Source;
use airlink_model::types::{Direction, Packet, Time, UserId};

use super::Simulation;
use crate::flow::Flow;
use crate::parts::UserPlace;
use crate::record::{
    FlowEnd, FlowRecord, MarkCounts, RecordKind, RunEnd, TableLayout, UserEnd, add_download_columns, tables,
};
use crate::replica::Replica;
use crate::table::Table;

impl Simulation {
    /// The results of the run. If it has not ended and nothing is recorded, senders have counted some slots more or less than the cell
    /// ([`Simulation::advance_until`]).
    pub fn into_replica(self, seed: u64) -> Replica {
        self.into_replica_unless(seed, &|| false).expect("nobody cancels it")
    }

    /// The results of the run; none if it is cancelled while downloads run alone.
    pub fn into_replica_unless(mut self, seed: u64, is_cancelled: &dyn Fn() -> bool) -> Option<Replica> {
        self.hear_news(Time::ZERO); // At a wire nothing is left to hear.
        let alone_s = match &self.alone {
            Some(alone) => Some(alone.times_s(&self.recorder.downloads, is_cancelled)?),
            None => None,
        };
        let (wants_series, has_downloads) =
            (self.recorder.asked.series.wants_downloads(), self.flow_traits.has_downloads);
        let (downloads, end) = (self.recorder.downloads.clone(), self.end);
        let mut replica = match self.window.take() {
            Some(window) => self.drained(*window),
            None => self.into_window(),
        };
        replica.seed = seed;
        if has_downloads {
            if let Some(users) = replica.tables.get_mut("users") {
                add_download_columns(users, &downloads, |row| row.user, alone_s.as_deref(), end);
            }
            if let Some(flows) = replica.tables.get_mut("flows") {
                add_download_columns(flows, &downloads, |row| row.flow, alone_s.as_deref(), end);
            }
        }
        if wants_series {
            let name = RecordKind::Downloads.name().to_owned();
            replica.series.insert(name, downloads.into_recorded());
        }
        Some(replica)
    }

    /// The results of the `window` of a run that went on after it, with the files that have ended since.
    fn drained(mut self, mut window: Replica) -> Replica {
        self.note_last_copies();
        self.check_conservation();
        self.take_statistics();
        let completions = self.flow_ends().into_iter().map(|flow| flow.completion_s).collect();
        if let Some(flows) = window.tables.get_mut("flows") {
            flows.replace("completion_s", completions);
            flows.truncate(self.window_flows);
        }
        window
    }

    /// The results of the measured time.
    pub(crate) fn into_window(mut self) -> Replica {
        self.note_last_copies();
        self.check_conservation();
        self.take_statistics();
        for (id, flow) in self.flows.iter_mut().enumerate() {
            if let Some(flow) = flow.started() {
                flow.decide(&mut self.recorder.flow(id));
            }
        }
        let measured_from = self.measured_from.unwrap_or(self.end);
        let flows = self.flow_ends();
        let users = self.user_ends(&flows);
        let shares = self.recorder.finish_limits(measured_from, self.end);
        let run = RunEnd {
            users: &users,
            flows: &flows,
            measured_from,
            end: self.end,
            layout: self.layout(),
            shares: shares.as_deref(),
            upstream_mean_bytes: self.hops.upstream.map(|hop| self.hops.nodes[hop].sampled_mean_bytes()),
        };
        let tables = tables(&self.recorder, &run);
        let rows = self.hops.nodes.iter_mut().enumerate();
        self.recorder.asked.series.on_hops(rows.map(|(number, hop)| hop.row(number, measured_from, run.end)));
        let named = |(name, table): (&'static str, Table)| (name.to_owned(), table);
        let series = self.recorder.asked.series.into_recorded();
        Replica {
            seed: 0,
            tables: tables.into_iter().map(named).collect(),
            capture_error: self.recorder.asked.capture.finish(),
            series: series.into_iter().map(|recorded| (recorded.kind().name().to_owned(), recorded)).collect(),
        }
    }

    fn layout(&self) -> TableLayout {
        TableLayout { flows: self.flow_traits, ..self.network.layout() }
    }

    fn flow_ends(&self) -> Vec<FlowEnd> {
        let end_of = |(flow, record): (&Flow, &FlowRecord)| FlowEnd {
            group: flow.config().group,
            file_bytes: if let Source::File(size) = flow.config().source { size.count() as f64 } else { f64::NAN },
            user: flow.config().user.index(),
            data: flow.config().data(),
            sends_up: flow.config().sends_up(),
            start_s: flow.config().start.as_secs(),
            completion_s: record.completed_at.map_or(f64::NAN, |at| at.since(flow.config().start).as_secs()),
        };
        self.flows.iter().zip(self.recorder.flows.iter()).map(end_of).collect()
    }

    fn user_ends(&self, flows: &[FlowEnd]) -> Vec<UserEnd> {
        let mut goodput_bytes = vec![0; self.places.len()];
        for (flow, record) in flows.iter().zip(self.recorder.flows.iter()) {
            goodput_bytes[flow.user] += record.counts.goodput_bytes - record.before_warmup.goodput_bytes;
        }
        let offset_db = |user| self.network.cell().and_then(|cell| cell.offset_db(UserId::new(user)));
        let end_of = |(user, (place, goodput_bytes)): (usize, (&UserPlace, u64))| UserEnd {
            distance_m: place.distance_m,
            mean_snr_db: place.mean_snr_db,
            shadowed_snr_db: place.shadowed_snr_db,
            goodput_bytes,
            offset_db: offset_db(user),
        };
        self.places.iter().zip(goodput_bytes).enumerate().map(end_of).collect()
    }

    /// Packets and bytes in + duplicated = delivered + dropped + waiting, for the network, each hop and each flow's wires.
    fn check_conservation(&self) {
        self.network.check_conservation(&self.recorder);
        for (number, hop) in self.hops.nodes.iter().enumerate() {
            hop.check_conservation(number);
        }
        self.uplink.iter().for_each(|uplink| uplink.check_conservation());
        let entered: u64 = self.recorder.users.iter().map(|user| user.counts.passed.packets_in).sum();
        let flows = self.flows.iter().zip(self.recorder.flows.iter()).enumerate();
        let arrived: u64 =
            flows.map(|(id, (flow, record))| flow.arrived(record, self.in_hops(Direction::Down, id))).sum();
        assert!(entered == arrived, "{entered} packets entered the network, but {arrived} reached it");
        for (id, (flow, record)) in self.flows.iter().zip(self.recorder.flows.iter()).enumerate() {
            flow.check_acks(record, self.in_hops(Direction::Up, id) + self.without_grant(id));
        }
        if self.flow_traits.has_ecn {
            self.check_marks();
        }
    }

    /// Congestion marks set + duplicated = received + lost + on packets that are under way, for each flow.
    fn check_marks(&self) {
        let mut under_way: Vec<u64> = self.flows.iter().map(Flow::marked_on_wires).collect();
        let mut note = |packet: &Packet<_>| under_way[packet.flow.index()] += u64::from(packet.marks.has_ce());
        self.network.for_each_packet(&mut note);
        self.hops.nodes.iter().for_each(|hop| hop.for_each_packet(&mut note));
        for (id, (flow, record)) in self.flows.iter().zip(self.recorder.flows.iter()).enumerate() {
            let MarkCounts { set, duplicated, received, lost } = flow.mark_counts(&record.counts.marks);
            let found = received + lost + under_way[id];
            assert!(set + duplicated == found, "of {set} + {duplicated} marks of flow {id} {found} are accounted for");
        }
    }
}
