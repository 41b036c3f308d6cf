//! The output of the compiler of TypeScript, which has no JSON.

use crate::diagnostic::{Diagnostic, Findings, Location, Severity};

/// Reads `file(line,column): error CODE: message`, whose message goes on in indented lines.
pub(super) fn read(stdout: &str, findings: &mut Findings) {
    let mut row: Option<Diagnostic> = None;
    for line in stdout.lines() {
        if let Some(next) = diagnostic(line) {
            if let Some(row) = row.replace(next) {
                findings.push(row);
            }
        } else if let Some(row) = row.as_mut().filter(|_| line.starts_with("  ")) {
            row.message.push('\n');
            row.message.push_str(line.trim());
        }
    }
    if let Some(row) = row {
        findings.push(row);
    }
}

fn diagnostic(line: &str) -> Option<Diagnostic> {
    let (location, rest) = match line.split_once("): ") {
        Some((place, rest)) => (Some(place), rest),
        None => (None, line),
    };
    let (head, message) = rest.split_once(": ")?;
    let (severity, code) = head.split_once(' ')?;
    let severity = match severity {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    if !code.starts_with("TS") {
        return None;
    }
    let location = match location {
        Some(place) => Some(location_of(place)?),
        None => None,
    };
    Some(
        Diagnostic::new(severity, message)
            .at(location)
            .with_code(Some(code)),
    )
}

/// Parses `file(line,column`.
fn location_of(place: &str) -> Option<Location> {
    let (file, numbers) = place.rsplit_once('(')?;
    let (line, column) = numbers.split_once(',')?;
    Some(Location {
        file: file.to_owned(),
        line: Some(line.parse().ok()?),
        column: Some(column.parse().ok()?),
    })
}
