//! stub
use super::assembly::Assembly;
use crate::permission::{Mode, Policy};
use clap::{Arg, ArgMatches};
pub(super) fn arguments() -> Vec<Arg> {
    Vec::new()
}
pub(super) fn policy(_: &Assembly, _: &ArgMatches) -> Result<Policy, std::io::Error> {
    Ok(Policy::new(Mode::Default))
}
