//! Approval of the network connections that commands in a sandbox make.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{Enforcement, Layer, LayerStatus, SandboxPolicy};
use crate::support::lock::Mutex;
use crate::transcript::Label;

/// How long a connection waits for approval.
const APPROVAL_TIMEOUT: Duration = Duration::from_secs(600);

/// The maximum number of reached hosts that a gate remembers.
const MAX_REACHED: usize = 32;

/// How the commands of a sandbox reach the network.
#[derive(Debug, Clone)]
pub enum Egress {
    /// The network is closed.
    Closed,
    /// Through a proxy of this process, which checks every connection with this gate.
    Gated(Arc<EgressGate>),
    /// Without any check by this process.
    Unchecked,
}

impl Egress {
    /// Derives the egress from the enforced layers of a sandbox: without the network layer, connections are unchecked.
    #[doc(hidden)]
    pub fn from_enforcement(
        enforcement: &Enforcement,
        policy: &SandboxPolicy,
        gate: Option<&Arc<EgressGate>>,
    ) -> Self {
        let holds = enforcement.layers.get(&Layer::Network);
        match gate {
            _ if !matches!(holds, Some(LayerStatus::Yes { .. })) => Self::Unchecked,
            Some(gate) => Self::Gated(Arc::clone(gate)),
            None if policy.network.allow.is_empty() => Self::Closed,
            None => Self::Unchecked,
        }
    }
}

/// A connection that a command attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connection {
    /// The host, which the rules allow.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The label of the data that may have influenced the commands.
    pub label: Label,
}

impl Connection {
    /// Returns the reason why approval is required.
    #[doc(hidden)]
    pub fn reason(&self) -> String {
        let Self { host, port, label } = self;
        let origin = label.origin().unwrap_or_default();
        format!(
            "a command connects to `{host}:{port}`, and the model has read untrusted text from {origin}"
        )
    }
}

/// Approves connections that commands make after untrusted text was read.
pub trait ConnectionApprover: Send + Sync {
    /// Approves a connection; an error contains the reason for the reader of the command's output.
    fn approve(&self, connection: Connection) -> BoxFuture<'_, Result<(), String>>;
}

/// Gates the connections of a sandbox's commands: once untrusted text was read, a connection to a host waits for
/// approval, and is refused if no approver is attached.
///
/// One gate is shared by all agents of a session, as the sandbox is: text that any agent reads affects all of them.
#[derive(Default)]
pub struct EgressGate {
    state: Mutex<EgressState>,
    /// Serialises the requests for approval, so that ten connections to one host require one approval.
    approval_lock: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct EgressState {
    label: Label,
    /// The open turns; the turn that started a command most recently is last.
    turns: Vec<OpenTurn>,
    reached: BTreeSet<String>,
}

/// A turn that has started a command and has not ended.
struct OpenTurn {
    turn: String,
    approver: Arc<dyn ConnectionApprover>,
    approved: BTreeSet<(String, u16)>,
}

impl fmt::Debug for OpenTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenTurn")
            .field("turn", &self.turn)
            .field("approved", &self.approved)
            .finish_non_exhaustive()
    }
}

impl EgressState {
    /// Removes a turn from the open turns.
    fn take_turn(&mut self, turn: &str) -> Option<OpenTurn> {
        let place = self.turns.iter().position(|open| open.turn == turn)?;
        Some(self.turns.remove(place))
    }

    fn is_approved(&self, host: &str, port: u16) -> bool {
        let connection = (host.to_owned(), port);
        let last = self.turns.last();
        last.is_some_and(|turn| turn.approved.contains(&connection))
    }
}

impl EgressGate {
    /// Creates a gate that admits all connections until untrusted text is read.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Adds the label of data that was read.
    pub fn join_label(&self, label: &Label) {
        let mut state = self.state.lock();
        if !state.label.covers(label) {
            state.label.join(label);
        }
    }

