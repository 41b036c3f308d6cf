//! Skills: folders of instructions that are embedded in the binary or read from sources, and their
//! rendering for a model.
//!
//! [`include_skills!`](crate::include_skills) checks and embeds a folder at compile time. A
//! [`SkillSource`] provides further skills: a [`SkillFolder`] of this machine, a server, or a custom
//! source. A [`SkillCatalog`] is a selection of skills: [`SkillCatalog::prompt`] renders the list for
//! the system prompt, and [`SkillCatalog::load`] returns one skill for a model. A [`SkillLibrary`]
//! holds a catalogue that follows its sources, and has the tools.

// The tools of this crate are written with the public macro, whose expansion names `::helve::…`.
#[allow(
    unused_extern_crates,
    reason = "the lint does not see the paths that a macro writes"
)]
extern crate helve_core as helve;

#[doc(hidden)]
pub mod __private;
mod active_skills;
mod availability;
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
#[cfg(all(unix, any(feature = "install", feature = "sandbox")))]
mod projection;
mod prompt;
mod registration;
mod runnable;
pub mod scan;
#[cfg(all(unix, feature = "sandbox"))]
mod script;
mod skill;
mod source;
mod substitute;
mod tool;
mod tools;
mod write_folder;

pub use active_skills::{ActiveSkill, ActiveSkills};
pub use availability::SkillAvailability;
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
#[doc(hidden)]
#[cfg(all(unix, any(feature = "install", feature = "sandbox")))]
pub use projection::remove_projected;
#[cfg(all(unix, any(feature = "install", feature = "sandbox")))]
pub use projection::{ProjectedFile, ProjectionError, SkillProjection};
pub use prompt::budget as prompt_budget;
#[doc(hidden)]
pub use runnable::is_script;
#[cfg(all(unix, feature = "sandbox"))]
pub use script::SkillScripts;
pub use skill::{Skill, SkillBuilder, SkillFile};
pub use source::{SkillList, SkillProblem, SkillSource, SourceFuture};
pub use substitute::Substitution;
pub use tool::{LOAD_SKILL, READ_SKILL_FILE, requested_skill};
#[doc(hidden)]
pub use write_folder::{NewFile, WriteSkillError, write_skill};

/// Embeds every skill of a folder into the binary.
///
/// ```
/// helve::include_skills!("tests/skills");
/// helve::include_skills!("tests/more-skills", profile = "mcp", exclude = ["drafts/", "*.psd"]);
/// # fn main() {}
/// ```
///
/// The path is relative to the folder of the package's `Cargo.toml`. Each direct subfolder is a skill
/// of the [Agent Skills](https://agentskills.io) specification: a `SKILL.md` that begins with `name`
/// and `description`, and any other files. All skills are checked at compile time, and all of their
/// problems are reported in one error.
///
/// | argument | meaning |
/// |---|---|
/// | `profile = "spec"` | the rules that skills must follow: `"spec"`, the specification; `"skills-ref"`, the reference validator; `"mcp"`, the rules for skills of MCP |
/// | `exclude = ["drafts/", "*.psd"]` | patterns to leave out, as in a `.gitignore` in the folder; `.git`, `.DS_Store`, `__pycache__` and `node_modules` are always left out |
/// | `compress = "zstd"` | stores files compressed if that saves at least a tenth, and decompresses them on first use; needs the feature `skills-zstd` |
///
/// The macro hashes every file. This takes some 25 ms per megabyte, because cargo builds macros without
/// optimisation. For a folder of many megabytes, `opt-level = 3` in `[profile.dev.package.sha2]` and
/// `[profile.release.package.sha2]` makes hashing ten times as fast.
///
/// The text of each `SKILL.md` is never compressed. Files are compressed whenever the package is
/// compiled: a separate package for the skills avoids repeated compression.
///
/// A change to an embedded file triggers a rebuild. To detect added and removed files, and to show
/// warnings, the package needs a `build.rs` with the one line `helve::build::watch("skills");`, and
/// `helve` with only the feature `build` in its `[build-dependencies]`.
///
/// The skills are registered under the package that calls the macro: see
/// [`SkillCatalog::for_packages`](crate::SkillCatalog::for_packages). A build with debug assertions
/// records the folder, and [`SkillSet::drift`](crate::SkillSet::drift) reports the changes in the
/// folder; other builds contain no path.
#[macro_export]
macro_rules! include_skills {
    ($($arguments:tt)*) => {
        $crate::__private::include_skills_impl!($crate; $($arguments)*);
    };
}
