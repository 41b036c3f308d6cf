//! Module.
