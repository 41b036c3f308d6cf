//! What a policy was made with, as it is written down.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::level::{Ceiling, PolicyConfig};
use super::{DangerousPaths, Mode, Policy, Rules, UntrustedPolicy};
use helve_core::transcript::ToolName;

/// What a policy, or one that binds it, was made with. What was granted at work is no part of it: answers are recorded by
/// themselves.
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
    /// The patterns of dangerous paths, besides those that there are without a word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dangerous: Vec<String>,
    /// Whether those that there are without a word were taken out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    without_defaults: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unlisted_allow: bool,
    /// What asks after untrusted text was read.
    #[serde(default)]
    untrusted: UntrustedPolicy,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    even_tainted: Vec<String>,
    /// The tools that there were above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tools: Option<BTreeSet<ToolName>>,
}

impl PolicyRecord {
    fn from_config(fixed: &PolicyConfig, tools: Option<&BTreeSet<ToolName>>) -> Self {
        let (has_defaults, dangerous) = fixed.dangerous.split_defaults();
        let folders = fixed
            .working_folders
            .iter()
            .map(|path| path.to_string_lossy());
        Self {
            mode: fixed.mode,
            rules: fixed.rules.clone(),
            working_folders: folders.map(Cow::into_owned).collect(),
            dangerous: dangerous.map(str::to_owned).collect(),
            without_defaults: !has_defaults,
            unlisted_allow: fixed.allow_unlisted,
            untrusted: fixed.untrusted,
            even_tainted: fixed.even_tainted.clone(),
            tools: tools.cloned(),
        }
    }

    /// Returns the ceiling that it was. Patterns that this version cannot read are those of the present.
    fn to_ceiling(&self, present: &PolicyConfig) -> Ceiling {
        let defaults = if self.without_defaults {
            DangerousPaths::empty()
        } else {
            DangerousPaths::default()
        };
        let dangerous = defaults.with(&self.dangerous);
        let fixed = PolicyConfig {
            mode: self.mode,
            rules: self.rules.clone(),
            working_folders: self.working_folders.iter().map(PathBuf::from).collect(),
            dangerous: dangerous.unwrap_or_else(|_| present.dangerous.clone()),
            allow_unlisted: self.unlisted_allow,
            untrusted: self.untrusted,
            even_tainted: self.even_tainted.clone(),
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
    /// Returns what this policy was made with, and after it what each of those was made with that bind it.
    #[doc(hidden)]
    pub fn records(&self) -> Vec<PolicyRecord> {
        let ceilings = self.ceilings.iter();
        let above = ceilings.map(|ceiling| (&ceiling.config, ceiling.tools.as_deref()));
        std::iter::once((&self.config, None))
            .chain(above)
            .map(|(config, tools)| PolicyRecord::from_config(config, tools))
            .collect()
    }

    /// Returns a policy that lets through no more than this one, and no more than those did that were recorded.
    #[must_use]
    #[doc(hidden)]
    pub fn with_recorded_ceilings(&self, records: &[PolicyRecord]) -> Self {
        let recorded = records.iter();
        self.with_more_ceilings(recorded.map(|record| record.to_ceiling(&self.config)))
    }
}
