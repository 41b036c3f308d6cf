//! The errors of the reference validator that are valid in YAML 1.2 and not visible in the parser's events.

use std::ops::Range;

use saphyr_parser::{Parser, StrInput};

use super::explain;
use super::reader::{self, ReadOutcome};
use crate::codes;
use crate::problem::Position;

/// Reads like [`read`](reader::read), and adds the errors of the reference validator.
pub(crate) fn read_strictly(yaml: &str) -> ReadOutcome {
    let mut read = reader::read(yaml);
    if read.front_matter.fields.is_empty() && read.findings.is_empty() {
        // The reference validator does not accept an empty front matter as a mapping.
        read.findings.push(explain::not_fields(Position::START));
    }
    read.findings.extend(first_tab(yaml, &read.literal_ranges));
    // The reference validator parses the whole text before it checks the result.
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

/// Finds the first tab that is not in quotes, a block scalar or a comment. `literal` contains the ranges of quoted
/// values and block scalars, in characters and in order.
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
            // The YAML starts on the second line of the file.
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