    /// Sets the approver of a turn that starts a command. Connections are attributed to the open turn that started a
    /// command most recently: its approver is asked, and hosts that were approved in that turn are admitted.
    pub fn begin_turn(&self, turn: &str, approver: Arc<dyn ConnectionApprover>) {
        let mut state = self.state.lock();
        let before = state.take_turn(turn);
        state.turns.push(OpenTurn {
            turn: turn.to_owned(),
            approver,
            approved: before.map(|turn| turn.approved).unwrap_or_default(),
        });
    }

    /// Adds connections to those that are approved in an open turn.
    #[doc(hidden)]
    pub fn allow_in(&self, turn: &str, connections: Vec<(String, u16)>) {
        let mut state = self.state.lock();
        if let Some(open) = state.turns.iter_mut().find(|open| open.turn == turn) {
            open.approved.extend(connections);
        }
    }

    /// Removes the approver of a turn that has ended, and the approvals of the turn.
    pub fn end_turn(&self, turn: &str) {
        self.state.lock().take_turn(turn);
    }

    /// Returns the hosts that were reached; if there are many, only some of them.
    #[must_use]
    pub fn reached_hosts(&self) -> Vec<String> {
        self.state.lock().reached.iter().cloned().collect()
    }

    /// Waits until a connection is admitted, and records that the host is reached.
    ///
    /// # Errors
    ///
    /// The reason why the connection is refused.
    pub async fn admit(&self, host: &str, port: u16, even_tainted: bool) -> Result<(), String> {
        self.wait_for_approval(host, port, even_tainted).await?;
        self.record_reached(host);
        Ok(())
    }

    /// Waits until a connection is admitted.
    #[doc(hidden)]
    pub async fn wait_for_approval(
        &self,
        host: &str,
        port: u16,
        even_tainted: bool,
    ) -> Result<(), String> {
        if even_tainted || !self.needs_approval(host, port) {
            return Ok(());
        }
        let _asking = self.approval_lock.lock().await;
        // The previous approval may have been for the same host.
        if self.needs_approval(host, port) {
            self.request_approval(host, port).await?;
        }
        Ok(())
    }

    /// Records that a host is reached.
    #[doc(hidden)]
    pub fn record_reached(&self, host: &str) {
        let mut state = self.state.lock();
        if state.reached.len() < MAX_REACHED {
            state.reached.insert(host.to_owned());
        }
    }

    fn needs_approval(&self, host: &str, port: u16) -> bool {
        let state = self.state.lock();
        state.label.is_untrusted() && !state.is_approved(host, port)
    }

    async fn request_approval(&self, host: &str, port: u16) -> Result<(), String> {
        let (label, asked) = {
            let state = self.state.lock();
            let last = state.turns.last();
            let asked = last.map(|turn| (turn.turn.clone(), Arc::clone(&turn.approver)));
            (state.label.clone(), asked)
        };
        let origin = label.origin().unwrap_or_default();
        let refused = |why: &str| {
            format!(
                "the connection to `{host}:{port}` was refused: untrusted text was read from {origin}, and {why}; a rule of \
                 `sandbox.even_tainted` opens the host all the same"
            )
        };
        let Some((turn, approver)) = asked else {
            return Err(refused("no approver is attached"));
        };
        let connection = Connection {
            host: host.to_owned(),
            port,
            label,
        };
        match tokio::time::timeout(APPROVAL_TIMEOUT, approver.approve(connection)).await {
            Ok(Ok(())) => {
                self.allow_in(&turn, vec![(host.to_owned(), port)]);
                Ok(())
            }
            Ok(Err(why)) => Err(refused(&why)),
            Err(_) => Err(refused("the approval timed out")),
        }
    }
}

impl fmt::Debug for EgressGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.lock();
        f.debug_struct("EgressGate")
            .field("label", &state.label)
            .field("turns", &state.turns)
            .field("reached", &state.reached)
            .finish_non_exhaustive()
    }
}
