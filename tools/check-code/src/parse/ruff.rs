//! The JSON of Ruff: an object a line.

use serde::Deserialize;

use crate::diagnostic::{Diagnostic, Findings, Location, Severity};

#[derive(Deserialize)]
struct RuffMessage {
    code: Option<String>,
    filename: String,
    location: Option<RuffLocation>,
    message: String,
}

#[derive(Deserialize)]
struct RuffLocation {
    row: u32,
    column: u32,
}

/// Reads a row a line.
pub(super) fn read(stdout: &str, findings: &mut Findings) {
    for line in stdout.lines() {
        let Ok(message) = serde_json::from_str::<RuffMessage>(line) else {
            continue;
        };
        let location = Location {
            file: message.filename,
            line: message.location.as_ref().map(|at| at.row),
            column: message.location.as_ref().map(|at| at.column),
        };
        let row = Diagnostic::new(Severity::Error, message.message);
        findings.push(row.at(Some(location)).with_code(message.code));
    }
}
