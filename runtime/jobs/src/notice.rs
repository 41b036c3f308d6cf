//! What the session that started a job is told about it.

use helve_agent::Delivery;
use helve_agent::session::{AwaitedInput, Posting, PostingHeader, SessionError, WaitingCall};
use helve_core::support::random;
use helve_core::support::text::first_chars;
use helve_core::transcript::{Label, Note, NoteSource, SessionId};

use crate::error::JobError;
use crate::job::{Job, JobStatus};
use crate::jobs::Jobs;

/// The maximum number of messages that wait for a session when another one is sent by an agent.
const MAX_UNREAD: usize = 100;

/// The maximum length of the answer in a notice, in characters.
const MAX_ANSWER_CHARS: usize = 2_000;

impl Jobs {
    /// Tells the session that started a job that the job is over. It is told once, however often this is called.
    pub(crate) async fn announce_end(&self, job: &Job) -> Result<(), SessionError> {
        let name = &job.name;
        let how = match job.status {
            JobStatus::Done => "is done".to_owned(),
            JobStatus::Stopped => "was stopped".to_owned(),
            _ => {
                let end = job.end.map_or_else(String::new, |end| format!(": {end}"));
                let error = job
                    .error
                    .as_deref()
                    .map_or_else(String::new, |error| format!(": {error}"));
                format!("failed{end}{error}")
            }
        };
        let text = match job.status {
            JobStatus::Stopped => "",
            _ => &*job.text,
        };
        let answer = first_chars(text, MAX_ANSWER_CHARS);
        let rest = if answer.len() < text.len() {
            format!(
                "\n`job_result` returns the whole answer of {} characters.",
                job.text.chars().count()
            )
        } else {
            String::new()
        };
        let answer = match (answer.is_empty(), job.label.is_untrusted()) {
            (true, _) => String::new(),
            (false, false) => format!("\n\n{answer}"),
            (false, true) => format!(
                "\n\n{}",
                helve_untrusted::wrap(answer, "task", &format!("job:{name}"))
            ),
        };
        // A job that is woken ends again.
        let about = match &*job.turn {
            "t1" => "end".to_owned(),
            turn => format!("{turn}/end"),
        };
        self.tell(
            job,
            &about,
            format!("The job `{name}` {how}.{answer}{rest}"),
            &job.label,
        )
        .await
    }

    /// Tells the session that started a job what the job waits for, once for each call.
    pub(crate) async fn announce_waiting(&self, job: &Job) -> Result<(), SessionError> {
        for waiting in &job.waiting {
            let text = describe_waiting(job, waiting);
            self.tell(job, &waiting.call.to_string(), text, &job.label)
                .await?;
        }
        Ok(())
    }

    /// Tells the session that started a job that nothing can continue it.
    pub(crate) async fn announce_lost_agent(&self, job: &Job) -> Result<(), SessionError> {
        let name = &job.name;
        let agent = job.origin.agent().map_or("", |agent| agent.as_str());
        let text = format!(
            "The job `{name}` cannot go on: there is no agent `{agent}` any more. It waits until it is stopped."
        );
        self.tell(job, "agent", text, &Label::user()).await
    }

    /// Says something to the agent of a job, or of the session that started the job `from`; returns the session that is
    /// told. A job that is done is woken: its agent goes on with what is left of its bounds. What the sender has read binds
    /// the reader.
    ///
    /// # Errors
    /// There is no such job below the same root, it is over and cannot be woken, it has not read what was said before, or the
    /// sessions cannot be read or written.
    pub async fn say(
        &self,
        from: &SessionId,
        to: Option<&SessionId>,
        text: &str,
    ) -> Result<SessionId, JobError> {
        let job = match to {
            Some(name) => Some(self.find(name, Some(from)).await?),
            None => None,
        };
        let to = match &job {
            Some(job) => job.name.clone(),
            None => self.find(from, None).await?.origin.session,
        };
        let next = match job {
            Some(job) if job.status == JobStatus::Done => {
                // The process that worked on the job may have died before it told of the end.
                self.announce_end(&job).await?;
                Some(self.next_turn(&job).await?)
            }
            Some(job) if job.status.is_over() => return Err(JobError::Over { name: job.name }),
            _ => None,
        };
        if self.sessions.postings(&to).await?.len() >= MAX_UNREAD {
            return Err(JobError::Unread { name: to });
        }
        // The agent may work for another one, which does not know yet what this one has read.
        let label = self.sessions.read(from).await?.session_state.read_label();
        let text = match label.is_untrusted() {
            true => helve_untrusted::wrap(text, "job_say", &format!("job:{from}")),
            false => text.to_owned(),
        };
        let note = Note::new(NoteSource::Agent, random::hex::<8>(), text);
        let posting = Posting::say(note.with_name(from.as_str()), Delivery::Now);
        let header = PostingHeader::new().author(from.as_str());
        let posting = posting.with_label(&label);
        self.sessions.post_with(&to, posting, header).await?;
        if let Some(next) = next {
            self.wake(&to, next).await?;
        }
        Ok(to)
    }

    /// Posts a note about a job, unless it was posted before.
    async fn tell(
        &self,
        job: &Job,
        about: &str,
        text: String,
        label: &Label,
    ) -> Result<(), SessionError> {
        let id = format!("{}/{about}", job.name);
        let note = Note::new(NoteSource::Job, id, &text).with_name(job.name.as_str());
        let posting = Posting::say(note, Delivery::Now).with_label(label);
        let header = PostingHeader::new().author(job.name.as_str());
        let parent = &job.origin.session;
        let is_new = match self.sessions.post_once(parent, posting, header).await {
            // Whoever removed the session does not want to know.
            Err(SessionError::Unknown { .. }) => false,
            posted => posted?,
        };
        if let Some(listener) = self.listener.as_ref().filter(|_| is_new) {
            listener(job, &text);
        }
        Ok(())
    }
}

fn describe_waiting(job: &Job, waiting: &WaitingCall) -> String {
    let (name, call, tool) = (&job.name, &waiting.call, &waiting.tool);
    let why = match &waiting.awaited {
        AwaitedInput::Answer { reason, .. } if job.label.is_untrusted() => {
            let source = format!("job:{name}");
            format!(
                "needs the approval of the user:\n{}",
                helve_untrusted::wrap(reason, "task", &source)
            )
        }
        AwaitedInput::Answer { reason, .. } => {
            format!("needs the approval of the user: {reason}")
        }
        _ => "waits for a result from outside.".to_owned(),
    };
    format!("The job `{name}` waits: its call {call} of `{tool}` {why}")
}
