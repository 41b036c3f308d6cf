//! The matching of rules against the parts of a command line.

use super::proof;

/// The pattern of a rule: the text between the parentheses.
pub(super) enum Pattern<'r> {
    /// `git commit:*`: these words, followed by any text.
    Prefix(&'r str),
    /// No wildcard: this text, anywhere.
    Text(String),
    /// A pattern in which `*` matches any text, with the length of its literal beginning.
    Wildcard { pattern: Vec<char>, head: usize },
}

/// Represents a `*` wildcard; other `*` characters are literal.
const ANY: char = '\u{e000}';

impl<'r> Pattern<'r> {
    pub(super) fn parse(rule: &'r str) -> Option<Self> {
        let rule = rule.trim();
        if rule.is_empty() {
            return None;
        }
        if let Some(prefix) = rule.strip_suffix(":*") {
            return (!prefix.is_empty()).then_some(Self::Prefix(prefix));
        }
        let mut pattern = Vec::new();
        let mut characters = rule.chars();
        let mut has_wildcard = false;
        while let Some(character) = characters.next() {
            match character {
                '\\' => match characters.clone().next() {
                    Some(next @ ('*' | '\\')) => {
                        characters.next();
                        pattern.push(next);
                    }
                    _ => pattern.push('\\'),
                },
                '*' => {
                    has_wildcard = true;
                    pattern.push(ANY);
                }
                _ => pattern.push(character),
            }
        }
        if !has_wildcard {
            return Some(Self::Text(pattern.into_iter().collect()));
        }
        let head = pattern.iter().take_while(|c| **c != ANY);
        let head = head.map(|c| c.len_utf8()).sum();
        Some(Self::Wildcard { pattern, head })
    }
}

/// Reports whether a pattern matches the whole text; a blank and a `*` at the end may be missing.
fn is_like(pattern: &[char], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let is_bare = |pattern: &[char]| wildcard(pattern, &text, ANY);
    is_bare(pattern) || pattern.strip_suffix(&[' ', ANY]).is_some_and(is_bare)
}

/// Matches a pattern with the wildcard `any`, in time proportional to the product of both lengths at most.
fn wildcard(pattern: &[char], text: &[char], any: char) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        match pattern.get(at) {
            Some(c) if *c == any => {
                star = Some((at, from));
                at += 1;
            }
            Some(c) if *c == text[from] => {
                at += 1;
                from += 1;
            }
            _ => match &mut star {
                Some((place, begun)) => {
                    *begun += 1;
                    at = *place + 1;
                    from = *begun;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == any)
}

impl Pattern<'_> {
    /// Reports whether the pattern occurs in a text in the broad sense that deny rules use.
    pub(super) fn touches(&self, text: &str) -> bool {
        match self {
            Self::Prefix(prefix) => is_prefix(prefix, text),
            Self::Text(wanted) => text.contains(&**wanted),
            Self::Wildcard { pattern, .. } => is_like(pattern, text),
        }
    }

    /// Reports whether the pattern covers the proven spelling of a command.
    ///
    /// A rule is compared with the known words only; it does not cover anything after them.
    fn means(&self, spelling: &proof::Spelling) -> bool {
        let text = &*spelling.text;
        let known = text.get(..spelling.known).unwrap_or_default();
        match self {
            Self::Prefix(prefix) => prefix.len() >= spelling.named && is_prefix(prefix, known),
            Self::Text(wanted) => {
                wanted.len() >= spelling.named && is_prefix(wanted, known)
                    || self.is_exactly(spelling)
            }
            Self::Wildcard { pattern, head } => {
                *head >= spelling.named && spelling.is_exact && is_like(pattern, text)
            }
        }
    }

    fn is_exactly(&self, spelling: &proof::Spelling) -> bool {
        matches!(self, Self::Text(wanted) if spelling.is_exact && *wanted == spelling.text)
    }
}

/// Reports whether a text begins with the words of a prefix.
fn is_prefix(prefix: &str, text: &str) -> bool {
    let rest = text.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Reports whether an allow rule covers a proven command.
pub(super) fn allows(pattern: &Pattern<'_>, command: &proof::ProvenCommand) -> bool {
    command.spellings.iter().any(|spelling| {
        let is_written = spelling.is_exact
            && matches!(pattern, Pattern::Text(wanted) if *wanted == command.text);
        if is_written {
            return true;
        }
        if command.is_opaque {
            pattern.is_exactly(spelling)
        } else {
            pattern.means(spelling)
        }
    })
}

/// Reports whether a deny rule applies to a proven command. A word whose value is unknown may be the one that the rule
/// names.
pub(super) fn touches(pattern: &Pattern<'_>, command: &proof::ProvenCommand) -> bool {
    let may_become = |spelling: &proof::Spelling| {
        let known = spelling.text.get(..spelling.known).unwrap_or_default();
        match pattern {
            _ if spelling.is_exact || known.is_empty() => false,
            Pattern::Prefix(prefix) => prefix.starts_with(known),
            Pattern::Text(wanted) => wanted.starts_with(known),
            Pattern::Wildcard { pattern, .. } => {
                let head: String = pattern.iter().take_while(|c| **c != ANY).collect();
                head.starts_with(known)
            }
        }
    };
    command
        .spellings
        .iter()
        .any(|spelling| pattern.touches(&spelling.text) || may_become(spelling))
}
