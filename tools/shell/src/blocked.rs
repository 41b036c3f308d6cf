//! What the sandbox kept from a command: folders, which are asked about, and connections.

use std::sync::Arc;

use helve::prelude::*;
use helve::sandbox::{
    Access, Egress, EgressGate, Exit, FolderAccess, GrantScope, Sandbox, SandboxError,
};

use super::denied_paths::denied_paths;
use super::follow::FollowOutcome;

/// The greatest number of refused connections that a result lists.
const MAX_LISTED: usize = 3;

/// A folder that the user allowed.
pub(super) type Grant = (FolderAccess, GrantScope);

/// The question about a folder, and its answer.
pub(super) struct AskedFolder {
    folder: FolderAccess,
    answer: Result<GrantScope, String>,
}

impl AskedFolder {
    /// Returns the folder if the user allowed it.
    pub(super) fn granted(&self) -> Option<Grant> {
        let scope = *self.answer.as_ref().ok()?;
        Some((self.folder.clone(), scope))
    }

    /// Describes the answer for the model, with the error of the second run if there was none.
    pub(super) fn note(&self, failed: Option<&SandboxError>) -> String {
        let folder = &self.folder;
        match (&self.answer, failed) {
            (Ok(_), None) => format!(
                "[the command ran twice: the first run failed, and the user then allowed it to {folder}; this is the result \
                 of the second run]"
            ),
            (Ok(_), Some(error)) => format!(
                "[the user allowed the command to {folder}, but the sandbox could not run it again: {error}]"
            ),
            (Err(why), _) => format!(
                "[the sandbox does not let commands {folder}: {why}; the setting `{}` allows folders]",
                folder.setting()
            ),
        }
    }
}

/// Asks about the folder because of which a command failed. Returns `None` if the command did not fail because of a
/// folder that may be offered, or if nothing is asked in this sandbox.
pub(super) async fn ask_for_folder(
    cx: &ToolContext,
    sandbox: &Arc<dyn Sandbox>,
    command: &str,
    followed: &FollowOutcome,
) -> Option<AskedFolder> {
    let has_failed = matches!(followed.exit(), Some(Exit::Code(code)) if *code != 0);
    let (gate, call) = (asking_gate(&**sandbox)?, cx.address()?);
    if !has_failed {
        return None;
    }
    let folder = offered_folder(&**sandbox, command, &followed.text).await?;
    let answer = gate.request_folder(call, folder.clone()).await?;
    Some(AskedFolder { folder, answer })
}

/// Returns the first folder that the sandbox offers for the paths in an error message.
async fn offered_folder(sandbox: &dyn Sandbox, command: &str, text: &str) -> Option<FolderAccess> {
    for denied in denied_paths(command, text) {
        for access in [Access::Read, Access::Write] {
            if denied.may_be(access)
                && let Some(folder) = sandbox.offer(&denied.path, access).await
            {
                return Some(folder);
            }
        }
    }
    None
}

/// Returns the gate of a sandbox if it asks about what the policy does not allow.
fn asking_gate(sandbox: &dyn Sandbox) -> Option<Arc<EgressGate>> {
    match sandbox.egress() {
        Egress::Gated(gate) if gate.asks_about_blocked() => Some(gate),
        _ => None,
    }
}

/// The connections that are refused from now on.
pub(super) struct Refusals {
    gate: Option<Arc<EgressGate>>,
    count: u64,
}

impl Refusals {
    /// Starts to watch the connections of a sandbox.
    pub(super) fn watch(sandbox: &dyn Sandbox) -> Self {
        let gate = asking_gate(sandbox);
        let count = gate.as_ref().map_or(0, |gate| gate.refusal_count());
        Self { gate, count }
    }

    /// Describes the refused connections for the model: few programs show the response of a proxy.
    pub(super) fn notes(&self) -> Vec<String> {
        let Some(gate) = &self.gate else {
            return Vec::new();
        };
        let refusals = gate.refusals_since(self.count);
        let more = refusals.len().saturating_sub(MAX_LISTED);
        let shown = refusals.iter().take(MAX_LISTED);
        let mut notes: Vec<String> = shown.map(|why| format!("[{why}]")).collect();
        if more > 0 {
            notes.push(format!("[{more} more connections were refused]"));
        }
        notes
    }
}
