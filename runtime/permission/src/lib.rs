//! Permissions: policies that judge calls, and approvers that answer permission questions.
//!
//! A [`Policy`] has a [`Mode`] and [`Rules`], and judges a call before the call runs: [`Policy::judge`] returns a
//! [`Judgement`] with the [`Verdict`] and the rule or layer that decided. If the verdict is to ask, an [`Approver`]
//! receives a [`Question`] and returns a [`Decision`].
//!
//! Rules that outlive a session are stored in files. The allow rules of a project's file apply only while the user has
//! accepted the content of the file. [`call`] is the pipeline that judges and runs a call, and [`acceptances`] is the
//! store of accepted content.
//!
//! Everything in this crate fails closed: without an approver, a call that needs approval is denied.

pub mod acceptances;
mod access_scope;
mod access_store;
mod approver;
pub mod call;
mod ceiling;
mod dangerous;
mod decision;
mod egress;
pub(crate) mod git_push;
mod host_limit;
mod judge;
mod judgement;
mod level;
mod mode;
mod path_resolution;
pub mod paths;
mod policy;
mod policy_record;
mod question;
mod read_label;
mod rule;
mod rule_file;
mod rule_files;
mod rules;
#[cfg(feature = "shell")]
pub mod shell;
mod sinks;
mod tool_aliases;
#[doc(hidden)]
pub mod tool_names;
mod tool_sandbox;
mod unaccepted_rules;
mod verdict;

pub use access_scope::AccessScope;
pub use access_store::AccessStore;
pub use approver::{Answer, Approver, DeferAll, DenyAll, TimeLimitedApprover};
pub use dangerous::{DangerousPathSetting, DangerousPaths, InvalidPattern};
pub use decision::Decision;
pub use egress::{egress_gates, label_downloads};
pub use judge::PRESENT_PLAN;
pub use judgement::{Decider, Judgement};
pub use mode::{Mode, UnknownMode};
pub use policy::Policy;
pub use policy_record::PolicyRecord;
pub use question::{PartStatus, Question, QuestionPart};
pub use read_label::read_label;
pub use rule::{InvalidRule, Rule, RuleScope};
pub use rule_file::{RuleFile, RuleFileError};
pub use rule_files::{LoadedRules, RuleFiles};
pub use rules::Rules;
pub use sinks::{KnownUrls, UntrustedPolicy, collect_strings};
pub use unaccepted_rules::UnacceptedRules;
pub use verdict::Verdict;

pub use helve_core::transcript::{Grade, Label, Source};
