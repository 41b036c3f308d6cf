//! Permission: what a policy says about a call, and who answers when it says "ask".
//!
//! A [`Policy`] has a [`Mode`] and [`Rules`], and judges a call before anything runs: [`Policy::judge`] gives a
//! [`Judgement`] with the [`Verdict`] and what decided it. Where the verdict is to ask, an [`Approver`] is asked a
//! [`Question`] and makes a [`Decision`].
//!
//! Rules that outlive a session are in files, with the feature `app`: what a project's file allows holds only while the
//! user has accepted what it says.
//!
//! Everything here fails closed: without an approver, a call that needs approval is denied.

mod approver;
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
#[cfg(feature = "app")]
mod rule_file;
#[cfg(feature = "app")]
mod rule_files;
mod rules;
#[cfg(feature = "shell")]
pub mod shell;
mod sinks;
#[cfg(feature = "app")]
mod unaccepted_rules;
mod verdict;

pub use approver::{Answer, Approver, DeferAll, DenyAll, TimeLimitedApprover};
#[cfg(feature = "app")]
pub(crate) use dangerous::DangerousPathSetting;
pub use dangerous::{DangerousPaths, InvalidPattern};
pub use decision::Decision;
pub(crate) use egress::{egress_gate, label_downloads};
pub use judgement::{Decider, Judgement};
pub use mode::{Mode, UnknownMode};
pub use policy::Policy;
pub use policy_record::PolicyRecord;
pub use question::{PartStatus, Question, QuestionPart};
pub use rule::{InvalidRule, Rule, RuleScope};
#[cfg(feature = "app")]
pub use rule_file::{RuleFile, RuleFileError};
#[cfg(feature = "app")]
pub use rule_files::{LoadedRules, RuleFiles};
pub use rules::Rules;
pub use sinks::UntrustedPolicy;
pub(crate) use sinks::{KnownUrls, collect_strings};
#[cfg(feature = "app")]
pub use unaccepted_rules::UnacceptedRules;
pub use verdict::Verdict;

pub use crate::transcript::{Grade, Label, Source};
