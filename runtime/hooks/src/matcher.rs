//! Which tools, or which kinds of an event, a hook is for.

use helve_core::support::wildcard;
use regex::Regex;

/// Selects the names for which a hook runs.
///
/// A text of letters, digits, `_`, `-`, `,`, `|` and spaces lists exact names. Any other text is a regular expression that
/// may match anywhere in the name. An empty text and `*` select every name.
///
/// ```
/// use helve::hooks::Matcher;
///
/// let matcher = Matcher::parse("Edit|Write")?;
/// assert!(matcher.matches(["Write"]) && !matcher.matches(["NotebookWrite"]));
/// assert!(Matcher::parse("Notebook.*")?.matches(["MyNotebookEdit"]));
/// # Ok::<(), helve::hooks::InvalidMatcher>(())
/// ```
#[derive(Debug, Clone)]
pub struct Matcher {
    text: String,
    kind: MatcherKind,
}

#[derive(Debug, Clone)]
enum MatcherKind {
    All,
    Names(Vec<String>),
    /// Names in which `*` matches any characters.
    Patterns(Vec<String>),
    Expression(Regex),
}

/// The text of a matcher is no regular expression, or one with features that are not supported, such as lookaround.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the matcher `{text}` is not supported: {reason}")]
pub struct InvalidMatcher {
    text: String,
    reason: String,
}

/// The maximum size of a compiled expression, in bytes.
const MAX_EXPRESSION_BYTES: usize = 1 << 20;

impl Matcher {
    /// Parses a matcher of Claude Code's settings.
    ///
    /// # Errors
    ///
    /// The text is no list of names, and no regular expression either.
    pub fn parse(text: &str) -> Result<Self, InvalidMatcher> {
        let kind = if text.is_empty() || text == "*" {
            MatcherKind::All
        } else if text.chars().all(is_of_list) {
            MatcherKind::Names(split_names(text))
        } else {
            let expression = regex::RegexBuilder::new(text)
                .size_limit(MAX_EXPRESSION_BYTES)
                .build();
            MatcherKind::Expression(expression.map_err(|error| InvalidMatcher {
                text: text.to_owned(),
                reason: last_line(&error.to_string()),
            })?)
        };
        Ok(Self {
            text: text.to_owned(),
            kind,
        })
    }

    /// Creates a matcher for names in which `*` matches any characters, as in permission rules.
    #[must_use]
    pub fn from_rule(text: &str) -> Self {
        let kind = match text.trim() {
            "" | "*" => MatcherKind::All,
            _ => MatcherKind::Patterns(split_names(text)),
        };
        Self {
            text: text.to_owned(),
            kind,
        }
    }

    /// Creates a matcher that selects every name.
    #[must_use]
    pub fn all() -> Self {
        Self::from_rule("")
    }

    /// Returns the text of the matcher.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reports whether one of the names is selected: the names of one tool in different programs.
    #[must_use]
    pub fn matches<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> bool {
        let mut names = names.into_iter();
        match &self.kind {
            MatcherKind::All => true,
            MatcherKind::Names(own) => names.any(|name| own.iter().any(|own| own == name)),
            MatcherKind::Patterns(own) => {
                names.any(|name| own.iter().any(|own| wildcard::matches(own, name)))
            }
            MatcherKind::Expression(expression) => names.any(|name| expression.is_match(name)),
        }
    }
}

fn is_of_list(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ',' | '|' | ' ')
}

fn split_names(text: &str) -> Vec<String> {
    let names = text.split([',', '|']).map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

fn last_line(text: &str) -> String {
    let last = text.lines().last().unwrap_or(text);
    last.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Matcher;

    fn matches(text: &str, name: &str) -> bool {
        let matcher = Matcher::parse(text).expect("a matcher");
        matcher.matches([name])
    }

    #[test]
    fn lists_are_exact_and_expressions_are_not_anchored() {
        let cases = [
            ("", "Bash", true),
            ("*", "mcp__memory__add", true),
            ("Bash", "Bash", true),
            ("Bash", "BashOutput", false),
            ("Edit|Write", "Write", true),
            ("Edit | Write", "Write", true),
            ("Bash, Edit", "Edit", true),
            ("Edit|Write", "MultiEdit", false),
            ("mcp__memory", "mcp__memory__add", false),
            ("mcp__memory__.*", "mcp__memory__add", true),
            ("mcp__.*__write.*", "mcp__files__write_file", true),
            ("Notebook.*", "NotebookEdit", true),
            ("Edit.*", "MultiEdit", true),
            ("^Edit$", "MultiEdit", false),
            ("Write|Edit.*", "NotebookEdit", true),
            ("bash", "Bash", false),
            (".*", "Read", true),
        ];
        for (text, name, expected) in cases {
            assert_eq!(matches(text, name), expected, "{text:?} {name:?}");
        }
    }

    #[test]
    fn an_expression_that_is_not_supported_is_an_error() {
        let error = Matcher::parse("^(?!Read).*$").expect_err("lookahead");
        insta::assert_snapshot!(error, @"the matcher `^(?!Read).*$` is not supported: look-around, including look-ahead and look-behind, is not supported");
    }

    proptest! {
        /// A list selects exactly the names that are in it.
        #[test]
        fn a_list_selects_its_names(names in prop::collection::vec("[A-Za-z0-9_-]{1,8}", 1..5), other in "[A-Za-z0-9_-]{1,8}") {
            for separator in ["|", ",", " | ", ", "] {
                let matcher = Matcher::parse(&names.join(separator)).expect("a list");
                for name in &names {
                    prop_assert!(matcher.matches([&**name]));
                }
                prop_assert_eq!(matcher.matches([&*other]), names.contains(&other));
            }
        }

        /// An expression selects what it matches anywhere, and no text panics.
        #[test]
        fn any_text_is_a_matcher_or_an_error(text in ".{0,20}", name in "[A-Za-z_]{0,10}") {
            if let Ok(matcher) = Matcher::parse(&text) {
                let is_plain = text.chars().all(super::is_of_list) || text == "*";
                let expected = match is_plain {
                    true => text.is_empty() || text == "*" || super::split_names(&text).contains(&name),
                    false => regex::Regex::new(&text).expect("it was parsed").is_match(&name),
                };
                prop_assert_eq!(matcher.matches([&*name]), expected);
            }
        }
    }
}
