//! Congestion controls from outside the crate: those built in, behind a box, and a window that never changes.

use airlink_model::transport::Tcp;
use airlink_model::transport::congestion::{
    AckEvent, CongestionControl, Controller, IdleEvent, LossEvent, Needs, Reno, Windows,
};
use airlink_sim::Components;
use serde_json::json;

use super::case::Case;

/// So many bytes, whatever happens.
#[derive(Clone, Debug)]
struct Constant(f64);

impl CongestionControl for Constant {
    fn needs(&self) -> Needs {
        Needs { own_recovery: true, ..Needs::default() }
    }

    fn window(&self) -> f64 {
        self.0
    }

    fn slow_start_threshold(&self) -> f64 {
        f64::INFINITY
    }

    fn on_ack(&mut self, _ack: &AckEvent) {}

    fn on_loss(&mut self, _loss: &LossEvent) {}

    fn on_timeout(&mut self, _loss: &LossEvent) {}

    fn on_idle(&mut self, _idle: &IdleEvent) {}

    fn set_window(&mut self, _window: f64) {}

    fn restore(&mut self, _windows: Windows) {}
}

#[test]
fn reno_from_outside_is_the_one_built_in() {
    let case = Case::k3().set("/duration_s", 60.0).set("/flows/0/tcp/congestion_control", "reno");
    let reno = |tcp: &Tcp, _| Box::new(Reno::new(tcp)) as Box<dyn CongestionControl>;
    let found = case.run_of(&Components::default().congestion_control(0, reno));
    assert!(found.wholes("flows", "retransmissions").iter().sum::<i64>() > 0);
    assert_eq!(found.0.digest(), case.run().0.digest());
}

#[test]
fn each_group_has_a_control_of_its_own_and_other_groups_keep_theirs() {
    let case = Case::dumbbell().set("/users", 2).set("/duration_s", 20.0).and_flows(&[("/users", json!([1]))]);
    let case = case.set("/flows/0/users", json!([0])).set("/flows/1/tcp/congestion_control", "cubic");
    let built_in = |tcp: &Tcp, _| Box::new(Controller::new(tcp)) as Box<dyn CongestionControl>;
    let both = case.run();
    for group in [0, 1] {
        let found = case.run_of(&Components::default().congestion_control(group, built_in));
        assert_eq!(found.0.digest(), both.0.digest());
    }
    let small = |tcp: &Tcp, _| Box::new(Constant(tcp.mss.count() as f64)) as Box<dyn CongestionControl>;
    let found = case.run_of(&Components::default().congestion_control(0, small));
    let [small, other] = found.wholes("flows", "goodput_bytes")[..] else { panic!("two flows") };
    let fair = both.wholes("flows", "goodput_bytes");
    assert!(small < fair[0] / 2 && other > fair[1], "a segment a round trip: {small} {other} of {fair:?}");
    assert_eq!(found.wholes("flows", "retransmissions")[0], 0);
}
