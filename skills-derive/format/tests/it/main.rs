//! The tests of the format through its public API, in one program.

mod format;
mod vectors;
