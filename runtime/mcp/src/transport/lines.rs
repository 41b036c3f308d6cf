//! Splits a stream into lines of limited length, one message per line.

use rmcp::model::{ErrorData, ServerJsonRpcMessage};
use serde_json::Value;

use crate::sanitize::one_line;

/// The greatest size of one message in bytes, on all transports.
pub(super) const MAX_MESSAGE_BYTES: usize = 16 << 20;

#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// The number of bytes that were searched for a newline.
    searched: usize,
}

#[derive(Debug)]
pub(super) enum ReceivedLine {
    Message(Box<ServerJsonRpcMessage>),
    /// A line that is not a message, such as an empty line or log output.
    Noise(String),
    Malformed(String),
}

impl Lines {
    /// Appends bytes. Returns an error if a line is too long.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.bytes.extend_from_slice(bytes);
        let last = bytes.iter().rposition(|byte| *byte == b'\n');
        let open = last.map_or(self.bytes.len(), |last| bytes.len() - last - 1);
        if open > MAX_MESSAGE_BYTES {
            self.bytes = Vec::new();
            self.searched = 0;
            let most = MAX_MESSAGE_BYTES >> 20;
            return Err(format!("it sent a message of more than {most} MiB"));
        }
        Ok(())
    }

    pub(super) fn next(&mut self) -> Option<Vec<u8>> {
        let end = self.bytes[self.searched..]
            .iter()
            .position(|byte| *byte == b'\n');
        let Some(end) = end else {
            self.searched = self.bytes.len();
            return None;
        };
        let rest = self.bytes.split_off(self.searched + end + 1);
        self.searched = 0;
        Some(std::mem::replace(&mut self.bytes, rest))
    }

    /// Returns the last line, which has no newline.
    pub(super) fn rest(self) -> Vec<u8> {
        self.bytes
    }
}

pub(super) fn read(line: &[u8]) -> ReceivedLine {
    let line = line.trim_ascii();
    if line.is_empty() {
        return ReceivedLine::Noise(String::new());
    }
    if let Ok(message) = serde_json::from_slice::<ServerJsonRpcMessage>(line) {
        return ReceivedLine::Message(Box::new(message));
    }
    let shown = || one_line(&String::from_utf8_lossy(&line[..line.len().min(400)]), 100);
    match serde_json::from_slice::<Value>(line) {
        // The request that waits for this response gets an error.
        Ok(Value::Object(object))
            if object.contains_key("id") && !object.contains_key("method") =>
        {
            let id = object.get("id").cloned();
            let id = id.and_then(|id| serde_json::from_value(id).ok());
            let error = ErrorData::internal_error(
                format!("the answer is no JSON-RPC message: {}", shown()),
                None,
            );
            ReceivedLine::Message(Box::new(ServerJsonRpcMessage::error(error, id)))
        }
        Err(_) if line.starts_with(b"{") && contains(line, b"\"jsonrpc\"") => {
            ReceivedLine::Malformed(format!("it sent a message that is no JSON: {}", shown()))
        }
        Ok(_) | Err(_) => ReceivedLine::Noise(shown()),
    }
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_however_they_were_cut() {
        let mut lines = Lines::default();
        let mut seen = Vec::new();
        for byte in b"one\ntwo\n\nthr" {
            lines.push(&[*byte]).unwrap();
            while let Some(line) = lines.next() {
                seen.push(String::from_utf8(line).unwrap());
            }
        }
        assert_eq!(seen, ["one\n", "two\n", "\n"]);
        assert_eq!(lines.rest(), b"thr");
    }

    #[test]
    fn a_line_is_not_longer_than_it_may_be() {
        let mut lines = Lines::default();
        let piece = vec![b'a'; 1 << 20];
        for _ in 0..16 {
            lines.push(&piece).unwrap();
            assert!(lines.next().is_none());
        }
        assert_eq!(
            lines.push(b"a").unwrap_err(),
            "it sent a message of more than 16 MiB"
        );
        assert!(lines.next().is_none());
        assert!(lines.rest().is_empty());
    }

    #[test]
    fn what_is_no_message_is_told_apart() {
        assert!(matches!(read(b"starting...\n"), ReceivedLine::Noise(_)));
        assert!(matches!(read(b"[1, 2]"), ReceivedLine::Noise(_)));
        assert!(matches!(
            read(br#"{"jsonrpc":"2.0","id":1,"res"#),
            ReceivedLine::Malformed(_)
        ));
        let ReceivedLine::Message(message) = read(br#"{"id":7,"result":{}}"#) else {
            panic!("it is a message");
        };
        let ServerJsonRpcMessage::Error(error) = *message else {
            panic!("whoever waits is told");
        };
        assert_eq!(error.id, Some(rmcp::model::RequestId::Number(7)));
    }
}
