//! Files of [helve](https://docs.rs/helve) on disk: replaced in one step, locked, read within bounds, in the folders of
//! the user. Depend on `helve`, not on this.

pub mod atomic_file;
pub mod bounded_read;
pub mod file_lock;
pub mod glob;
pub mod private_files;
pub mod timestamp;
pub mod user_folders;
