//! Skills: folders of instructions that ship in the binary or lie in a folder, and their texts for a model.
//!
//! [`include_skills!`](crate::include_skills) checks and embeds a folder at compile time; a [`SkillSource`] has others: a
//! [`SkillFolder`] of this machine, a server, one of your own. A [`SkillCatalog`] is a choice among them:
//! [`SkillCatalog::prompt`] is the list that a model sees from the start, [`SkillCatalog::load`] what it gets when it asks
//! for one skill. A [`SkillLibrary`] holds a catalogue that follows its sources, and has the tools.

// The tools of this package are written with the public macro, whose expansion says `::helve::…`.
#[allow(
    unused_extern_crates,
    reason = "the lint does not see the paths that a macro writes"
)]
extern crate helve_core as helve;

#[doc(hidden)]
pub mod __private;
mod active_skills;
mod catalog;
mod digest;
mod embedded;
mod environment;
mod error;
mod file_view;
mod filter;
mod folder;
mod front_matter;
mod library;
mod loaded_skill;
mod note;
mod origin;
#[cfg(all(unix, feature = "sandbox"))]
mod projection;
mod prompt;
mod registration;
pub mod scan;
#[cfg(all(unix, feature = "sandbox"))]
mod script;
mod skill;
mod source;
mod substitute;
mod tool;
mod tools;

pub use active_skills::{ActiveSkill, ActiveSkills};
pub use catalog::SkillCatalog;
pub use digest::{DigestInput, InvalidDigest, SkillDigest};
pub use embedded::{Drift, EmbeddedFile, EmbeddedFileError, EmbeddedSkill, SkillSet};
pub use environment::SkillEnvironment;
pub use error::{CatalogError, DuplicateSkill, SkillError};
pub use filter::SkillFilter;
pub use folder::SkillFolder;
pub use front_matter::parse;
pub use helve_skill_format::{FrontMatter, ParsedManifest};
pub use library::SkillLibrary;
pub use loaded_skill::LoadedSkill;
pub use note::SkillNote;
pub use origin::SkillOrigin;
#[cfg(all(unix, feature = "sandbox"))]
pub use projection::{ProjectedFile, ProjectionError, SkillProjection};
pub use prompt::budget as prompt_budget;
#[cfg(all(unix, feature = "sandbox"))]
pub use script::SkillScripts;
pub use skill::{Skill, SkillBuilder, SkillFile};
pub use source::{SkillList, SkillProblem, SkillSource, SourceFuture};
pub use substitute::Substitution;
pub use tool::{LOAD_SKILL, READ_SKILL_FILE, requested_skill};

/// Embeds every skill of a folder into the binary.
///
/// ```
/// helve::include_skills!("tests/skills");
/// helve::include_skills!("tests/more-skills", profile = "mcp", exclude = ["drafts/", "*.psd"]);
/// # fn main() {}
/// ```
///
/// The path is relative to the folder of the package's `Cargo.toml`. Each direct subfolder is a skill of the
/// [Agent Skills](https://agentskills.io) specification: a `SKILL.md` that begins with `name` and `description`, and
/// whatever files it needs. Everything is checked while compiling, and all problems of all skills are one error.
///
/// | argument | says |
/// |---|---|
/// | `profile = "spec"` | what a skill has to be: `"spec"`, the specification; `"skills-ref"`, what its reference validator accepts; `"mcp"`, what MCP's skills may be |
/// | `exclude = ["drafts/", "*.psd"]` | what to leave out, as in a `.gitignore` in the folder; `.git`, `.DS_Store`, `__pycache__` and `node_modules` are left out anyway |
/// | `compress = "zstd"` | that files which shrink by a tenth lie compressed in the binary, and are unpacked when they are first read; needs the feature `skills-zstd` |
///
/// The macro hashes every file, some 25 ms for a megabyte as cargo builds macros, which is without optimisation. For a
/// folder of many megabytes `[profile.dev.package.sha2]` and `[profile.release.package.sha2]`, each with `opt-level = 3`,
/// make that ten times as fast.
///
/// The text of each `SKILL.md` is never compressed. To compress takes time whenever the package is compiled: a package
/// of its own for the skills keeps that rare.
///
/// A change to an embedded file causes a new build. For a file that is added or removed, and for warnings, the package
/// needs a `build.rs` with the one line `helve::build::watch("skills");`, and `helve` with the feature `build` alone
/// among its `[build-dependencies]`.
///
/// The skills are registered under the package that calls this: see
/// [`SkillCatalog::for_packages`](crate::SkillCatalog::for_packages). A build with debug assertions remembers
/// the folder, and [`SkillSet::drift`](crate::SkillSet::drift) says what has changed in it; others carry no path.
#[macro_export]
macro_rules! include_skills {
    ($($arguments:tt)*) => {
        $crate::__private::include_skills_impl!($crate; $($arguments)*);
    };
}
