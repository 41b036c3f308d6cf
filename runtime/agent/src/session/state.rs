//! The state of a session without its conversation: the part of the fold that stays small.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher as _;

use serde_json::Value;

use super::posting::is_said;
use super::{Entry, Posting, SessionError, SessionMetadata, TurnStarted};
use crate::authority::TurnAuthority;
use crate::compaction::RetainedFacts;
use crate::exposure::ExposedTools;
use crate::journal::{Line, Timestamp};
use crate::turn::{CallState, EndReason, HandOff, Record, Turn};
use helve_core::support::text::first_chars;
use helve_core::transcript::{AgentId, ContentBlock, Label, Message, Note, Origin, TurnId};
use helve_permission::{Decision, Rule, RuleScope};

/// The maximum length of the title, which is taken from the first message.
const MAX_TITLE_CHARS: usize = 80;

/// The state of a session: everything but its conversation.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SessionState {
    /// The metadata of the session; `None` if its journal was cut before its first entry.
    pub metadata: Option<SessionMetadata>,
    /// The number of the last entry.
    pub seq: u64,
    /// The time at which the session was created.
    pub created: Option<Timestamp>,
    /// The time at which the last entry was written.
    pub updated: Option<Timestamp>,
    /// The beginning of the first message.
    pub title: Option<String>,
    /// The number of turns, without those of delegates.
    pub turns: u64,
    /// The open turns; the turn of a delegate follows the turn that it works for.
    pub open_turns: Vec<Turn>,
    /// The rules of the session that allow calls.
    pub allow: Vec<Rule>,
    /// The rules of the session that deny calls.
    pub deny: Vec<Rule>,
    /// The tools that were last exposed to the model; a turn begins with those of the previous turn.
    pub exposed_tools: Option<ExposedTools>,
    /// The facts of the conversation that are retained through summaries.
    pub retained_facts: RetainedFacts,
    /// The label of the conversation: it covers everything that was ever read, including what a summary has replaced.
    pub label: Label,
    /// The agent to which the session was handed off: it answers the next prompt.
    pub active: Option<AgentId>,
    /// The hand-off whose next turn has not begun.
    pub hand_off: Option<Box<HandOff>>,
    /// The authorities with which the open turns began.
    authorities: BTreeMap<TurnId, TurnAuthority>,
    /// The ids of what was said to the agent, so that a posting which is sent again is recognized.
    note_ids: BTreeSet<String>,
    /// The allowing rules that were granted for longer than the session while the open turns ran: files contain them,
    /// but no policy that was recorded earlier does.
    persistent_rules: Vec<Rule>,
    /// The hash of the last saved value of each state.
    pub(super) state_hashes: BTreeMap<String, u64>,
}

impl SessionState {
    /// Returns an open turn.
    #[must_use]
    pub fn turn(&self, turn: &TurnId) -> Option<&Turn> {
        let mut open = self.open_turns.iter();
        open.find(|open| open.origin().turn == *turn)
    }

    /// Returns the id of the next turn that works for no other turn.
    #[must_use]
    pub fn next_turn(&self) -> TurnId {
        TurnId::from(format!("t{}", self.turns + 1))
    }

    /// Returns the label of all that the agents of the session have read. It covers the open turns of delegates, whose labels
    /// join the [label](Self::label) with their results.
    #[must_use]
    pub fn read_label(&self) -> Label {
        let mut label = self.label.clone();
        let open = self.open_turns.iter();
        open.for_each(|turn| label.join(turn.label()));
        label
    }

    /// Returns the authority of an open turn so far: the authority with which it began, and what later answers have
    /// added.
    pub(crate) fn authority(&self, turn: &TurnId) -> Option<TurnAuthority> {
        let mut authority = self.authorities.get(turn)?.clone();
        for policy in &mut authority.policies {
            add_rules(&mut policy.rules.allow, &self.persistent_rules);
        }
        Some(authority)
    }

