//! What a job is like.

use serde::Serialize;

use helve_agent::journal::Timestamp;
use helve_agent::session::{
    Entry, History, JobOrigin, SessionError, SessionState, Sessions, TurnEnded, WaitingCall,
};
use helve_agent::turn::{EndReason, Totals, Turn};
use helve_core::support::text::first_chars;
use helve_core::transcript::{Label, Message, SessionId, TurnId};

/// The maximum length of what a job is called, in characters.
const MAX_LABEL_CHARS: usize = 80;

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum JobStatus {
    /// No process works on the job.
    Queued,
    /// A process works on the job.
    Running,
    /// The job waits for an answer or a result from outside.
    Waiting,
    /// The job is done.
    Done,
    /// The job ended without being done.
    Failed,
    /// The job was stopped.
    Stopped,
}

impl JobStatus {
    /// Returns whether the job is over.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Stopped)
    }

    /// Returns the name, as in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }
}

/// A job, as its journal and the queue describe it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Job {
    /// The name of the job, which is that of its session.
    pub name: SessionId,
    /// How far the job is.
    pub status: JobStatus,
    /// The task, and who gave it.
    pub origin: JobOrigin,
    /// The beginning of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The folder in which the tools work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The time at which the job was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The time of the last entry of its journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<Timestamp>,
    /// The reason why the job ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndReason>,
    /// The error, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the job has used.
    pub totals: Totals,
    /// The last turn: a job that is woken has several.
    pub turn: TurnId,
    /// The last text of the agent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The provenance of all that the agents of the job have read.
    #[serde(skip_serializing_if = "Label::is_user")]
    pub label: Label,
    /// What the job waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingCall>,
}

impl Job {
    /// Reads a job from its journal; `None` if the session is no job. Whether a process works on the job is not known yet.
    pub(crate) async fn read(
        sessions: &Sessions,
        name: &SessionId,
    ) -> Result<Option<Self>, SessionError> {
        let (mut history, mut ended) = (History::new(), None::<TurnEnded>);
        let mut used = Totals::default();
        let read = sessions.visit(name, u64::MAX, |line| {
            history.apply(line);
            if let Entry::TurnEnded(end) = &line.entry
                && end.parent_call.is_none()
            {
                ended = Some(end.clone());
                add(&mut used, &end.totals);
            }
        });
        read.await?;
        let (text, state) = (last_text(&history.messages), history.session_state);
        Ok(Self::new(name, state, ended, used).map(|job| Self { text, ..job }))
    }

    fn new(
        name: &SessionId,
        state: SessionState,
        ended: Option<TurnEnded>,
        mut totals: Totals,
    ) -> Option<Self> {
        let (waiting, label) = (state.waiting_calls(), state.read_label());
        let about = state.metadata?;
        let open = state.open_turns.iter().rev();
        let mut open = open.filter(|turn| turn.origin().parent_call.is_none());
        let open = open.next().map(Turn::totals).copied();
        let status = match &ended {
            Some(end) if open.is_none() => match end.reason {
                EndReason::Finished => JobStatus::Done,
                EndReason::Interrupted => JobStatus::Stopped,
                // Its next agent has not begun.
                EndReason::HandedOff => JobStatus::Queued,
                _ => JobStatus::Failed,
            },
            // A process died before the job began. If its call goes on, the job still begins.
            _ if state.turns == 0 => JobStatus::Failed,
            _ if !waiting.is_empty() => JobStatus::Waiting,
            _ => JobStatus::Queued,
        };
        add(&mut totals, &open.unwrap_or_default());
        let ended = ended.filter(|_| status.is_over());
        Some(Self {
            name: name.clone(),
            status,
            origin: *about.job?,
            title: state.title,
            folder: about.folder,
            created: state.created,
            updated: state.updated,
            end: ended.as_ref().map(|end| end.reason),
            totals,
            turn: TurnId::from(format!("t{}", state.turns)),
            error: ended.and_then(|end| end.error),
            text: String::new(),
            label,
            waiting,
        })
    }

    /// Returns what the job is called, in a line: the model that started the job wrote it.
    pub(crate) fn called(&self) -> Option<String> {
        self.origin.label.as_deref().map(one_line)
    }
}

/// Returns the beginning of a label in a line.
pub(crate) fn one_line(label: &str) -> String {
    let words: Vec<&str> = label.split_whitespace().collect();
    first_chars(&words.join(" "), MAX_LABEL_CHARS).to_owned()
}

fn add(totals: &mut Totals, more: &Totals) {
    totals.model_calls = totals.model_calls.saturating_add(more.model_calls);
    totals.tool_calls = totals.tool_calls.saturating_add(more.tool_calls);
    totals.usage += more.usage;
    totals.cost += more.cost;
    totals.milliseconds = totals.milliseconds.saturating_add(more.milliseconds);
    totals.delegates = totals.delegates.saturating_add(more.delegates);
    totals.granted_tokens = totals.granted_tokens.saturating_add(more.granted_tokens);
    totals.granted_cost += more.granted_cost;
}

/// Returns the text of the last reply.
fn last_text(messages: &[Message]) -> String {
    let mut replies = messages.iter().rev().filter_map(|message| match message {
        Message::Assistant(reply) => Some(reply.text()),
        _ => None,
    });
    replies.next().unwrap_or_default()
}
