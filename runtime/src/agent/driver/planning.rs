//! Looking at the calls of a reply before anything runs.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};

use super::Driver;
use super::panics::catching;
use super::running::read_of;
use super::waiting::Happening;
use crate::agent::EventKind;
use crate::agent::hook::{CallSite, Next};
use crate::agent::offer::Window;
use crate::agent::reading;
use crate::agent::spec::Agent;
use crate::agent::turn::{Cover, Execution, Plan, Record};
use crate::permission::{Decider, Judgement, Policy, Rule, Verdict};
use crate::tool::{self, Concurrency, Tool, ToolContext, ToolError};
use crate::transcript::CallKey;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Looks at calls that nobody has looked at, in their order, as one piece of work: an earlier call's question may
    /// cover a later call.
    pub(super) fn plan(&mut self, keys: Vec<CallKey>) -> bool {
        let mut sites: Vec<(CallKey, CallSite)> = Vec::new();
        for key in keys {
            if self.looking.insert(key) {
                sites.extend(self.site(key).map(|site| (key, site)));
            }
        }
        if sites.is_empty() {
            return false;
        }
        for (key, site) in &sites {
            let started = EventKind::ToolCall {
                call: site.call.id.clone(),
                name: site.call.name.clone(),
                arguments: site.call.arguments.clone(),
            };
            self.teller.tell_of(*key, started);
        }
        let (agent, context) = (self.agent, self.context);
        let taint = reading::taint_of(&self.request.messages);
        if let Some(taint) = taint.or_else(|| self.kept().taint.clone()) {
            self.policy.taint(taint.origin());
        }
        let sight = Sight {
            agent,
            window: Arc::clone(&self.window),
            context,
            policy: self.policy.clone(),
            calls: self.turn.calls().count(),
        };
        self.working.push(
            async move {
                let mut planned = Planned::default();
                for (key, site) in &sites {
                    planned.look_at(&sight, *key, site).await;
                }
                Happening::Recorded(planned.records)
            }
            .boxed(),
        );
        true
    }

    /// Returns where a call is made from.
    pub(super) fn site(&self, key: CallKey) -> Option<CallSite> {
        let origin = self.turn.origin();
        Some(CallSite {
            origin: origin.clone(),
            address: origin.call(key),
            call: self.turn.call(key)?.clone(),
        })
    }
}

/// What calls are looked at with.
struct Sight<'a> {
    agent: &'a Agent,
    window: Arc<Window>,
    policy: Policy,
    context: &'a ToolContext,
    /// How many calls the reply made.
    calls: usize,
}

/// The calls that were looked at.
#[derive(Default)]
struct Planned {
    records: Vec<Record>,
    /// The questions that their verdicts raise, with the rules suggested with each.
    questions: Vec<(CallKey, Vec<Rule>)>,
}

impl Planned {
    async fn look_at(&mut self, sight: &Sight<'_>, call: CallKey, site: &CallSite) {
        let plan = catching("a hook", self.plan(sight, call, site)).await;
        let record = match plan.unwrap_or_else(|panic| Err(ToolError::failed(panic))) {
            Ok(plan) => Record::Planned { call, plan },
            Err(error) => {
                let session = sight.context.session_id();
                // What keeps a call back is said by nobody but us, whoever the tool is of.
                let tool = sight.window.find(&site.call.name).ok();
                let told = read_of(sight.agent, tool, site, session, sight.calls, Err(error));
                let outcome = told.await;
                Record::Finished { call, outcome }
            }
        };
        self.records.push(record);
    }

    async fn plan(
        &mut self,
        sight: &Sight<'_>,
        key: CallKey,
        site: &CallSite,
    ) -> Result<Plan, ToolError> {
        let (agent, context, call) = (sight.agent, sight.context, &site.call);
        let tool = sight.window.find(&call.name)?;
        let judged = sight
            .policy
            .judge_with_files(&*tool, context, &call.arguments);
        let judgement = judged.await?;
        let dry_run = context.is_dry_run() && !only_reads(&judgement);
        let verdict = match judgement.verdict.clone() {
            // Nothing will happen, so that there is nothing to ask.
            Verdict::Ask { .. } if dry_run => Verdict::Allow,
            verdict => {
                let hooked = through_hooks(agent, site, verdict.clone()).await;
                sight.policy.hooked(verdict, hooked)
            }
        };
        let mut plan = Plan {
            exclusive: judgement.facts.concurrency == Concurrency::Exclusive,
            idempotent: judgement.effects().may_rerun,
            execution: execution(&*tool, &call.arguments, dry_run),
            dry_run,
            ..Plan::new(verdict)
        };
        if let Verdict::Ask {
            safety: false,
            suggestions,
            ..
        } = &plan.verdict
        {
            plan.covered_by = self.covers(sight, &*tool, &call.arguments);
            self.questions.push((key, suggestions.clone()));
        }
        Ok(plan)
    }

    /// Lists the questions about earlier calls one of whose suggested rules matches this call too.
    fn covers(&self, sight: &Sight<'_>, tool: &dyn Tool, arguments: &str) -> Vec<Cover> {
        let matching = |rules: &[Rule]| -> Vec<Rule> {
            let policy = &sight.policy;
            // Under every ceiling, and past every rule that asks.
            let satisfies =
                |rule: &&Rule| policy.satisfied_by(rule, tool, sight.context, arguments);
            rules.iter().filter(satisfies).cloned().collect()
        };
        let covers = self.questions.iter().map(|(call, rules)| Cover {
            call: *call,
            rules: matching(rules),
        });
        covers.filter(|cover| !cover.rules.is_empty()).collect()
    }
}

/// Lays the agent's hooks around a verdict.
async fn through_hooks(agent: &Agent, site: &CallSite, verdict: Verdict) -> Verdict {
    if agent.hooks.is_empty() {
        return verdict;
    }
    let inside = Next::new(move |()| -> BoxFuture<'_, Verdict> {
        futures_util::future::ready(verdict).boxed()
    });
    let hooks = agent
        .hooks
        .around(inside, move |hook, (), next| hook.permission(site, next));
    hooks.run(()).await
}

fn only_reads(judgement: &Judgement) -> bool {
    judgement.decided_by == Decider::ReadOnly || judgement.facts.annotations.read_only == Some(true)
}

/// Says who does the work. A dry run does it here, for there is none.
fn execution(tool: &dyn Tool, arguments: &str, dry_run: bool) -> Execution {
    match tool.execution(arguments) {
        tool::Execution::External if !dry_run => Execution::External,
        // A delegate's own calls say what they would do.
        tool::Execution::Delegate { agent, .. } => Execution::Delegate { agent },
        _ => Execution::Local,
    }
}
