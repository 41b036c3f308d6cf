//! What there is where skills are used, held against what they need.

use std::fmt;

use super::Skill;

/// What there is where skills are used: tools, variables, programs, the system.
#[derive(Clone, Default)]
pub struct SkillSurroundings {}

impl SkillSurroundings {
    /// Knows nothing, so that no skill lacks anything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says what a skill needs and what is not there.
    pub(super) fn lacks(&self, skill: &Skill) -> Option<String> {
        let _ = skill;
        None
    }
}

impl fmt::Debug for SkillSurroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillSurroundings").finish_non_exhaustive()
    }
}
