//! Reads a front matter with an unquoted `: `, as its author intended.

use super::reader::{ReadOutcome, read};
use crate::codes;
use crate::problem::{Finding, Position};

/// The greatest number of values that are quoted in one front matter.
const MAX_REPAIRS: usize = 16;

/// Reads like [`read`], and accepts top-level values with an unquoted `: `. The repaired problems remain in the
/// findings.
pub(crate) fn read_leniently(yaml: &str) -> ReadOutcome {
    let mut outcome = read(yaml);
    let mut repaired = yaml.to_owned();
    let mut reported = Vec::new();
    for _ in 0..MAX_REPAIRS {
        let Some(cause) = outcome
            .findings
            .pop_if(|finding| finding.code == codes::NESTED_MAPPING)
        else {
            break;
        };
        let quoted = cause.at.and_then(|at| quote_line(&repaired, at));
        let Some(quoted) = quoted else {
            outcome.findings.push(cause);
            break;
        };
        reported.push(Finding {
            is_fatal: false,
            ..cause
        });
        repaired = quoted;
        outcome = read(&repaired);
    }
    if !outcome.is_complete {
        // The repairs did not help: the errors of the unchanged text are reported.
        return read(yaml);
    }
    outcome.findings.extend(reported);
    outcome
}

/// Quotes the value on the line of a position; returns `None` if the line is not `field: value`.
fn quote_line(yaml: &str, at: Position) -> Option<String> {
    // The YAML starts on the second line of the file.
    let index = at.line.checked_sub(2)?;
    let line = yaml.split_inclusive('\n').nth(index)?;
    let start = line.as_ptr() as usize - yaml.as_ptr() as usize;
    let (key, value) = line.trim_end().split_once(": ")?;
    if key.starts_with([' ', '\t', '-', '#', '"', '\'']) || value.starts_with(['"', '\'', '|', '>'])
    {
        return None;
    }
    let value = value.trim().replace('\'', "''");
    let (before, behind) = (&yaml[..start], &yaml[start + line.len()..]);
    Some(format!("{before}{key}: '{value}'\n{behind}"))
}
