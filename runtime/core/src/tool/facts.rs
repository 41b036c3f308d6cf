//! What a call would be: the input of the permission decision, known before any body runs.

use std::any::Any;

use crate::capability::Confinement;
use crate::tool::annotations::{Annotations, Concurrency, Risk};
use crate::tool::check_value::CheckValue;
use crate::tool::context::ToolContext;
use crate::tool::prepared::RuleMatcher;
use crate::tool::preview::Preview;
use crate::tool::spec::ToolSpec;

/// The facts of one well-formed call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// How much harm it can do, judged from its arguments where the tool can.
    pub risk: Risk,
    /// MCP's hints.
    pub annotations: Annotations,
    /// Whether it may run beside others.
    pub concurrency: Concurrency,
    /// What the tool's own check says.
    pub check: Check,
    /// The rules that would cover this call and others like it, in the tool's own language.
    pub suggested_rules: Vec<String>,
    /// The places in the file system that it reads or writes, where the tool distinguishes them.
    pub file_accesses: Vec<FileAccess>,
    /// What it consists of, where a rule is held against parts: in the order of [`Coverage::parts`].
    pub parts: Vec<CallPart>,
    /// What it would change, for the approver.
    pub preview: Option<Preview>,
    /// Whether a dry run of it returns the diff of what it would change.
    pub dry_run_shows_diff: bool,
    /// What it is held to while it runs.
    pub confinement: Confinement,
    /// The tool's own language of rules.
    pub(crate) rule_matcher: Option<RuleMatcher>,
    /// What the check computed for the body.
    pub(crate) check_value: Option<CheckValue>,
}

/// A place in the file system that a call reads or writes.
///
/// A policy holds it against the dangerous paths, whatever the tool is: a reader of files, a writer, a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileAccess {
    /// The path as the call names it: absolute, relative to the working folder, or below `~`.
    pub path: String,
    /// What is done there.
    pub kind: AccessKind,
    /// Whether the path is a pattern in which `*`, `?` and `[…]` stand for what the file system has.
    pub is_pattern: bool,
    /// The part of the call that does it, where the call has parts.
    pub part: Option<String>,
}

/// What is done at a place in the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Something of it is looked at.
    Read,
    /// It is made, changed or removed.
    Write,
    /// It is an argument of a program whose effect on it is unknown.
    Unknown,
}

/// A part of a call: one command of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallPart {
    /// How it reads.
    pub text: String,
    /// Whether it only reads, so that no allow rule has to cover it.
    pub read_only: bool,
}

impl FileAccess {
    /// A place that is read.
    pub fn read(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            kind: AccessKind::Read,
            is_pattern: false,
            part: None,
        }
    }

    /// A place that is written.
    pub fn write(path: impl Into<String>) -> Self {
        Self {
            kind: AccessKind::Write,
            ..Self::read(path)
        }
    }

    /// Marks the path as a pattern.
    #[must_use]
    pub fn into_pattern(mut self) -> Self {
        self.is_pattern = true;
        self
    }

    /// Names the part of the call that does it.
    #[must_use]
    pub fn with_part(mut self, part: impl Into<String>) -> Self {
        self.part = Some(part.into());
        self
    }
}

impl CallPart {
    /// A part that an allow rule has to cover.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            read_only: false,
        }
    }

    /// A part that only reads.
    pub fn read_only(text: impl Into<String>) -> Self {
        Self {
            read_only: true,
            ..Self::new(text)
        }
    }
}

/// What a tool's own check says of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// Nothing: the general rules decide.
    #[default]
    Pass,
    /// The call only reads, whatever the tool declares of calls in general.
    ReadOnly,
    /// The call is harmless whatever the mode.
    Allow,
    /// The call edits files at these places and does nothing else: where the mode accepts edits and all of them are in
    /// the workspace, it runs.
    Edit {
        /// The places, as the call names them, made absolute.
        paths: Vec<String>,
    },
    /// A person has to decide.
    Ask {
        /// Why, in words for the person.
        reason: String,
        /// Whether no rule may answer in the person's place, and no mode but perhaps `Mode::Bypass`.
        safety: bool,
        /// Whether `Mode::Bypass` asks, too.
        in_bypass: bool,
        /// The part of the call that decides, where the call has parts: one command of a command line.
        part: Option<String>,
    },
    /// The call must not run.
    Deny {
        /// Why, in words for the model.
        reason: String,
        /// The part of the call that decides, where the call has parts.
        part: Option<String>,
    },
}

