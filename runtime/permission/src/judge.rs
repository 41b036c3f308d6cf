//! The evaluation of a call by a policy, layer by layer.

mod ceilings;
mod finding;
mod plan;
mod rules;
mod safety;
mod scope;
mod sinks;

use std::path::Path;
use std::sync::Arc;

use self::finding::Finding;
pub use self::plan::PRESENT_PLAN;
use super::level::{PlanApproval, PolicyConfig};
use super::policy::{Provenance, SessionGrants};
use super::{Decider, Judgement, Mode, Policy, Rule, Verdict, paths};
use helve_core::tool::links::{LinkTarget, Links};
use helve_core::tool::{
    Check, DefaultVerdict, Effects, Facts, PreparedCall, Risk, Tool, ToolContext, ToolError,
    dispatch,
};

/// A call that is being judged.
pub(crate) struct Judge<'a> {
    policy: &'a Policy,
    /// The configuration of the policy itself, or of the ceiling that is being evaluated.
    level: &'a PolicyConfig,
    grants: SessionGrants,
    provenance: Provenance,
    /// The approval of a plan in this session.
    plan_approval: Option<PlanApproval>,
    tool: &'a dyn Tool,
    context: &'a ToolContext,
    /// The context with the link targets of the call's paths; `None` if no path leads elsewhere.
    resolved_context: Option<ToolContext>,
    prepared: &'a PreparedCall,
    facts: Facts,
}

impl Policy {
    /// Judges a call by its arguments alone: paths are compared by their names, without file access and without
    /// waiting.
    ///
    /// [`judge_with_files`](Self::judge_with_files) also resolves links.
    ///
    /// # Errors
    ///
    /// Returns [`ToolError::InvalidArguments`] with all mistakes at once, and [`ToolError::Failed`] if a function of
    /// the tool panics.
    pub fn judge(
        &self,
        tool: &dyn Tool,
        context: &ToolContext,
        arguments: &str,
    ) -> Result<Judgement, ToolError> {
        let prepared = dispatch::prepare(tool, context, &Arc::from(arguments))?;
        Ok(Judge::new(self, tool, context, &prepared).judge())
    }

    /// Reports whether a rule, as an allow rule, would cover a whole call. No rule covers invalid arguments.
    #[must_use]
    pub fn covers(
        &self,
        rule: &Rule,
        tool: &dyn Tool,
        context: &ToolContext,
        arguments: &str,
    ) -> bool {
        let prepared = dispatch::prepare(tool, context, &Arc::from(arguments));
        prepared
            .is_ok_and(|prepared| Judge::new(self, tool, context, &prepared).is_covered_by(rule))
    }
}

impl<'a> Judge<'a> {
    pub(crate) fn new(
        policy: &'a Policy,
        tool: &'a dyn Tool,
        context: &'a ToolContext,
        prepared: &'a PreparedCall,
    ) -> Self {
        let mut facts = prepared.facts().clone();
        facts.settle();
        Self {
            policy,
            level: &policy.config,
            grants: policy.grants(),
            provenance: policy.provenance(),
            plan_approval: policy.plan_approval(),
            tool,
            context,
            resolved_context: None,
            prepared,
            facts,
        }
    }

    /// Iterates over the paths that the call reads or writes.
    pub(super) fn accessed_paths(&self) -> impl Iterator<Item = &str> {
        let touches = self.facts.file_accesses.iter();
        let named = touches.filter(|touch| !touch.is_pattern);
        let touched = named.map(|touch| &*touch.path);
        touched.chain(self.edited_paths().iter().map(String::as_str))
    }

    /// Sets the link targets of these paths.
    pub(super) fn set_links(&mut self, links: Arc<Links>) {
        self.resolved_context = Some(self.context.with_links(links));
    }

    fn context(&self) -> &ToolContext {
        self.resolved_context.as_ref().unwrap_or(self.context)
    }

