//! A tool that says of its calls whatever a test wants.

use futures_util::future::BoxFuture;
use helve_runtime::permission::{Judgement, Policy, Rule, paths};
use helve_runtime::schema::{self, Mistakes};
use helve_runtime::tool::{
    Access, Annotations, Check, Checked, Coverage, Facts, Risk, Tool, ToolContext, ToolResult,
    ToolSpec,
};
use serde_json::{Value, json};

/// A tool of fixed facts. A rule is about the part that it names, or about a `path` of the arguments.
#[derive(Debug)]
pub(crate) struct Fixed {
    spec: ToolSpec,
    checked: Checked,
    suggested: Vec<String>,
}

impl Fixed {
    pub(crate) fn named(name: &str) -> Self {
        let schema = schema::from_value(json!({ "type": "object" })).unwrap();
        Self {
            spec: ToolSpec::new(name, "For a test.", schema),
            checked: Checked::default(),
            suggested: Vec::new(),
        }
    }

    pub(crate) fn reader(name: &str) -> Self {
        Self::named(name).annotated(Annotations::new(Some(true), None, None, None))
    }

    pub(crate) fn annotated(mut self, annotations: Annotations) -> Self {
        self.spec = self.spec.with_annotations(annotations);
        self
    }

    pub(crate) fn risk(mut self, risk: Risk) -> Self {
        self.spec.risk = risk;
        self
    }

    pub(crate) fn checked(mut self, checked: impl Into<Checked>) -> Self {
        self.checked = checked.into();
        self
    }

    pub(crate) fn suggesting(mut self, rule: &str) -> Self {
        self.suggested.push(rule.to_owned());
        self
    }

    /// Reports whether a person has to be asked about nothing but reading `.git/`, or what bypass answers.
    pub(crate) fn reads_what_others_obey(&self) -> bool {
        let reads = self.checked.touches.iter().all(|touch| {
            let is_plain = touch.path.ends_with("a.rs");
            is_plain || touch.path.contains(".git/") && touch.access == Access::Read
        });
        let edits = match &self.checked.check {
            Check::Edit { paths } => paths.iter().any(|path| !path.ends_with("a.rs")),
            Check::Ask { in_bypass, .. } => *in_bypass,
            _ => false,
        };
        reads && !edits
    }

    pub(crate) fn judged(&self, policy: &Policy) -> Judgement {
        policy.judge(self, &context(), "{}").unwrap()
    }
}

impl Tool for Fixed {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, _: &ToolContext, _: &str) -> Result<Facts, Mistakes> {
        let mut facts = Facts::of(&self.spec);
        facts.check = self.checked.check.clone();
        facts.touches = self.checked.touches.clone();
        facts.parts = self.checked.parts.clone();
        facts.suggested_rules.clone_from(&self.suggested);
        Ok(facts)
    }

    fn match_rule(
        &self,
        context: &ToolContext,
        arguments: &str,
        rule: &str,
    ) -> Option<Result<Coverage, Mistakes>> {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        if let Some(path) = arguments["path"].as_str() {
            return Some(Ok(paths::covers(context, rule, path)));
        }
        let parts = self.checked.parts.iter();
        (!self.checked.parts.is_empty())
            .then(|| Ok(Coverage::of_parts(parts.map(|part| part.text == rule))))
    }

    fn call<'a>(
        &'a self,
        _: &'a ToolContext,
        _: &'a str,
    ) -> Result<BoxFuture<'a, ToolResult>, Mistakes> {
        unreachable!("nothing runs to judge a call")
    }
}

/// A context with a home and no files.
pub(crate) fn context() -> ToolContext {
    ToolContext::builder().home("/home/me").build()
}

pub(crate) fn rule(text: &str) -> Rule {
    text.parse().unwrap()
}
