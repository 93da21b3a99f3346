//! Packet captures: every packet at every point that it passes, with the right bytes, whatever becomes of the run.

use airlink_sim::batch::{Batch, Job, Prepared};
use airlink_sim::{Captures, RecordKind};
use etherparse::TcpOptionElement;
use proptest::prelude::*;
use serde_json::json;

use crate::engine::batch::all;
use crate::engine::bottleneck::{any_impairments, impairments};
use crate::engine::captured::{Folder, POINTS, Seen, begun, captured, read};
use crate::engine::case::{AQM, Case, Columns, GOOD_DB};
use crate::engine::random_case::any_case;

/// A few seconds of a cell with losses of every kind.
fn lossy_cell() -> Case {
    let case = Case::failing_in(&[5, 6, 7, 20, 21, 33, 60, 61]).set("/flows/0/traffic", json!({ "kind": "greedy" }));
    let case = case.set("/link/arq/max_retransmissions", 1).set("/queue/limit_packets", 4).set("/duration_s", 1.0);
    let wire = json!({ "drop_numbers": [9], "duplicate_numbers": [4, 11], "reorder_numbers": [14] });
    let case = case.with("/flows/0/path", "downlink_impairments", impairments(&wire));
    let uplink = json!({ "drop_numbers": [3], "duplicate_numbers": [5] });
    case.with("/flows/0/path", "uplink_impairments", impairments(&uplink))
}

/// A bottleneck whose wire loses, doubles and reorders, under TCP with every option and a handshake.
fn lossy_bottleneck() -> Case {
    let case = Case::dumbbell().set("/duration_s", 5.0);
    let case =
        case.set("/flows/0/tcp/sack", true).set("/flows/0/tcp/timestamps", true).set("/flows/0/tcp/rules/dsack", true);
    let case = case.set("/flows/0/tcp/handshake", true).set("/flows/0/tcp/rules/sack_blocks", 3);
    let case = case.set("/flows/0/tcp/window_scaling", true).set("/flows/0/tcp/receiver_window_bytes", 1_000_000);
    let wire = json!({ "drop_numbers": [13, 14, 40], "duplicate_numbers": [20, 50], "reorder_numbers": [70] });
    let wire = impairments(&wire);
    case.with("/bottleneck", "impairments", wire)
}

fn count(packets: &[Seen], wanted: impl Fn(&Seen) -> bool) -> i64 {
    i64::try_from(packets.iter().filter(|packet| !packet.is_made_up() && wanted(packet)).count()).expect("a count")
}

/// What the files hold against what the run counted; the case has no warm-up.
fn check_counts(found: &Columns, folder: &Folder) {
    let [server, queue, user, drops] = POINTS.map(|point| folder.packets(point, 1));
    let sum = |table: &str, name: &str| found.wholes(table, name).iter().sum::<i64>();
    let down = found.series("packets", "direction").into_iter().map(|direction| direction == 0);
    assert_eq!(count(&server, |packet| !packet.is_ack()), down.clone().filter(|goes| *goes).count() as i64);
    if found.0.tables["flows"].get("packets_sent_up").is_some() {
        // A sender takes in none but ACKs of its own data.
        assert_eq!(count(&user, Seen::is_ack), sum("flows", "packets_sent_up"));
    } else {
        assert_eq!(count(&server, Seen::is_ack), sum("flows", "acks_received"));
    }
    assert_eq!(count(&queue, |_| true), sum("users", "packets_in"));
    // What a rule chose as it came is seen at the queue as dropped, what it chose at the head as queued.
    let never_queued = found.milliseconds("packets", "queued_s").into_iter().map(|at| at < 0.0);
    let fated = found.fates().into_iter().zip(never_queued).zip(down);
    let chosen = fated.filter(|&fated| fated == ((AQM, true), true)).count() as i64;
    let refused = sum("users", "drops_queue_full") + chosen;
    assert_eq!(count(&queue, |packet| packet.word("dropped").is_some()), refused);
    assert_eq!(count(&user, |packet| !packet.is_ack()), sum("users", "packets_delivered"));
    for (point, reasons) in [("queue", ["queue_full", "aqm"]), ("air", ["air_error", "retry_limit"])] {
        let lost = count(&drops, |packet| packet.word("at") == Some(point));
        let names = reasons.iter().filter(|name| found.0.tables["users"].get(&format!("drops_{name}")).is_some());
        assert_eq!(lost, names.map(|name| sum("users", &format!("drops_{name}"))).sum::<i64>());
    }
    // What came into the network, or was doubled behind it, has left it or waits in it.
    let doubled =
        if found.0.tables["users"].get("packets_doubled").is_some() { sum("users", "packets_doubled") } else { 0 };
    let behind = drops.iter().filter(|packet| !packet.is_ack() && was_in(&queue, packet)).count() as i64;
    let gone = count(&user, |packet| !packet.is_ack()) + behind;
    assert_eq!(count(&queue, |_| true) + doubled, gone + sum("users", "packets_waiting"));
}

