//! Converts YAML events to fields.

use std::collections::BTreeSet;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use super::characters::{Characters, position};
use super::explain;
use super::fields::{Field, FrontMatter};
use super::value::Value;
use crate::codes;
use crate::problem::{Finding, Position};

/// The deepest nesting that is read: more than any field needs, and safe for the stack.
const MAX_DEPTH: usize = 32;

/// The result of reading a front matter.
#[derive(Debug, Default)]
pub(crate) struct ReadOutcome {
    pub(crate) front_matter: FrontMatter,
    /// Whether the front matter was read to its end; otherwise absent fields are not reported as missing.
    pub(crate) is_complete: bool,
    pub(crate) findings: Vec<Finding>,
    /// The ranges of quoted values and block scalars, in characters and in order.
    pub(crate) literal_ranges: Vec<Range<usize>>,
}

/// Reads the fields up to the first error.
pub(crate) fn read(yaml: &str) -> ReadOutcome {
    let mut reader = FrontMatterReader {
        yaml,
        characters: Characters::new(yaml),
        open: Vec::new(),
        documents: 0,
        fields: Vec::new(),
        last: None,
        last_key: None,
        findings: Vec::new(),
        literal: Vec::new(),
    };
    let outcome = reader.read();
    let FrontMatterReader {
        mut fields,
        mut findings,
        open,
        literal,
        ..
    } = reader;
    let complete = outcome.is_ok();
    if let Err(finding) = outcome {
        // The value at the error may be incomplete.
        if open.len() < 2 {
            fields.pop();
        }
        // An incomplete front matter is an error in every profile.
        findings.push(finding.into_fatal());
    }
    ReadOutcome {
        front_matter: FrontMatter { fields },
        is_complete: complete,
        findings,
        literal_ranges: literal,
    }
}

/// A collection that is not closed yet.
enum OpenCollection {
    Sequence(Vec<Value>),
    Mapping {
        entries: Vec<(String, Value)>,
        seen: BTreeSet<String>,
        /// The current key, between the key and its value.
        key: Option<String>,
        /// The column of the first mapping in the collection.
        indentation: Option<usize>,
    },
}

struct FrontMatterReader<'a> {
    yaml: &'a str,
    characters: Characters<'a>,
    /// The open collections, each with its start position.
    open: Vec<(OpenCollection, Position)>,
    documents: usize,
    fields: Vec<Field>,
    /// The last scalar, for the explanation of an unquoted `: `.
    last: Option<(String, Span)>,
    /// The last key, at any depth.
    last_key: Option<String>,
    findings: Vec<Finding>,
    literal: Vec<Range<usize>>,
}

