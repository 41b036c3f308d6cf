//! Approval of the network connections that commands in a sandbox make.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{Enforcement, Layer, LayerStatus, SandboxPolicy};
use crate::support::lock::Mutex;
use crate::transcript::Label;

/// How long a connection is held for an answer.
const APPROVAL_TIMEOUT: Duration = Duration::from_secs(600);

/// How many hosts a gate remembers having reached.
const MAX_REACHED: usize = 32;

/// How the commands of a sandbox reach the network.
#[derive(Debug, Clone)]
pub enum Egress {
    /// Not at all.
    Closed,
    /// Through a proxy of this process, which holds every connection against this gate.
    Gated(Arc<EgressGate>),
    /// In a way that nothing here sees.
    Unchecked,
}

impl Egress {
    /// Determines what is known of a sandbox by what holds in it: without the layer of the network, nothing.
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

/// A connection that a command wants to make.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connection {
    /// The host, which the rules allow.
    pub host: String,
    /// The port.
    pub port: u16,
    /// What the commands may have been steered by.
    pub label: Label,
}

impl Connection {
    /// Returns why it is asked about.
    #[doc(hidden)]
    pub fn reason(&self) -> String {
        let Self { host, port, label } = self;
        let origin = label.origin().unwrap_or_default();
        format!(
            "a command connects to `{host}:{port}`, and the model has read untrusted text from {origin}"
        )
    }
}

/// Answers for connections that commands make after untrusted text was read.
pub trait ConnectionApprover: Send + Sync {
    /// Returns whether a connection may be made; an error says why not, for the reader of the command's output.
    fn approve(&self, connection: Connection) -> BoxFuture<'_, Result<(), String>>;
}

/// Holds the connections of a sandbox's commands: once untrusted text was read, a connection to a host waits until it is
/// approved, and is refused where no approver is attached.
///
/// One gate serves all agents of a session, as one sandbox does: what any of them read counts for all.
#[derive(Default)]
pub struct EgressGate {
    state: Mutex<EgressState>,
    /// One question at a time, so that ten connections to a host ask once.
    approval_lock: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct EgressState {
    label: Label,
    /// The turns that are open, the one that started a command last at the end.
    turns: Vec<OpenTurn>,
    reached: BTreeSet<String>,
}

/// A turn that started a command and is not over.
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
    /// Removes a turn from those that are open.
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
    /// Creates a gate through which everything goes, until something untrusted is read.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Takes note of what was read.
    pub fn join_label(&self, label: &Label) {
        let mut state = self.state.lock();
        if !state.label.covers(label) {
            state.label.join(label);
        }
    }

    /// Sets the approver of a turn that starts a command. Connections are held against the turn that started a command last
    /// and is still open: its approver is asked, and what was approved in it connects.
    pub fn begin_turn(&self, turn: &str, approver: Arc<dyn ConnectionApprover>) {
        let mut state = self.state.lock();
        let before = state.take_turn(turn);
        state.turns.push(OpenTurn {
            turn: turn.to_owned(),
            approver,
            approved: before.map(|turn| turn.approved).unwrap_or_default(),
        });
    }

    /// Lets connections through as long as a turn is open that was allowed them before.
    #[doc(hidden)]
    pub fn allow_in(&self, turn: &str, connections: Vec<(String, u16)>) {
        let mut state = self.state.lock();
        if let Some(open) = state.turns.iter_mut().find(|open| open.turn == turn) {
            open.approved.extend(connections);
        }
    }

    /// Removes the approver of a turn that is over, and what was approved in the turn.
    pub fn end_turn(&self, turn: &str) {
        self.state.lock().take_turn(turn);
    }

    /// Returns the hosts that were reached; of many, some.
    #[must_use]
    pub fn reached_hosts(&self) -> Vec<String> {
        self.state.lock().reached.iter().cloned().collect()
    }

    /// Waits until a connection may be made, and takes note that the host is reached.
    ///
    /// # Errors
    /// Why it may not.
    pub async fn admit(&self, host: &str, port: u16, even_tainted: bool) -> Result<(), String> {
        self.wait_for_approval(host, port, even_tainted).await?;
        self.record_reached(host);
        Ok(())
    }

    /// Waits until a connection may be made.
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
        // The question before may have been about the same host.
        if self.needs_approval(host, port) {
            self.request_approval(host, port).await?;
        }
        Ok(())
    }

    /// Takes note that a host is reached.
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
