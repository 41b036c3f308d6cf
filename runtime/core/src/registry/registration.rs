//! The registration of definitions: a linker section on targets that support it, `inventory` elsewhere.
//!
//! One macro covers both, so that generated code is the same on every target. The name of the slice contains a
//! version: two copies of helve in one binary form two registries and do not clash.

use crate::tool::ToolDef;

#[doc(hidden)]
pub mod private {
    //! Items that generated code uses for registration.

    #[cfg(any(target_family = "wasm", miri))]
    pub use inventory;
    #[cfg(not(any(target_family = "wasm", miri)))]
    pub use linkme;

    use crate::tool::ToolDef;

    /// The linked tools, in no particular order.
    #[cfg(not(any(target_family = "wasm", miri)))]
    #[linkme::distributed_slice]
    pub static HELVE_TOOLS_V1: [&'static ToolDef];

    /// A linked tool.
    #[cfg(any(target_family = "wasm", miri))]
    #[derive(Debug)]
    pub struct Linked(pub &'static ToolDef);

    #[cfg(any(target_family = "wasm", miri))]
    inventory::collect!(Linked);

    /// Registers a definition.
    #[cfg(not(any(target_family = "wasm", miri)))]
    #[macro_export]
    #[doc(hidden)]
    macro_rules! __register_tool {
        ($definition:path) => {
            #[$crate::__private::linkme::distributed_slice($crate::__private::HELVE_TOOLS_V1)]
            #[linkme(crate = $crate::__private::linkme)]
            static __HELVE_LINKED: &$crate::__private::ToolDef = &$definition;
        };
    }

    /// Registers a definition.
    #[cfg(any(target_family = "wasm", miri))]
    #[macro_export]
    #[doc(hidden)]
    macro_rules! __register_tool {
        ($definition:path) => {
            $crate::__private::inventory::submit! { $crate::__private::Linked(&$definition) }
        };
    }
}

/// Returns all linked tools.
#[cfg(not(any(target_family = "wasm", miri)))]
pub(crate) fn linked() -> impl Iterator<Item = &'static ToolDef> {
    private::HELVE_TOOLS_V1.iter().copied()
}

/// Returns all linked tools.
#[cfg(any(target_family = "wasm", miri))]
pub(crate) fn linked() -> impl Iterator<Item = &'static ToolDef> {
    inventory::iter::<private::Linked>
        .into_iter()
        .map(|linked| linked.0)
}

/// Links the tools of crates that the code does not name elsewhere.
///
/// Without this macro, the linker omits such a crate, and its tools are silently missing.
///
/// ```
/// # extern crate helve_core as helve;
/// // In an app: `helve::link_tools!(my_tools, other_tools);`
/// helve::link_tools!(std);
/// ```
#[macro_export]
macro_rules! link_tools {
    ($($pack:ident),+ $(,)?) => {
        $(use ::$pack as _;)+
    };
}
