//! Errors of the steps that build a root.

use std::io;

use super::super::wire::WireError;
use crate::sandbox::Layer;

/// Runs one step; its error contains the description of the step.
pub(super) fn step<T>(doing: &str, work: impl FnOnce() -> io::Result<T>) -> Result<T, WireError> {
    let mend = "this needs Linux 5.12 and a container, if any, that lets it mount";
    work().map_err(|error| WireError::layer(Layer::Files, doing, error, mend))
}
