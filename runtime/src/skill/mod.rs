//! Skills: folders of instructions that ship in the binary or lie in a folder, and what a model is told of them.
//!
//! [`include_skills!`](crate::include_skills) checks and embeds a folder at compile time; a [`SkillSource`] has others: a
//! [`SkillFolder`] of this machine, a server, one of your own. A [`SkillCatalog`] is a choice among them:
//! [`SkillCatalog::prompt`] is the list that a model sees from the start, [`SkillCatalog::load`] what it gets when it asks
//! for one skill. A [`SkillLibrary`] holds a catalogue that follows its sources, and has the tools.

mod active;
mod catalog;
mod digest;
mod embedded;
mod error;
mod filter;
mod folder;
mod front_matter;
mod library;
mod load;
mod note;
mod origin;
#[doc(hidden)]
pub mod private;
#[cfg(all(unix, feature = "sandbox"))]
mod projection;
mod prompt;
mod registration;
pub mod scan;
#[cfg(all(unix, feature = "sandbox"))]
#[expect(
    unsafe_code,
    reason = "a linker section, which linkme blames on the crate that declares the slice"
)]
mod script;
#[expect(
    clippy::module_inception,
    reason = "the file of one type is called as the type is"
)]
mod skill;
mod source;
mod substitute;
mod surroundings;
#[expect(
    unsafe_code,
    reason = "a linker section, which linkme blames on the crate that declares the slice"
)]
mod tool;

pub use active::{ActiveSkill, ActiveSkills};
pub use catalog::SkillCatalog;
pub use digest::{DigestedFile, InvalidDigest, SkillDigest};
pub use embedded::{EmbeddedFile, EmbeddedSkill, SkillSet};
pub use error::{CatalogError, Duplicate, SkillError};
pub use filter::SkillFilter;
pub use folder::SkillFolder;
pub use helve_skill_format::FrontMatter;
pub use library::SkillLibrary;
pub use load::LoadedSkill;
pub use note::SkillNote;
pub use origin::SkillOrigin;
#[cfg(all(unix, feature = "sandbox"))]
pub use projection::{ProjectedFile, ProjectionError, SkillProjection};
pub use prompt::budget as prompt_budget;
#[cfg(all(unix, feature = "sandbox"))]
pub use script::SkillScripts;
pub use skill::{Skill, SkillBuilder, SkillFile};
pub use source::{SkillList, SkillProblem, SkillSource};
pub use substitute::substitute;
pub use surroundings::SkillSurroundings;

/// Embeds every skill of a folder into the binary.
///
/// The path is relative to the folder of the package's `Cargo.toml`. Each direct subfolder is a skill of the
/// [Agent Skills](https://agentskills.io) specification: a `SKILL.md` that begins with `name` and `description`, and
/// whatever files it needs. Everything is checked while compiling, and all problems of all skills are one error.
///
/// A change to an embedded file builds anew. For a file that is added or removed the package needs a `build.rs` that
/// prints `cargo::rerun-if-changed=skills`.
///
/// The skills are registered under the package that calls this: see
/// [`SkillCatalog::for_packages`](crate::skill::SkillCatalog::for_packages).
#[macro_export]
macro_rules! include_skills {
    ($path:literal) => {
        $crate::__private::include_skills_impl!($crate, $path);
    };
}
