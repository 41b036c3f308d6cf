//! Helpers that every other module may use, and that use no other module.

pub mod hex;
pub mod lock;
pub mod random;
pub mod text;
pub mod wildcard;
