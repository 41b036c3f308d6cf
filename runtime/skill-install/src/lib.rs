//! The life of a skill in [helve](https://docs.rs/helve) apps: skills are fetched from repositories, hosts, archives and
//! folders, reviewed, installed, updated, checked and removed. Depend on `helve`, not on this crate.
//!
//! 1. [`FetchContext::fetch`] fetches the skills of an [`InstallSource`] into memory. Every file, name and limit is checked,
//!    and every text is scanned; what is refused leaves nothing behind.
//! 2. [`SkillInstaller::plan`] compares them with what is installed, and says what the user has to read.
//! 3. [`SkillInstaller::install`] lays out the files of a skill in one step, and records it in the lock file.
//!
//! No file of a skill runs while it is installed, and the tools that a skill asks for are not granted.
//!
//! | what | limit |
//! |---|---|
//! | the files of a skill | [`MAX_FILES`], with [`MAX_SKILL_BYTES`] together |
//! | a text file | [`MAX_TEXT_BYTES`] |
//! | an archive | [`MAX_ARCHIVE_BYTES`], and [`MAX_RATIO`] times as many when it is unpacked |
//! | the index of a host | [`MAX_INDEX_BYTES`] and [`MAX_INDEX_ENTRIES`] entries |

// The tools of this crate are written with the public macro, whose expansion names `::helve::…`.
#[allow(
    unused_extern_crates,
    reason = "the lint does not see the paths that a macro writes"
)]
extern crate helve_core as helve;

mod archive;
mod bundle;
mod candidate;
mod discover;
mod download;
mod draft;
mod error;
mod fetch;
mod installer;
mod limits;
mod lock;
mod manager;
mod operations;
mod pack;
mod review;
#[cfg(all(unix, feature = "sandbox"))]
mod run;
mod source;
mod status;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod toolset;
mod tree;
mod trigger;

pub use self::bundle::{BundleManifest, BundleStore, BundleText, FetchedBundle, InstalledBundle};
pub use self::candidate::SkillCandidate;
pub use self::download::HttpClient;
pub use self::error::InstallError;
pub use self::fetch::{FetchContext, FetchedSkills, OfferedSkill, Revision};
pub use self::installer::{
    InstallOptions, Installed, PlannedInstall, SkillCheck, SkillInstaller, SkillState,
};
pub use self::limits::{
    MAX_ARCHIVE_BYTES, MAX_FILES, MAX_INDEX_BYTES, MAX_INDEX_ENTRIES, MAX_RATIO, MAX_SKILL_BYTES,
    MAX_TEXT_BYTES,
};
pub use self::lock::{LockFile, LockedSkill};
pub use self::manager::{NewSkillFile, SkillAction, SkillManager};
pub use self::operations::SkillSources;
pub use self::pack::{PackedSkill, pack};
pub use self::review::SkillReview;
pub use self::source::InstallSource;
pub use self::status::{MAX_FAILURES, Pause, ProjectStatuses, SkillStatus, SkillStatuses};
pub use self::table::{
    has_failures, installed_rows, render_audit, render_checks, render_installed, render_unused,
};
pub use self::tree::{SkillTree, TreeFile};
pub use self::trigger::{SkillTrigger, SkillTriggers, render_triggers};
