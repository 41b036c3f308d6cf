//! The tests of the format through its public API, in one program.

mod agents;
mod format;
mod vectors;
