//! Planning: the calls of a reply are judged before any of them runs.

use std::sync::Arc;

use futures_util::future::FutureExt;
use smallvec::SmallVec;

use super::call_execution::process_result;
use super::driver_event::{DriverEvent, JudgedCalls};
use super::reviewing::guard_call;
use super::state::Driver;
use crate::delegate::HAND_OFF_TOOL;
use crate::event::projection::tool_call_event;
use crate::exposure::VisibleTools;
use crate::guard::GuardPoint;
use crate::spec::Agent;
use crate::turn::{Cover, Execution, Plan, Record};
use helve_core::tool::{self, Concurrency, ToolContext, ToolError};
use helve_core::transcript::CallKey;
use helve_permission::call::{AskVerdict, CallSite, JudgedCall};
use helve_permission::{Policy, Rule, Verdict};

/// The calls of a reply that are to be planned; usually there is one.
pub(super) type UnplannedCalls = SmallVec<[(CallKey, Arc<CallSite>); 2]>;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Plans calls in their order, as one piece of work: the question about an earlier call may cover a later call.
    pub(super) fn plan_calls(&mut self, sites: UnplannedCalls) {
        if sites.is_empty() {
            return;
        }
        // The calls of a reply that this driver has recorded have their events.
        for (key, _) in sites
            .iter()
            .filter(|(key, _)| key.round <= self.earlier_rounds)
        {
            if let Some(call) = tool_call_event(self.turn, *key) {
                self.events.emit_live(call);
            }
        }
        let (agent, context) = (self.agent, self.context);
        self.apply_label();
        let cx = PlanCx {
            agent,
            visible: Arc::clone(&self.tools.visible),
            context,
            policy: self.policy,
            calls: self.turn.calls().count(),
            refused_hand_off: match agent.successors.is_empty() {
                true => None,
                false => self.turn.refused_hand_off(),
            },
        };
        self.in_flight.push(
            async move {
                let mut planned = PlannedCalls {
                    records: Vec::with_capacity(sites.len()),
                    judged: JudgedCalls::new(),
                    questions: Vec::new(),
                };
                for (key, site) in sites {
                    planned.plan_call(&cx, key, site).await;
                }
                DriverEvent::Planned(planned.records, planned.judged)
            }
            .boxed(),
        );
    }

    /// Returns the site of a call when the turn asks for its plan for the first time.
    pub(super) fn take_unplanned(&mut self, key: CallKey) -> Option<(CallKey, Arc<CallSite>)> {
        let call = self.calls.entry(key);
        if std::mem::replace(&mut call.is_judging, true) {
            return None;
        }
        Some((key, self.call_site(key)?))
    }

    pub(super) fn call_site(&self, key: CallKey) -> Option<Arc<CallSite>> {
        let (origin, call) = (self.origin().clone(), self.turn.call(key)?.clone());
        let call = self.agent.with_current_name(call);
        let session = self.context.session_id().clone();
        Some(Arc::new(
            CallSite::new(origin, key, call).in_session(session),
        ))
    }
}

struct PlanCx<'a> {
    agent: &'a Agent,
    visible: Arc<VisibleTools>,
    policy: &'a Policy,
    context: &'a ToolContext,
    /// The number of calls of the reply.
    calls: usize,
    /// The reason why no other agent can go on with the prompt, if there is one.
    refused_hand_off: Option<String>,
}

struct PlannedCalls {
    records: Vec<Record>,
    judged: JudgedCalls,
    /// The calls that need approval, with the rules suggested for each.
    questions: Vec<(CallKey, Vec<Rule>)>,
}

