//! The failure of a step on the way to a root.

use std::io;

use super::super::wire::Failure;
use crate::sandbox::Layer;

pub(super) fn step<T>(doing: &str, work: impl FnOnce() -> io::Result<T>) -> Result<T, Failure> {
    work().map_err(missing(doing))
}

pub(super) fn missing(doing: &str) -> impl Fn(io::Error) -> Failure {
    let doing = doing.to_owned();
    move |error| {
        Failure::layer(
            Layer::Files,
            &doing,
            error,
            "this needs Linux 5.12 and a container, if any, that lets it mount",
        )
    }
}