fn was_in(queue: &[Seen], packet: &Seen) -> bool {
    queue.iter().any(|queued| queued.id == packet.id)
}

/// Each packet is the same wherever it is seen.
fn check_identity(folder: &Folder) {
    let mut by_id = std::collections::BTreeMap::new();
    for packet in POINTS.iter().flat_map(|point| folder.packets(point, 1)) {
        let first = by_id.entry(packet.id).or_insert_with(|| packet.stored.clone());
        assert_eq!(*first, packet.stored);
        packet.check();
    }
}

/// Whether a file shows a mark (CE) on a packet.
fn is_marked(packet: &Seen) -> bool {
    packet.stored[1] & 0b11 == 0b11
}

#[test]
fn copies_that_any_wire_of_a_path_makes_are_known_and_each_has_its_own_mark() {
    let copied = |at: &str| {
        let mut hop = json!({ "name": "a", "rate_bps": 5e6, "delay_ms": 5.0, "mark_above_packets": 8 });
        let twice = |probability: f64| impairments(&json!({ "duplicate_probability": probability }));
        hop["impairments"] = twice(if at == "hop" { 0.2 } else { 0.0 });
        let case = Case::dumbbell().set("/duration_s", 3.0).with("", "hops", json!([hop]));
        let case =
            case.with("/flows/0/tcp", "ecn", json!("rfc3168")).set("/flows/0/tcp/receiver_window_bytes", 1_000_000);
        let own = twice(if at == "wire" { 0.2 } else { 0.0 });
        case.with("/flows/0/path", "downlink_impairments", own.clone()).with("/flows/0/path", "uplink_impairments", own)
    };
    for at in ["wire", "hop"] {
        for (direction, hops, end) in [("down", "hops", "user"), ("up", "uplink_hops", "server")] {
            let case = copied(at).with("/flows/0", "direction", json!(direction));
            let (found, folder) = captured(&case.with("/flows/0/path", hops, json!(["a"])));
            let marked = count(&folder.packets(end, 1), is_marked);
            assert!(marked > 0, "the window reaches the threshold");
            assert_eq!(found.wholes("flows", "ce_received"), [marked], "{direction}, copies of the {at}");
            POINTS.iter().flat_map(|point| folder.packets(point, 1)).for_each(|packet| packet.check());
        }
    }
}

