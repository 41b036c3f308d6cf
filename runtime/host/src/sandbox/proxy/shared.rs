//! The state that all connections of a proxy share.

use std::sync::Arc;

use crate::sandbox::EgressGate;
use helve_core::network::{Host, HostPolicy, HostRefusal, HostRefusalReason, Resolve};

#[derive(Debug)]
pub(super) struct ProxyState {
    pub(super) policy: HostPolicy,
    /// The policy of the hosts that the gate asks about, if it asks about hosts that no rule allows.
    offering: Option<HostPolicy>,
    pub(super) resolver: Arc<dyn Resolve>,
    pub(super) gate: Arc<EgressGate>,
}

impl ProxyState {
    pub(super) fn new(
        policy: HostPolicy,
        resolver: Arc<dyn Resolve>,
        gate: Arc<EgressGate>,
    ) -> Self {
        Self {
            offering: gate.asks_about_blocked().then(|| policy.offering()),
            policy,
            resolver,
            gate,
        }
    }

    /// Checks a host by its name, and returns the policy under which it is resolved. If no rule allows the host, but the
    /// user may allow it, that is another policy than the proxy's own.
    pub(super) fn judge(&self, host: &Host, port: u16) -> Result<&HostPolicy, HostRefusal> {
        let Err(refusal) = self.policy.judge(host, port) else {
            return Ok(&self.policy);
        };
        let is_unlisted = matches!(
            refusal.reason,
            HostRefusalReason::NotListed { .. } | HostRefusalReason::Port { .. }
        );
        let offering = self.offering.as_ref().filter(|_| is_unlisted);
        let offered = offering.filter(|offering| offering.judge(host, port).is_ok());
        offered.ok_or(refusal)
    }

    /// Checks a host as [`judge`](Self::judge) does, and waits until the gate admits the connection.
    pub(super) async fn admit(&self, host: &Host, port: u16) -> Result<&HostPolicy, Refused> {
        let judged = self.judge(host, port);
        let policy = judged.map_err(|refusal| self.refuse(Refused::Policy(refusal)))?;
        let name = host.to_string();
        let held = if std::ptr::eq(policy, &self.policy) {
            let even_tainted = policy.is_even_tainted(host, port);
            self.gate.wait_for_approval(&name, port, even_tainted).await
        } else {
            self.gate.wait_for_unlisted(&name, port).await
        };
        held.map_err(|why| self.refuse(Refused::Gate(why)))?;
        Ok(policy)
    }

    /// Records a refusal.
    pub(super) fn refuse(&self, refused: Refused) -> Refused {
        match &refused {
            Refused::Policy(refusal) => self.gate.record_refusal(&refusal.to_string()),
            Refused::Gate(why) => self.gate.record_refusal(why),
        }
        refused
    }
}

/// Why a connection is refused.
#[derive(Debug)]
pub(super) enum Refused {
    /// The rules do not allow the host.
    Policy(HostRefusal),
    /// The gate did not admit the connection.
    Gate(String),
}
