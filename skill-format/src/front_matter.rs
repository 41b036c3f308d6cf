//! The front matter of a SKILL.md: where it ends, and its fields, read at the level of YAML events.
//!
//! No YAML value is ever built: every scalar stays the text that was written (`1.50` is `"1.50"`), and what could
//! expand (anchors, aliases) or change a type (tags) is refused.

mod explain;
mod split;

use std::collections::BTreeSet;

use saphyr_parser::{Event, Marker, Parser, Span, StrInput};

use crate::codes;
use crate::report::{Finding, Position};

pub(crate) use split::split;

/// The deepest nesting that is read: far more than any field needs, far less than a stack holds.
const MAX_DEPTH: usize = 32;

/// A top-level field of the front matter.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    pub key: String,
    /// The text of a scalar; `None` for a list or a mapping.
    pub text: Option<String>,
    /// Where the value stands.
    pub at: Position,
}

/// The fields of a front matter, in the order of the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    pub fields: Vec<Field>,
    /// Whether the reading got to the end: only then is a field that is not here missing.
    pub complete: bool,
}

impl FrontMatter {
    /// Finds the first field of that name.
    pub fn get(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }
}

/// Reads the fields, as far as they can be read. What is wrong goes to `findings`.
pub(crate) fn read(yaml: &str, findings: &mut Vec<Finding>) -> FrontMatter {
    let mut reader = Reader {
        yaml,
        open: Vec::new(),
        documents: 0,
        fields: Vec::new(),
        last: None,
        last_key: None,
        findings,
    };
    let outcome = reader.read();
    let Reader {
        mut fields,
        findings,
        ..
    } = reader;
    let complete = outcome.is_ok();
    if let Err(finding) = outcome {
        // The value at which the reading stopped may be half of what was meant.
        fields.pop();
        findings.push(finding);
    }
    FrontMatter { fields, complete }
}

/// A collection that has been opened and not yet closed.
enum Open {
    Sequence,
    /// `key` is set between a key and its value.
    Mapping {
        seen: BTreeSet<String>,
        key: Option<String>,
    },
}

struct Reader<'a, 'f> {
    yaml: &'a str,
    open: Vec<Open>,
    documents: usize,
    fields: Vec<Field>,
    /// The scalar that was read last: what an unquoted `: ` cut short.
    last: Option<(String, Span)>,
    /// The key that was read last, at whatever depth.
    last_key: Option<String>,
    findings: &'f mut Vec<Finding>,
}

impl<'a> Reader<'a, '_> {
    /// Reads every event. An error ends the reading; what lets it go on is pushed to `findings`.
    fn read(&mut self) -> Result<(), Finding> {
        let events: Parser<'a, StrInput<'a>> = Parser::new_from_str(self.yaml);
        for event in events {
            let (event, span) =
                event.map_err(|error| explain::scan_error(self.yaml, &error, self.last_value()))?;
            self.event(event, span)?;
        }
        Ok(())
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Finding> {
        let at = position(span.start);
        match event {
            Event::Scalar(text, _, anchor, tag) => {
                self.refuse(anchor, tag.is_some(), at);
                self.scalar(&text, at)?;
                self.last = Some((text.into_owned(), span));
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse(anchor, tag.is_some(), at);
                self.collection(Open::Sequence, at)?;
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse(anchor, tag.is_some(), at);
                self.collection(
                    Open::Mapping {
                        seen: BTreeSet::new(),
                        key: None,
                    },
                    at,
                )?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.open.pop();
            }
            Event::Alias(_) => return Err(explain::alias(at)),
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Finding::new(
                        codes::NOT_FIELDS,
                        "the front matter holds two YAML documents",
                    )
                    .at(at));
                }
            }
            Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => {}
        }
        Ok(())
    }

    fn scalar(&mut self, text: &str, at: Position) -> Result<(), Finding> {
        if text.contains('\0') {
            self.findings
                .push(Finding::new(codes::NUL, "the value holds a NUL character").at(at));
        }
        match self.open.last_mut() {
            None => return Err(explain::not_fields(at)),
            Some(Open::Mapping {
                seen,
                key: key @ None,
            }) => {
                if !seen.insert(text.to_owned()) {
                    let message = format!("the key `{text}` is here twice");
                    self.findings.push(
                        Finding::new(codes::DUPLICATE_KEY, message)
                            .at(at)
                            .help("keep one of the two"),
                    );
                }
                *key = Some(text.to_owned());
                self.last_key = Some(text.to_owned());
            }
            Some(Open::Mapping { .. } | Open::Sequence) => self.value(Some(text), at),
        }
        Ok(())
    }

    fn collection(&mut self, collection: Open, at: Position) -> Result<(), Finding> {
        match self.open.last() {
            None if matches!(collection, Open::Sequence) => return Err(explain::not_fields(at)),
            Some(Open::Mapping { key: None, .. }) => {
                return Err(
                    Finding::new(codes::NOT_FIELDS, "a list or a mapping cannot be a key").at(at),
                );
            }
            None | Some(_) => self.value(None, at),
        }
        if self.open.len() == MAX_DEPTH {
            let message = format!("the front matter nests deeper than {MAX_DEPTH} levels");
            return Err(Finding::new(codes::NOT_FIELDS, message).at(at));
        }
        self.open.push(collection);
        Ok(())
    }

    /// Ends the current key with its value; a value of the outermost mapping is a field.
    fn value(&mut self, text: Option<&str>, at: Position) {
        let outermost = self.open.len() == 1;
        if let Some(Open::Mapping { key, .. }) = self.open.last_mut()
            && let Some(key) = key.take()
            && outermost
        {
            self.fields.push(Field {
                key,
                text: text.map(str::to_owned),
                at,
            });
        }
    }

    fn refuse(&mut self, anchor: usize, tagged: bool, at: Position) {
        if anchor != 0 {
            self.findings.push(explain::anchor(at));
        }
        if tagged {
            self.findings.push(explain::tag(at));
        }
    }

    /// The scalar that was read last, behind its key.
    fn last_value(&self) -> Option<(&str, &str, Span)> {
        let (text, span) = self.last.as_ref()?;
        Some((self.last_key.as_deref()?, text, *span))
    }
}

/// Converts a place in the YAML to one in the file: the YAML begins on the file's second line.
fn position(marker: Marker) -> Position {
    Position {
        line: marker.line() + 1,
        column: marker.col() + 1,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
