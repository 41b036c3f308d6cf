//! Registration of embedded sets: the linker collects them for the catalogue.

use super::AgentSet;

/// All sets of agents that are linked into this binary. The name has a version, because a binary may contain two versions
/// of helve.
#[cfg(not(any(target_family = "wasm", miri)))]
#[linkme::distributed_slice]
pub static HELVE_AGENTS_V1: [&'static AgentSet];

/// Registers a static [`AgentSet`].
#[cfg(not(any(target_family = "wasm", miri)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __helve_register_agents {
    ($set:ident) => {
        #[$crate::__private::linkme::distributed_slice($crate::__private::HELVE_AGENTS_V1)]
        #[linkme(crate = $crate::__private::linkme)]
        static REGISTERED: &'static $crate::__private::AgentSet = &$set;
    };
}

/// A set of agents in the registry of `inventory`, on targets without linker sections.
#[cfg(any(target_family = "wasm", miri))]
pub struct Registered(pub &'static AgentSet);

#[cfg(any(target_family = "wasm", miri))]
inventory::collect!(Registered);

/// Registers a static [`AgentSet`].
#[cfg(any(target_family = "wasm", miri))]
#[doc(hidden)]
#[macro_export]
macro_rules! __helve_register_agents {
    ($set:ident) => {
        $crate::__private::inventory::submit!($crate::__private::Registered(&$set));
    };
}

impl AgentSet {
    /// Returns every set that is linked into this binary, in arbitrary order.
    ///
    /// Linking a set does not grant its agents: see [`AgentCatalog`](super::AgentCatalog).
    pub fn linked() -> impl Iterator<Item = &'static Self> {
        #[cfg(not(any(target_family = "wasm", miri)))]
        return HELVE_AGENTS_V1.iter().copied();
        #[cfg(any(target_family = "wasm", miri))]
        return inventory::iter::<Registered>().map(|registered| registered.0);
    }
}
