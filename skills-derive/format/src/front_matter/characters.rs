//! The characters of the YAML, and the conversion of the parser's markers to positions in the file.

use saphyr_parser::Marker;

use crate::problem::Position;

/// The characters of the YAML by index, as the parser counts them.
pub(super) enum Characters<'a> {
    Ascii(&'a [u8]),
    Wide(Vec<char>),
}

impl<'a> Characters<'a> {
    pub(super) fn new(yaml: &'a str) -> Self {
        match yaml.is_ascii() {
            true => Self::Ascii(yaml.as_bytes()),
            false => Self::Wide(yaml.chars().collect()),
        }
    }

    pub(super) fn at(&self, marker: Marker) -> Option<char> {
        self.get(marker.index())
    }

    fn get(&self, index: usize) -> Option<char> {
        match self {
            Self::Ascii(bytes) => bytes.get(index).copied().map(char::from),
            Self::Wide(characters) => characters.get(index).copied(),
        }
    }

    /// Returns the number of blanks between a marker and a `#` that follows.
    pub(super) fn comment_after(&self, marker: Marker) -> Option<usize> {
        let blanks = (marker.index()..)
            .take_while(|&index| matches!(self.get(index), Some(' ' | '\t')))
            .count();
        (blanks > 0 && self.get(marker.index() + blanks) == Some('#')).then_some(blanks)
    }
}

/// Converts a marker in the YAML to a position in the file: the YAML starts on the second line of the file.
pub(super) fn position(marker: Marker) -> Position {
    Position {
        line: marker.line() + 1,
        column: marker.col() + 1,
    }
}
