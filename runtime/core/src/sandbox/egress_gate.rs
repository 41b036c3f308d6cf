//! The gate that holds connections until they are approved.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::egress::{Connection, ConnectionApprover};
use super::{FolderAccess, FolderRequest, GrantScope};
use crate::support::lock::Mutex;
use crate::transcript::{CallAddress, Label};

/// How long a connection waits for approval.
const APPROVAL_TIMEOUT: Duration = Duration::from_secs(600);

/// The maximum number of reached hosts that a gate remembers.
const MAX_REACHED: usize = 32;

/// The maximum number of refused connections that a gate remembers.
const MAX_REFUSED: usize = 32;

/// The maximum number of questions of a turn about what no rule allows: a command must not flood the user.
const MAX_QUESTIONS: usize = 16;

type HostPort = (String, u16);

/// Gates the connections of a sandbox's commands: once untrusted text was read, a connection to a host waits for
/// approval, and is refused if no approver is attached.
///
/// A gate that [asks about blocked accesses](Self::asking) also holds the connections to hosts that no rule allows.
///
/// One gate is shared by all agents of a session, as the sandbox is: text that any agent reads affects all of them.
#[derive(Default)]
pub struct EgressGate {
    asks_about_blocked: bool,
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
    /// The hosts that no rule allows, and that the user allowed for the session.
    session: BTreeSet<HostPort>,
    /// The last refusals, as text.
    refused: VecDeque<String>,
    /// The number of all refusals.
    refusals: u64,
}

/// A turn that has started a command and has not ended.
struct OpenTurn {
    turn: String,
    approver: Arc<dyn ConnectionApprover>,
    approved: BTreeSet<HostPort>,
    /// The hosts that no rule allows, and that are allowed until the turn starts another command; each with whether the
    /// approver knew of untrusted text.
    once: BTreeMap<HostPort, bool>,
    /// The hosts that were refused since the turn started its last command, with the reasons.
    declined: BTreeMap<HostPort, String>,
    /// The number of questions about what no rule allows.
    questions: usize,
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

    fn turn_mut(&mut self, turn: &str) -> Option<&mut OpenTurn> {
        self.turns.iter_mut().find(|open| open.turn == turn)
    }

    /// Reports whether a connection is approved although untrusted text was read.
    fn is_approved(&self, connection: &HostPort) -> bool {
        self.turns.last().is_some_and(|turn| {
            turn.approved.contains(connection) || turn.once.get(connection) == Some(&true)
        })
    }

    /// Reports whether a connection to a host that no rule allows was allowed.
    fn is_allowed(&self, connection: &HostPort) -> bool {
        let last = self.turns.last();
        self.session.contains(connection)
            || last.is_some_and(|turn| turn.once.contains_key(connection))
    }

    /// Counts a question of a turn about what no rule allows, and reports whether it may be asked.
    fn count_question(&mut self, turn: &str) -> bool {
        let Some(open) = self.turn_mut(turn) else {
            return false;
        };
        open.questions += 1;
        open.questions <= MAX_QUESTIONS
    }
}

impl EgressGate {
    /// Creates a gate that admits all connections to allowed hosts until untrusted text is read.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Creates a gate that also asks about accesses that the policy of the sandbox does not allow: it holds the
    /// connections to hosts that no rule allows until the approver of the turn has answered.
    #[must_use]
    pub fn asking() -> Arc<Self> {
        Arc::new(Self {
            asks_about_blocked: true,
            ..Self::default()
        })
    }

