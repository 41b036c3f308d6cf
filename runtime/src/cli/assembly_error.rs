//! The reasons why an app cannot be assembled.

#[cfg(feature = "files")]
use std::path::PathBuf;

use super::pack_settings::SettingsConflict;
use crate::registry::DuplicateTools;
#[cfg(feature = "skills")]
use crate::skill::CatalogError;
use crate::toolset::MissingState;

/// Says why an app cannot start; written for the programmer who put it together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssemblyError {
    /// Two tools of the app's own package have one name.
    #[error(transparent)]
    DuplicateTools(#[from] DuplicateTools),
    /// Two granted tools have one name.
    #[error("two packs grant a tool called `{name}`: use `.prefixed(\"…\")` on one{places}")]
    DuplicateGrant {
        /// The name.
        name: String,
        /// Where they are written, as far as that is known.
        places: String,
    },
    /// Tools need state that is not there.
    #[error(transparent)]
    MissingState(#[from] MissingState),
    /// One type is in two scopes.
    #[error(
        "`{type_name}` is both app state and session state: a `&{type_name}` could mean either"
    )]
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
    /// The root is not there.
    #[cfg(feature = "files")]
    #[error("the root `{}` cannot be used", root.display())]
    Root {
        /// The folder.
        root: PathBuf,
        /// Why.
        #[source]
        source: crate::sandbox::FsError,
    },
}
