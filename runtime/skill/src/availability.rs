//! Which skills are not used at present, though they are there.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Says which skills are not used at present, such as those that the user has disabled or paused.
///
/// A [`SkillCatalog`](super::SkillCatalog) asks at each refresh and leaves these skills out. The tools
/// ask again before they load a skill, read its files or run its scripts, so that a change holds for
/// the next call of a running program.
pub trait SkillAvailability: fmt::Debug + Send + Sync {
    /// Returns the skills that are not used, by name, with the reason of each. The call may block on
    /// file access.
    ///
    /// # Errors
    ///
    /// If the statuses cannot be read. The catalogue then keeps those that it has read before.
    fn unused(&self) -> Result<BTreeMap<String, String>, String>;
}

/// Asks which skills are not used; `None` if this is not known.
pub(super) async fn read_unused(
    availability: &Arc<dyn SkillAvailability>,
) -> Option<BTreeMap<String, String>> {
    let availability = Arc::clone(availability);
    let read = tokio::task::spawn_blocking(move || availability.unused()).await;
    let read = read.map_err(|error| error.to_string()).flatten();
    read.inspect_err(|error| tracing::warn!("the statuses of skills cannot be read: {error}"))
        .ok()
}