impl<'a> FrontMatterReader<'a> {
    /// Reads all events. An error ends the reading; recoverable problems are added to `findings`.
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
            Event::Scalar(text, style, anchor, tag) => {
                self.reject_yaml_features(anchor, tag.is_some(), at);
                self.comment_behind(style, &text, span);
                if style != ScalarStyle::Plain {
                    self.literal.push(span.start.index()..span.end.index());
                }
                self.scalar(&text, at)?;
                self.last = Some((text.into_owned(), span));
            }
            Event::SequenceStart(anchor, tag) => {
                self.reject_yaml_features(anchor, tag.is_some(), at);
                self.collection(OpenCollection::Sequence(Vec::new()), span)?;
            }
            Event::MappingStart(anchor, tag) => {
                self.reject_yaml_features(anchor, tag.is_some(), at);
                let mapping = OpenCollection::Mapping {
                    entries: Vec::new(),
                    seen: BTreeSet::new(),
                    key: None,
                    indentation: None,
                };
                self.collection(mapping, span)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(_) => return Err(explain::alias(at)),
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    let message = "the front matter holds two YAML documents";
                    return Err(Finding::new(codes::INVALID_YAML, message).with_position(at));
                }
            }
            Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => {}
        }
        Ok(())
    }

    fn scalar(&mut self, text: &str, at: Position) -> Result<(), Finding> {
        if text.contains('\0') {
            self.findings.push(
                Finding::new(codes::NUL, "the value holds a NUL character").with_position(at),
            );
        }
        match self.open.last_mut() {
            None => return Err(explain::not_fields(at)),
            Some((
                OpenCollection::Mapping {
                    seen,
                    key: key @ None,
                    ..
                },
                _,
            )) => {
                if !seen.insert(text.to_owned()) {
                    let message = format!("the key `{text}` is here twice");
                    self.findings.push(
                        Finding::new(codes::DUPLICATE_KEY, message)
                            .with_position(at)
                            .with_help("keep one of the two"),
                    );
                }
                *key = Some(text.to_owned());
                self.last_key = Some(text.to_owned());
            }
            Some(_) => self.value(Value::Text(text.to_owned()), at),
        }
        Ok(())
    }

    fn collection(&mut self, collection: OpenCollection, span: Span) -> Result<(), Finding> {
        let at = position(span.start);
        let is_mapping = matches!(collection, OpenCollection::Mapping { .. });
        match self.open.last_mut() {
            None if !is_mapping => return Err(explain::not_fields(at)),
            Some((OpenCollection::Mapping { key: None, .. }, _)) => {
                let message = "a list or a mapping cannot be a key";
                return Err(Finding::new(codes::INVALID_YAML, message).with_position(at));
            }
            Some((OpenCollection::Mapping { indentation, .. }, _)) if is_mapping => {
                if *indentation.get_or_insert(at.column) != at.column {
                    self.findings.push(explain::indentation(at));
                }
            }
            None | Some(_) => {}
        }
        if matches!(self.characters.at(span.start), Some('[' | '{')) {
            self.findings.push(explain::flow(at));
        }
        if self.open.len() == MAX_DEPTH {
            let message = format!("the front matter nests deeper than {MAX_DEPTH} levels");
            return Err(Finding::new(codes::INVALID_YAML, message).with_position(at));
        }
        self.open.push((collection, at));
        Ok(())
    }

    /// Converts the innermost open collection to a value.
    fn close(&mut self) {
        match self.open.pop() {
            // The outermost mapping contains the fields, which are stored already.
            Some(_) if self.open.is_empty() => {}
            Some((OpenCollection::Sequence(items), at)) => self.value(Value::List(items), at),
            Some((OpenCollection::Mapping { entries, .. }, at)) => {
                self.value(Value::Mapping(entries), at)
            }
            None => {}
        }
    }

    /// Completes the current key or list item with its value; a value of the outermost mapping is a field.
    fn value(&mut self, value: Value, at: Position) {
        let outermost = self.open.len() == 1;
        match self.open.last_mut() {
            Some((OpenCollection::Sequence(items), _)) => items.push(value),
            Some((OpenCollection::Mapping { entries, key, .. }, _)) => {
                let Some(key) = key.take() else { return };
                match outermost {
                    true => self.fields.push(Field { key, value, at }),
                    false => entries.push((key, value)),
                }
            }
            None => {}
        }
    }

    fn reject_yaml_features(&mut self, anchor: usize, tagged: bool, at: Position) {
        if anchor != 0 {
            self.findings.push(explain::anchor(at));
        }
        if tagged {
            self.findings.push(explain::tag(at));
        }
    }

    /// Finds a ` #` that ends a plain top-level value: most authors intend the text to continue.
    fn comment_behind(&mut self, style: ScalarStyle, text: &str, span: Span) {
        if style != ScalarStyle::Plain || text.is_empty() || self.open.len() != 1 {
            return;
        }
        if !matches!(
            self.open.last(),
            Some((OpenCollection::Mapping { key: Some(_), .. }, _))
        ) {
            return;
        }
        if let Some(blanks) = self.characters.comment_after(span.end)
            && let Some(key) = &self.last_key
        {
            let mut at = position(span.end);
            at.column += blanks;
            self.findings.push(explain::comment_cuts(key, text, at));
        }
    }

    /// Returns the last scalar, if it is the value of a key.
    fn last_value(&self) -> Option<(&str, &str, Span)> {
        let (text, span) = self.last.as_ref()?;
        Some((self.last_key.as_deref()?, text, *span))
    }
}
