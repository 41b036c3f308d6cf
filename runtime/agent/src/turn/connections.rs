//! The connections and folders that commands of a turn requested.

use super::asked_connection::{AskedConnection, AskedFolder};
use super::{Applied, Turn};
use helve_core::sandbox::FolderAccess;
use helve_core::transcript::CallKey;
use helve_permission::Decision;

impl Turn {
    /// Lists the connections that needed approval, in order.
    #[must_use]
    pub fn connections(&self) -> &[AskedConnection] {
        let asked = self.accesses.as_deref();
        asked.map_or(&[], |asked| &asked.connections)
    }

    pub(super) fn apply_connection_asked(
        &mut self,
        call: CallKey,
        host: &str,
        port: u16,
        unlisted: bool,
    ) -> Applied {
        self.check_open()?;
        let asked = self.accesses.get_or_insert_default();
        asked.connections.push(AskedConnection {
            call,
            host: host.to_owned(),
            port,
            allowed: None,
            unlisted,
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
        let asked = self.accesses.iter_mut();
        let asked = asked.flat_map(|asked| &mut asked.connections);
        let asked = asked.rev().find(is_it);
        let asked = asked.ok_or_else(|| format!("no question about `{host}:{port}` is open"))?;
        asked.allowed = Some(decision.is_allowed());
        Ok(())
    }

    /// Lists the folders that were asked about, in order.
    #[must_use]
    pub fn folders(&self) -> &[AskedFolder] {
        let asked = self.accesses.as_deref();
        asked.map_or(&[], |asked| &asked.folders)
    }

    /// Reports whether a question about a connection or a folder of a running call is open. After a crash, such a
    /// question stays open, and nothing waits for its answer.
    pub(crate) fn asks_about_access(&self, call: CallKey) -> bool {
        let mut connections = self.connections().iter();
        let mut folders = self.folders().iter();
        connections.any(|asked| asked.call == call && asked.allowed.is_none())
            || folders.any(|asked| asked.call == call && asked.allowed.is_none())
    }

    pub(super) fn apply_folder_asked(&mut self, call: CallKey, folder: &FolderAccess) -> Applied {
        self.check_open()?;
        let asked = self.accesses.get_or_insert_default();
        asked.folders.push(AskedFolder {
            call,
            folder: folder.clone(),
            allowed: None,
        });
        Ok(())
    }

    pub(super) fn apply_folder_answered(
        &mut self,
        call: CallKey,
        folder: &FolderAccess,
        decision: &Decision,
    ) -> Applied {
        self.check_open()?;
        let is_it = |asked: &&mut AskedFolder| {
            asked.allowed.is_none() && asked.call == call && asked.folder == *folder
        };
        let asked = self.accesses.iter_mut();
        let asked = asked.flat_map(|asked| &mut asked.folders);
        let asked = asked.rev().find(is_it);
        let asked = asked.ok_or_else(|| format!("no question to {folder} is open"))?;
        asked.allowed = Some(decision.is_allowed());
        Ok(())
    }
}
