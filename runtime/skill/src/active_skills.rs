//! Which skills an agent has loaded.

use super::SkillDigest;
use helve_core::support::lock::Mutex;
use helve_core::tool::State;

/// The skills that an agent has loaded, in the order in which it did.
///
/// The tools keep it in the [state of the conversation](helve_core::ToolContext::conversation_state): what a delegate has loaded,
/// the agent that it works for has not read. Code that drops messages from a conversation, as compaction does,
/// [forgets](Self::forget) the skills whose instructions went with them, or carries those over.
#[derive(Debug, Default)]
pub struct ActiveSkills(Mutex<Vec<ActiveSkill>>);

/// A skill that an agent has loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActiveSkill {
    /// The name.
    pub name: String,
    /// The version of the skill.
    pub digest: SkillDigest,
    /// The arguments that it was last loaded with.
    pub arguments: String,
}

impl ActiveSkills {
    /// Returns the skills that are active in the conversation whose state this is.
    #[must_use]
    pub fn list(state: &State) -> Vec<ActiveSkill> {
        state.get_or_default::<Self>().0.lock().clone()
    }

    /// Forgets a skill, so that loading it gives its instructions again.
    pub fn forget(state: &State, name: &str) {
        let active = state.get_or_default::<Self>();
        active.0.lock().retain(|active| active.name != name);
    }

    /// Forgets every skill.
    pub fn forget_all(state: &State) {
        state.get_or_default::<Self>().0.lock().clear();
    }

    /// Returns how a skill is active, if it is.
    #[must_use]
    pub fn find(state: &State, name: &str) -> Option<ActiveSkill> {
        let active = state.get_or_default::<Self>();
        let active = active.0.lock();
        active.iter().find(|active| active.name == name).cloned()
    }

    /// Notes that a skill is loaded, and returns how it was before.
    pub(super) fn activate(state: &State, skill: ActiveSkill) -> Option<ActiveSkill> {
        let active = state.get_or_default::<Self>();
        let mut active = active.0.lock();
        let before = active.iter().position(|known| known.name == skill.name);
        let before = before.map(|index| active.remove(index));
        active.push(skill);
        before
    }
}
