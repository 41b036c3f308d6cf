//! The facts of a call: the input of the permission decision, known before the body runs.

use std::any::Any;

use crate::capability::Confinement;
use crate::tool::annotations::{Annotations, Concurrency, Risk};
use crate::tool::check_value::CheckValue;
use crate::tool::context::ToolContext;
use crate::tool::coverage::Coverage;
use crate::tool::prepared::RuleMatcher;
use crate::tool::preview::Preview;
use crate::tool::spec::ToolSpec;

/// The facts of a call with valid arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// How much harm the call can do, judged from its arguments if the tool can do so.
    pub risk: Risk,
    /// MCP's hints.
    pub annotations: Annotations,
    /// Whether the call may run concurrently with others.
    pub concurrency: Concurrency,
    /// The result of the tool's own check.
    pub check: Check,
    /// Rules in the tool's own language that would cover this call and similar ones.
    pub suggested_rules: Vec<String>,
    /// The file system paths that the call reads or writes, if the tool distinguishes them.
    pub file_accesses: Vec<FileAccess>,
    /// The parts of the call, if rules are matched against parts: in the order of [`Coverage::parts`].
    pub parts: Vec<CallPart>,
    /// The change that the call would make, for the approver.
    pub preview: Option<Preview>,
    /// Whether a dry run of the call returns the diff of its changes.
    pub dry_run_shows_diff: bool,
    /// Whether a dry run of the call returns what the call would do.
    pub dry_run_shows_text: bool,
    /// The restrictions on the call while it runs.
    pub confinement: Confinement,
    /// The matcher for rules in the tool's own language.
    pub(crate) rule_matcher: Option<RuleMatcher>,
    /// The value that the check computed for the body.
    pub(crate) check_value: Option<CheckValue>,
}

/// A file system access of a call, which a policy checks against the dangerous paths, whatever the tool is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileAccess {
    /// The path in the spelling of the call: absolute, relative to the working folder, or below `~`.
    pub path: String,
    /// The kind of access.
    pub kind: AccessKind,
    /// Whether the path is a pattern in which `*`, `?` and `[…]` match existing names.
    pub is_pattern: bool,
    /// The part of the call that accesses the path, if the call has parts.
    pub part: Option<String>,
}

/// The kind of a file system access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// The path is read.
    Read,
    /// The path is created, changed or removed.
    Write,
    /// The path is an argument of a program whose effect on the path is unknown.
    Unknown,
}

/// A part of a call, such as one command of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallPart {
    /// The text of the part.
    pub text: String,
    /// Whether the part only reads, so that no allow rule has to cover it.
    pub read_only: bool,
}

impl FileAccess {
    /// Creates a read access.
    pub fn read(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            kind: AccessKind::Read,
            is_pattern: false,
            part: None,
        }
    }

    /// Creates a write access.
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

    /// Sets the part of the call that accesses the path.
    #[must_use]
    pub fn with_part(mut self, part: impl Into<String>) -> Self {
        self.part = Some(part.into());
        self
    }
}

impl CallPart {
    /// Creates a part that an allow rule has to cover.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            read_only: false,
        }
    }

    /// Creates a part that only reads.
    pub fn read_only(text: impl Into<String>) -> Self {
        Self {
            read_only: true,
            ..Self::new(text)
        }
    }
}

/// The result of a tool's own check of a call.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
/// use helve::tool::Check;
///
/// /// Asks before a mail leaves the company.
/// fn check_mail(_context: &ToolContext, to: &str) -> Check {
///     if to.ends_with("@example.org") { Check::Pass } else { Check::ask("the mail leaves the company") }
/// }
///
/// /// Sends a mail.
/// #[tool(check = check_mail)]
/// fn send_mail(
///     /// The address.
///     to: &str,
/// ) -> String {
///     format!("sent to {to}")
/// }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// No decision: the general rules apply.
    #[default]
    Pass,
    /// The call only reads, whatever the tool declares about calls in general.
    ReadOnly,
    /// The call is harmless in every mode.
    Allow,
    /// The call edits files at these paths and does nothing else: the call runs if the mode accepts edits and all
    /// paths are in the workspace.
    Edit {
        /// The paths in the spelling of the call, made absolute.
        paths: Vec<String>,
    },
    /// The call needs approval by the user.
    Ask {
        /// The reason, as text for the user.
        reason: String,
        /// Whether the question cannot be answered by a rule, or by any mode except possibly `Mode::Bypass`.
        safety: bool,
        /// Whether the question is also asked in `Mode::Bypass`.
        in_bypass: bool,
        /// The part of the call that causes the question, if the call has parts: one command of a command line.
        part: Option<String>,
    },
    /// The call must not run.
    Deny {
        /// The reason, as text for the model.
        reason: String,
        /// The part of the call that causes the denial, if the call has parts.
        part: Option<String>,
    },
}

impl Check {
    /// Creates a question that a rule or a mode may answer.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::asking(reason, false, false)
    }

    /// Creates a safety question that no rule answers: only the user does, or the choice of `Mode::Bypass`.
    pub fn ask_person(reason: impl Into<String>) -> Self {
        Self::asking(reason, true, false)
    }

    /// Creates a safety question that only the user answers, in every mode.
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

    /// Creates a denial.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny {
            reason: reason.into(),
            part: None,
        }
    }

    /// Sets the part of the call that causes the result; this has no effect on a check that does not stop the call.
    #[must_use]
    pub fn caused_by(mut self, deciding: impl Into<String>) -> Self {
        if let Self::Ask { part, .. } | Self::Deny { part, .. } = &mut self {
            *part = Some(deciding.into());
        }
        self
    }
}

