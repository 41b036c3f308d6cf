//! Skills through the binary: what a person sees of them, and what a model can do with them.

#[cfg(target_os = "linux")]
mod model;
mod person;
mod place;
