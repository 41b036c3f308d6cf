//! The skills that an agent has loaded.

use super::SkillDigest;
use helve_core::support::lock::Mutex;
use helve_core::tool::State;

/// The skills that an agent has loaded, in load order.
///
/// The tools store the list in the [state of the
/// conversation](helve_core::ToolContext::conversation_state), so that a skill that a delegate has
/// loaded is not active for the agent that started the delegate. Code that drops messages from a
/// conversation, as compaction does, must [forget](Self::forget) the skills whose instructions were
/// dropped, or carry the instructions over.
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
    /// The arguments of the last load.
    pub arguments: String,
}

impl ActiveSkills {
    /// Returns the skills that are active in the conversation with this state.
    #[must_use]
    pub fn list(state: &State) -> Vec<ActiveSkill> {
        state.get_or_default::<Self>().0.lock().clone()
    }

    /// Removes a skill from the list, so that loading the skill returns its instructions again.
    pub fn forget(state: &State, name: &str) {
        let active = state.get_or_default::<Self>();
        active.0.lock().retain(|active| active.name != name);
    }

    /// Removes all skills from the list.
    pub fn forget_all(state: &State) {
        state.get_or_default::<Self>().0.lock().clear();
    }

    /// Returns the entry of a skill; `None` if the skill is not active.
    #[must_use]
    pub fn find(state: &State, name: &str) -> Option<ActiveSkill> {
        let active = state.get_or_default::<Self>();
        let active = active.0.lock();
        active.iter().find(|active| active.name == name).cloned()
    }

    /// Records that a skill is loaded, and returns the previous entry.
    pub(super) fn activate(state: &State, skill: ActiveSkill) -> Option<ActiveSkill> {
        let active = state.get_or_default::<Self>();
        let mut active = active.0.lock();
        let before = active.iter().position(|known| known.name == skill.name);
        let before = before.map(|index| active.remove(index));
        active.push(skill);
        before
    }
}
