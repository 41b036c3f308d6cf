//! What an [Agent Skill](https://agentskills.io) is on disk: depend on `helve`, not on this.
//!
//! A folder is walked, each skill in it read and checked against the rules, and all that is wrong is one report. The
//! macro embeds what is found here, the build helper warns of it, and the runtime reads folders of skills by it.

mod check;
pub mod codes;
mod front_matter;
mod report;
mod skill;
mod walk;

use std::path::Path;

pub use front_matter::{Field, FrontMatter};
pub use report::{Code, Finding, Position, Report};
pub use skill::{File, Skill};
pub use walk::SKILL_MD;

/// Reads and checks every skill in a folder, shown as `shown` in messages, or says everything that is wrong there.
///
/// # Errors
///
/// With every problem of every skill, in the shape of a compiler message.
pub fn read(folder: &Path, shown: &str) -> Result<Vec<Skill>, String> {
    let mut report = Report::new(shown);
    let folders = walk::walk(folder, &mut report);
    let skills = folders
        .iter()
        .filter_map(|folder| skill::read(folder, &mut report))
        .collect();
    report.finish().map(|()| skills)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