    /// Applies an entry; `messages` is the conversation that the entry belongs to, if the caller holds it. Returns
    /// `false` if the entry is a stale record, which changes nothing.
    pub(super) fn apply(
        &mut self,
        line: Line<&Entry>,
        messages: Option<&mut Vec<Message>>,
    ) -> bool {
        self.seq = line.seq;
        self.updated = Some(line.at);
        self.created.get_or_insert(line.at);
        match line.entry {
            Entry::Created(about) => self.metadata = Some(about.clone()),
            Entry::TurnStarted(started) => {
                let origin = started.origin();
                self.set_title(&started.prompt);
                if origin.parent_call.is_none() {
                    self.begin_own_turn(started);
                }
                self.open_turns
                    .retain(|turn| turn.origin().turn != origin.turn);
                if let Some(authority) = &started.authority {
                    self.authorities
                        .insert(origin.turn.clone(), authority.clone());
                }
                let label = self.initial_label(&origin).joined(&started.label);
                let turn = Turn::new(origin, started.bounds.clone());
                self.open_turns.push(turn.with_label(label));
                if let Some(messages) = messages {
                    if let Some(taken) = &started.taken_over {
                        *messages = taken.messages(std::mem::take(messages));
                    }
                    messages.extend_from_slice(&started.prompt);
                }
            }
            Entry::Record(recorded) => {
                return self.apply_record(&recorded.turn, &recorded.record, messages);
            }
            Entry::RulesGranted { allow, deny } => {
                add_rules(&mut self.allow, allow);
                add_rules(&mut self.deny, deny);
            }
            Entry::RulesRevoked { rules } => {
                self.allow.retain(|rule| !rules.contains(rule));
                self.deny.retain(|rule| !rules.contains(rule));
            }
            Entry::TurnEnded(ended) => {
                self.authorities.remove(&ended.turn);
                if ended.reason == EndReason::HandedOff && ended.parent_call.is_none() {
                    let handed_off = self.turn(&ended.turn).and_then(Turn::hand_off);
                    self.active = handed_off.as_ref().map(|handed_off| handed_off.to.clone());
                    self.hand_off = handed_off.map(Box::new);
                }
                self.open_turns
                    .retain(|turn| turn.origin().turn != ended.turn);
                if self.open_turns.is_empty() {
                    self.persistent_rules.clear();
                }
            }
            Entry::State { name, value } => {
                self.state_hashes.insert(name.clone(), state_hash(value));
            }
            Entry::Artifact(_) => {}
        }
        true
    }

    /// Applies the start of a turn that works for no other turn.
    fn begin_own_turn(&mut self, started: &TurnStarted) {
        self.turns += 1;
        self.hand_off = None;
        if started.taken_over.is_some() {
            // The tools of the next agent are others.
            self.exposed_tools = None;
        } else if self.active.as_ref() != Some(&started.agent) {
            self.active = None;
        }
    }

    /// Applies a record. A stale record changed nothing when it was written, and changes nothing now.
    fn apply_record(
        &mut self,
        turn: &TurnId,
        record: &Record,
        messages: Option<&mut Vec<Message>>,
    ) -> bool {
        let mut open = self.open_turns.iter_mut();
        let Some(turn) = open.find(|open| open.origin().turn == *turn) else {
            return false;
        };
        let applied = match messages {
            Some(messages) => turn.apply_to(record, messages),
            None => turn.apply(record),
        };
        if applied.is_err() {
            return false;
        }
        let is_own = turn.origin().parent_call.is_none();
        if is_own {
            self.label.join(turn.label());
        }
        match record {
            Record::Noted { notes } if is_own => self.note_ids.extend(said_ids(notes)),
            Record::Offered { offered } if is_own => self.exposed_tools = Some(offered.clone()),
            Record::Compacted { kept, .. } if is_own => {
                self.retained_facts = RetainedFacts::clone(kept)
            }
            Record::Answered { decision, .. } => self.add_decided_rules(decision),
            _ => {}
        }
        true
    }

    fn add_decided_rules(&mut self, decision: &Decision) {
        match decision {
            Decision::AllowAlways { rules, scope, .. } => match scope {
                RuleScope::Session => add_rules(&mut self.allow, rules),
                _ => add_rules(&mut self.persistent_rules, rules),
            },
            Decision::RejectAlways { rules, scope, .. } if *scope == RuleScope::Session => {
                add_rules(&mut self.deny, rules);
            }
            _ => {}
        }
    }

