//! A scanner for the keys of one JSON object; serde parses the values.

use std::borrow::Cow;

/// A position in the text of a call. Every method returns `None` if the text is not the expected object.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Whether a key must follow, because of a comma.
    expects_key: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            expects_key: false,
        }
    }

    /// Enters the object; `Some(false)` if the call is empty (`""`, `null`) and has no object.
    #[inline]
    pub(super) fn open_object(&mut self) -> Option<bool> {
        self.skip_space();
        match self.rest() {
            "" => Some(false),
            rest if rest.starts_with('{') => {
                self.at += 1;
                Some(true)
            }
            rest => (rest.trim_end_matches(is_space) == "null").then_some(false),
        }
    }

    /// Parses the next key with its escapes resolved, and its colon; `Some(None)` at the end of the object.
    pub(super) fn key(&mut self) -> Option<Option<Cow<'a, str>>> {
        self.skip_space();
        if self.peek() == Some(b'}') {
            if self.expects_key {
                return None;
            }
            self.at += 1;
            self.skip_space();
            return self.rest().is_empty().then_some(None);
        }
        let key = self.string()?;
        self.skip_space();
        (self.peek() == Some(b':')).then_some(())?;
        self.at += 1;
        self.skip_space();
        Some(Some(key))
    }

    /// Skips a key and its colon if they are next in the text; otherwise the position is unchanged.
    ///
    /// The name must not need escapes in JSON, as is the case for the names of parameters.
    #[inline]
    pub(super) fn key_is(&mut self, name: &str) -> bool {
        self.skip_space();
        let rest = &self.text.as_bytes()[self.at..];
        let length = name.len() + 3;
        let there = rest.len() >= length
            && rest[0] == b'"'
            && rest[length - 2..length] == *b"\":"
            && rest[1..length - 2] == *name.as_bytes();
        if there {
            self.at += length;
            self.skip_space();
        }
        there
    }

    /// Skips the comma after a value, or stops before the closing brace.
    #[inline]
    pub(super) fn after_value(&mut self) -> Option<()> {
        self.skip_space();
        match self.peek()? {
            b',' => {
                self.expects_key = true;
                self.at += 1;
                Some(())
            }
            b'}' => {
                self.expects_key = false;
                Some(())
            }
            _ => None,
        }
    }

    /// Skips `null`; reports whether it was next in the text.
    pub(super) fn null(&mut self) -> bool {
        let there = self.rest().starts_with("null");
        if there {
            self.at += "null".len();
        }
        there
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn advance(&mut self, length: usize) {
        self.at += length;
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| is_space(char::from(byte))) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let (bytes, start) = (self.text.as_bytes(), self.at + 1);
        let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..b' ');
        let end = start + bytes[start..].iter().position(ends)?;
        if bytes[end] == b'"' {
            self.at = end + 1;
            return Some(Cow::Borrowed(&self.text[start..end]));
        }
        let mut strings = serde_json::Deserializer::from_str(self.rest()).into_iter::<String>();
        let key = strings.next()?.ok()?;
        self.at += strings.byte_offset();
        Some(Cow::Owned(key))
    }
}

/// Reports whether a character is white space in JSON, which has fewer such characters than Unicode.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::Scanner;

    /// Parses all keys of an object of numbers.
    fn keys(text: &str) -> Option<Vec<String>> {
        let mut scanner = Scanner::new(text);
        let mut keys = Vec::new();
        if scanner.open_object()? {
            while let Some(key) = scanner.key()? {
                keys.push(key.into_owned());
                let digits = scanner.rest().bytes().take_while(u8::is_ascii_digit);
                scanner.advance(digits.count());
                scanner.after_value()?;
            }
        }
        Some(keys)
    }

    #[test]
    fn accepts_what_json_accepts() {
        for (text, expected) in [
            ("", vec![]),
            ("  \n", vec![]),
            ("null", vec![]),
            (" null ", vec![]),
            ("{}", vec![]),
            (" { } ", vec![]),
            (r#"{"a":1}"#, vec!["a"]),
            (r#" { "a" : 1 , "b\u0063" : 2 } "#, vec!["a", "bc"]),
        ] {
            assert_eq!(
                keys(text),
                Some(expected.into_iter().map(String::from).collect()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn refuses_what_json_refuses() {
        for text in [
            "nul",
            "null x",
            "[]",
            "5",
            "{",
            "{,}",
            r#"{"a":1,}"#,
            r#"{"a":1"#,
            r#"{"a" 1}"#,
            r#"{"a":1} x"#,
            r#"{"a":1}}"#,
            r#"{a:1}"#,
            r#"{"a":1 "b":2}"#,
            "{\"a\u{1}\":1}",
            r#"{"a\x":1}"#,
            "\u{a0}{}",
        ] {
            assert_eq!(keys(text), None, "{text:?}");
        }
    }
}
