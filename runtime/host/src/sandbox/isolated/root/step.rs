//! Failures of the steps by which a root is built.

use std::io;

use super::super::wire::WireError;
use crate::sandbox::Layer;

/// Does one step; its failure says what could not be done.
pub(super) fn step<T>(doing: &str, work: impl FnOnce() -> io::Result<T>) -> Result<T, WireError> {
    work().map_err(layer_failure(doing))
}

/// Makes a failure of what could not be done, for `map_err`.
pub(super) fn layer_failure(doing: &str) -> impl Fn(io::Error) -> WireError {
    let doing = doing.to_owned();
    move |error| {
        WireError::layer(
            Layer::Files,
            &doing,
            error,
            "this needs Linux 5.12 and a container, if any, that lets it mount",
        )
    }
}
