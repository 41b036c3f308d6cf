//! Helpers that every other module may use, and that use no other module.

pub mod atomic_file;
pub mod bounded_read;
pub mod file_lock;
pub mod glob;
pub mod hex;
pub mod lock;
pub mod private_files;
pub mod random;
pub mod text;
pub mod user_folders;
pub mod wildcard;
