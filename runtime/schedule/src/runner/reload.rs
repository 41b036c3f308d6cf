//! Agents that are made again before a run begins, because what they may do is read from files.

use std::sync::Arc;
use std::time::Duration;

use helve_agent::Agent;
use tokio::sync::{mpsc, oneshot};

use super::{ScheduleRunner, Shared};

/// The time after which the agents are made again without a run, for the other work of a daemon.
const RELOAD_INTERVAL: Duration = Duration::from_secs(5);

type Answer = oneshot::Sender<Result<(), String>>;

/// The requests of a [runner](ScheduleRunner) to make its agents again.
#[derive(Debug)]
pub struct AgentReloads {
    shared: Arc<Shared>,
    requests: mpsc::Receiver<Answer>,
}

/// A request to make the agents of a runner again. A run that waits for it waits longer if the request is dropped.
#[derive(Debug)]
pub struct AgentReload {
    shared: Arc<Shared>,
    answer: Option<Answer>,
}

impl AgentReloads {
    /// Waits until the agents have to be made again: before each run begins or goes on, and every five seconds. `None` once the
    /// runner is gone.
    pub async fn next(&mut self) -> Option<AgentReload> {
        let answer = tokio::select! {
            request = self.requests.recv() => Some(request?),
            () = tokio::time::sleep(RELOAD_INTERVAL) => None,
        };
        let shared = Arc::clone(&self.shared);
        Some(AgentReload { shared, answer })
    }
}

impl AgentReload {
    /// Replaces the agents if there are other ones. After an error, the run waits.
    pub fn finish(self, agents: Result<Option<Vec<Agent>>, String>) {
        let reloaded = agents.map(|agents| {
            if let Some(agents) = agents {
                *self.shared.agents.lock() = agents;
            }
        });
        if let Some(answer) = self.answer {
            // The run was left meanwhile.
            let _ = answer.send(reloaded);
        }
    }
}

impl ScheduleRunner {
    /// Has the agents made again before each run begins or goes on: each of the returned requests has to be
    /// [finished](AgentReload::finish) while the runner works. By default, the agents stay what they are.
    #[must_use]
    pub fn with_reloads(mut self) -> (Self, AgentReloads) {
        let (asked, requests) = mpsc::channel(1);
        self.reloads = Some(asked);
        let shared = Arc::clone(&self.shared);
        (self, AgentReloads { shared, requests })
    }

    /// Waits until the agents are what their files say.
    ///
    /// # Errors
    /// The reason why they are not known.
    pub(super) async fn reload(&self) -> Result<(), String> {
        let Some(reloads) = &self.reloads else {
            return Ok(());
        };
        let (answer, answered) = oneshot::channel();
        let stopped = || "the daemon ends".to_owned();
        reloads.send(answer).await.map_err(|_| stopped())?;
        answered.await.map_err(|_| stopped())?
    }
}
