//! The network connections of a sandbox's commands, as far as somebody holds them.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{Enforcement, Holds, Layer, SandboxPolicy};
use crate::transcript::Label;

/// How long a connection is held for an answer.
const HELD: Duration = Duration::from_secs(600);

/// How many hosts a gate remembers having reached.
const MOST_REACHED: usize = 32;

/// How the commands of a sandbox reach the network.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Egress {
    /// Not at all.
    Closed,
    /// Through a proxy of this process, which holds every connection against this gate.
    Gated(Arc<EgressGate>),
    /// In a way that nothing here sees.
    Unchecked,
}

impl Egress {
    /// Tells what is known of a sandbox by what holds in it: without the layer of the network, nothing.
    #[cfg_attr(
        not(feature = "sandbox"),
        expect(dead_code, reason = "no sandbox has a proxy without it")
    )]
    pub(super) fn of(
        enforcement: &Enforcement,
        policy: &SandboxPolicy,
        gate: Option<&Arc<EgressGate>>,
    ) -> Self {
        let holds = enforcement.layers.get(&Layer::Network);
        match gate {
            _ if !matches!(holds, Some(Holds::Yes { .. })) => Self::Unchecked,
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

/// Answers for connections that commands make after untrusted text was read.
pub trait ConnectionApprover: Send + Sync {
    /// Returns whether a connection may be made; an error says why not, for whoever reads what the command writes.
    fn approve(&self, connection: Connection) -> BoxFuture<'_, Result<(), String>>;
}

/// Holds the connections of a sandbox's commands: once untrusted text was read, a connection to a host waits until it is
/// approved, and is refused where nobody can answer.
///
/// One gate serves all agents of a session, as one sandbox does: it is as careful as the most careful of them.
#[derive(Default)]
pub struct EgressGate {
    state: Mutex<State>,
    /// One question at a time, so that ten connections to a host ask once.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    label: Label,
    approver: Option<(String, Arc<dyn ConnectionApprover>)>,
    approved: BTreeSet<(String, u16)>,
    reached: BTreeSet<String>,
    is_off: bool,
}

impl EgressGate {
    /// Makes a gate through which everything goes, until something untrusted is read.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what was read.
    pub fn join_label(&self, label: &Label) {
        let mut state = self.state();
        if !state.label.covers(label) {
            state.label.join(label);
        }
    }

    /// Sets who answers for a turn from now on; what was approved in another one is forgotten.
    pub fn ask_through(&self, turn: &str, approver: Arc<dyn ConnectionApprover>) {
        let mut state = self.state();
        let is_same = |(of, _): &(String, _)| of == turn;
        if !state.approver.as_ref().is_some_and(is_same) {
            state.approved.clear();
        }
        state.approver = Some((turn.to_owned(), approver));
    }

    /// Says that a turn is over, and with it what was approved in it: nobody answers any more.
    pub fn end_turn(&self, turn: &str) {
        let mut state = self.state();
        if state.approver.as_ref().is_some_and(|(of, _)| of == turn) {
            state.approver = None;
            state.approved.clear();
        }
    }

    /// Lets everything through, whatever was read.
    pub fn never_ask(&self) {
        self.state().is_off = true;
    }

    /// Returns the hosts that were reached; of many, some.
    #[must_use]
    pub fn reached(&self) -> Vec<String> {
        self.state().reached.iter().cloned().collect()
    }

    /// Waits until a connection may be made.
    ///
    /// # Errors
    /// Why it may not.
    pub async fn admit(&self, host: &str, port: u16, even_tainted: bool) -> Result<(), String> {
        if !even_tainted && self.holds(host, port) {
            let _asking = self.asking.lock().await;
            // Somebody else's question may have been about the same host.
            if self.holds(host, port) {
                self.ask(host, port).await?;
            }
        }
        let mut state = self.state();
        if state.reached.len() < MOST_REACHED {
            state.reached.insert(host.to_owned());
        }
        Ok(())
    }

    fn holds(&self, host: &str, port: u16) -> bool {
        let state = self.state();
        let is_approved = state.approved.contains(&(host.to_owned(), port));
        state.label.is_untrusted() && !state.is_off && !is_approved
    }

    async fn ask(&self, host: &str, port: u16) -> Result<(), String> {
        let (label, approver) = {
            let state = self.state();
            let approver = state.approver.as_ref();
            (
                state.label.clone(),
                approver.map(|(_, approver)| Arc::clone(approver)),
            )
        };
        let origin = label.origin().unwrap_or_default();
        let refused = |why: &str| {
            format!(
                "the connection to `{host}:{port}` was refused: untrusted text was read from {origin}, and {why}; a rule of \
                 `sandbox.even_tainted` opens the host all the same"
            )
        };
        let Some(approver) = approver else {
            return Err(refused("nobody is there who could approve it"));
        };
        let connection = Connection {
            host: host.to_owned(),
            port,
            label,
        };
        match tokio::time::timeout(HELD, approver.approve(connection)).await {
            Ok(Ok(())) => {
                self.state().approved.insert((host.to_owned(), port));
                Ok(())
            }
            Ok(Err(why)) => Err(refused(&why)),
            Err(_) => Err(refused("nobody answered in time")),
        }
    }
}

impl fmt::Debug for EgressGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("EgressGate")
            .field("label", &state.label)
            .field("approved", &state.approved)
            .field("reached", &state.reached)
            .finish_non_exhaustive()
    }
}
