//! Agents by name: their specifications, the catalogue of those that code, the binary, the user and the project define,
//! and their resolution within the authority of a session.
//!
//! An [`AgentSpec`] is data. It comes from code, from a file that [`include_agents!`](crate::include_agents) embeds, or
//! from a file of the user or the project. An [`AgentCatalog`] determines which specification of each name is used, and
//! lists all others with the reasons. [`AgentSpec::resolve`] determines what an agent may do in a session: never more
//! than the session itself.

#[doc(hidden)]
pub mod __private;
mod catalog;
mod embedded;
mod file_spec;
mod folders;
mod model_names;
mod named_agent;
mod registration;
mod resolution;
mod spec;

pub use catalog::AgentCatalog;
pub use embedded::{AgentSet, EmbeddedAgent};
pub use folders::SkippedFile;
pub use model_names::{AgentModel, ModelNames};
pub use named_agent::{AgentOrigin, HeldAgent, NamedAgent};
pub use resolution::{ResolvedAgent, SessionAuthority};
pub use spec::{AgentSpec, Budget, FileScope, HostScope, SpecRules};

/// Embeds the agent files of a folder into the binary.
///
/// ```
/// helve::include_agents!("tests/agents");
/// # fn main() {}
/// ```
///
/// The path is relative to the folder of the package's `Cargo.toml`. Each Markdown file in the folder, and in the folders
/// below, is an agent: its front matter has a `name` and a `description`, and the text below are the instructions. All
/// files are checked at compile time, and all of their problems are reported in one error: what is a warning for a file
/// that is read at run time, such as an unknown key, is an error here.
///
/// The agents are registered under the package that calls the macro: see
/// [`AgentCatalog::for_packages`](crate::AgentCatalog::for_packages).
///
/// A change of an embedded file triggers a rebuild. To detect added and removed files, too, the package needs a `build.rs`
/// that prints `cargo::rerun-if-changed=FOLDER`.
#[macro_export]
macro_rules! include_agents {
    ($($arguments:tt)*) => {
        $crate::__private::include_agents_impl!($crate; $($arguments)*);
    };
}
