//! The state of a session without its conversation: the part of the fold that stays small.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;

use serde_json::Value;

use super::{Entry, Posting, SessionError, SessionMetadata};
use crate::authority::TurnAuthority;
use crate::compaction::RetainedFacts;
use crate::exposure::ExposedTools;
use crate::journal::{Line, Timestamp};
use crate::turn::{CallState, Record, Turn};
use helve_core::support::text::first_chars;
use helve_core::transcript::{ContentBlock, Label, Message, Origin, TurnId};
use helve_permission::{Decision, Rule, RuleScope};

/// How much of the first message names the session.
const MAX_TITLE_CHARS: usize = 80;

/// The state of a session: everything but its conversation.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SessionState {
    /// What the session is; nothing where its journal was cut before its first entry.
    pub metadata: Option<SessionMetadata>,
    /// The last entry.
    pub seq: u64,
    /// When the session began.
    pub created: Option<Timestamp>,
    /// When the last entry was written.
    pub updated: Option<Timestamp>,
    /// The beginning of the first message.
    pub title: Option<String>,
    /// How many turns began, delegates' left out.
    pub turns: u64,
    /// The turns that are not over; a delegate's behind the one that it works for.
    pub open_turns: Vec<Turn>,
    /// The session's rules that let calls run.
    pub allow: Vec<Rule>,
    /// The session's rules that stop calls.
    pub deny: Vec<Rule>,
    /// What the model was last shown of its tools; a turn begins with what the last one ended with.
    pub exposed_tools: Option<ExposedTools>,
    /// What of the conversation outlives its summaries.
    pub retained_facts: RetainedFacts,
    /// What the conversation is made of: all that was ever read, whether it is still there or not.
    pub label: Label,
    /// What the turns that are not over were allowed at most when they began.
    authorities: BTreeMap<TurnId, TurnAuthority>,
    /// The rules that let calls run and were given for longer than the session, while the turns that are not over were at
    /// work: files hold them, and no policy that was recorded before.
    persistent_rules: Vec<Rule>,
    /// What each state was last saved as: a hash of its text.
    pub(super) state_hashes: BTreeMap<String, u64>,
}

impl SessionState {
    /// Returns an open turn.
    #[must_use]
    pub fn turn(&self, turn: &TurnId) -> Option<&Turn> {
        let mut open = self.open_turns.iter();
        open.find(|open| open.origin().turn == *turn)
    }

    /// Returns the id of the next turn that works for no other.
    #[must_use]
    pub fn next_turn(&self) -> TurnId {
        TurnId::from(format!("t{}", self.turns + 1))
    }

    /// Returns what an open turn was allowed at most so far: when it began, and by the answers since.
    pub(crate) fn authority(&self, turn: &TurnId) -> Option<TurnAuthority> {
        let mut authority = self.authorities.get(turn)?.clone();
        for policy in &mut authority.policies {
            add_rules(&mut policy.rules.allow, &self.persistent_rules);
        }
        Some(authority)
    }

    /// Takes an entry; `messages` is the conversation that it belongs to, if the caller keeps it.
    pub(super) fn apply(&mut self, line: Line<&Entry>, messages: Option<&mut Vec<Message>>) {
        self.seq = line.seq;
        self.updated = Some(line.at);
        self.created.get_or_insert(line.at);
        match line.entry {
            Entry::Created(about) => self.metadata = Some(about.clone()),
            Entry::TurnStarted(started) => {
                let origin = started.origin();
                self.set_title(&started.prompt);
                self.turns += u64::from(origin.parent_call.is_none());
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
                    messages.extend_from_slice(&started.prompt);
                }
            }
            Entry::Record(recorded) => {
                self.apply_record(&recorded.turn, &recorded.record, messages)
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
    }

    /// A record that came too late changed nothing when it was written, and changes nothing now.
    fn apply_record(
        &mut self,
        turn: &TurnId,
        record: &Record,
        messages: Option<&mut Vec<Message>>,
    ) {
        let mut open = self.open_turns.iter_mut();
        let Some(turn) = open.find(|open| open.origin().turn == *turn) else {
            return;
        };
        let applied = match messages {
            Some(messages) => turn.apply_to(record, messages),
            None => turn.apply(record),
        };
        if applied.is_err() {
            return;
        }
        let is_own = turn.origin().parent_call.is_none();
        if is_own {
            self.label.join(turn.label());
        }
        match record {
            Record::Offered { offered } if is_own => self.exposed_tools = Some(offered.clone()),
            Record::Compacted { kept, .. } if is_own => {
                self.retained_facts = RetainedFacts::clone(kept)
            }
            Record::Answered { decision, .. } => self.add_decided_rules(decision),
            _ => {}
        }
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

    /// Returns what a turn knows when it begins: a delegate's task was written by the agent that it works for.
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

    /// Checks that the session waits for what was posted.
    ///
    /// # Errors
    /// [`SessionError::StalePosting`] if the call is unknown, or does not wait for that, or not any more.
    pub fn check_posting(&self, posting: &Posting) -> Result<(), SessionError> {
        let call = posting.call();
        let (wanted, state) = match posting {
            Posting::Answer { .. } => ("an answer", CallState::Asking),
            Posting::Result { .. } => ("a result", CallState::Submitted),
        };
        let why = match self.turn(&call.turn).map(|turn| turn.state(call.call)) {
            None => "no such turn is open",
            Some(None) => "no such call in the current round",
            Some(Some(found)) if found == state => return Ok(()),
            Some(Some(CallState::Finished)) => "the call is already finished",
            Some(Some(CallState::Allowed | CallState::Running)) => "the call is already allowed",
            Some(Some(CallState::Submitted)) => "the call waits for a result",
            Some(Some(CallState::Asking)) => "the call waits for an answer",
            Some(Some(_)) => "the call is not planned yet",
        };
        Err(SessionError::StalePosting {
            call: call.clone(),
            wanted,
            why,
        })
    }
}

fn add_rules(rules: &mut Vec<Rule>, more: &[Rule]) {
    for rule in more {
        if !rules.contains(rule) {
            rules.push(rule.clone());
        }
    }
}

/// Returns the hash by which a saved state is compared with the last one.
pub(super) fn state_hash(state: &Value) -> u64 {
    foldhash::quality::FixedState::default().hash_one(state.to_string())
}
