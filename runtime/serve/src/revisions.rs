//! The revisions of the lists that cannot report their changes: the tools and the skills.

use super::settings::Settings;

/// The revisions of the tools and the skills; equal revisions mean equal lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Revisions {
    pub(super) tools: u64,
    pub(super) skills: u64,
}

impl Revisions {
    pub(super) fn current(settings: &Settings) -> Self {
        #[cfg(feature = "skills")]
        let skills = settings
            .skills
            .as_ref()
            .map_or(0, |skills| skills.revision());
        #[cfg(not(feature = "skills"))]
        let skills = 0;
        Self {
            tools: settings.toolset.revision(),
            skills,
        }
    }
}
