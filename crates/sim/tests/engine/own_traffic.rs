//! Traffic from outside the crate: a video, beside its own arithmetic; a stream and a session, beside those built in.

use airlink_model::traffic::{Handed, TrafficSource};
use airlink_model::types::{Bytes, Duration, Time};
use airlink_sim::Components;
use serde_json::json;

use super::case::Case;

/// A frame every 40 ms, every twelfth of which is ten times as large; so many in all.
#[derive(Clone, Debug)]
struct Video {
    frames: u64,
    sent: u64,
}

impl TrafficSource for Video {
    fn hand_over(&mut self, now: Time) -> Handed {
        let bytes = Bytes::new(if self.sent.is_multiple_of(12) { 10_000 } else { 1000 });
        self.sent += 1;
        let next_at = if self.sent < self.frames { now + Duration::from_millis(40) } else { Time::NEVER };
        Handed { bytes, next_at }
    }

    fn boxed_clone(&self) -> Box<dyn TrafficSource> {
        Box::new(self.clone())
    }
}

/// Pages of 100 000 bytes, each asked for 1.5 s after the one before was there, and 20 ms on the way to the server.
#[derive(Clone, Debug)]
struct Pages;

impl TrafficSource for Pages {
    fn hand_over(&mut self, _now: Time) -> Handed {
        Handed::last(Bytes::new(100_000))
    }

    fn has_downloads(&self) -> bool {
        true
    }

    fn on_download_end(&mut self, now: Time) -> Time {
        now + Duration::from_millis(1520)
    }

    fn boxed_clone(&self) -> Box<dyn TrafficSource> {
        Box::new(self.clone())
    }
}

/// Names no moment but the present one.
#[derive(Clone, Debug)]
struct Stuck;

impl TrafficSource for Stuck {
    fn hand_over(&mut self, now: Time) -> Handed {
        Handed { bytes: Bytes::new(1), next_at: now }
    }

    fn boxed_clone(&self) -> Box<dyn TrafficSource> {
        Box::new(self.clone())
    }
}

#[test]
fn all_frames_of_a_video_arrive_and_its_pauses_are_the_applications() {
    let case = Case::fixed_link().set("/duration_s", 10.0);
    let found = case.run_of(&Components::default().traffic(0, |_| Box::new(Video { frames: 100, sent: 0 })));
    // 9 large and 91 small ones; the last comes at 3.96 s.
    assert_eq!(found.wholes("flows", "goodput_bytes"), [9 * 10_000 + 91 * 1000]);
    let last_ms = found.milliseconds("packets", "sent_s").into_iter().fold(0.0, f64::max);
    assert!((3960.0..4100.0).contains(&last_ms), "{last_ms}");
    assert!(found.reals("flows", "time_application_s")[0] > 1.0);
}

#[test]
fn a_session_from_outside_is_the_one_built_in() {
    let page = json!({ "kind": "constant", "bytes": 100_000 });
    let pages = json!({ "kind": "sessions", "size": page, "think_s": 1.5, "think": "constant" });
    let case = Case::fixed_link().set("/duration_s", 20.0).set("/flows/0/traffic", pages);
    let found = case.run_of(&Components::default().traffic(0, |_| Box::new(Pages)));
    assert!(found.wholes("flows", "downloads")[0] > 3);
    assert_eq!(found.0.digest(), case.run().0.digest());
}

#[test]
fn each_flow_of_the_group_has_a_source_of_its_own_and_other_groups_keep_theirs() {
    let case = Case::dumbbell().set("/users", 3).set("/duration_s", 5.0).and_flows(&[("/users", json!([1]))]);
    let case = case.set("/flows/0/users", json!([0, 2]));
    let frames = |flow: airlink_model::types::FlowId| {
        Box::new(Video { frames: 1 + flow.index() as u64, sent: 0 }) as Box<dyn TrafficSource>
    };
    let found = case.run_of(&Components::default().traffic(0, frames));
    let bytes = found.wholes("flows", "goodput_bytes");
    assert_eq!(bytes[..2], [10_000, 11_000]);
    assert!(bytes[2] > 1_000_000, "a greedy flow goes on: {bytes:?}");
}

#[test]
#[should_panic(expected = "a source hands over more later, not at the same moment")]
fn a_source_that_never_ends_a_moment_is_told_so() {
    Case::fixed_link().run_of(&Components::default().traffic(0, |_| Box::new(Stuck)));
}
