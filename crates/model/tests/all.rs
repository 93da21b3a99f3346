//! All tests that use the crate from outside, a module a topic. One binary: it is linked once, and its tests run in parallel.

#![allow(clippy::unwrap_used, reason = "a test may panic, outside its test functions too")]

mod cell_moving;
mod cell_slots;
mod cell_tdd;
mod congestion_contract;
mod delivery_rate;
mod fading_amplitudes;
mod fading_beamforming;
mod fading_jakes;
mod fading_mean;
mod fading_rayleigh;
mod fading_selective;
mod fading_trace;
mod link_block_errors;
mod link_mcs;
mod link_models;
mod link_outer_loop;
mod link_rate;
mod link_report;
mod link_report_gaps;
mod link_report_row;
mod link_speed;
mod mcs_sets;
mod ns2_both_ways;
mod own_congestion_control;
mod path_bottleneck;
mod path_impairments;
mod path_uplink;
mod queue_management;
mod rlc_harq;
mod rlc_lost_slots;
mod rlc_segmentation;
mod scheduler_contract;
mod scheduler_fixture;
mod scheduler_formula;
mod scheduler_oracle;
mod scheduler_qos;
mod scheduler_subchannels;
mod scheduler_tcp_pf;
mod tcp_clamp;
mod tcp_connection;
mod tcp_endpoint;
mod tcp_fuzz;
mod vector_path;
