//! The state that all connections of a proxy share.

use std::sync::Arc;

use crate::sandbox::EgressGate;
use helve_core::network::{HostPolicy, Resolve};

#[derive(Debug)]
pub(super) struct ProxyState {
    pub(super) policy: HostPolicy,
    pub(super) resolver: Arc<dyn Resolve>,
    pub(super) gate: Arc<EgressGate>,
}
