//! Tools that the build script writes.

include!(concat!(env!("OUT_DIR"), "/tools.rs"));
