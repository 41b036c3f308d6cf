//! What the reference validator refuses beyond YAML 1.2, and the reading of events does not show.

use std::ops::Range;

use saphyr_parser::{Parser, StrInput};

use super::explain;
use super::reader::{self, ReadOutcome};
use crate::codes;
use crate::problem::Position;

/// Reads as [`read`](reader::read) does, and finds what the reference validator refuses besides.
pub(crate) fn read_strictly(yaml: &str) -> ReadOutcome {
    let mut read = reader::read(yaml);
    if read.front_matter.fields.is_empty() && read.findings.is_empty() {
        // To the reference validator, nothing is no mapping.
        read.findings.push(explain::not_fields(Position::START));
    }
    read.findings.extend(first_tab(yaml, &read.literal_ranges));
    // It reads to the end before it asks what it has read.
    let is_yaml = read
        .findings
        .iter()
        .all(|finding| finding.code == codes::NOT_FIELDS)
        && is_yaml(yaml);
    if !is_yaml {
        for finding in &mut read.findings {
            if finding.code == codes::NOT_FIELDS {
                finding.code = codes::INVALID_YAML;
            }
        }
    }
    read
}

fn is_yaml(yaml: &str) -> bool {
    let mut events: Parser<'_, StrInput<'_>> = Parser::new_from_str(yaml);
    events.all(|event| event.is_ok())
}

/// Finds the first tab that is neither in quotes nor in a block nor in a comment. `literal` are the ranges of
/// characters of quoted values and blocks, in order.
fn first_tab(yaml: &str, literal: &[Range<usize>]) -> Option<crate::problem::Finding> {
    if !yaml.contains('\t') {
        return None;
    }
    let mut literal = literal.iter().peekable();
    let mut in_comment = false;
    let mut before = '\n';
    let (mut line, mut column) = (1, 0);
    for (index, c) in yaml.chars().enumerate() {
        while literal.next_if(|range| range.end <= index).is_some() {}
        let is_literal = literal.peek().is_some_and(|range| range.contains(&index));
        column += 1;
        match c {
            '\n' => {
                in_comment = false;
                line += 1;
                column = 0;
            }
            '#' if !is_literal && before.is_whitespace() => in_comment = true,
            // The YAML begins on the file's second line.
            '\t' if !is_literal && !in_comment => {
                return Some(explain::tab(Position {
                    line: line + 1,
                    column,
                }));
            }
            _ => {}
        }
        before = c;
    }
    None
}
