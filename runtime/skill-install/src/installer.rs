//! Installs skills into the folder of a project or of the user.

mod base;
mod change;
mod check;
mod plan;

pub use base::SkillInstaller;
pub use change::Installed;
pub use check::{SkillCheck, SkillState};
pub use plan::{InstallOptions, PlannedInstall};