impl Check {
    /// Asks, unless a rule or a mode answers.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::asking(reason, false, false)
    }

    /// Asks a question of safety, which no rule answers: a person does, or the choice of `Mode::Bypass`.
    pub fn ask_person(reason: impl Into<String>) -> Self {
        Self::asking(reason, true, false)
    }

    /// Asks a question of safety, which only a person answers, in every mode.
    pub fn ask_for_safety(reason: impl Into<String>) -> Self {
        Self::asking(reason, true, true)
    }

    fn asking(reason: impl Into<String>, safety: bool, in_bypass: bool) -> Self {
        Self::Ask {
            reason: reason.into(),
            safety,
            in_bypass,
            part: None,
        }
    }

    /// Denies.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny {
            reason: reason.into(),
            part: None,
        }
    }

    /// Names the part of the call that decides; without meaning for a check that does not stop it.
    #[must_use]
    pub fn caused_by(mut self, deciding: impl Into<String>) -> Self {
        if let Self::Ask { part, .. } | Self::Deny { part, .. } = &mut self {
            *part = Some(deciding.into());
        }
        self
    }
}

/// What a tool's own check says of a call, with the places that the call touches and the parts that it has.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::tool::{Check, CheckReport, FileAccess};
///
/// fn check(path: &str) -> CheckReport {
///     Check::Pass.with_accesses([FileAccess::read(path)])
/// }
/// # assert_eq!(check("a").file_accesses.len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckReport {
    /// What it says.
    pub check: Check,
    /// The places that the call reads or writes.
    pub file_accesses: Vec<FileAccess>,
    /// What the call consists of.
    pub parts: Vec<CallPart>,
    /// What the call would change.
    pub preview: Option<Preview>,
    /// Whether a dry run of the call returns the diff of what it would change.
    pub dry_run_shows_diff: bool,
    /// What the call is held to while it runs.
    pub confinement: Confinement,
    /// The rules that would cover the call and others like it.
    pub suggested_rules: Vec<String>,
    /// What holds rules against the call.
    rule_matcher: Option<RuleMatcher>,
    /// What the check computed for the body.
    check_value: Option<CheckValue>,
}

impl Check {
    /// Adds the places that the call reads or writes.
    pub fn with_accesses(self, touches: impl IntoIterator<Item = FileAccess>) -> CheckReport {
        CheckReport::from(self).with_accesses(touches)
    }

    /// Adds what the call consists of, in the order of the [`Coverage`] that the tool's `match_rule` gives.
    pub fn with_parts(self, parts: impl IntoIterator<Item = CallPart>) -> CheckReport {
        CheckReport::from(self).with_parts(parts)
    }

    /// Adds what the call would change, for the approver.
    pub fn with_preview(self, preview: Preview) -> CheckReport {
        CheckReport::from(self).with_preview(preview)
    }

    /// Declares that a dry run of the call returns what it would change; see [`CheckReport::with_dry_run_diff`].
    pub fn with_dry_run_diff(self) -> CheckReport {
        CheckReport::from(self).with_dry_run_diff()
    }
}

impl CheckReport {
    /// Adds the places that the call reads or writes.
    #[must_use]
    pub fn with_accesses(mut self, touches: impl IntoIterator<Item = FileAccess>) -> Self {
        self.file_accesses.extend(touches);
        self
    }

    /// Adds what the call consists of.
    #[must_use]
    pub fn with_parts(mut self, parts: impl IntoIterator<Item = CallPart>) -> Self {
        self.parts.extend(parts);
        self
    }

    /// Adds what the call would change, for the approver.
    #[must_use]
    pub fn with_preview(mut self, preview: Preview) -> Self {
        self.preview = Some(preview);
        self
    }

    /// Declares that a dry run of the call returns what it would change.
    ///
    /// Where [`ToolContext::is_dry_run`](crate::tool::ToolContext::is_dry_run), the tool then changes nothing and returns a
    /// unified diff. It is called before the question about the call, which shows the diff, and in a dry run of an
    /// agent: for what a check, which must not wait, cannot look up.
    #[must_use]
    pub fn with_dry_run_diff(mut self) -> Self {
        self.dry_run_shows_diff = true;
        self
    }

    /// Sets what the call is held to while it runs: what the check is based on. The code that runs the call applies it.
    #[must_use]
    pub fn with_confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self
    }

    /// Adds the rules that would cover the call and others like it; in place of a function `suggest_rules`, for a check
    /// that finds them on its way.
    #[must_use]
    pub fn with_suggested_rules(mut self, rules: impl IntoIterator<Item = String>) -> Self {
        self.suggested_rules.extend(rules);
        self
    }

    /// Sets what says which parts of the call a rule covers; in place of a function `match_rule`, for a check whose
    /// analysis of the call answers that too.
    #[must_use]
    pub fn with_rule_matcher(
        mut self,
        covers: impl Fn(&ToolContext, &str) -> Coverage + Send + Sync + 'static,
    ) -> Self {
        self.rule_matcher = Some(RuleMatcher::new(move |context, rule| {
            Some(covers(context, rule))
        }));
        self
    }

    /// Carries a value to the body of the call, which gets it from [`ToolContext::check_value`]: what was judged is what runs,
    /// and it is computed once.
    ///
    /// A call carries one value; a later one takes its place.
    #[must_use]
    pub fn with_value(mut self, value: impl Any + Send + Sync) -> Self {
        self.check_value = Some(CheckValue::new(value));
        self
    }
}