    /// Reports whether the gate asks about accesses that the policy of the sandbox does not allow.
    #[must_use]
    pub fn asks_about_blocked(&self) -> bool {
        self.asks_about_blocked
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
    ///
    /// Hosts that no rule allows, and that were allowed once, are not allowed for the new command.
    pub fn begin_turn(&self, turn: &str, approver: Arc<dyn ConnectionApprover>) {
        let mut state = self.state.lock();
        let (approved, questions) = state
            .take_turn(turn)
            .map(|turn| (turn.approved, turn.questions))
            .unwrap_or_default();
        state.turns.push(OpenTurn {
            turn: turn.to_owned(),
            approver,
            approved,
            once: BTreeMap::new(),
            declined: BTreeMap::new(),
            questions,
        });
    }

    /// Adds connections to those that are approved in an open turn.
    #[doc(hidden)]
    pub fn allow_in(&self, turn: &str, connections: Vec<(String, u16)>) {
        let mut state = self.state.lock();
        if let Some(open) = state.turn_mut(turn) {
            open.approved.extend(connections);
        }
    }

    /// Allows a host that no rule allows for all commands of the session.
    #[doc(hidden)]
    pub fn allow_in_session(&self, host: &str, port: u16) {
        self.state.lock().session.insert((host.to_owned(), port));
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

    /// Waits until a connection to an allowed host is admitted.
    #[doc(hidden)]
    pub async fn wait_for_approval(
        &self,
        host: &str,
        port: u16,
        even_tainted: bool,
    ) -> Result<(), String> {
        let connection = (host.to_owned(), port);
        if even_tainted || !self.needs_approval(&connection) {
            return Ok(());
        }
        let _asking = self.approval_lock.lock().await;
        // The previous approval may have been for the same host.
        if self.needs_approval(&connection) {
            self.request_approval(connection, true).await?;
        }
        Ok(())
    }

    /// Waits until a connection to a host that no rule allows is admitted, if the gate asks about such hosts.
    #[doc(hidden)]
    pub async fn wait_for_unlisted(&self, host: &str, port: u16) -> Result<(), String> {
        let connection = (host.to_owned(), port);
        if !self.is_allowed(&connection) {
            let _asking = self.approval_lock.lock().await;
            if !self.is_allowed(&connection) {
                self.request_approval(connection, false).await?;
            }
        }
        // A host that is allowed for the session is treated as one that a rule allows.
        self.wait_for_approval(host, port, false).await
    }

    /// Requests the approval of a folder that a command of a call needs. Returns `None` if nothing is asked: the gate
    /// does not ask about blocked accesses, or the turn of the call has no approver.
    #[doc(hidden)]
    pub async fn request_folder(
        &self,
        call: &CallAddress,
        folder: FolderAccess,
    ) -> Option<Result<GrantScope, String>> {
        if !self.asks_about_blocked {
            return None;
        }
        let _asking = self.approval_lock.lock().await;
        let (approver, label) = {
            let mut state = self.state.lock();
            let label = state.label.clone();
            let turn = call.turn.as_str();
            let approver = Arc::clone(&state.turn_mut(turn)?.approver);
            if !state.count_question(turn) {
                return Some(Err(too_many_questions()));
            }
            (approver, label)
        };
        let call = call.clone();
        let request = FolderRequest {
            call,
            folder,
            label,
        };
        let answer = tokio::time::timeout(APPROVAL_TIMEOUT, approver.approve_folder(request)).await;
        Some(answer.unwrap_or_else(|_| Err("the approval timed out".to_owned())))
    }

    /// Records that a host is reached.
    #[doc(hidden)]
    pub fn record_reached(&self, host: &str) {
        let mut state = self.state.lock();
        if state.reached.len() < MAX_REACHED {
            state.reached.insert(host.to_owned());
        }
    }

    /// Records why a connection was refused.
    #[doc(hidden)]
    pub fn record_refusal(&self, why: &str) {
        let mut state = self.state.lock();
        state.refusals += 1;
        if state.refused.len() == MAX_REFUSED {
            state.refused.pop_front();
        }
        state.refused.push_back(why.to_owned());
    }

    /// Returns the number of connections that were refused so far.
    #[doc(hidden)]
    pub fn refusal_count(&self) -> u64 {
        self.state.lock().refusals
    }

    /// Returns why connections were refused since their [number](Self::refusal_count) was `count`, each reason once; of
    /// many, the last ones.
    #[doc(hidden)]
    pub fn refusals_since(&self, count: u64) -> Vec<String> {
        let state = self.state.lock();
        let new = usize::try_from(state.refusals.saturating_sub(count)).unwrap_or(usize::MAX);
        let skipped = state.refused.len().saturating_sub(new);
        let mut refusals: Vec<String> = Vec::new();
        for why in state.refused.iter().skip(skipped) {
            if !refusals.contains(why) {
                refusals.push(why.clone());
            }
        }
        refusals
    }

    fn needs_approval(&self, connection: &HostPort) -> bool {
        let state = self.state.lock();
        state.label.is_untrusted() && !state.is_approved(connection)
    }

    fn is_allowed(&self, connection: &HostPort) -> bool {
        self.state.lock().is_allowed(connection)
    }

    /// Asks the approver of the last turn about a connection to a host that a rule allows, or that no rule allows.
    async fn request_approval(&self, (host, port): HostPort, listed: bool) -> Result<(), String> {
        let label = self.state.lock().label.clone();
        let refused = |why: &str| refusal_text(&host, port, listed, &label, why);
        let (turn, approver) = self
            .approver_for(&host, port, listed)
            .map_err(|why| refused(&why))?;
        let connection = Connection {
            host: host.clone(),
            port,
            listed,
            label: label.clone(),
        };
        let approving = approver.approve(connection);
        let why = match tokio::time::timeout(APPROVAL_TIMEOUT, approving).await {
            Ok(Ok(())) => {
                let mut state = self.state.lock();
                if let Some(open) = state.turn_mut(&turn) {
                    if listed {
                        open.approved.insert((host, port));
                    } else {
                        open.once.insert((host, port), label.is_untrusted());
                    }
                }
                return Ok(());
            }
            Ok(Err(why)) => why,
            Err(_) => "the approval timed out".to_owned(),
        };
        if let Some(open) = self.state.lock().turn_mut(&turn) {
            open.declined.insert((host.clone(), port), why.clone());
        }
        Err(refused(&why))
    }

    /// Returns the last turn and its approver, or why the approver is not asked about a connection.
    fn approver_for(
        &self,
        host: &str,
        port: u16,
        listed: bool,
    ) -> Result<(String, Arc<dyn ConnectionApprover>), String> {
        let mut state = self.state.lock();
        let last = state.turns.last().ok_or("no approver is attached")?;
        if let Some(why) = last.declined.get(&(host.to_owned(), port)) {
            return Err(why.clone());
        }
        let (turn, approver) = (last.turn.clone(), Arc::clone(&last.approver));
        if !listed && !state.count_question(&turn) {
            return Err(too_many_questions());
        }
        Ok((turn, approver))
    }
}

fn too_many_questions() -> String {
    format!("{MAX_QUESTIONS} questions about the sandbox were asked in this turn, and no more are")
}

fn refusal_text(host: &str, port: u16, listed: bool, label: &Label, why: &str) -> String {
    let origin = label.origin().unwrap_or_default();
    if listed {
        return format!(
            "the connection to `{host}:{port}` was refused: untrusted text was read from {origin}, and {why}; a rule of \
             `sandbox.even_tainted` opens the host all the same"
        );
    }
    format!(
        "the connection to `{host}:{port}` was refused: no rule allows the host, and {why}; a rule of `sandbox.hosts` \
         allows it"
    )
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
