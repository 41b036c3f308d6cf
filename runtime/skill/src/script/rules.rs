//! The syntax of permission rules for scripts of skills.
//!
//! | rule | covers |
//! |---|---|
//! | `user:pdf@5e0c…/scripts/*.py` | these scripts of the user's skill `pdf`, as long as its files have this digest |
//! | `user:pdf@5e0c…` | all of its scripts |
//! | `pdf/scripts/*.py`, `pdf` | in a deny rule: every skill with that name; in an allow rule: the embedded one |
//!
//! A name does not identify a skill of a folder, because another skill may have the same name later.

use std::sync::Arc;

use super::normalize_path;
use crate::{Skill, SkillLibrary, SkillOrigin};
use helve_core::schema::Mistakes;
use helve_core::tool::{Coverage, PreparedCall, Tool, ToolContext, ToolWrapper};
use helve_storage::glob;

/// The number of digits of a digest in a rule.
const DIGEST_DIGITS: usize = 32;

/// The tool that runs scripts, with rules that identify the existing skills.
pub(super) struct SkillScriptTool {
    pub(super) tool: Arc<dyn Tool>,
    pub(super) library: Arc<SkillLibrary>,
}

/// The arguments that rules apply to.
#[derive(serde::Deserialize)]
struct ScriptArguments {
    skill: String,
    script: String,
}

impl ToolWrapper for SkillScriptTool {
    fn inner(&self) -> &dyn Tool {
        &*self.tool
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let prepared = self.tool.prepare(context, arguments)?;
        let Ok(named) = serde_json::from_str::<ScriptArguments>(prepared.text()) else {
            return Ok(prepared);
        };
        let catalog = self.library.current();
        let Ok(skill) = catalog.find(&named.skill) else {
            return Ok(prepared);
        };
        let subject = ScriptSubject::new(skill, normalize_path(&named.script));
        let prepared = prepared.with_suggested_rules(subject.suggestions());
        Ok(prepared.with_rule_matcher(move |_, rule| Some(subject.coverage(rule))))
    }
}

/// A script of a skill, as rules identify it.
struct ScriptSubject {
    name: String,
    /// The origin of the skill, its name and its digest.
    identity: String,
    is_embedded: bool,
    script: String,
}

impl ScriptSubject {
    fn new(skill: &Skill, script: &str) -> Self {
        let (name, origin) = (skill.name().to_owned(), skill.origin());
        let digest = skill.digest().to_string();
        let digest = digest.get(..DIGEST_DIGITS).unwrap_or(&digest);
        Self {
            identity: format!("{}:{name}@{digest}", origin_kind(&origin)),
            is_embedded: origin.is_embedded(),
            script: script.to_owned(),
            name,
        }
    }

    /// Returns the coverage of a rule: the rule must match the script by its path, and exactly this
    /// skill.
    fn coverage(&self, rule: &str) -> Coverage {
        if let Some(rest) = rule.strip_prefix(&self.identity) {
            let is_covered = match rest.strip_prefix('/') {
                Some(pattern) => self.is_named(&format!("{}/{pattern}", self.name)),
                None => rest.is_empty(),
            };
            return Coverage::from_parts([is_covered, is_covered]);
        }
        coverage_by_name(self.is_named(rule), self.is_embedded)
    }

    fn is_named(&self, pattern: &str) -> bool {
        glob::covers(pattern, &format!("{}/{}", self.name, self.script))
    }

    fn suggestions(&self) -> Vec<String> {
        let begin = match self.is_embedded {
            true => &self.name,
            false => &self.identity,
        };
        let exact = format!("{begin}/{}", self.script);
        // A wildcard in the name would cover more than the name.
        let means_more = |c: char| c.is_control() || "*?[]{}()\\!".contains(c);
        if exact.contains(means_more)
            || self.name.contains('/')
            || self.script.split('/').any(|name| name == "..")
        {
            return Vec::new();
        }
        vec![exact, format!("{begin}/*")]
    }
}

/// Returns the coverage of a rule that names a skill without its digest.
pub(super) fn coverage_by_name(is_named: bool, is_embedded: bool) -> Coverage {
    Coverage::from_parts([is_named, is_named && is_embedded])
}

fn origin_kind(origin: &SkillOrigin) -> &'static str {
    match origin {
        SkillOrigin::Embedded { .. } => "embedded",
        SkillOrigin::User { .. } => "user",
        SkillOrigin::Project { .. } => "project",
        SkillOrigin::Folder { .. } => "folder",
        SkillOrigin::Server { .. } => "server",
        SkillOrigin::Other(_) => "other",
    }
}