    /// Returns the label with which a turn begins: the task of a delegate was written by the agent that the delegate
    /// works for.
    fn initial_label(&self, origin: &Origin) -> Label {
        match &origin.parent_call {
            None => self.label.clone(),
            Some(call) => {
                let caller = self.turn(&call.turn);
                caller.map_or_else(|| self.label.clone(), |turn| turn.label().clone())
            }
        }
    }

    fn set_title(&mut self, prompt: &[Message]) {
        if self.title.is_some() {
            return;
        }
        let text = prompt.iter().find_map(|message| match message {
            Message::User { content } => content.iter().find_map(ContentBlock::as_text),
            _ => None,
        });
        let line = text.and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
        self.title = line.map(|line| first_chars(line.trim(), MAX_TITLE_CHARS).to_owned());
    }

    /// Checks that the session waits for a posting.
    ///
    /// # Errors
    /// [`SessionError::StalePosting`] if the call is unknown, or does not wait for the posting, or no longer does.
    pub fn check_posting(&self, posting: &Posting) -> Result<(), SessionError> {
        if let Some(why) = posting.mistake() {
            return Err(SessionError::InvalidPosting { why });
        }
        let (call, state) = match posting {
            Posting::Answer { call, .. } => (call, CallState::Asking),
            Posting::Result { call, .. } => (call, CallState::Submitted),
            Posting::Say { .. } => return Ok(()),
            Posting::Stop { turn } => {
                return match self.turn(turn) {
                    Some(turn) if turn.origin().parent_call.is_none() => Ok(()),
                    Some(_) => Err(stale(posting, "it works for another turn")),
                    None => Err(stale(posting, "no such turn is open")),
                };
            }
        };
        let why = match self.turn(&call.turn).map(|turn| turn.state(call.call)) {
            None => "no such turn is open",
            Some(None) => "no such call in the current round",
            Some(Some(found)) if found == state => return Ok(()),
            // A running command of the call waits.
            Some(Some(CallState::Running)) if self.asks_about_access(posting) => return Ok(()),
            Some(Some(CallState::Finished)) => "the call is already finished",
            Some(Some(CallState::Allowed | CallState::Running)) => "the call is already allowed",
            Some(Some(CallState::Submitted)) => "the call waits for a result",
            Some(Some(CallState::Asking)) => "the call waits for an answer",
            Some(Some(_)) => "the call is not planned yet",
        };
        Err(stale(posting, why))
    }

    /// Reports whether the session has recorded a note with this id that was said: by a user, an agent, a job or the memory.
    #[must_use]
    pub fn has_note(&self, id: &str) -> bool {
        self.note_ids.contains(id)
    }
}

impl SessionState {
    /// Reports whether a posting may answer a question about an access of a running command.
    fn asks_about_access(&self, posting: &Posting) -> bool {
        let Posting::Answer { call, .. } = posting else {
            return false;
        };
        let turn = self.turn(&call.turn);
        turn.is_some_and(|turn| turn.asks_about_access(call.call))
    }
}

fn stale(posting: &Posting, why: &'static str) -> SessionError {
    SessionError::StalePosting {
        target: posting.target(),
        wanted: posting.wanted(),
        why,
        first: None,
    }
}

/// Returns the ids of the notes that are said, rather than added by the runtime, a hook or a guard.
fn said_ids(notes: &[Note]) -> impl Iterator<Item = String> {
    let said = notes.iter().filter(|note| is_said(note.source));
    said.map(|note| note.id.clone())
}

fn add_rules(rules: &mut Vec<Rule>, more: &[Rule]) {
    for rule in more {
        if !rules.contains(rule) {
            rules.push(rule.clone());
        }
    }
}

/// Returns the hash that is used to compare a state with its last saved value.
pub(super) fn state_hash(state: &Value) -> u64 {
    foldhash::quality::FixedState::default().hash_one(state.to_string())
}
