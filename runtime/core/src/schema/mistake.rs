//! Mistakes in a call's arguments, as text for the model.

use std::fmt;

use serde::Serialize;

/// The actual value of a missing key.
const NOTHING: &str = "nothing";

/// A mistake in a call's arguments.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::schema::Mistake;
///
/// let mistake = Mistake::new("/count", "an integer", "the boolean true").with_suggestion("count with digits");
/// assert_eq!(mistake.to_string(), "`/count`: expected an integer, got the boolean true; count with digits");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mistake {
    /// The location as a JSON pointer; empty for the arguments as a whole.
    pub path: String,
    /// The expected value.
    pub expected: String,
    /// The actual value, with a short excerpt.
    pub got: String,
    /// A suggestion, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

impl Mistake {
    /// Creates a mistake without a suggestion.
    pub fn new(
        path: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            expected: expected.into(),
            got: got.into(),
            suggestion: None,
        }
    }

    /// Creates the mistake of a missing required key.
    pub fn missing(path: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::new(path, expected, NOTHING).with_suggestion("this key is required")
    }

    /// Reports whether the mistake is a missing required key.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.got == NOTHING
    }

    /// Describes the mistake without its location.
    #[must_use]
    pub fn describe(&self) -> String {
        let Self {
            expected,
            got,
            suggestion,
            ..
        } = self;
        match suggestion {
            Some(suggestion) => format!("expected {expected}, got {got}; {suggestion}"),
            None => format!("expected {expected}, got {got}"),
        }
    }

    /// Adds a suggestion.
    #[must_use]
    pub fn with_suggestion(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Adds a suggestion, if there is one.
    pub(super) fn suggesting(mut self, suggestion: Option<String>) -> Self {
        self.suggestion = suggestion.or(self.suggestion);
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str("the arguments")?,
            path => write!(f, "`{path}`")?,
        }
        write!(f, ": {}", self.describe())
    }
}

/// All mistakes of one call, and the repairs of its other arguments.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::schema::{explain, from_value};
///
/// let schema = from_value(serde_json::json!({ "type": "object", "properties": { "a": { "type": "integer" } } }))?;
/// let mistakes = explain(&schema, r#"{ "a": true, "b": 1 }"#);
/// assert_eq!(mistakes.len(), 2);
/// # Ok::<(), helve::schema::SchemaError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Mistakes {
    mistakes: Vec<Mistake>,
    #[serde(skip)]
    repairs: Vec<String>,
}

impl Mistakes {
    /// The maximum number of mistakes that are written out; a short text is more useful to a model that made more.
    pub const MAX_SHOWN: usize = 20;

    /// Returns the mistakes in the order of the arguments.
    pub fn as_slice(&self) -> &[Mistake] {
        &self.mistakes
    }

    /// Iterates over the mistakes.
    pub fn iter(&self) -> std::slice::Iter<'_, Mistake> {
        self.mistakes.iter()
    }

    /// Returns the number of mistakes.
    pub fn len(&self) -> usize {
        self.mistakes.len()
    }

    /// Returns whether there are no mistakes.
    pub fn is_empty(&self) -> bool {
        self.mistakes.is_empty()
    }

    /// Sets the repairs of the other arguments.
    pub(crate) fn with_repairs(mut self, repairs: Vec<String>) -> Self {
        self.repairs = repairs;
        self
    }

    /// Adds a mistake.
    pub fn push(&mut self, mistake: Mistake) {
        self.mistakes.push(mistake);
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (count, mistake) in self.mistakes.iter().take(Self::MAX_SHOWN).enumerate() {
            write!(f, "{}{mistake}", if count == 0 { "" } else { "\n" })?;
        }
        match self.mistakes.len().saturating_sub(Self::MAX_SHOWN) {
            0 => {}
            more => write!(f, "\nand {more} more")?,
        }
        for repair in self.repairs.iter().take(Self::MAX_SHOWN) {
            write!(f, "\n[repaired: {repair}]")?;
        }
        Ok(())
    }
}

impl std::error::Error for Mistakes {}

impl From<Mistake> for Mistakes {
    fn from(mistake: Mistake) -> Self {
        Self::from_iter([mistake])
    }
}

impl FromIterator<Mistake> for Mistakes {
    fn from_iter<I: IntoIterator<Item = Mistake>>(mistakes: I) -> Self {
        Self {
            mistakes: mistakes.into_iter().collect(),
            repairs: Vec::new(),
        }
    }
}

impl Extend<Mistake> for Mistakes {
    fn extend<I: IntoIterator<Item = Mistake>>(&mut self, mistakes: I) {
        self.mistakes.extend(mistakes);
    }
}

impl IntoIterator for Mistakes {
    type Item = Mistake;
    type IntoIter = std::vec::IntoIter<Mistake>;

    fn into_iter(self) -> Self::IntoIter {
        self.mistakes.into_iter()
    }
}

impl<'a> IntoIterator for &'a Mistakes {
    type Item = &'a Mistake;
    type IntoIter = std::slice::Iter<'a, Mistake>;

    fn into_iter(self) -> Self::IntoIter {
        self.mistakes.iter()
    }
}
