//! Text that nobody would type.