    pub(super) fn judge(mut self) -> Judgement {
        let (finding, suggestions) = self.decide();
        let verdict = match finding.verdict {
            DefaultVerdict::Allow => Verdict::Allow,
            DefaultVerdict::Deny => Verdict::deny(finding.reason),
            DefaultVerdict::Ask => Verdict::Ask {
                reason: finding.reason,
                safety: finding.safety,
                suggestions: suggestions.clone(),
            },
        };
        Judgement {
            verdict,
            decided_by: finding.decided_by,
            part: finding.part,
            suggestions,
            facts: self.facts,
        }
    }

    /// Evaluates the layers in order; the first finding decides.
    fn first_finding(&self) -> Finding {
        let layers: [fn(&Self) -> Option<Finding>; 10] = [
            Self::outside_scope,
            Self::deny_rules,
            Self::tool_denies,
            Self::plan_approval,
            Self::ask_rules,
            Self::safety,
            Self::sinks,
            Self::only_reads,
            Self::harmless,
            Self::allow_rules,
        ];
        let found = layers.iter().find_map(|layer| layer(self));
        found.unwrap_or_else(|| self.fallback())
    }

    /// Denies a call if a deny rule covers any of its parts.
    fn deny_rules(&self) -> Option<Finding> {
        let (rule, part) = self.first_rule_covering_part(|rules| &rules.deny)?;
        let reason = format!("the rule `{rule}` denies it");
        Some(Finding::deny(reason, Decider::DenyRule(rule)).with_part(part))
    }

    /// Denies a call if the tool's check denies it.
    fn tool_denies(&self) -> Option<Finding> {
        let Check::Deny { reason, part } = &self.facts.check else {
            return None;
        };
        Some(Finding::deny(reason, Decider::ToolCheck).with_part(part.clone()))
    }

    /// Asks if an ask rule covers any part of the call. A question for reasons of safety is left to the safety layer.
    fn ask_rules(&self) -> Option<Finding> {
        let (rule, part) = self.first_rule_covering_part(|rules| &rules.ask)?;
        if let Some(safety) = self.safety() {
            return Some(safety);
        }
        let reason = format!("the rule `{rule}` asks about it");
        Some(Finding::ask(reason, Decider::AskRule(rule)).with_part(part))
    }

    fn edited_paths(&self) -> &[String] {
        match &self.facts.check {
            Check::Edit { paths } => paths,
            _ => &[],
        }
    }

    fn only_reads(&self) -> Option<Finding> {
        let declared = self.facts.annotations.read_only == Some(true);
        let reads = match self.facts.check {
            Check::ReadOnly => true,
            Check::Pass | Check::Allow => {
                declared && self.effects().default_verdicts.default == DefaultVerdict::Allow
            }
            _ => false,
        };
        reads.then(|| Finding::allow(Decider::ReadOnly))
    }

    fn effects(&self) -> Effects {
        Effects::new(&self.facts.annotations, self.facts.risk)
    }

    /// Allows what the tool's check allows, and edits of the workspace if the mode accepts edits.
    fn harmless(&self) -> Option<Finding> {
        let mode = self.mode();
        match &self.facts.check {
            _ if mode.is_read_only() => None,
            Check::Allow => Some(Finding::allow(Decider::ToolCheck)),
            Check::Edit { paths } if mode.accepts_edits() && self.is_workspace_edit(paths) => {
                Some(Finding::allow(Decider::WorkspaceEdit))
            }
            _ => None,
        }
    }

    fn is_workspace_edit(&self, edited: &[String]) -> bool {
        !edited.is_empty() && edited.iter().all(|path| self.is_in_workspace(path))
    }

    /// Reports whether a path lies in the workspace, with links resolved.
    fn is_in_workspace(&self, path: &str) -> bool {
        let (folder, home) = (self.context().working_folder(), self.context().home());
        let is_inside = |place: &Path| self.level.is_inside(place, self.context());
        match self.context().links().and_then(|links| links.target(path)) {
            Some(LinkTarget::Unknown) => false,
            Some(LinkTarget::Paths(places)) => places.iter().all(|place| is_inside(place)),
            None => is_inside(Path::new(&*paths::absolute(path, folder, home))),
        }
    }

