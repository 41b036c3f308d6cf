//! Rules, held against each part of a command line.

use super::analysis::{Analysis, Face, Part};
use super::glob::wildcard;

/// A rule as it is written between parentheses.
pub(super) enum Pattern<'r> {
    /// `git commit:*`: these words, and whatever follows.
    Prefix(&'r str),
    /// No wildcard: this text, anywhere.
    Text(String),
    /// `*` for any text. The literal beginning is kept beside it.
    Wildcard { pattern: Vec<char>, head: usize },
}

/// Stands for a `*` while the others are literal.
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
        let head = pattern
            .iter()
            .take_while(|c| **c != ANY)
            .map(|c| c.len_utf8())
            .sum();
        Some(Self::Wildcard { pattern, head })
    }

    /// Says how a face is covered: not at all, as something to deny, or as what the rule means.
    fn cover(&self, face: &Face) -> Option<Strength> {
        let text = &*face.text;
        let (is_covered, head) = match self {
            Self::Prefix(prefix) => {
                let rest = text.strip_prefix(prefix);
                (
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
                    prefix.len(),
                )
            }
            Self::Text(wanted) => {
                let head = if text.starts_with(&**wanted) {
                    wanted.len()
                } else {
                    0
                };
                (text.contains(&**wanted), head)
            }
            Self::Wildcard { pattern, head } => (is_like(pattern, text), *head),
        };
        let means_it = face.named == 0 || head >= face.named;
        let is_all = matches!(self, Self::Text(wanted) if wanted == text);
        is_covered.then_some(match (is_all, means_it) {
            (true, _) => Strength::Exactly,
            (_, true) => Strength::Means,
            _ => Strength::Touches,
        })
    }
}

/// Matches the whole text; a blank and a `*` at the end may be missing.
fn is_like(pattern: &[char], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let is_bare = |pattern: &[char]| wildcard(pattern, &text, ANY);
    is_bare(pattern) || pattern.strip_suffix(&[' ', ANY]).is_some_and(is_bare)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Touches,
    Means,
    Exactly,
}

/// Says what of a command line a rule covers: for each part whether it lets the part run, and for the parts that have
/// other ways to be read, whether it touches any of those.
pub(super) fn cover(analysis: &Analysis, rule: &str) -> Vec<bool> {
    let pattern = Pattern::parse(rule);
    let covered = |part: &Part| {
        pattern.as_ref().and_then(|pattern| {
            part.faces
                .iter()
                .filter_map(|face| pattern.cover(face))
                .max()
        })
    };
    analysis
        .parts
        .iter()
        .flat_map(|part| {
            let strength = covered(part);
            let needed = if part.is_opaque {
                Strength::Exactly
            } else {
                Strength::Means
            };
            let allows = strength.is_some_and(|strength| strength >= needed);
            let other = part.has_other_faces().then_some(strength.is_some());
            std::iter::once(allows).chain(other)
        })
        .collect()
}

impl Part {
    /// Reports whether it can be read in ways that serve to deny and not to allow.
    pub(super) fn has_other_faces(&self) -> bool {
        self.is_opaque || self.faces.iter().any(|face| face.named > 0)
    }
}
