//! The tests of the format through its front door, in one program.

mod format;
mod vectors;
