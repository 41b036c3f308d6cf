//! Recording the connections that commands of a turn asked for.

use super::Turn;
use super::asked_connection::AskedConnection;
use helve_core::transcript::CallKey;
use helve_permission::Decision;

impl Turn {
    /// Lists the connections that were asked about, in order.
    #[must_use]
    pub fn connections(&self) -> &[AskedConnection] {
        let asked = self.connections.as_ref();
        asked.map_or(&[], |connections| connections.0.as_slice())
    }

    pub(super) fn apply_connection_asked(
        &mut self,
        call: CallKey,
        host: &str,
        port: u16,
    ) -> Result<(), String> {
        if self.end().is_some() {
            return Err("the turn is over".to_owned());
        }
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
    ) -> Result<(), String> {
        if self.end().is_some() {
            return Err("the turn is over".to_owned());
        }
        let is_it = |asked: &&mut AskedConnection| {
            asked.allowed.is_none()
                && asked.call == call
                && asked.host == host
                && asked.port == port
        };
        let connections = self.connections.iter_mut();
        let mut asked = connections.flat_map(|connections| connections.0.iter_mut().rev());
        let asked = asked.find(is_it);
        let asked = asked.ok_or_else(|| format!("no question about `{host}:{port}` is open"))?;
        asked.allowed = Some(decision.is_allowed());
        Ok(())
    }
}