impl From<Check> for CheckReport {
    fn from(check: Check) -> Self {
        Self {
            check,
            ..Self::default()
        }
    }
}

/// What the function behind `#[tool(check = …)]` may return.
#[diagnostic::on_unimplemented(
    message = "a tool's check cannot return `{Self}`",
    label = "not a check",
    note = "return `helve::Check`, or what `Check::touching` makes of one"
)]
pub trait CheckResult {
    /// Puts it among the facts of the call.
    fn put(self, facts: &mut Facts);
}

impl CheckResult for Check {
    fn put(self, facts: &mut Facts) {
        facts.check = self;
    }
}

impl CheckResult for CheckReport {
    fn put(self, facts: &mut Facts) {
        facts.check = self.check;
        facts.file_accesses = self.file_accesses;
        facts.parts = self.parts;
        facts.preview = self.preview;
        facts.dry_run_shows_diff = self.dry_run_shows_diff;
        facts.confinement = self.confinement;
        facts.suggested_rules = self.suggested_rules;
        facts.rule_matcher = self.rule_matcher;
        facts.check_value = self.check_value;
    }
}

/// What of a call a rule covers, part by part; a call without parts is one part.
///
/// An allow rule lets a call run where it covers every part, alone or together with others; a deny rule stops it where
/// it covers any.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::tool::Coverage;
///
/// let one = Coverage::from_parts([true, false]);
/// let other = Coverage::from_parts([false, true]);
/// assert!(one.covers_any() && !one.covers_all());
/// assert!(one.union(&other).covers_all());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage(Vec<bool>);

impl Coverage {
    /// Creates a coverage from what is true of each part, in their order. No parts at all are not covered.
    #[must_use]
    pub fn from_parts(parts: impl IntoIterator<Item = bool>) -> Self {
        Self(parts.into_iter().collect())
    }

    /// Reports whether every part is covered.
    #[must_use]
    pub fn covers_all(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|covered| *covered)
    }

    /// Reports whether any part is covered.
    #[must_use]
    pub fn covers_any(&self) -> bool {
        self.0.contains(&true)
    }

    /// Returns whether each part is covered, in their order.
    #[must_use]
    pub fn parts(&self) -> &[bool] {
        &self.0
    }

    /// Joins what two rules cover of the same call.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        for (covered, also) in self.0.iter_mut().zip(&other.0) {
            *covered |= also;
        }
        self
    }
}

impl From<bool> for Coverage {
    fn from(covered: bool) -> Self {
        Self::from_parts([covered])
    }
}

impl Facts {
    /// Creates the facts that follow from the declaration alone.
    #[must_use]
    pub fn from_spec(spec: &ToolSpec) -> Self {
        Self {
            risk: spec.risk,
            annotations: spec.annotations,
            concurrency: spec.concurrency,
            check: Check::Pass,
            suggested_rules: Vec::new(),
            file_accesses: Vec::new(),
            parts: Vec::new(),
            preview: None,
            dry_run_shows_diff: false,
            confinement: Confinement::None,
            rule_matcher: None,
            check_value: None,
        }
    }

    /// Adds what the tool's own check says of the call.
    #[must_use]
    pub fn with_check(mut self, check: impl CheckResult) -> Self {
        check.put(&mut self);
        self
    }

    /// Lets the check of this call have its way over what the tool declares of calls in general: whether it only reads,
    /// and with that whether it runs beside others.
    #[doc(hidden)]
    pub fn settle(&mut self) {
        let reads = match self.check {
            Check::ReadOnly => true,
            Check::Edit { .. } => false,
            _ => return,
        };
        let declared = self.annotations;
        if (declared.read_only == Some(true)) == reads {
            return;
        }
        self.annotations.read_only = Some(reads);
        if reads {
            self.annotations.destructive = None;
            self.risk = Risk::Low;
        } else {
            self.risk = self.risk.max(Risk::Medium);
        }
        // A tool that declares a concurrency of its own keeps it.
        if self.concurrency == declared.implied_concurrency() {
            self.concurrency = self.annotations.implied_concurrency();
        }
    }
}