impl PlannedCalls {
    async fn plan_call(&mut self, cx: &PlanCx<'_>, call: CallKey, site: Arc<CallSite>) {
        // The future is boxed, since most agents have no guards.
        let guarded = match cx.agent.guards.checks(GuardPoint::Call) {
            true => Box::pin(guard_call(cx.agent, cx.context, site)).await,
            false => Ok((site, false)),
        };
        let (site, is_replaced) = match guarded {
            Ok(guarded) => guarded,
            Err(reason) => {
                let plan = Plan::new(Verdict::Deny { reason });
                self.records.push(Record::Planned { call, plan });
                return;
            }
        };
        let tool = cx.visible.find(&site.call.name);
        let (judged, tool) = match tool {
            Ok(tool) => {
                let pipeline = cx.agent.pipeline(cx.policy);
                let judging = pipeline.judge(site.clone(), Arc::clone(&tool), cx.context);
                (judging.await, Some(tool))
            }
            Err(unknown) => (Err(unknown), None),
        };
        let judged = judged.and_then(|judged| match &cx.refused_hand_off {
            Some(why) if &*judged.site().call.name == HAND_OFF_TOOL => Err(ToolError::failed(why)),
            _ => Ok(judged),
        });
        match judged {
            Ok(judged) => {
                let mut plan = self.build_plan(cx, call, &judged);
                if is_replaced {
                    plan.arguments = Some(judged.site().call.arguments.clone());
                }
                self.records.push(Record::Planned { call, plan });
                self.judged.push((call, judged));
            }
            Err(error) => {
                // The error text is that of helve and not of the tool.
                let tool = tool.as_deref();
                let told = process_result(cx.agent, tool, &site, cx.context, cx.calls, Err(error));
                // The future is boxed, since most calls do not fail here.
                let outcome = Box::pin(told).await;
                self.records.push(Record::Finished { call, outcome });
            }
        }
    }

    fn build_plan(&mut self, cx: &PlanCx<'_>, key: CallKey, judged: &JudgedCall) -> Plan {
        let mut plan = plan(judged);
        let asking = AskVerdict::from_verdict(judged.verdict());
        if let Some(asking) = asking.filter(|asking| !asking.safety) {
            plan.covered_by = self.find_covers(cx, judged);
            self.questions.push((key, asking.suggestions));
        }
        plan
    }

    /// Lists the questions about earlier calls that suggest a rule which matches this call, too.
    fn find_covers(&self, cx: &PlanCx<'_>, judged: &JudgedCall) -> Vec<Cover> {
        let matching = |rules: &[Rule]| -> Vec<Rule> {
            // The rule must satisfy all limits of the policy and all rules that ask.
            let satisfies = |rule: &&Rule| judged.is_satisfied_by(rule, cx.policy, cx.context);
            rules.iter().filter(satisfies).cloned().collect()
        };
        let covers = self.questions.iter().map(|(call, rules)| Cover {
            call: *call,
            rules: matching(rules),
        });
        covers.filter(|cover| !cover.rules.is_empty()).collect()
    }
}

/// Returns the plan of a judged call, without the questions that may settle it.
pub(super) fn plan(judged: &JudgedCall) -> Plan {
    let is_changed = judged.has_other_arguments();
    Plan {
        exclusive: judged.facts().concurrency == Concurrency::Exclusive,
        idempotent: judged.judgement().effects().may_rerun,
        execution: planned_execution(judged),
        dry_run: judged.is_dry_run(),
        arguments: is_changed.then(|| judged.site().call.arguments.clone()),
        ..Plan::new(judged.verdict().clone())
    }
}

/// Returns where the call is executed. A dry run is always local.
fn planned_execution(judged: &JudgedCall) -> Execution {
    match judged.execution() {
        tool::Execution::External if !judged.is_dry_run() => Execution::External,
        // The calls of the other agent are dry runs themselves.
        tool::Execution::Delegate { agent, .. } if &*judged.site().call.name == HAND_OFF_TOOL => {
            Execution::HandOff {
                agent: agent.clone(),
            }
        }
        tool::Execution::Delegate { agent, .. } => Execution::Delegate {
            agent: agent.clone(),
        },
        _ => Execution::Local,
    }
}
