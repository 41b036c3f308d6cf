//! Substitution of arguments for their placeholders, in one pass.

use std::borrow::Cow;
use std::path::Path;

/// The greatest number of bytes that substitution may add; further placeholders are kept unchanged.
const MAX_ADDED_BYTES: usize = 1 << 20;

/// The values that are substituted in a skill's instructions when it is loaded.
///
/// | placeholder | value |
/// |---|---|
/// | `$ARGUMENTS` | all arguments, unchanged |
/// | `$ARGUMENTS[0]`, `$0` | the first word of the arguments, where `'…'` and `"…"` group words; empty if there are fewer words |
/// | `${SKILL_DIR}`, `${ANY_SKILL_DIR}` | the skill's folder, if it is on this machine |
///
/// `$0` is also syntax of shells and `awk`. It is substituted only if the skill takes arguments, by
/// [`positional`](Self::positional) or by a `$ARGUMENTS` in its text. A backslash before the `$`
/// prevents the substitution.
///
/// There is one pass: placeholders in arguments are not substituted.
///
/// ```
/// use helve::skill::Substitution;
///
/// let given = Substitution::new("12 '$ARGUMENTS[0] now'");
/// assert_eq!(given.apply("Fix $ARGUMENTS[0]: $1."), "Fix 12: $ARGUMENTS[0] now.");
/// assert_eq!(given.apply("Fix it."), "Fix it.\n\nARGUMENTS: 12 '$ARGUMENTS[0] now'");
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Substitution<'a> {
    arguments: &'a str,
    positional: bool,
    folder: Option<&'a Path>,
}

impl<'a> Substitution<'a> {
    /// Creates a substitution of these arguments; an empty text means no arguments.
    #[must_use]
    pub fn new(arguments: &'a str) -> Self {
        Self {
            arguments: arguments.trim(),
            ..Self::default()
        }
    }

    /// Sets whether the skill takes arguments, so that `$0` is substituted.
    #[must_use]
    pub fn positional(mut self, positional: bool) -> Self {
        self.positional = positional;
        self
    }

    /// Sets the skill's folder.
    #[must_use]
    pub fn folder(mut self, folder: Option<&'a Path>) -> Self {
        self.folder = folder;
        self
    }

    /// Substitutes all placeholders. Arguments without a placeholder are added at the end.
    #[must_use]
    pub fn apply<'b>(&self, body: &'b str) -> Cow<'b, str> {
        let words = words(self.arguments);
        let takes = self.positional || Placeholder::takes_arguments(body);
        let positional = takes && !words.is_empty();
        let mut room = MAX_ADDED_BYTES;
        let mut text = String::new();
        let (mut rest, mut placed) = (body, false);
        while let Some((start, length, placeholder)) = Placeholder::find_next(rest) {
            let value = match placeholder {
                Placeholder::All => Some(Cow::Borrowed(self.arguments)),
                Placeholder::Indexed(index) => Some(word(&words, index)),
                Placeholder::Positional(index) => positional.then(|| word(&words, index)),
                Placeholder::Folder => self.folder.map(Path::to_string_lossy),
            };
            text.push_str(&rest[..start]);
            match value.filter(|value| value.len() <= room) {
                Some(value) => {
                    placed |= placeholder != Placeholder::Folder;
                    room -= value.len();
                    text.push_str(&value);
                }
                None => text.push_str(&rest[start..start + length]),
            }
            rest = &rest[start + length..];
        }
        if !placed && !self.arguments.is_empty() {
            text.push_str(rest);
            text.push_str("\n\nARGUMENTS: ");
            text.push_str(self.arguments);
            return text.into();
        }
        if rest.len() == body.len() {
            return body.into();
        }
        text.push_str(rest);
        text.into()
    }
}

/// Returns the word at an index; empty if there are fewer words.
fn word<'w>(words: &[Cow<'w, str>], index: usize) -> Cow<'w, str> {
    words.get(index).cloned().unwrap_or_default()
}

/// The kinds of placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placeholder {
    All,
    Indexed(usize),
    Positional(usize),
    Folder,
}

impl Placeholder {
    const ARGUMENTS: &str = "$ARGUMENTS";

    /// Returns whether a text refers to arguments, so that `$0` is a placeholder.
    fn takes_arguments(text: &str) -> bool {
        let mut rest = text;
        while let Some((start, length, found)) = Self::find_next(rest) {
            if matches!(found, Self::All | Self::Indexed(_)) {
                return true;
            }
            rest = &rest[start + length..];
        }
        false
    }

    /// Finds the next placeholder: its offset, its length, and its kind.
    fn find_next(text: &str) -> Option<(usize, usize, Self)> {
        let dollars = text.match_indices('$');
        let mut unescaped = dollars.filter(|(at, _)| !text[..*at].ends_with('\\'));
        unescaped.find_map(|(at, _)| {
            let (length, placeholder) = Self::parse(&text[at..])?;
            Some((at, length, placeholder))
        })
    }

    /// Parses the placeholder at the start of a text.
    fn parse(text: &str) -> Option<(usize, Self)> {
        if let Some(rest) = text.strip_prefix(Self::ARGUMENTS) {
            let all = Self::ARGUMENTS.len();
            if let Some((digits, length)) = rest.strip_prefix('[').and_then(number)
                && rest[1 + length..].starts_with(']')
            {
                return Some((all + length + 2, Self::Indexed(digits)));
            }
            return (!continues_name(rest)).then_some((all, Self::All));
        }
        if let Some(rest) = text.strip_prefix("${") {
            // Only the characters of a name are searched: the closing brace may be a megabyte away.
            let is_name = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'_';
            let name = &rest[..rest.bytes().take_while(is_name).count()];
            let is_folder = name == "SKILL_DIR" || name.ends_with("_SKILL_DIR");
            let closed = rest[name.len()..].starts_with('}');
            return (closed && is_folder).then_some((name.len() + 3, Self::Folder));
        }
        let (index, length) = number(&text[1..])?;
        (!continues_name(&text[1 + length..])).then_some((1 + length, Self::Positional(index)))
    }
}

/// Parses the number at the start of a text, and returns its length, too. At most three digits are
/// read.
fn number(text: &str) -> Option<(usize, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = (1..=3).contains(&length).then(|| text[..length].parse());
    Some((number?.ok()?, length))
}

/// Returns whether a name continues, so that it is another name.
fn continues_name(text: &str) -> bool {
    text.starts_with(|next: char| next.is_alphanumeric() || next == '_')
}

/// Splits arguments into words as a shell does; an unclosed quote extends to the end.
fn words(arguments: &str) -> Vec<Cow<'_, str>> {
    let mut words = Vec::new();
    let mut rest = arguments.trim_start();
    while !rest.is_empty() {
        let (word, after) = first_word(rest);
        words.push(word);
        rest = after.trim_start();
    }
    words
}

fn first_word(text: &str) -> (Cow<'_, str>, &str) {
    let is_end = |next: char| next.is_whitespace() || matches!(next, '"' | '\'');
    let end = text.find(is_end).unwrap_or(text.len());
    if !text[end..].starts_with(['"', '\'']) {
        return (text[..end].into(), &text[end..]);
    }
    let mut word = String::new();
    let mut quote = None;
    for (at, next) in text.char_indices() {
        match (quote, next) {
            (Some(open), next) if open == next => quote = None,
            (None, '"' | '\'') => quote = Some(next),
            (None, next) if next.is_whitespace() => return (word.into(), &text[at..]),
            (_, next) => word.push(next),
        }
    }
    (word.into(), "")
}

#[cfg(test)]
mod tests;
