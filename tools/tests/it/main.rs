//! The built-in tools, called as a model calls them; those that start commands are in `reexec`.

#[path = "../support/mod.rs"]
mod support;
#[allow(clippy::disallowed_methods, reason = "it reads files of its own")]
#[path = "../../../runtime/tests/support/vectors.rs"]
mod vectors;

mod agreement;
mod bounds;
mod datetime;
#[cfg(all(feature = "files", feature = "github"))]
mod github;
mod grep;
mod http;
#[cfg(all(feature = "files", any(feature = "github", feature = "http-request")))]
mod loopback;
mod memory;
mod permission;
mod read_file;
mod reducing;
mod todo;
mod vectors_files;
#[cfg(feature = "web-search")]
mod web_search;
mod writing;
