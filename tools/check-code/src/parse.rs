//! Reads what the checkers write.

mod cargo;
mod eslint;
mod go;
mod libtest;
mod pytest;
mod ruff;
mod tsc;

use super::checker::{CheckKind, Checker};
use super::diagnostic::Findings;
use super::plan::PlannedCheck;

/// What a checker wrote.
pub(crate) struct CheckerOutput<'o> {
    pub(crate) stdout: &'o str,
    pub(crate) stderr: &'o str,
}

/// Reads the output of a command. What is not understood is left out; the names of files are as the checker wrote them.
pub(crate) fn findings(check: &PlannedCheck, output: &CheckerOutput<'_>) -> Findings {
    let mut findings = Findings::default();
    match (check.checker, check.kind) {
        (Checker::Cargo, CheckKind::Tests) => {
            cargo::read(output.stdout, &mut findings);
            libtest::read(output.stdout, &mut findings);
        }
        (Checker::Cargo, _) => cargo::read(output.stdout, &mut findings),
        (Checker::Tsc, _) => tsc::read(output.stdout, &mut findings),
        (Checker::Eslint, _) => eslint::read(output.stdout, &mut findings),
        (Checker::Ruff, _) => ruff::read(output.stdout, &mut findings),
        (Checker::Pytest, _) => pytest::read(output.stdout, &mut findings),
        (Checker::Go, CheckKind::Tests) => {
            go::read_tests(output.stdout, check.module.as_deref(), &mut findings);
            go::read_vet(output.stderr, &mut findings);
        }
        (Checker::Go, _) => {
            go::read_vet(output.stdout, &mut findings);
            go::read_vet(output.stderr, &mut findings);
        }
    }
    findings
}

#[cfg(test)]
mod tests;
