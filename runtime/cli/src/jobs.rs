//! Background jobs: where those of the app are, and the work on them in this process.

use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::app_context::AppContext;
use super::runner::RunOptions;
use super::session_folder::{self, NoStateFolder};
use super::{agents, hooks};
use helve_agent::Agent;
use helve_agent::session::SessionMetadata;
use helve_core::support::lock::Mutex;
use helve_core::transcript::AgentId;
use helve_jobs::{Job, JobRunner, Jobs};
use helve_state::{StateError, WorkQueue};
use helve_terminal::output;
use helve_terminal::sanitize::first_line;
use helve_terminal::screen::{self, Stream};

/// The maximum length of a notice, in characters.
const MAX_NOTICE_CHARS: usize = 200;

/// The reason why the jobs cannot be found.
#[derive(Debug, thiserror::Error)]
pub(super) enum JobsError {
    #[error(transparent)]
    Folder(#[from] NoStateFolder),
    #[error(transparent)]
    State(#[from] StateError),
}

/// Opens the jobs of the app in the current folder.
pub(super) async fn open(app: &AppContext) -> Result<Jobs, JobsError> {
    let name = app.package.name;
    let sessions = session_folder::sessions(name)?;
    let path = session_folder::state_path(name)?;
    let opening = tokio::task::spawn_blocking(move || WorkQueue::open(&path));
    let queue = opening.await.unwrap_or(Err(StateError::Stopped))?;
    let about = SessionMetadata::new(name)
        .folder(app.folder_text())
        .principal(app.principal());
    Ok(Jobs::new(sessions, queue, about))
}

/// Describes a notice about a job in a line for the user.
fn render_notice(text: &str) -> String {
    first_line(text, MAX_NOTICE_CHARS)
}

/// The work on jobs in this process.
pub(super) struct JobService {
    jobs: Jobs,
    runner: JobRunner,
    stop: CancellationToken,
    work: JoinHandle<()>,
    /// What the user is told before the next prompt.
    notices: Arc<Mutex<Vec<String>>>,
}

impl JobService {
    /// Starts to work on jobs, if the app has agents that could; the options then let agents start jobs.
    pub(super) async fn start(app: &AppContext, options: &mut RunOptions) -> Option<Self> {
        let has_agents = agents::read(app).is_ok_and(|catalog| !catalog.agents().is_empty());
        if !has_agents {
            return None;
        }
        let jobs = match open(app).await {
            Ok(jobs) => jobs,
            Err(error) => {
                output::remark(&format!("there are no background jobs: {error}"));
                return None;
            }
        };
        let notices = Arc::<Mutex<Vec<String>>>::default();
        let told = notices.clone();
        let is_quiet = options.json;
        let jobs = jobs.on_notice(move |_: &Job, text| {
            if is_quiet {
                return;
            }
            let notice = render_notice(text);
            // During a turn, the screen shows it at once.
            if !screen::send_text(|| format!("{notice}\n"), Stream::Stdout) {
                told.lock().push(notice);
            }
        });
        options.jobs = Some(jobs.clone());
        let agents = options.agents_of_jobs(app, &root_agents(&jobs).await);
        let runner = new_runner(app, jobs.clone(), agents);
        let stop = CancellationToken::new();
        let (working, stopped) = (runner.clone(), stop.clone());
        let work = tokio::spawn(async move {
            if let Err(error) = working.run(&stopped).await {
                tracing::warn!(%error, "the background jobs are not worked on");
            }
        });
        Some(Self {
            jobs,
            runner,
            stop,
            work,
            notices,
        })
    }

    /// Replaces the agent whose delegates work on jobs.
    pub(super) fn set_agent(&self, agent: Agent) {
        self.runner.set_agent(agent);
    }

    pub(super) fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    pub(super) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock())
    }

    /// Leaves the jobs to other processes, and says how many there are.
    pub(super) async fn stop(self, app: &AppContext) {
        self.stop.cancel();
        // A panic was reported.
        let _ = self.work.await;
        for notice in std::mem::take(&mut *self.notices.lock()) {
            output::note(&notice);
        }
        let folder = app.folder_text();
        let list = self.jobs.list(None).await.unwrap_or_default();
        let is_live = |job: &&Job| job.folder.as_deref() == Some(&folder) && !job.status.is_over();
        let binary = app.binary();
        match list.iter().filter(is_live).count() {
            0 => {}
            1 => output::note(&format!(
                "1 job is not over: continue it with `{binary} jobs run`"
            )),
            many => output::note(&format!(
                "{many} jobs are not over: continue them with `{binary} jobs run`"
            )),
        }
    }
}

/// Creates what works on jobs, as the settings say.
pub(super) fn new_runner(app: &AppContext, jobs: Jobs, agents: Vec<Agent>) -> JobRunner {
    let config = app.settings.as_ref().ok();
    let wakes = config.and_then(|config| config.boolean(&["jobs", "wake"]));
    JobRunner::new(jobs, agents, app.tool_contexts())
        .approver(hooks::approver_of_jobs(app))
        .wake_sessions(wakes.unwrap_or_default())
}

/// Returns the names of the agents of the root sessions of all jobs that are not over.
pub(super) async fn root_agents(jobs: &Jobs) -> Vec<AgentId> {
    let list = jobs.list(None).await.unwrap_or_default();
    let live = list.into_iter().filter(|job| !job.status.is_over());
    let mut names: Vec<AgentId> = live
        .filter_map(|job| job.origin.agents.into_iter().next())
        .collect();
    names.sort();
    names.dedup();
    names
}
