//! The file format of [Agent Skills](https://agentskills.io): depend on `helve`, not on this crate.
//!
//! A folder is walked in sorted order, each skill in it is read and checked, and all problems are reported together,
//! each with a stable [code](codes), its position and advice. The macro embeds the skills that this crate finds, the
//! build helper prints its warnings, and the runtime uses it to read folders of skills.
//!
//! - [`read`] reads a folder of skills, [`read_skill`] the folder of one, [`parse`] the text of one SKILL.md.
//! - A [`Profile`] selects the rules, and [`Options`] the other settings.
//! - A [`Collection`] contains the skills without errors, and the problems of all skills.
//! - [`parse_agent`] reads the text of an agent file, whose front matter describes an agent.
//!
//! # Limits
//!
//! A folder may come from any source, so that everything that is read has a limit: see [`limits`]. Symbolic links are
//! followed only within their skill. Front matter is parsed event by event, and nothing in it is expanded.
//!
//! # Speed
//!
//! Reading and checking a SKILL.md of usual size takes about 20 µs. Reading and hashing the other files takes longer.
//! A catalogue therefore disables [`Options::digests`], lists thousands of skills by their front matter, and calls
//! [`FileInfo::inspect`] when a file is requested.

mod agent_file;
mod body;
pub mod build;
mod check;
pub mod codes;
mod collection;
mod front_matter;
mod invisible;
pub mod limits;
mod manifest;
mod options;
mod problem;
mod profile;
mod report;
mod skill;
mod walk;

use std::collections::BTreeMap;
use std::path::Path;

pub use agent_file::{
    AgentField, AgentFile, AgentProblem, AgentValue, FoundAgentFile, MAX_AGENT_FILE, line_of_name,
    parse_agent, read_agent_file, read_agent_files,
};
pub use check::HOST_FIELDS;
pub use codes::Code;
pub use collection::Collection;
pub use front_matter::{Field, FrontMatter, TypedValue, Value, allowed_tools, parse_typed};
pub use invisible::invisible_characters;
pub use manifest::{ParsedManifest, parse};
pub use options::Options;
pub use problem::{Position, Problem, Severity};
pub use profile::Profile;
pub use skill::{FileInfo, Skill};
pub use walk::SKILL_MD;

use problem::Finding;
use report::Report;

/// Reads and checks every skill in a folder, which messages call `shown`.
///
/// A skill is a direct subfolder with a SKILL.md. The function does not fail: a folder that does not exist is
/// reported as a problem.
#[must_use]
pub fn read(folder: &Path, shown: &str, options: &Options) -> Collection {
    let mut report = Report::new(shown, options.profile);
    let (folders, found) = walk::walk(folder, options, &mut report);
    let mut skills: Vec<Skill> = Vec::with_capacity(folders.len());
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for folder in folders {
        let below = folder.path("");
        let Some(skill) = skill::read(folder, options, &mut report) else {
            continue;
        };
        match names.get(&skill.name) {
            Some(first) => {
                let message = format!("`{first}` is also named `{}`", skill.name);
                let finding = Finding::new(codes::NAME_TWICE, message);
                let finding = finding.with_help("rename one of the two, or delete it");
                report.skill(&skill.folder, &below, finding);
            }
            None => {
                names.insert(skill.name.clone(), skill.folder.clone());
                skills.push(skill);
            }
        }
    }
    Collection::new(shown, false, found, skills, report.problems)
}

/// Reads and checks a folder that is a single skill, which messages call `shown`.
#[must_use]
pub fn read_skill(folder: &Path, shown: &str, options: &Options) -> Collection {
    let mut report = Report::new(shown, options.profile);
    let skill = walk::single(folder, options, &mut report)
        .and_then(|folder| skill::read(folder, options, &mut report));
    Collection::new(shown, true, 1, skill.into_iter().collect(), report.problems)
}
