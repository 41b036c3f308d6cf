//! Tasks in the background: the call is over when the job has begun.

use super::call_execution::process_result;
use super::state::{Driver, Recorded};
use super::task_check::CheckedTask;
use super::turn_start::TurnStart;
use crate::NewJob;
use crate::session::{Entry, JobOrigin};
use crate::turn::{Bounds, Record, Totals};
use helve_core::tool::{ToolError, ToolOutput};
use helve_core::transcript::{AgentId, CallKey, Cost, Origin, TurnId};
use helve_permission::call::CallSite;

/// The part of what is left of the tokens and the cost of a turn that a job is granted is one of this many.
const SHARES: u64 = 8;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Starts a job for a task, and finishes its call.
    pub(super) async fn launch_job(
        &mut self,
        key: CallKey,
        name: &AgentId,
        site: &CallSite,
        task: CheckedTask,
    ) -> Recorded<bool> {
        let (new, used) = self.new_job(name, site, task);
        let job = new.origin.name();
        let launched = match &self.agent.jobs {
            Some(launcher) => {
                let launching = launcher.launch(new);
                self.in_flight.drive_while(launching).await
            }
            None => Err("there are no background jobs here".to_owned()),
        };
        if let Err(why) = launched {
            let refused = ToolError::failed(format!("the job was not started: {why}"));
            return self.refuse_task(key, site, refused).await;
        }
        let output = ToolOutput::plain(format!(
            "The job `{job}` works on the task in the background. A note says when it is over or has a question; \
             `job_result` returns its answer."
        ));
        let calls = self.turn.calls().count();
        let tool = self.tools.visible.find_any(&site.call.name);
        let processing = process_result(
            self.agent,
            tool.as_deref(),
            site,
            self.context,
            calls,
            Ok(output),
        );
        let outcome = processing.await.used(used);
        self.record_one(Record::Finished { call: key, outcome })
            .await?;
        Ok(true)
    }

    /// Returns the job of a task, and what it is granted.
    fn new_job(&self, name: &AgentId, site: &CallSite, task: CheckedTask) -> (NewJob, Totals) {
        let authority = self.task_authority(&task);
        let agent = self.task_agent(&task, &authority).checking_output();
        let mut agents = self.authority.callers.clone();
        agents.extend([self.origin().agent.clone(), name.clone()]);
        let session = self.context.session_id().clone();
        let mut origin = JobOrigin::new(session, site.address.clone(), agents);
        origin.label = task.name;
        origin.instructions = task.instructions;
        origin.tools = task.tools;
        origin.dry_run = self.context.is_dry_run();
        origin.approved_mode = self.policy.approved_mode();
        let bounds = share(&task.bounds);
        let mut used = Totals::default();
        used.delegates = bounds.delegates.unwrap_or_default();
        used.granted_tokens = bounds.tokens.unwrap_or_default();
        used.granted_cost = bounds.cost.unwrap_or_default();
        let start = TurnStart {
            origin: Origin::new(name.clone(), TurnId::new("t1")),
            bounds: agent.with_reviews(bounds),
            conversation: Vec::new(),
            prompt: task.prompt,
            label: task.label,
            taken_over: None,
        };
        let mut begin = start.entry(&authority);
        if let Entry::TurnStarted(started) = &mut begin {
            started.authority = Some(authority.record_for_job());
        }
        (NewJob::new(origin, begin), used)
    }
}

/// Returns the bounds of a job. Since it outlives the turn, what it does not use does not return: it has only a share of what is
/// left.
fn share(bounds: &Bounds) -> Bounds {
    let of = |whole: u64| whole.div_ceil(SHARES);
    let cost = bounds.cost.map(|cost| Cost::from_micros(of(cost.micros())));
    Bounds {
        tokens: bounds.tokens.map(of),
        cost,
        ..bounds.clone()
    }
}
