//! Runs one case.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use helve_agent::session::{Entry, MemoryStore, Posting, SessionError, SessionMetadata, Sessions};
use helve_agent::turn::Totals;
use helve_agent::{Agent, AgentEvent, Conversation, NoteQueue, TurnReport};
use helve_core::support::lock::Mutex;
use helve_core::tool::ToolContext;
use helve_core::transcript::{Label, Message, SessionId};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::answers::CaseApprover;
use crate::case::Case;
use crate::case_run::{CaseRun, observed_calls};
use crate::invariants::check_invariants;
use crate::model::ObservedModel;
use crate::setup::{CaseSetup, CaseSubject};
use crate::subset::subset_difference;
use crate::turns::{CaseAction, CaseNote, CaseTrigger, CaseTurn};

/// The time that a turn has.
const TURN_TIME: Duration = Duration::from_secs(60);

type Problem = String;

/// The session of a case, and what was observed so far.
pub(crate) struct CaseRunner<'a> {
    setup: CaseSetup<'a>,
    subject: &'a dyn Fn(&CaseSetup<'_>) -> CaseSubject,
    sessions: Sessions,
    session: SessionId,
    notes: NoteQueue,
    observer: Arc<Observer>,
    last: Option<TurnReport>,
    problems: Vec<Problem>,
}

/// What events do and tell.
struct Observer {
    events: Mutex<Vec<AgentEvent>>,
    triggers: Mutex<Vec<CaseTrigger>>,
    interrupts: Mutex<CancellationToken>,
    notes: NoteQueue,
    problems: Mutex<Vec<Problem>>,
}

impl Observer {
    fn observe(&self, event: AgentEvent) {
        let value = serde_json::to_value(&event).unwrap_or_default();
        self.events.lock().push(event);
        for action in self.take_actions(&value) {
            match action {
                CaseAction::Interrupt => self.interrupts.lock().cancel(),
                CaseAction::Note(note) => {
                    self.problems.lock().extend(push_note(&self.notes, &note));
                }
                CaseAction::Revoke(id) => {
                    self.problems.lock().extend(revoke_note(&self.notes, &id));
                }
            }
        }
    }

    fn take_actions(&self, event: &Value) -> Vec<CaseAction> {
        let mut triggers = self.triggers.lock();
        let is_due = |trigger: &mut CaseTrigger| subset_difference(&trigger.on, event).is_none();
        triggers
            .extract_if(.., is_due)
            .map(|trigger| trigger.action)
            .collect()
    }
}

fn push_note(notes: &NoteQueue, note: &CaseNote) -> Option<Problem> {
    let is_refused = !notes.push(note.note(), note.delivery());
    let (id, what) = (&note.id, if is_refused { "refused" } else { "accepted" });
    (is_refused != note.is_refused).then(|| format!("the note `{id}` was {what}"))
}

fn revoke_note(notes: &NoteQueue, id: &str) -> Option<Problem> {
    let is_missing = notes.revoke(id).is_none();
    is_missing.then(|| format!("there is no note `{id}` to revoke"))
}

/// An agent with its context, in one process.
struct Process {
    agent: Agent,
    context: ToolContext,
    conversation: Conversation,
}

