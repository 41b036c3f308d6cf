//! The recorded configuration of a policy.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::level::{Ceiling, PolicyConfig};
use super::{AccessScope, DangerousPaths, Mode, Policy, Rules, UntrustedPolicy};
use helve_core::transcript::ToolName;

/// The configuration of a policy or of one of its ceilings. Rules granted at run time are not included: answers are
/// recorded separately.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PolicyRecord {
    /// The mode.
    pub mode: Mode,
    /// The rules.
    #[serde(default, skip_serializing_if = "Rules::is_empty")]
    pub rules: Rules,
    /// The folders whose files an edit may change where the mode accepts edits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    working_folders: Vec<String>,
    /// The patterns of dangerous paths, in addition to the default patterns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dangerous: Vec<String>,
    /// Whether the default patterns were removed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    without_defaults: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unlisted_allow: bool,
    /// The calls that ask after untrusted text was read.
    #[serde(default)]
    untrusted: UntrustedPolicy,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    even_tainted: Vec<String>,
    /// The limits on the accesses of calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scopes: Vec<AccessScope>,
    /// The tools that are available to the delegating agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tools: Option<BTreeSet<ToolName>>,
}

impl PolicyRecord {
    fn from_config(mode: Mode, fixed: &PolicyConfig, tools: Option<&BTreeSet<ToolName>>) -> Self {
        let (has_defaults, dangerous) = fixed.dangerous.split_defaults();
        let folders = fixed
            .working_folders
            .iter()
            .map(|path| path.to_string_lossy());
        Self {
            mode,
            rules: fixed.rules.clone(),
            working_folders: folders.map(Cow::into_owned).collect(),
            dangerous: dangerous.map(str::to_owned).collect(),
            without_defaults: !has_defaults,
            unlisted_allow: fixed.allow_unlisted,
            untrusted: fixed.untrusted,
            even_tainted: fixed.even_tainted.clone(),
            scopes: fixed.scopes.clone(),
            tools: tools.cloned(),
        }
    }

    /// Returns the recorded ceiling. If this version cannot parse the patterns, those of `present` are used.
    fn to_ceiling(&self, present: &PolicyConfig) -> Ceiling {
        let defaults = if self.without_defaults {
            DangerousPaths::empty()
        } else {
            DangerousPaths::default()
        };
        let dangerous = defaults.with(&self.dangerous);
        let fixed = PolicyConfig {
            mode: self.mode,
            inherits_mode: false,
            rules: self.rules.clone(),
            working_folders: self.working_folders.iter().map(PathBuf::from).collect(),
            dangerous: dangerous.unwrap_or_else(|_| present.dangerous.clone()),
            allow_unlisted: self.unlisted_allow,
            untrusted: self.untrusted,
            even_tainted: self.even_tainted.clone(),
            scopes: self.scopes.clone(),
            no_conversation: present.no_conversation,
        };
        Ceiling {
            config: Arc::new(fixed),
            tools: self.tools.clone().map(Arc::new),
            is_recorded: true,
        }
    }
}

impl Policy {
    /// Returns the configuration of this policy, followed by the configurations of its ceilings.
    #[doc(hidden)]
    pub fn records(&self) -> Vec<PolicyRecord> {
        let (ceilings, approval) = (self.ceilings.iter(), self.plan_approval());
        let above = ceilings.map(|ceiling| (&ceiling.config, ceiling.tools.as_deref()));
        std::iter::once((&self.config, None))
            .chain(above)
            .map(|(config, tools)| {
                PolicyRecord::from_config(config.mode_after(approval.as_ref()), config, tools)
            })
            .collect()
    }

    /// Returns a policy that permits only what this policy and all recorded policies permit.
    #[must_use]
    #[doc(hidden)]
    pub fn with_recorded_ceilings(&self, records: &[PolicyRecord]) -> Self {
        let recorded = records.iter();
        self.with_more_ceilings(recorded.map(|record| record.to_ceiling(&self.config)))
    }
}
