//! Failures of the steps by which a root is built.

use std::io;

use super::super::wire::WireError;
use crate::sandbox::Layer;

/// Does one step; its failure says what could not be done.
pub(super) fn step<T>(doing: &str, work: impl FnOnce() -> io::Result<T>) -> Result<T, WireError> {
    let mend = "this needs Linux 5.12 and a container, if any, that lets it mount";
    work().map_err(|error| WireError::layer(Layer::Files, doing, error, mend))
}
