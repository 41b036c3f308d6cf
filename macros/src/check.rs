//! Checks a tool against the rules, with one function per group of related rules.

mod contradictions;
mod function;
mod parameters;

pub(crate) use parameters::value;

use crate::function::ToolFn;
use crate::report::Report;

/// The checks, in source order of the parts that they check.
const CHECKS: [fn(&ToolFn, &mut Report); 16] = [
    contradictions::read_only,
    contradictions::cached,
    contradictions::destructive,
    contradictions::network,
    contradictions::risk,
    contradictions::blocking,
    function::shape,
    function::receiver,
    function::generics,
    function::name,
    function::docs,
    function::return_type,
    parameters::number,
    parameters::names,
    parameters::documented,
    parameters::arguments,
];

/// Reports every rule that the tool violates.
pub(crate) fn check(tool: &ToolFn, report: &mut Report) {
    for check in CHECKS {
        check(tool, report);
    }
}
