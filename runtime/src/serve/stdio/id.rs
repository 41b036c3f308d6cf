//! The id of a request that cannot be read as a whole, because it is too long or no message.

use rmcp::model::RequestId;

/// Looks for the `id` of an object, byte by byte, without keeping the object.
#[derive(Debug, Default)]
pub(super) struct IdSearch {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// Whether the next string of the outermost object is a key.
    before_key: bool,
    /// The key that is being read, or was read last; what is longer than `id` is cut.
    key: Vec<u8>,
    is_key: bool,
    /// The value of `id`, while it is read.
    value: Option<Vec<u8>>,
    found: Option<RequestId>,
}

/// How long an id may be that is looked for.
const LONGEST: usize = 256;

impl IdSearch {
    /// Reads on.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.found.is_some() {
                return;
            }
            self.take(byte);
        }
    }

    /// Returns what was found.
    pub(super) fn found(self) -> Option<RequestId> {
        self.found
    }

    fn take(&mut self, byte: u8) {
        let ends_value = self.depth == 1 && !self.in_string && matches!(byte, b',' | b'}');
        if ends_value && let Some(value) = self.value.take() {
            self.found = serde_json::from_slice(&value).ok();
        }
        if let Some(value) = &mut self.value {
            value.push(byte);
            if value.len() > LONGEST {
                self.value = None;
            }
        }
        if self.in_string {
            self.take_of_string(byte);
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.is_key = self.depth == 1 && self.before_key;
                if self.is_key {
                    self.key.clear();
                }
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.before_key = self.depth == 1 && byte == b'{';
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b',' if self.depth == 1 => self.before_key = true,
            b':' if self.depth == 1 => {
                self.before_key = false;
                self.value = (self.key == b"id").then(Vec::new);
            }
            _ => {}
        }
    }

    fn take_of_string(&mut self, byte: u8) {
        if self.is_escaped {
            self.is_escaped = false;
        } else if byte == b'\\' {
            self.is_escaped = true;
        } else if byte == b'"' {
            self.in_string = false;
            return;
        }
        if self.is_key && self.key.len() <= b"id".len() {
            self.key.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;

    use super::IdSearch;

    fn id_of(text: &str) -> Option<RequestId> {
        let mut whole = IdSearch::default();
        whole.read(text.as_bytes());
        let mut parts = IdSearch::default();
        for byte in text.bytes() {
            parts.read(&[byte]);
        }
        let found = whole.found();
        assert_eq!(found, parts.found());
        found
    }

    #[test]
    fn an_id_is_found_wherever_it_stands() {
        let seven = Some(RequestId::Number(7));
        assert_eq!(id_of(r#"{"jsonrpc":"2.0","id":7,"params":{"a":"x"#), seven);
        assert_eq!(
            id_of(r#"{"params":{"id":1,"a":["}",{"id":2}]}, "id" : 7 }"#),
            seven
        );
        let text = Some(RequestId::String("a\"b,}".into()));
        assert_eq!(id_of(r#"{"a":"id","id":"a\"b,}","b":1}"#), text);
    }

    #[test]
    fn what_is_no_id_of_the_message_is_none() {
        for text in [
            r#"{"params":{"id":1}}"#,
            r#"{"a":"\"id\":1,"}"#,
            r#"{"id":null}"#,
            r#"{"id":{"id":1}}"#,
            r#"{"idx":1,"xid":2}"#,
            r#"[{"id":1}]"#,
            r#"{"id":7"#,
            "",
        ] {
            assert_eq!(id_of(text), None, "{text}");
        }
        let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(1000));
        assert_eq!(id_of(&long), None);
    }
}
