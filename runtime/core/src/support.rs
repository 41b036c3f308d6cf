//! Helpers for all other modules; they depend on no other module.

pub mod hex;
pub mod lock;
pub mod random;
pub mod text;
pub mod wildcard;
