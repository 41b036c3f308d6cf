//! What a text should be.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::subset::subset_difference;

/// What a text should be. In JSON, a string is the text itself.
///
/// ```
/// use helve::testing::TextMatch;
///
/// let greeting: TextMatch = serde_json::from_str(r#"{ "contains": ["Hello"], "matches": "A[a-z]+" }"#)?;
/// assert!(greeting.check("Hello, Ada").is_ok());
/// assert_eq!(greeting.check("Hello").unwrap_err(), "`Hello` does not match `A[a-z]+`");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct TextMatch {
    /// The text.
    pub equals: Option<String>,
    /// Texts that it contains.
    pub contains: Vec<String>,
    /// Texts that it does not contain.
    pub lacks: Vec<String>,
    /// A regular expression that matches somewhere in it.
    pub matches: Option<String>,
    /// Values by their JSON pointers, for a text that is JSON. Objects may have further keys.
    pub json: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextFields {
    equals: Option<String>,
    #[serde(default)]
    contains: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    matches: Option<String>,
    #[serde(default)]
    json: BTreeMap<String, Value>,
}

impl<'de> Deserialize<'de> for TextMatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if let Value::String(text) = value {
            return Ok(Self {
                equals: Some(text),
                ..Self::default()
            });
        }
        let TextFields {
            equals,
            contains,
            lacks,
            matches,
            json,
        } = TextFields::deserialize(value).map_err(serde::de::Error::custom)?;
        Ok(Self {
            equals,
            contains,
            lacks,
            matches,
            json,
        })
    }
}

impl TextMatch {
    /// Checks a text.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, text: &str) -> Result<(), String> {
        if let Some(equals) = &self.equals
            && equals != text
        {
            return Err(format!("`{text}` is not `{equals}`"));
        }
        if let Some(missing) = self.contains.iter().find(|part| !text.contains(&***part)) {
            return Err(format!("`{text}` does not contain `{missing}`"));
        }
        if let Some(unwanted) = self.lacks.iter().find(|part| text.contains(&***part)) {
            return Err(format!("`{text}` contains `{unwanted}`"));
        }
        if let Some(pattern) = &self.matches {
            let regex = regex::Regex::new(pattern).map_err(|error| error.to_string())?;
            if !regex.is_match(text) {
                return Err(format!("`{text}` does not match `{pattern}`"));
            }
        }
        self.check_json(text)
    }

    fn check_json(&self, text: &str) -> Result<(), String> {
        if self.json.is_empty() {
            return Ok(());
        }
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("`{text}` is not JSON: {error}"))?;
        for (pointer, expected) in &self.json {
            let Some(found) = value.pointer(pointer) else {
                return Err(format!("`{text}` has nothing at `{pointer}`"));
            };
            if let Some(difference) = subset_difference(expected, found) {
                return Err(format!("at `{pointer}`: {difference}"));
            }
        }
        Ok(())
    }
}
