//! The JSON of ESLint: one array of the files.

use serde::Deserialize;

use crate::diagnostic::{Diagnostic, Findings, Location, Severity};

/// The most places in which an array is looked for.
const MAX_ARRAYS: usize = 64;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintFile {
    file_path: String,
    #[serde(default)]
    messages: Vec<EslintMessage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintMessage {
    rule_id: Option<String>,
    severity: u8,
    message: String,
    line: Option<u32>,
    column: Option<u32>,
}

/// Reads the files of the array, up to where the output was cut. What a configuration prints before it may have brackets,
/// too. Without an array, nothing is known.
pub(super) fn read(stdout: &str, findings: &mut Findings) {
    let brackets = stdout.match_indices('[');
    let starts = brackets.map(|(at, _)| stdout[at + 1..].trim_start());
    let is_file = |rest: &&str| {
        let inner = rest.strip_prefix('{').map(str::trim_start);
        inner.is_some_and(|inner| inner.starts_with("\"filePath\""))
    };
    let mut files = starts.filter(is_file).take(MAX_ARRAYS);
    let is_read = files.any(|rest| read_files(rest, findings));
    let is_empty = || stdout.lines().any(|line| line.trim() == "[]");
    findings.is_unread = !is_read && !is_empty();
}

/// Reads the files of an array after its bracket; reports whether there is one.
fn read_files(mut rest: &str, findings: &mut Findings) -> bool {
    let mut is_read = false;
    loop {
        let mut files = serde_json::Deserializer::from_str(rest).into_iter::<EslintFile>();
        let Some(Ok(file)) = files.next() else {
            return is_read;
        };
        is_read = true;
        let read = files.byte_offset();
        push_file(&file, findings);
        rest = rest[read..].trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return is_read,
        }
    }
}

fn push_file(file: &EslintFile, findings: &mut Findings) {
    for message in &file.messages {
        let severity = match message.severity {
            2 => Severity::Error,
            _ => Severity::Warning,
        };
        let location = Location {
            file: file.file_path.clone(),
            line: message.line,
            column: message.column,
        };
        let row = Diagnostic::new(severity, message.message.as_str());
        findings.push(row.at(Some(location)).with_code(message.rule_id.as_deref()));
    }
}
