//! Registration of embedded sets: the linker collects them for the catalogue.

use super::SkillSet;

/// All sets of skills that are linked into this binary. The name has a version, because a binary may
/// contain two versions of helve.
#[cfg(not(any(target_family = "wasm", miri)))]
#[linkme::distributed_slice]
pub static HELVE_SKILLS_V1: [&'static SkillSet];

/// Registers a static [`SkillSet`]. The mechanism is chosen here, by helve's own target, not by the
/// attributes of the crate that calls the macro.
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

/// A set of skills in the registry of `inventory`, on targets without linker sections.
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
    /// Returns every set that is linked into this binary, in arbitrary order.
    ///
    /// Linking a set does not grant its skills: see [`SkillCatalog`](super::SkillCatalog).
    pub fn linked() -> impl Iterator<Item = &'static Self> {
        registered()
    }
}

/// Returns every registered set, in arbitrary order.
pub(super) fn registered() -> impl Iterator<Item = &'static SkillSet> {
    #[cfg(not(any(target_family = "wasm", miri)))]
    return HELVE_SKILLS_V1.iter().copied();
    #[cfg(any(target_family = "wasm", miri))]
    return inventory::iter::<Registered>().map(|registered| registered.0);
}
