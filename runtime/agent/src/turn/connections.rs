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

/// The connections that were asked about, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct AskedConnections(Vec<AskedConnection>);

impl Turn {
    /// Lists the connections that needed approval, in order.
    #[must_use]
    pub fn connections(&self) -> &[AskedConnection] {
        let asked = self.connections.as_deref();
        asked.map_or(&[], |asked| &asked.0)
    }

    pub(super) fn apply_connection_asked(
        &mut self,
        call: CallKey,
        host: &str,
        port: u16,
    ) -> Applied {
        self.check_open()?;
        let asked = self.connections.get_or_insert_default();
        asked.0.push(AskedConnection {
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
        let asked = self.connections.iter_mut().flat_map(|asked| &mut asked.0);
        let asked = asked.rev().find(is_it);
        let asked = asked.ok_or_else(|| format!("no question about `{host}:{port}` is open"))?;
        asked.allowed = Some(decision.is_allowed());
        Ok(())
    }
}
