//! A lenient parser for JSON as models write it: invalid JSON with an unambiguous meaning is rewritten as JSON.

use super::explain::MAX_DEPTH;

/// The deviations from JSON that were fixed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct LenientFixes {
    surrounding_text: bool,
    quotes: bool,
    bare_keys: bool,
    commas: bool,
    literals: bool,
    line_breaks: bool,
}

impl LenientFixes {
    /// Returns a sentence for each fix.
    pub(super) fn sentences(self) -> impl Iterator<Item = String> {
        let taken = [
            (self.surrounding_text, "removed the text around the JSON"),
            (self.quotes, "read single quotes as double ones"),
            (self.bare_keys, "put quotes around keys"),
            (self.commas, "removed trailing commas"),
            (self.literals, "read Python literals as JSON literals"),
            (self.line_breaks, "escaped control characters in a string"),
        ];
        let taken = taken.into_iter().filter(|(taken, _)| *taken);
        taken.map(|(_, sentence)| sentence.to_owned())
    }
}

/// Parses the only object or list of a text, and writes it as JSON.
///
/// Quotes may be single, keys may be bare, commas may trail, literals may be Python's, and there may be text around
/// the value as long as it contains no bracket. Truncated input is not completed, and no value is invented.
pub(super) fn read(text: &str) -> Option<(String, LenientFixes)> {
    let start = text.find(['{', '['])?;
    let mut reader = LenientReader {
        rest: &text[start..],
        out: String::with_capacity(text.len()),
        fixes: LenientFixes::default(),
    };
    reader.value(0)?;
    // Two blocks could be two calls, or a draft and the final version.
    if reader.rest.contains(['{', '}', '[', ']']) {
        return None;
    }
    reader.fixes.surrounding_text = start > 0 || !reader.rest.trim().is_empty();
    Some((reader.out, reader.fixes))
}

struct LenientReader<'t> {
    rest: &'t str,
    out: String,
    fixes: LenientFixes,
}

impl<'t> LenientReader<'t> {
    fn value(&mut self, depth: usize) -> Option<()> {
        self.skip_space();
        match self.rest.chars().next()? {
            _ if depth >= MAX_DEPTH => None,
            '{' => self.members('}', depth),
            '[' => self.members(']', depth),
            '"' | '\'' => self.string(),
            _ => self.scalar(),
        }
    }

    /// Parses the contents between brackets.
    fn members(&mut self, close: char, depth: usize) -> Option<()> {
        self.advance();
        let mut is_first = true;
        loop {
            self.skip_space();
            if self.rest.starts_with(close) {
                self.advance();
                return Some(());
            }
            if !is_first {
                self.rest = self.rest.strip_prefix(',')?;
                self.skip_space();
                if self.rest.starts_with(close) {
                    self.fixes.commas = true;
                    continue;
                }
                self.out.push(',');
            }
            is_first = false;
            if close == '}' {
                self.key()?;
                self.skip_space();
                self.rest.starts_with(':').then(|| self.advance())?;
            }
            self.value(depth + 1)?;
        }
    }

    fn key(&mut self) -> Option<()> {
        if self.rest.starts_with(['"', '\'']) {
            return self.string();
        }
        let name = self.word(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'))?;
        if name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return None;
        }
        self.fixes.bare_keys = true;
        self.out.push('"');
        self.out.push_str(name);
        self.out.push('"');
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        let mut characters = self.rest.chars();
        let quote = characters.next()?;
        self.fixes.quotes |= quote == '\'';
        self.out.push('"');
        loop {
            match characters.next()? {
                '\\' => match characters.next()? {
                    '\'' => self.out.push('\''),
                    escaped => self.out.extend(['\\', escaped]),
                },
                end if end == quote => break,
                '"' => self.out.push_str("\\\""),
                control if control.is_ascii_control() => {
                    self.fixes.line_breaks = true;
                    self.out.push_str(&format!("\\u{:04x}", u32::from(control)));
                }
                other => self.out.push(other),
            }
        }
        self.out.push('"');
        self.rest = characters.as_str();
        Some(())
    }

    /// Parses a number or a word; the JSON parser later checks that a number is valid.
    fn scalar(&mut self) -> Option<()> {
        let word = self.word(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))?;
        let meant = match word {
            "True" => "true",
            "False" => "false",
            "None" => "null",
            other => other,
        };
        self.fixes.literals |= meant != word;
        self.out.push_str(meant);
        Some(())
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> Option<&'t str> {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// Copies the next character, which is one byte, to the output.
    fn advance(&mut self) {
        let (next, rest) = self.rest.split_at(1);
        self.out.push_str(next);
        self.rest = rest;
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    fn repair_message(text: &str) -> Option<String> {
        let (json, _) = read(text)?;
        serde_json::from_str::<serde_json::Value>(&json).ok()?;
        Some(json)
    }

    #[test]
    fn what_has_one_reading_is_read() {
        for (text, json) in [
            (
                "{'a': 'it\\'s \"so\"', b_2: [1, 2,],}",
                r#"{"a":"it's \"so\"","b_2":[1,2]}"#,
            ),
            (
                "Here it is: {\"a\": True, \"b\": None}. Done!",
                r#"{"a":true,"b":null}"#,
            ),
            ("{\"a\": \"x\ny\"}", "{\"a\":\"x\\u000ay\"}"),
            ("{}", "{}"),
            ("{größe: -1.5e3}", r#"{"größe":-1.5e3}"#),
        ] {
            assert_eq!(repair_message(text).as_deref(), Some(json), "{text}");
        }
    }

    #[test]
    fn what_is_cut_off_or_has_two_readings_is_not() {
        for text in [
            "",
            "no json",
            "{\"a\": ",
            "{\"a\": 1",
            "{\"a\": \"x",
            "{\"a\" 1}",
            "{\"a\": undefined}",
            "{\"a\": 1,,}",
            "{,}",
            "{\"a\":1} {\"b\":2}",
            "see [1]: {\"a\":1}",
            "{\"a\": x}",
            "{\"a\": 01}",
            "{1: 2}",
            "{'a': 'b\\q'}",
            "{a b: 1}",
        ] {
            assert_eq!(repair_message(text), None, "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        assert_eq!(repair_message(&"[".repeat(1_000_000)), None);
    }
}