/// The result of a tool's own check of a call, with the accesses and the parts of the call.
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
    /// The result.
    pub check: Check,
    /// The file system accesses of the call.
    pub file_accesses: Vec<FileAccess>,
    /// The parts of the call.
    pub parts: Vec<CallPart>,
    /// The change that the call would make.
    pub preview: Option<Preview>,
    /// Whether a dry run of the call returns the diff of its changes.
    pub dry_run_shows_diff: bool,
    /// Whether a dry run of the call returns what the call would do.
    pub dry_run_shows_text: bool,
    /// The restrictions on the call while it runs.
    pub confinement: Confinement,
    /// Rules that would cover the call and similar ones.
    pub suggested_rules: Vec<String>,
    /// The matcher for rules in the tool's own language.
    rule_matcher: Option<RuleMatcher>,
    /// The value that the check computed for the body.
    check_value: Option<CheckValue>,
}

impl Check {
    /// Adds the file system accesses of the call.
    pub fn with_accesses(self, touches: impl IntoIterator<Item = FileAccess>) -> CheckReport {
        CheckReport::from(self).with_accesses(touches)
    }

    /// Adds the parts of the call, in the order of the [`Coverage`] that the tool's `match_rule` returns.
    pub fn with_parts(self, parts: impl IntoIterator<Item = CallPart>) -> CheckReport {
        CheckReport::from(self).with_parts(parts)
    }

    /// Adds the change that the call would make, for the approver.
    pub fn with_preview(self, preview: Preview) -> CheckReport {
        CheckReport::from(self).with_preview(preview)
    }

    /// Declares that a dry run of the call returns its changes; see [`CheckReport::with_dry_run_diff`].
    pub fn with_dry_run_diff(self) -> CheckReport {
        CheckReport::from(self).with_dry_run_diff()
    }
}

impl CheckReport {
    /// Adds the file system accesses of the call.
    #[must_use]
    pub fn with_accesses(mut self, touches: impl IntoIterator<Item = FileAccess>) -> Self {
        self.file_accesses.extend(touches);
        self
    }

    /// Adds the parts of the call.
    #[must_use]
    pub fn with_parts(mut self, parts: impl IntoIterator<Item = CallPart>) -> Self {
        self.parts.extend(parts);
        self
    }

    /// Adds the change that the call would make, for the approver.
    #[must_use]
    pub fn with_preview(mut self, preview: Preview) -> Self {
        self.preview = Some(preview);
        self
    }

    /// Declares that a dry run of the call returns its changes.
    ///
    /// In a dry run ([`ToolContext::is_dry_run`]) the tool must change nothing, and return a unified diff to the end, below
    /// a summary. It is called for the question about the call and in a dry run of an agent.
    #[must_use]
    pub fn with_dry_run_diff(mut self) -> Self {
        self.dry_run_shows_diff = true;
        self
    }

    /// Declares that a dry run of the call does nothing, and returns what the call would do. No question shows it.
    #[must_use]
    pub fn with_dry_run_text(mut self) -> Self {
        self.dry_run_shows_text = true;
        self
    }

    /// Sets the confinement that the check is based on. The code that runs the call enforces it.
    #[must_use]
    pub fn with_confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self
    }

    /// Adds rules that would cover the call and similar ones, in place of a function `suggest_rules`.
    #[must_use]
    pub fn with_suggested_rules(mut self, rules: impl IntoIterator<Item = String>) -> Self {
        self.suggested_rules.extend(rules);
        self
    }

    /// Sets the function that returns which parts of the call a rule covers, in place of a function `match_rule`.
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

    /// Passes a value to the body of the call, which gets it from [`ToolContext::check_value`]. The body then uses
    /// exactly the value that was judged, and the value is computed once.
    ///
    /// A call has one value; a later value replaces the previous one.
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

/// The return type of a function for `#[tool(check = …)]`.
#[diagnostic::on_unimplemented(
    message = "a tool's check cannot return `{Self}`",
    label = "not a check",
    note = "return `helve::Check`, or what `Check::with_accesses` makes of one"
)]
pub trait CheckResult {
    /// Adds the result to the facts of the call.
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
        facts.dry_run_shows_text = self.dry_run_shows_text;
        facts.confinement = self.confinement;
        facts.suggested_rules = self.suggested_rules;
        facts.rule_matcher = self.rule_matcher;
        facts.check_value = self.check_value;
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
            dry_run_shows_text: false,
            confinement: Confinement::None,
            rule_matcher: None,
            check_value: None,
        }
    }

    /// Adds the result of the tool's own check.
    #[must_use]
    pub fn with_check(mut self, check: impl CheckResult) -> Self {
        check.put(&mut self);
        self
    }

    /// Lets the check of this call override what the tool declares about calls in general: whether the call only
    /// reads, and therefore whether it may run concurrently with others.
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
        // A concurrency that the tool declares explicitly is kept.
        if self.concurrency == declared.implied_concurrency() {
            self.concurrency = self.annotations.implied_concurrency();
        }
    }
}
