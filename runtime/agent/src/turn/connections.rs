//! The connections that commands of a turn requested.

use super::asked_connection::AskedConnection;
use super::{Applied, Turn};
use helve_core::transcript::CallKey;
use helve_permission::Decision;

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
