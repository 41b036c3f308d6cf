//! The runs of a schedule.

use helve_core::transcript::{Label, SessionId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::schedule::{Schedule, fnv};

/// The greatest length of the stored answer of a run, in characters. Its session has the whole answer.
pub(crate) const MAX_TEXT_CHARS: usize = 2_000;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunStatus {
    /// No process has begun it.
    Queued,
    /// A process works on it.
    Running,
    /// It waits for an answer or a result from outside.
    Waiting,
    /// It is done.
    Done,
    /// It ended without being done.
    Failed,
    /// It was stopped.
    Stopped,
    /// It was left out.
    Skipped,
}

impl RunStatus {
    /// Returns whether the run is over.
    #[must_use]
    pub const fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Running | Self::Waiting)
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
            Self::Skipped => "skipped",
        }
    }
}

/// A run of a schedule, which is a session of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScheduledRun {
    /// The id of the schedule.
    pub schedule: String,
    /// The time for which it was planned.
    pub planned: Timestamp,
    /// Its session.
    pub session: SessionId,
    /// How far it is.
    pub status: RunStatus,
    /// The event that made it due, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Why it was left out, failed, or what it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// For how many runs it stands, if it was left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    /// How often a process died, or was stopped, while it worked on the run. Calls whose outcome is unknown are not made
    /// again; the session says which.
    #[serde(default)]
    pub interruptions: u32,
    /// The beginning of the answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The provenance of the answer.
    #[serde(default, skip_serializing_if = "Label::is_user")]
    pub label: Label,
    /// Whether the answer begins with `[SILENT]`: no person needs to read it.
    #[serde(default)]
    pub silent: bool,
    /// Whether a person has seen how it ended.
    #[serde(default)]
    pub seen: bool,
}

impl ScheduledRun {
    pub(crate) fn new(schedule: &Schedule, planned: Timestamp) -> Self {
        let time = planned.strftime("%Y%m%dt%H%M%Sz");
        let session = format!("{}-{time}-{}", schedule.id, nonce(schedule, planned));
        Self {
            schedule: schedule.id.clone(),
            planned,
            session: SessionId::from(session),
            status: RunStatus::Queued,
            cause: None,
            reason: None,
            left_out: 0,
            started: None,
            ended: None,
            interruptions: 0,
            text: String::new(),
            label: Label::user(),
            silent: false,
            seen: false,
        }
    }

    /// Leaves out runs, of which this is the latest.
    pub(crate) fn leave_out(&mut self, reason: &str, count: u32, now: Timestamp) {
        self.status = RunStatus::Skipped;
        self.left_out = count;
        self.ended = Some(now);
        self.reason = Some(match count {
            1 => reason.to_owned(),
            many => format!("{reason} ({many} runs)"),
        });
    }

    /// Lets a run that was left out stand for those of an earlier record, too, and returns whether they were left out for
    /// the same reason.
    pub(crate) fn merge_left_out(&mut self, earlier: &Self) -> bool {
        let (Some(reason), Some(now)) = (self.plain_reason(), self.ended) else {
            return false;
        };
        let is_same = earlier.plain_reason() == Some(reason) && earlier.planned < self.planned;
        if is_same {
            let (reason, count) = (reason.to_owned(), self.left_out.max(1));
            let count = count.saturating_add(earlier.left_out.max(1));
            self.leave_out(&reason, count, now);
        }
        is_same
    }

    /// Returns why the run was left out, without how many were.
    fn plain_reason(&self) -> Option<&str> {
        let reason = self.reason.as_deref();
        let reason = reason.filter(|_| self.status == RunStatus::Skipped)?;
        let end = format!(" ({} runs)", self.left_out);
        Some(reason.strip_suffix(&*end).unwrap_or(reason))
    }

    /// Returns whether a person should learn of the run: it waits, or has ended with something to say.
    #[must_use]
    pub fn needs_attention(&self) -> bool {
        match self.status {
            RunStatus::Waiting => true,
            RunStatus::Done => !self.seen && !self.silent,
            RunStatus::Failed => !self.seen,
            _ => false,
        }
    }
}

/// Returns what tells the sessions of a schedule from those of another one of the same id. Schedules are due at whole seconds;
/// runs that a person or an event makes may have a second in common, and each has its own.
fn nonce(schedule: &Schedule, planned: Timestamp) -> String {
    match planned.subsec_nanosecond() {
        0 => schedule.nonce.clone(),
        fraction => {
            let bytes = schedule.nonce.bytes().chain(fraction.to_be_bytes());
            format!("{:08x}", fnv(bytes) >> 32)
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "for serde")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Returns whether an answer says that no person needs to read it: it begins with `[SILENT]`, in any case.
///
/// ```
/// use helve::schedule::is_silent;
///
/// assert!(is_silent("[SILENT] All is well."));
/// assert!(is_silent("  [silent] ok"));
/// assert!(!is_silent("The disk is full."));
/// ```
#[must_use]
pub fn is_silent(answer: &str) -> bool {
    let mark = answer.trim_start().get(.."[SILENT]".len());
    mark.is_some_and(|mark| mark.eq_ignore_ascii_case("[SILENT]"))
}
