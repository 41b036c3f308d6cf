//! One annotated function is a tool that a language model can call.

#[cfg(feature = "skills")]
pub use helve_runtime::include_skills;
pub use helve_runtime::*;
