//! Looking at the calls of a reply before anything runs.

use std::sync::Arc;

use futures_util::future::FutureExt;

use super::Driver;
use super::running::read_of;
use super::waiting::Happening;
use crate::agent::EventKind;
use crate::agent::offer::Window;
use crate::agent::spec::Agent;
use crate::agent::turn::{Cover, Execution, Plan, Record};
use crate::call::{Asking, CallSite, Judged};
use crate::permission::{Policy, Rule};
use crate::tool::{self, Concurrency, Tool, ToolContext, ToolError};
use crate::transcript::CallKey;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Looks at calls that nobody has looked at, in their order, as one piece of work: an earlier call's question may
    /// cover a later call.
    pub(super) fn plan(&mut self, sites: Vec<(CallKey, Arc<CallSite>)>) {
        if sites.is_empty() {
            return;
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
        self.note_label();
        let sight = Sight {
            agent,
            window: Arc::clone(&self.window),
            context,
            policy: self.policy,
            calls: self.turn.calls().count(),
        };
        self.working.push(
            async move {
                let mut planned = Planned::of(sites.len());
                for (key, site) in sites {
                    planned.look_at(&sight, key, site).await;
                }
                Happening::Planned(planned.records, planned.judged)
            }
            .boxed(),
        );
    }

    /// Returns where a call is made from that is to be looked at, the first time that the turn says so.
    pub(super) fn unplanned(&mut self, key: CallKey) -> Option<(CallKey, Arc<CallSite>)> {
        let call = self.calls.entry(key);
        if std::mem::replace(&mut call.is_judging, true) {
            return None;
        }
        Some((key, self.site(key)?))
    }

    /// Returns where a call is made from.
    pub(super) fn site(&self, key: CallKey) -> Option<Arc<CallSite>> {
        let origin = self.turn.origin();
        Some(Arc::new(CallSite {
            origin: origin.clone(),
            address: origin.call(key),
            call: self.turn.call(key)?.clone(),
        }))
    }
}

/// What calls are looked at with.
struct Sight<'a> {
    agent: &'a Agent,
    window: Arc<Window>,
    policy: &'a Policy,
    context: &'a ToolContext,
    /// How many calls the reply made.
    calls: usize,
}

/// The calls that were looked at.
struct Planned {
    records: Vec<Record>,
    /// The calls, ready to be asked about and run.
    judged: Vec<(CallKey, Box<Judged>)>,
    /// The questions that their verdicts raise, with the rules suggested with each.
    questions: Vec<(CallKey, Vec<Rule>)>,
}

impl Planned {
    /// Makes a list with room for so many.
    fn of(calls: usize) -> Self {
        Self {
            records: Vec::with_capacity(calls),
            judged: Vec::with_capacity(calls),
            questions: Vec::new(),
        }
    }

    async fn look_at(&mut self, sight: &Sight<'_>, call: CallKey, site: Arc<CallSite>) {
        let tool = sight.window.find(&site.call.name);
        let (judged, tool) = match tool {
            Ok(tool) => (sight.judge(site.clone(), &tool).await, Some(tool)),
            Err(unknown) => (Err(unknown), None),
        };
        match judged {
            Ok(judged) => {
                let plan = self.plan(sight, call, &judged);
                self.records.push(Record::Planned { call, plan });
                self.judged.push((call, judged));
            }
            Err(error) => {
                // What keeps a call back is said by nobody but us, whoever the tool is of.
                let tool = tool.as_deref();
                let told = read_of(
                    sight.agent,
                    tool,
                    &site,
                    sight.context,
                    sight.calls,
                    Err(error),
                );
                // In a box of its own: most calls get past this, and all would be as large.
                let outcome = Box::pin(told).await;
                self.records.push(Record::Finished { call, outcome });
            }
        }
    }

    fn plan(&mut self, sight: &Sight<'_>, key: CallKey, judged: &Judged) -> Plan {
        let facts = judged.facts();
        let repaired = judged.is_repaired();
        let mut plan = Plan {
            exclusive: facts.concurrency == Concurrency::Exclusive,
            idempotent: judged.judgement().effects().may_rerun,
            execution: execution(judged),
            dry_run: judged.is_dry_run(),
            arguments: repaired.then(|| judged.site().call.arguments.clone()),
            ..Plan::new(judged.verdict().clone())
        };
        if let Some(asking) = Asking::of_verdict(judged.verdict()).filter(|asking| !asking.safety) {
            plan.covered_by = self.covers(sight, judged);
            self.questions.push((key, asking.suggestions));
        }
        plan
    }

    /// Lists the questions about earlier calls one of whose suggested rules matches this call too.
    fn covers(&self, sight: &Sight<'_>, judged: &Judged) -> Vec<Cover> {
        let matching = |rules: &[Rule]| -> Vec<Rule> {
            // Under every ceiling, and past every rule that asks.
            let satisfies =
                |rule: &&Rule| judged.is_satisfied_by(rule, sight.policy, sight.context);
            rules.iter().filter(satisfies).cloned().collect()
        };
        let covers = self.questions.iter().map(|(call, rules)| Cover {
            call: *call,
            rules: matching(rules),
        });
        covers.filter(|cover| !cover.rules.is_empty()).collect()
    }
}

impl Sight<'_> {
    async fn judge(
        &self,
        site: Arc<CallSite>,
        tool: &Arc<dyn Tool>,
    ) -> Result<Box<Judged>, ToolError> {
        let pipeline = self.agent.pipeline(self.policy);
        pipeline.judge(site, Arc::clone(tool), self.context).await
    }
}

/// Says who does the work. A dry run does it here, for there is none.
fn execution(judged: &Judged) -> Execution {
    match judged.execution() {
        tool::Execution::External if !judged.is_dry_run() => Execution::External,
        // A delegate's own calls say what they would do.
        tool::Execution::Delegate { agent, .. } => Execution::Delegate {
            agent: agent.clone(),
        },
        _ => Execution::Local,
    }
}