#[test]
fn every_packet_is_well_formed_counted_and_the_same_wherever_it_is_seen() {
    for case in [lossy_cell(), lossy_bottleneck(), Case::k3().set("/duration_s", 5.0).set("/warmup_s", 0.0)] {
        let (found, folder) = captured(&case);
        check_counts(&found, &folder);
        check_identity(&folder);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_is_captured_adds_up_for_any_cell(case in any_case()) {
        let (found, folder) = captured(&case.set("/warmup_s", 0.0));
        check_counts(&found, &folder);
        check_identity(&folder);
    }

    #[test]
    fn what_is_captured_adds_up_under_any_impairments(wires in prop::array::uniform3(any_impairments()), users in 1..4_u64) {
        let [behind, down, up] = wires;
        let case = Case::dumbbell()
            .set("/users", users).set("/duration_s", 4.0).set("/flows/0/tcp/handshake", users == 2)
            .set("/flows/0/tcp/sack", users == 3).set("/flows/0/tcp/timestamps", users == 3)
            .with("/bottleneck", "impairments", behind)
            .with("/flows/0/path", "downlink_impairments", down)
            .with("/flows/0/path", "uplink_impairments", up);
        let (found, folder) = captured(&case);
        check_counts(&found, &folder);
        check_identity(&folder);
    }
}

#[test]
fn a_capture_changes_no_number() {
    for case in [lossy_cell(), lossy_bottleneck()] {
        assert_eq!(captured(&case).0.0.digest(), case.run().0.digest());
    }
}

#[test]
fn comments_tell_slot_attempts_queue_and_reason() {
    // Slot 4 fails: packet 0 is repeated in slot 5, packet 1 follows in slot 6.
    let case = Case::failing_in(&[4]).all_at_once(2).set("/link/arq/max_retransmissions", 1);
    let (found, folder) = captured(&case.set("/duration_s", 0.5));
    let words = |packet: &Seen| ["slot", "attempts", "queue_ms"].map(|key| packet.word(key).unwrap_or("").to_owned());
    let user: Vec<_> =
        folder.packets("user", 1).iter().filter(|packet| packet.word("slot").is_some()).map(words).collect();
    assert_eq!(user, [["5", "2", "10.000"], ["6", "1", "15.000"]]);
    let queue: Vec<_> = folder.packets("queue", 1).into_iter().map(|packet| packet.comment).collect();
    assert_eq!(queue[0], "flow=0 packet=0 queue_packets=1 queue_bytes=576");
    assert_eq!(queue[1], "flow=0 packet=1 queue_packets=2 queue_bytes=1152");
    assert_eq!(found.series("packets", "attempts"), [2, 1]);
    let (found, folder) = captured(&Case::failing_in(&[4]).all_at_once(2).set("/link/arq/max_retransmissions", 0));
    let drops = folder.packets("drops", 1);
    assert_eq!(drops[0].comment, "flow=0 packet=0 dropped=air_error at=air slot=4 attempts=1");
    assert_eq!(found.series("packets", "attempts")[..2], [1, 1]);
}

#[test]
fn a_simulated_handshake_is_captured_as_it_goes() {
    let (_, folder) = captured(&lossy_bottleneck());
    let server = folder.packets("server", 1);
    let (syn, answer) = (server[0].tcp(), server[1].tcp());
    assert!(syn.syn && !syn.ack && syn.sequence_number == 0 && server[0].nanoseconds == 0);
    assert!(answer.syn && answer.ack && answer.acknowledgment_number == 1 && server[1].nanoseconds > 40_000_000);
    let options: Vec<_> = answer.options_iterator().map(|option| option.expect("an option")).collect();
    let expected = [
        TcpOptionElement::MaximumSegmentSize(1472),
        TcpOptionElement::SelectiveAcknowledgementPermitted,
        TcpOptionElement::Timestamp(20, 0),
        TcpOptionElement::Noop,
        TcpOptionElement::WindowScale(4),
    ];
    assert_eq!(options, expected);
    assert_eq!(server[2].tcp().sequence_number, 1);
    assert!(server.iter().all(|packet| !packet.is_made_up()));
    assert!(server[2..].iter().all(|packet| packet.tcp().ack && !packet.tcp().syn));
    // 62 500 units of 16 bytes.
    assert_eq!(server.iter().rfind(|packet| packet.is_ack()).expect("an ACK").tcp().window_size, 62_500);
}

#[test]
fn one_that_is_not_simulated_is_said_not_to_be() {
    let (_, folder) = captured(&Case::dumbbell().set("/duration_s", 1.0));
    for point in ["server", "user"] {
        let packets = folder.packets(point, 1);
        assert_eq!(packets.iter().filter(|packet| packet.is_made_up()).count(), 3);
        assert!(packets[..3].iter().all(Seen::is_made_up));
        let flags: Vec<_> = packets[..3].iter().map(|packet| (packet.tcp().syn, packet.tcp().ack)).collect();
        assert_eq!(flags, [(true, false), (true, true), (false, true)]);
    }
    assert!(folder.packets("queue", 1).iter().all(|packet| !packet.is_made_up() && packet.direction == 1));
}

#[test]
fn packets_without_a_transport_are_datagrams() {
    let (found, folder) = captured(&Case::traced_link(&[GOOD_DB; 200]).backlogged(2, 300));
    check_identity(&folder);
    let server = folder.packets("server", 1);
    assert_eq!(server.len(), found.series("packets", "flow").len());
    assert!(server.iter().all(|packet| packet.whole == 300 && packet.ip().protocol.0 == 17));
    assert_eq!(server.iter().map(|packet| packet.ip().destination[3]).max(), Some(2));
}

#[test]
fn a_snap_length_cuts_what_is_stored_and_nothing_else() {
    let case = Case::dumbbell().set("/duration_s", 1.0);
    let stored = |snap: Option<u32>| {
        let folder = Folder::new();
        let mut simulation = begun(&case, &folder, snap, 1);
        while !simulation.is_finished() {
            simulation.step();
        }
        drop(simulation);
        let packets = folder.packets("server", 1);
        let data = packets.iter().find(|packet| packet.whole == 1500).expect("a full packet").clone();
        (packets.len(), data.stored.len())
    };
    let (packets, headers) = stored(None);
    assert_eq!(headers, 40);
    assert_eq!(stored(Some(100)), (packets, 100));
    assert_eq!(stored(Some(9000)), (packets, 1500));
}

#[test]
fn files_are_the_same_on_any_number_of_threads() {
    let case = Case::k3().set("/duration_s", 3.0);
    let scenarios = [Prepared { scenario: case.scenario(), traces: Vec::new() }];
    let jobs: Vec<_> = (1..=4).map(|seed| Job { scenario: 0, seed }).collect();
    let files = [1, 3].map(|threads| {
        let folder = Folder::new();
        let captures = Some(Captures { folder: folder.path().to_owned(), snap: None });
        let replicas = all(Batch { captures, ..Batch::new(scenarios.clone()) }, jobs.clone(), threads);
        assert!(replicas.iter().all(|replica| replica.capture_error.is_none()));
        jobs.iter().flat_map(|job| POINTS.map(|point| folder.bytes(point, job.seed))).collect::<Vec<_>>()
    });
    assert!(files[0] == files[1]);
    assert!(files[0][0] != files[0][4]);
}

#[test]
fn what_a_killed_run_has_written_is_whole() {
    let case = Case::dumbbell().set("/duration_s", 60.0);
    let folder = Folder::new();
    let mut simulation = begun(&case, &folder, None, 1);
    (0..20_000).for_each(|_| simulation.step());
    // The process is gone: nothing that waits in memory is written.
    let packets = folder.packets("server", 1);
    std::mem::forget(simulation);
    assert!(packets.len() > 400, "{} packets", packets.len());
}

#[test]
fn what_is_gathered_is_written_when_asked_and_when_a_run_is_given_up() {
    let case = Case::dumbbell().set("/duration_s", 60.0);
    let folder = Folder::new();
    let mut simulation = begun(&case, &folder, None, 1);
    (0..50).for_each(|_| simulation.step());
    assert_eq!(folder.packets("server", 1).len(), 0);
    simulation.flush_captures();
    let flushed = folder.packets("server", 1).len();
    assert!(flushed > 20);
    (0..50).for_each(|_| simulation.step());
    drop(simulation);
    assert!(folder.packets("server", 1).len() > flushed);
}

#[test]
fn a_clone_is_captured_no_further() {
    let folder = Folder::new();
    let case = Case::dumbbell().set("/duration_s", 2.0);
    let mut simulation = begun(&case, &folder, None, 1);
    (0..100).for_each(|_| simulation.step());
    let mut clone = simulation.clone();
    while !clone.is_finished() {
        clone.step();
    }
    let whole = clone.into_replica(1);
    assert_eq!(folder.packets("server", 1).len(), 0);
    while !simulation.is_finished() {
        simulation.step();
    }
    assert_eq!(simulation.into_replica(1).digest(), whole.digest());
    assert!(folder.packets("server", 1).len() > 1000);
}

#[test]
fn a_file_that_cannot_be_made_is_told_and_costs_the_capture_only() {
    let folder = Folder::new();
    let case = Case::dumbbell().set("/duration_s", 1.0);
    let captures = Some(Captures { folder: folder.path().join("nowhere"), snap: None });
    let scenarios = [Prepared { scenario: case.scenario(), traces: Vec::new() }];
    let batch = Batch { captures, record: RecordKind::ALL.to_vec(), ..Batch::new(scenarios) };
    let [replica] = &all(batch, vec![Job { scenario: 0, seed: 1 }], 1)[..] else { panic!("one job, one replica") };
    let error = replica.capture_error.as_ref().expect("the folder is not there");
    assert_eq!(error.path, folder.path().join("nowhere/server-1.pcapng"));
    assert_eq!(replica.digest(), case.run().0.digest());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_costs_the_capture_only() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("/dev/full", folder.path().join("user-1.pcapng")).expect("a link can be made");
    let case = Case::dumbbell().set("/duration_s", 1.0);
    let mut simulation = begun(&case, &folder, None, 1);
    while !simulation.is_finished() {
        simulation.step();
    }
    let replica = simulation.into_replica(1);
    let error = replica.capture_error.as_ref().expect("the device is full");
    assert_eq!((error.number, error.path.clone()), (28, folder.path().join("user-1.pcapng")));
    assert_eq!(replica.digest(), case.run().0.digest());
    assert!(read(&folder.bytes("server", 1), "server").is_empty());
}
