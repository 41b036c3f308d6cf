//! A tool that says of its calls whatever a test wants.

use std::sync::Arc;

use helve_runtime::capability::Requires;
use helve_runtime::permission::{Judgement, Policy, Rule, paths};
use helve_runtime::schema::{self, Mistakes};
use helve_runtime::tool::{
    AccessKind, Annotations, Check, CheckReport, Coverage, Facts, PreparedCall, Risk, Tool,
    ToolContext, ToolOrigin, ToolSpec,
};
use serde_json::{Value, json};

/// A tool of fixed facts. A rule is about the part that it names, or about a `path` of the arguments.
#[derive(Debug)]
pub(crate) struct FixedTool {
    spec: ToolSpec,
    checked: CheckReport,
    suggested: Vec<String>,
}

impl FixedTool {
    pub(crate) fn new(name: &str) -> Self {
        let schema = schema::from_value(json!({ "type": "object" })).unwrap();
        Self {
            spec: ToolSpec::new(name, "For a test.", schema),
            checked: CheckReport::default(),
            suggested: Vec::new(),
        }
    }

    pub(crate) fn reader(name: &str) -> Self {
        Self::new(name).with_annotations(Annotations::new(Some(true), None, None, None))
    }

    pub(crate) fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.spec = self.spec.with_annotations(annotations);
        self
    }

    pub(crate) fn risk(mut self, risk: Risk) -> Self {
        self.spec.risk = risk;
        self
    }

    pub(crate) fn with_check(mut self, checked: impl Into<CheckReport>) -> Self {
        self.checked = checked.into();
        self
    }

    pub(crate) fn with_requires(mut self, requires: Requires) -> Self {
        self.spec.requires = requires;
        self
    }

    pub(crate) fn with_server(mut self, server: &str) -> Self {
        self.spec.origin = ToolOrigin::server(server, "tool");
        self
    }

    pub(crate) fn with_suggestion(mut self, rule: &str) -> Self {
        self.suggested.push(rule.to_owned());
        self
    }

    /// Reports whether a person has to be asked about nothing but reading `.git/`, or what bypass answers.
    pub(crate) fn reads_what_others_obey(&self) -> bool {
        let reads = self.checked.file_accesses.iter().all(|touch| {
            let is_plain = touch.path.ends_with("a.rs");
            is_plain || touch.path.contains(".git/") && touch.kind == AccessKind::Read
        });
        let edits = match &self.checked.check {
            Check::Edit { paths } => paths.iter().any(|path| !path.ends_with("a.rs")),
            Check::Ask { in_bypass, .. } => *in_bypass,
            _ => false,
        };
        reads && !edits
    }

    pub(crate) fn judge(&self, policy: &Policy) -> Judgement {
        policy.judge(self, &context(), "{}").unwrap()
    }
}

impl Tool for FixedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, _: &ToolContext, arguments: Arc<str>) -> Result<PreparedCall, Mistakes> {
        let facts = Facts::from_spec(&self.spec).with_check(self.checked.clone());
        let prepared = PreparedCall::new(Arc::clone(&arguments), facts, |_| {
            unreachable!("nothing runs to judge a call")
        });
        let prepared =
            prepared.with_facts(|facts| facts.suggested_rules.clone_from(&self.suggested));
        let read: Value = serde_json::from_str(&arguments).unwrap();
        if let Some(path) = read["path"].as_str().map(str::to_owned) {
            return Ok(prepared.with_rule_matcher(move |context, rule| {
                Some(paths::covers(context, rule, &path))
            }));
        }
        let parts = self.checked.parts.clone();
        if parts.is_empty() {
            return Ok(prepared);
        }
        Ok(prepared.with_rule_matcher(move |_, rule| {
            Some(Coverage::from_parts(
                parts.iter().map(|part| part.text == rule),
            ))
        }))
    }
}

/// A context with a home and no files.
pub(crate) fn context() -> ToolContext {
    ToolContext::builder().home("/home/me").build()
}

pub(crate) fn rule(text: &str) -> Rule {
    text.parse().unwrap()
}
