//! The input of the rules: a skill that is being checked.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::Profile;
use crate::front_matter::FrontMatter;
use crate::problem::Position;

/// A skill that is being checked.
pub(crate) struct RuleInput<'a> {
    /// The name of the skill's folder, if it has one.
    pub(crate) folder: Option<&'a str>,
    pub(crate) front_matter: &'a FrontMatter,
    /// Whether the front matter was read to its end.
    pub(crate) complete: bool,
    pub(crate) profile: Profile,
}

impl<'a> RuleInput<'a> {
    /// Returns the trimmed text of a field and its position; `None` if the field is missing or empty.
    pub(super) fn text(&self, key: &str) -> Option<(&'a str, Position)> {
        let field = self.front_matter.get(key)?;
        let text = field.value.as_text()?.trim();
        (!text.is_empty()).then_some((text, field.at))
    }

    /// Returns the name in its normal form, which all rules apply to.
    pub(crate) fn name(&self) -> Option<(Cow<'a, str>, Position)> {
        let (name, at) = self.text("name")?;
        Some((nfkc(name), at))
    }
}

/// Converts text to the normal form NFKC: `é` is one character, however it was typed.
pub(crate) fn nfkc(text: &str) -> Cow<'_, str> {
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        IsNormalized::No | IsNormalized::Maybe => Cow::Owned(text.nfkc().collect()),
    }
}
