//! The sessions of a scenario, and jobs: tasks that go on after the turn that starts them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use futures_util::StreamExt as _;
use helve::ToolContext;
use helve::agent::session::{FolderStore, SessionMetadata, Sessions};
use helve::agent::{Agent, AgentEvent, Conversation};
use helve::jobs::{JobRunner, Jobs};
use helve::state::{CancellationToken, WorkQueue};
use helve::transcript::{Message, SessionId};

use crate::record::{CallRecord, RecordedSession};

/// The app of all sessions.
const APP: &str = "adversary";

/// The session of a scenario, which may have jobs.
pub(crate) struct Background {
    pub(crate) sessions: Sessions,
    pub(crate) queue: WorkQueue,
    has_jobs: bool,
    jobs: Jobs,
    conversation: Conversation,
    /// The last event of each job that is recorded.
    seen: BTreeMap<SessionId, u64>,
}

impl Background {
    /// Begins a session, which is kept in a folder.
    pub(crate) async fn open(folder: &Path, has_jobs: bool) -> Self {
        let queue = WorkQueue::open(&folder.join("state.db")).expect("a state file");
        let sessions = Sessions::new(FolderStore::new(folder.join("sessions")));
        let about = SessionMetadata::new(APP);
        let session = sessions.create(about.clone()).await.expect("a session");
        let jobs = Jobs::new(sessions.clone(), queue.clone(), about);
        Self {
            sessions,
            queue,
            has_jobs,
            jobs,
            conversation: Conversation::new(session),
            seen: BTreeMap::new(),
        }
    }

    /// Begins another session, whose agent has read nothing.
    pub(crate) async fn renew(&mut self) {
        let about = SessionMetadata::new(APP);
        let session = self.sessions.create(about).await.expect("a session");
        self.conversation = Conversation::new(session);
    }

    /// Runs a turn of the session, and then the jobs that there are, each to its end.
    pub(crate) async fn run(
        &mut self,
        agent: Agent,
        prompt: Message,
        context: &ToolContext,
        record: &Arc<CallRecord>,
    ) {
        let agent = match self.has_jobs {
            true => agent.background_jobs(self.jobs.launcher()),
            false => agent,
        };
        let noted = Arc::clone(record);
        let session = self.conversation.session().id().clone();
        let events = move |event: AgentEvent| noted.record(RecordedSession::Main(&session), event);
        let turn = agent.run_in(&mut self.conversation, prompt, context, events);
        turn.await.expect("a turn");
        if !self.has_jobs {
            return;
        }
        let context = context.clone();
        let runner = JobRunner::new(self.jobs.clone(), [agent], move || context.clone());
        let never = CancellationToken::new();
        runner.once(&never).await.expect("the jobs go on");
        self.record_jobs(record).await;
    }

    async fn record_jobs(&mut self, record: &CallRecord) {
        for job in self.jobs.list(None).await.expect("the jobs") {
            let seen = self.seen.entry(job.name.clone()).or_insert_with(|| {
                record.count_job();
                0
            });
            let mut events = self.sessions.events(&job.name, *seen);
            while let Some(event) = events.next().await {
                let event = event.expect("an event");
                *seen = event.seq.unwrap_or(*seen);
                record.record(RecordedSession::Job(&job.name), event);
            }
        }
    }
}
