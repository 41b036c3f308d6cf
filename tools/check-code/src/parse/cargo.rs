//! The messages of the compiler, as cargo writes them: a JSON object a line.

use serde::Deserialize;

use crate::diagnostic::{Diagnostic, Findings, Location, Severity};

#[derive(Deserialize)]
struct CargoMessage {
    reason: String,
    message: Option<RustcMessage>,
}

#[derive(Deserialize)]
struct RustcMessage {
    message: String,
    level: String,
    code: Option<RustcCode>,
    #[serde(default)]
    spans: Vec<RustcSpan>,
    #[serde(default)]
    children: Vec<RustcChild>,
}

#[derive(Deserialize)]
struct RustcCode {
    code: String,
}

#[derive(Deserialize)]
struct RustcSpan {
    file_name: String,
    line_start: u32,
    column_start: u32,
    #[serde(default)]
    is_primary: bool,
    label: Option<String>,
    expansion: Option<Box<RustcExpansion>>,
}

#[derive(Deserialize)]
struct RustcExpansion {
    span: RustcSpan,
}

#[derive(Deserialize)]
struct RustcChild {
    message: String,
    level: String,
}

/// Reads the messages of the compiler among the lines.
pub(super) fn read(stdout: &str, findings: &mut Findings) {
    for line in stdout.lines().filter(|line| line.starts_with('{')) {
        let Ok(message) = serde_json::from_str::<CargoMessage>(line) else {
            continue;
        };
        if message.reason == "compiler-message"
            && let Some(row) = message.message.and_then(diagnostic)
        {
            findings.push(row);
        }
    }
}

fn diagnostic(message: RustcMessage) -> Option<Diagnostic> {
    let severity = match &*message.level {
        "warning" => Severity::Warning,
        level if level.starts_with("error") => Severity::Error,
        // Summaries, such as how to get an explanation of the error.
        _ => return None,
    };
    let primary = message.spans.iter().find(|span| span.is_primary);
    let is_summary = primary.is_none() && message.code.is_none();
    if is_summary
        && (message.message.contains("aborting due to") || message.message.contains("emitted"))
    {
        return None;
    }
    let mut text = message.message;
    if let Some(label) = primary.and_then(|span| span.label.as_deref()) {
        text.push_str(": ");
        text.push_str(label);
    }
    let is_help =
        |child: &&RustcChild| child.level == "help" && !child.message.starts_with("for further");
    if let Some(help) = message.children.iter().find(is_help) {
        text.push_str("\nhelp: ");
        text.push_str(&help.message);
    }
    let location = primary.map(written_span).map(|span| Location {
        file: span.file_name.clone(),
        line: Some(span.line_start),
        column: Some(span.column_start),
    });
    let code = message.code.map(|code| code.code);
    Some(Diagnostic::new(severity, text).at(location).with_code(code))
}

/// Returns the place in the code of the project: that of the macro call where a macro of others has the mistake.
fn written_span(span: &RustcSpan) -> &RustcSpan {
    match &span.expansion {
        Some(expansion) if span.file_name.starts_with(['/', '<']) => written_span(&expansion.span),
        _ => span,
    }
}
