//! The JSON of ESLint: one array of the files.

use serde::Deserialize;

use crate::diagnostic::{Diagnostic, Findings, Location, Severity};

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

/// Reads the files of the array, up to where the output was cut.
pub(super) fn read(stdout: &str, findings: &mut Findings) {
    let Some(start) = stdout.find('[') else {
        return;
    };
    let mut rest = &stdout[start + 1..];
    loop {
        let mut files = serde_json::Deserializer::from_str(rest).into_iter::<EslintFile>();
        let Some(Ok(file)) = files.next() else {
            return;
        };
        let read = files.byte_offset();
        push_file(&file, findings);
        rest = rest[read..].trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return,
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
