//! Folders as tar archives.

mod links;
mod pack;
mod unpack;

pub(super) use pack::pack;
pub(super) use unpack::unpack;
