//! The processes of a sandbox, by ID and in the order of their starts.

use std::collections::HashMap;
use std::sync::Arc;

use super::process::PassthroughProcess;
use crate::sandbox::{ProcessId, ProcessStatus, SandboxError};
use helve_core::support::lock::Mutex;

#[derive(Debug, Default)]
pub(super) struct ProcessTable(Mutex<ProcessTableState>);

#[derive(Debug, Default)]
struct ProcessTableState {
    by_id: HashMap<ProcessId, Arc<PassthroughProcess>>,
    order: Vec<ProcessId>,
    closed: bool,
}

impl ProcessTable {
    /// Reserves the ID of a process that is about to start.
    pub(super) fn insert(&self, process: &Arc<PassthroughProcess>) -> Result<(), SandboxError> {
        let mut rows = self.0.lock();
        let id = &process.id;
        rows.ensure_open()?;
        if rows.by_id.contains_key(id) {
            return Err(SandboxError::ProcessExists { id: id.clone() });
        }
        rows.by_id.insert(id.clone(), Arc::clone(process));
        rows.order.push(id.clone());
        Ok(())
    }

    /// Releases the ID of a process that could not be started.
    pub(super) fn remove(&self, id: &ProcessId) {
        let mut rows = self.0.lock();
        rows.by_id.remove(id);
        rows.order.retain(|other| other != id);
    }

    pub(super) fn get(&self, id: &ProcessId) -> Result<Arc<PassthroughProcess>, SandboxError> {
        let rows = self.0.lock();
        rows.ensure_open()?;
        let found = rows.by_id.get(id).cloned();
        found.ok_or_else(|| SandboxError::UnknownProcess { id: id.clone() })
    }

    pub(super) fn list(&self) -> Result<Vec<ProcessStatus>, SandboxError> {
        let rows = self.0.lock();
        rows.ensure_open()?;
        let processes = rows.order.iter().filter_map(|id| rows.by_id.get(id));
        Ok(processes.map(|process| process.status()).collect())
    }

    /// Rejects further starts, and returns the started processes.
    pub(super) fn close(&self) -> Vec<Arc<PassthroughProcess>> {
        let mut rows = self.0.lock();
        rows.closed = true;
        rows.order.clear();
        rows.by_id.drain().map(|(_, process)| process).collect()
    }
}

impl ProcessTableState {
    fn ensure_open(&self) -> Result<(), SandboxError> {
        if self.closed {
            let why = "the sandbox was closed".to_owned();
            return Err(SandboxError::Closed { why });
        }
        Ok(())
    }
}
