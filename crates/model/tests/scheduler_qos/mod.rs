//! Schedulers with weights, deadlines and guaranteed rates against closed forms, bounds and plain second implementations.

mod earliest_deadline;
mod equations;
mod exp_pf;
mod guaranteed_rate;
mod log_rule;
mod m_lwdf;
mod queues;
mod weighted_pf;
