//! Permission: what a policy says about a call, and who answers when it says "ask".
//!
//! A [`Policy`] has a [`Mode`] and [`Rules`], and judges a call before anything runs: [`Policy::judge`] gives a
//! [`Judgement`] with the [`Verdict`] and what decided it. Where the verdict is to ask, an [`Approver`] is asked a
//! [`Question`] and makes a [`Decision`].
//!
//! Rules that outlive a session are in files: what a project's file allows holds only while the user has accepted what
//! it says. [`call`] is the pipeline that judges and runs a call, [`acceptances`] the store of what a user has accepted.
//!
//! Everything here fails closed: without an approver, a call that needs approval is denied.

pub mod acceptances;
mod approver;
pub mod call;
mod ceiling;
mod dangerous;
mod decision;
mod egress;
pub(crate) mod git_push;
mod judge;
mod judgement;
mod level;
mod mode;
mod path_resolution;
pub mod paths;
mod policy;
mod policy_record;
mod question;
mod rule;
mod rule_file;
mod rule_files;
mod rules;
#[cfg(feature = "shell")]
pub mod shell;
mod sinks;
mod unaccepted_rules;
mod verdict;

pub use approver::{Answer, Approver, DeferAll, DenyAll, TimeLimitedApprover};
pub use dangerous::{DangerousPathSetting, DangerousPaths, InvalidPattern};
pub use decision::Decision;
pub use egress::{egress_gate, label_downloads};
pub use judgement::{Decider, Judgement};
pub use mode::{Mode, UnknownMode};
pub use policy::Policy;
pub use policy_record::PolicyRecord;
pub use question::{PartStatus, Question, QuestionPart};
pub use rule::{InvalidRule, Rule, RuleScope};
pub use rule_file::{RuleFile, RuleFileError};
pub use rule_files::{LoadedRules, RuleFiles};
pub use rules::Rules;
pub use sinks::{KnownUrls, UntrustedPolicy, collect_strings};
pub use unaccepted_rules::UnacceptedRules;
pub use verdict::Verdict;

pub use helve_core::transcript::{Grade, Label, Source};