impl<'a> CaseRunner<'a> {
    pub(crate) fn new(
        case: &'a Case,
        models: &'a BTreeMap<String, Arc<ObservedModel>>,
        folder: &'a Path,
        subject: &'a dyn Fn(&CaseSetup<'_>) -> CaseSubject,
    ) -> Self {
        let notes = NoteQueue::new();
        let observer = Observer {
            events: Mutex::default(),
            triggers: Mutex::new(case.during.clone()),
            interrupts: Mutex::default(),
            notes: notes.clone(),
            problems: Mutex::default(),
        };
        Self {
            setup: CaseSetup {
                case,
                folder,
                models,
            },
            subject,
            sessions: Sessions::new(MemoryStore::new()),
            session: SessionId::from("case"),
            notes,
            observer: Arc::new(observer),
            last: None,
            problems: Vec::new(),
        }
    }

    /// Runs the steps of the case, and returns what happened.
    pub(crate) async fn run(mut self) -> CaseRun {
        let about = SessionMetadata::new("cases").session(self.session.clone());
        let messages = match self.sessions.create(about).await {
            Ok(session) => self.perform_steps(Conversation::new(session)).await,
            Err(error) => Err(error),
        };
        let messages = messages.unwrap_or_else(|error| {
            self.problems.push(format!("the session: {error}"));
            Vec::new()
        });
        self.finish(messages).await
    }

    async fn perform_steps(
        &mut self,
        conversation: Conversation,
    ) -> Result<Vec<Message>, SessionError> {
        let mut process = self.start_process(conversation);
        for step in self.setup.case.steps() {
            match step {
                CaseTurn::Say(text) => {
                    let token = CancellationToken::new();
                    self.run_turn(&mut process, Some(text), token).await?;
                }
                CaseTurn::Resume | CaseTurn::Interrupt => {
                    let token = CancellationToken::new();
                    if step == CaseTurn::Interrupt {
                        token.cancel();
                    }
                    process = self.restart(process).await?;
                    self.run_turn(&mut process, None, token).await?;
                }
                CaseTurn::Reload => process = self.restart(process).await?,
                CaseTurn::Note(note) => self.problems.extend(push_note(&self.notes, &note)),
                CaseTurn::Revoke(id) => self.problems.extend(revoke_note(&self.notes, &id)),
                CaseTurn::Answer { .. } | CaseTurn::Result { .. } => self.post(&step).await,
            }
        }
        Ok(process.conversation.messages().to_vec())
    }

    fn start_process(&self, conversation: Conversation) -> Process {
        let CaseSubject { agent, context } = (self.subject)(&self.setup);
        let answers = &self.setup.case.answers;
        let agent = agent.notes(&self.notes);
        let agent = match answers.is_empty() {
            true => agent,
            false => agent.approver(CaseApprover(answers.clone())),
        };
        Process {
            agent,
            context,
            conversation,
        }
    }

    async fn restart(&self, process: Process) -> Result<Process, SessionError> {
        drop(process);
        let loaded = self.sessions.load(&self.session).await?;
        Ok(self.start_process(Conversation::from(loaded)))
    }

    /// Runs a turn, or continues the open one.
    async fn run_turn(
        &mut self,
        process: &mut Process,
        prompt: Option<String>,
        token: CancellationToken,
    ) -> Result<(), SessionError> {
        *self.observer.interrupts.lock() = token.clone();
        let context = process.context.derive().cancellation(token).build();
        let observer = Arc::clone(&self.observer);
        let observe = move |event| observer.observe(event);
        let (agent, conversation) = (&process.agent, &mut process.conversation);
        let report = match prompt {
            Some(text) => {
                let turn = agent.run_in(conversation, Message::user(text), &context, observe);
                self.within_time(turn).await.transpose()?
            }
            None => {
                let turn = agent.resume(conversation, &context, observe);
                let report = self.within_time(turn).await.transpose()?;
                if matches!(report, Some(None)) {
                    self.problems
                        .push("there is no open turn to resume".to_owned());
                }
                report.flatten()
            }
        };
        self.last = report.or(self.last.take());
        Ok(())
    }

    async fn within_time<T>(&mut self, turn: impl Future<Output = T>) -> Option<T> {
        let report = tokio::time::timeout(TURN_TIME, turn).await.ok();
        if report.is_none() {
            let problem = format!("a turn did not end within {TURN_TIME:?}");
            self.problems.push(problem);
        }
        report
    }

    async fn post(&mut self, step: &CaseTurn) {
        let (call, is_refused) = match step {
            CaseTurn::Answer {
                call, is_refused, ..
            }
            | CaseTurn::Result {
                call, is_refused, ..
            } => (call, *is_refused),
            _ => return,
        };
        let Ok(address) = call.parse() else {
            self.problems
                .push(format!("`{call}` is no address of a call"));
            return;
        };
        let posting = match step {
            CaseTurn::Answer { decision, .. } => match decision.decision() {
                Some(decision) => Posting::answer(address, decision),
                None => {
                    let problem = format!("the answer to `{call}` cannot be posted");
                    self.problems.push(problem);
                    return;
                }
            },
            CaseTurn::Result { value, .. } => Posting::result(address, value.clone()),
            _ => return,
        };
        match (self.sessions.post(&self.session, posting).await, is_refused) {
            (Ok(()), true) => {
                let problem = format!("the posting for `{call}` was not refused");
                self.problems.push(problem);
            }
            (Err(error), false) => {
                let problem = format!("the posting for `{call}` was refused: {error}");
                self.problems.push(problem);
            }
            (Ok(()), false) | (Err(_), true) => {}
        }
    }

    /// Returns what the turns of the session consumed, without those of delegates, which are part of others.
    async fn totals(&mut self) -> Totals {
        let mut totals = Totals::default();
        let visit = |line: &helve_agent::journal::Line<Entry>| {
            if let Entry::TurnEnded(ended) = &line.entry
                && ended.parent_call.is_none()
            {
                add_totals(&mut totals, &ended.totals);
            }
        };
        let visited = self.sessions.visit(&self.session, u64::MAX, visit).await;
        if let Err(error) = visited {
            self.problems.push(format!("the session: {error}"));
        }
        totals
    }

    async fn finish(mut self, messages: Vec<Message>) -> CaseRun {
        let totals = self.totals().await;
        let events = std::mem::take(&mut *self.observer.events.lock());
        let status = self.last.as_ref().map(|report| &report.status);
        let invariants =
            check_invariants(&self.sessions, &self.session, &messages, &events, status);
        self.problems.extend(invariants.await);
        self.problems.append(&mut self.observer.problems.lock());
        for trigger in self.observer.triggers.lock().iter() {
            let problem = format!("no event was {}, so nothing was done at it", trigger.on);
            self.problems.push(problem);
        }
        let (calls, asked) = observed_calls(&events);
        let requests = self.setup.models.iter();
        let requests = requests.map(|(name, model)| (name.clone(), model.requests()));
        CaseRun {
            status: status.cloned(),
            text: self.last.as_ref().map(TurnReport::text).unwrap_or_default(),
            error: self.last.as_ref().and_then(|report| report.error.clone()),
            label: self
                .last
                .as_ref()
                .map_or_else(Label::user, |report| report.label.clone()),
            calls,
            asked,
            events,
            messages,
            totals,
            requests: requests.collect(),
            problems: self.problems,
        }
    }
}

fn add_totals(sum: &mut Totals, totals: &Totals) {
    sum.model_calls += totals.model_calls;
    sum.tool_calls += totals.tool_calls;
    sum.usage += totals.usage;
    sum.cost += totals.cost;
    sum.milliseconds += totals.milliseconds;
    sum.delegates += totals.delegates;
}
