//! The connections that commands of a turn requested.

use serde::{Deserialize, Serialize};

use super::{Applied, Turn};
use helve_core::transcript::CallKey;
use helve_permission::Decision;

/// A connection that a command of a turn requested after untrusted text was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AskedConnection {
    /// The call that had started a command most recently when the question was asked.
    pub call: CallKey,
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Whether the connection is allowed; `None` until the answer. It stays `None` after a crash before the answer,
    /// because the command no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<bool>,
}

impl Turn {
    /// Lists the connections that needed approval, in order.
    #[must_use]
    pub fn connections(&self) -> &[AskedConnection] {
        &self.connections
    }

    pub(super) fn apply_connection_asked(
        &mut self,
        call: CallKey,
        host: &str,
        port: u16,
    ) -> Applied {
        self.check_open()?;
        self.connections.push(AskedConnection {
            call,
            host: host.to_owned(),
            port,
            allowed: None,
        });
        Ok(())
    }

    pub(super) fn apply_connection_answered(
        &mut self,
        call: CallKey,
        host: &str,
        port: u16,
        decision: &Decision,
    ) -> Applied {
        self.check_open()?;
        let is_it = |asked: &&mut AskedConnection| {
            asked.allowed.is_none()
                && asked.call == call
                && asked.host == host
                && asked.port == port
        };
        let asked = self.connections.iter_mut().rfind(is_it);
        let asked = asked.ok_or_else(|| format!("no question about `{host}:{port}` is open"))?;
        asked.allowed = Some(decision.is_allowed());
        Ok(())
    }
}
