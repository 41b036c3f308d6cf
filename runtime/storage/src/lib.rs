//! The file storage of [helve](https://docs.rs/helve): atomic replacement, locks, bounded reads, and the folders of
//! the user. Depend on `helve` instead of this crate.

pub mod atomic_file;
pub mod bounded_read;
pub mod definition_roots;
pub mod file_lock;
pub mod glob;
pub mod private_files;
pub mod timestamp;
pub mod user_folders;