    /// Decides by the mode and the effects of the call, if no other layer has a finding.
    fn fallback(&self) -> Finding {
        let mode = self.mode();
        if let Check::Ask { reason, part, .. } = &self.facts.check
            && mode != Mode::Bypass
        {
            return Finding::ask(reason, Decider::ToolCheck).with_part(part.clone());
        }
        let is_unlisted = self.level.allow_unlisted && self.declares_nothing();
        if is_unlisted && !mode.is_read_only() {
            return Finding::allow(Decider::Unlisted);
        }
        let standings = self.effects().default_verdicts;
        let standing = match mode {
            Mode::Default => standings.default,
            Mode::AcceptEdits => standings.accept_edits,
            Mode::Explore | Mode::Plan => standings.explore,
            Mode::Bypass => standings.bypass,
            Mode::DontAsk => standings.dont_ask,
        };
        let what = format!("it {} ({} risk)", self.describe_effects(), self.facts.risk);
        let reason = match (standing, mode) {
            (DefaultVerdict::Deny, Mode::Explore | Mode::Plan) => {
                format!("it does more than read, and the mode is `{mode}`")
            }
            (DefaultVerdict::Deny, _) => {
                format!("{what}, and the mode `{mode}` does not prompt")
            }
            _ => what,
        };
        Finding::new(standing, reason, Decider::Mode).with_part(self.uncovered_part())
    }

    /// Describes the effects of the call. The edits of the call are more specific than the effects that the tool
    /// declares.
    fn describe_effects(&self) -> String {
        let does = self.effects().description;
        match self.edited_paths() {
            _ if self.facts.annotations.destructive == Some(true) => does.to_owned(),
            [] => does.to_owned(),
            [path] => format!("changes `{path}`"),
            [path, others @ ..] => format!("changes `{path}` and {} more", others.len()),
        }
    }

    fn declares_nothing(&self) -> bool {
        let declared = match self.tool.definition() {
            Some(definition) => definition.declares_effects(),
            None => {
                let spec = self.tool.spec();
                spec.annotations != helve_core::tool::Annotations::NONE || spec.risk != Risk::Medium
            }
        };
        !declared && self.facts.check == Check::Pass
    }

    fn mode(&self) -> Mode {
        self.level.mode_after(self.plan_approval.as_ref())
    }

    /// Turns a question into a denial if the mode never prompts.
    fn apply_mode(&self, mut finding: Finding) -> Finding {
        if finding.verdict != DefaultVerdict::Ask || !self.mode().never_asks() {
            return finding;
        }
        if finding.decided_by == Decider::PlanApproval && self.mode() == Mode::Plan {
            return finding;
        }
        let is_ask_rule = matches!(finding.decided_by, Decider::AskRule(_));
        if self.mode().is_read_only() && is_ask_rule {
            if self.only_reads().is_some() {
                return finding;
            }
            finding = self.fallback();
        } else {
            let note = format!(", and the mode `{}` does not prompt", self.mode());
            finding.reason.push_str(&note);
        }
        finding.verdict = DefaultVerdict::Deny;
        finding
    }

    /// Returns the rules that the tool suggests. For a tool without a rule language, the rule covers the whole tool.
    fn suggestions(&self, finding: &Finding) -> Vec<Rule> {
        if matches!(finding.decided_by, Decider::DenyRule(_)) {
            return Vec::new();
        }
        let name = &*self.tool.spec().name;
        let suggested = &self.facts.suggested_rules;
        if suggested.is_empty() {
            let is_whole = !self.prepared.has_rule_language(self.context());
            return is_whole.then(|| Rule::tool(name)).into_iter().collect();
        }
        let rules = suggested.iter().map(|content| Rule::calls(name, content));
        let allowed: Vec<&Rule> = self.rules_about(|rules| &rules.allow).collect();
        rules
            .filter(|rule| rule.is_valid() && !allowed.contains(&rule))
            .collect()
    }
}
