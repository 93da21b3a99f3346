//! What packets carry in a run.

use airlink_model::transport::Segment;

/// What travels through the network: a TCP segment, or none in a flow without a transport.
pub(crate) type Payload = Option<Segment>;
