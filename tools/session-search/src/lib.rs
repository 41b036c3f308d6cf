//! The tools of [helve](https://docs.rs/helve) that search and read past sessions. Depend on `helve`, not on this crate.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod session_read;
mod session_search;
#[cfg(test)]
mod tests;
mod text;

pub use self::session_read::session_read;
pub use self::session_search::{SearchedFolders, SearchedRole, session_search};

/// Returns the toolset of [`session_search`](fn@session_search) and [`session_read`](fn@session_read), which use the
/// [`SessionSearch`](helve::session_search::SessionSearch) of the app.
#[must_use]
pub fn toolset() -> helve::Toolset {
    helve::toolset![session_read, session_search]
}
