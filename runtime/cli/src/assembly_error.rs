//! The reasons why an app cannot be assembled.

#[cfg(feature = "files")]
use std::path::PathBuf;

use super::pack_settings::SettingsConflict;
use helve_core::registry::DuplicateTools;
use helve_core::toolset::MissingState;
#[cfg(feature = "skills")]
use helve_skill::CatalogError;

/// An error in the definition of an app; the message is for the app's developer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssemblyError {
    /// Two tools of the app's own package have one name.
    #[error(transparent)]
    DuplicateTools(#[from] DuplicateTools),
    /// Two granted tools have one name.
    #[error(
        "several packs provide a tool named `{name}`: use `.prefixed(\"…\")` on one of them{places}"
    )]
    DuplicateGrant {
        /// The name.
        name: String,
        /// The locations of the definitions, if known.
        places: String,
    },
    /// Tools need state that the app does not provide.
    #[error(transparent)]
    MissingState(#[from] MissingState),
    /// A type is both app state and session state.
    #[error("`{type_name}` is both app state and session state, so `&{type_name}` is ambiguous")]
    AmbiguousState {
        /// The type.
        type_name: &'static str,
    },
    /// The settings that packs declare do not fit together.
    #[error(transparent)]
    Settings(#[from] SettingsConflict),
    /// Two skills have one name.
    #[cfg(feature = "skills")]
    #[error(transparent)]
    Skills(#[from] CatalogError),
    /// The root folder cannot be opened.
    #[cfg(feature = "files")]
    #[error("failed to open the root folder `{}`", root.display())]
    Root {
        /// The folder.
        root: PathBuf,
        /// Why.
        #[source]
        source: helve_core::sandbox::FsError,
    },
}
