//! How a set of skills gets from the crate that embeds it into the catalogue: the linker carries it.

use super::SkillSet;

/// Every set of skills that is linked into this binary. The name is versioned: a binary may hold two versions of helve.
#[cfg(not(any(target_family = "wasm", miri)))]
#[linkme::distributed_slice]
pub static HELVE_SKILLS_V1: [&'static SkillSet];

/// Registers a static [`SkillSet`]. Which of the two ways is taken is decided here, for helve's own target, not by
/// the attributes of the crate that calls it.
#[cfg(not(any(target_family = "wasm", miri)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __helve_register_skills {
    ($set:ident) => {
        #[$crate::__private::linkme::distributed_slice($crate::__private::HELVE_SKILLS_V1)]
        #[linkme(crate = $crate::__private::linkme)]
        static REGISTERED: &'static $crate::__private::SkillSet = &$set;
    };
}

/// A set of skills as `inventory` carries it, on targets without linker sections.
#[cfg(any(target_family = "wasm", miri))]
pub struct Registered(pub &'static SkillSet);

#[cfg(any(target_family = "wasm", miri))]
inventory::collect!(Registered);

/// Registers a static [`SkillSet`].
#[cfg(any(target_family = "wasm", miri))]
#[doc(hidden)]
#[macro_export]
macro_rules! __helve_register_skills {
    ($set:ident) => {
        $crate::__private::inventory::submit!($crate::__private::Registered(&$set));
    };
}

impl SkillSet {
    /// Returns every set that is linked into this binary, in no order that means anything.
    ///
    /// What is linked is not thereby granted: see [`SkillCatalog`](super::SkillCatalog).
    pub fn linked() -> impl Iterator<Item = &'static Self> {
        registered()
    }
}

/// Returns every registered set, in no order that means anything.
pub(super) fn registered() -> impl Iterator<Item = &'static SkillSet> {
    #[cfg(not(any(target_family = "wasm", miri)))]
    return HELVE_SKILLS_V1.iter().copied();
    #[cfg(any(target_family = "wasm", miri))]
    return inventory::iter::<Registered>().map(|registered| registered.0);
}
