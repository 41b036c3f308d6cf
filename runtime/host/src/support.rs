//! Process utilities that every other module may use, and that use no other module.

pub(crate) mod capabilities;
pub(crate) mod descriptors;
pub(crate) mod oom_score;
pub(crate) mod reexec;
pub(crate) mod resource_limits;
