//! The limits on the size of a reply.

use super::{ModelError, ModelEvent};
use helve_core::support::text::first_chars;

/// The greatest size of a recorded reply in bytes, which leaves room for the rest of a journal line.
const MAX_REPLY_BYTES: usize = 60 << 20;

const MAX_CALLS: usize = 1024;

/// The longest name of a tool, in bytes; providers allow at most 128 bytes. Names are emitted, displayed and sent
/// back many times.
const MAX_NAME_BYTES: usize = 1 << 10;

/// The size of a reply so far. The limits exceed every real reply, and stop a hostile server that writes forever.
#[derive(Debug, Default)]
pub(super) struct ReplySize {
    bytes: usize,
    calls: usize,
}

impl ReplySize {
    pub(super) fn add(&mut self, event: &ModelEvent) -> Result<(), ModelError> {
        let bytes = match event {
            ModelEvent::TextDelta { text } | ModelEvent::ThinkingDelta { text } => json_len(text),
            ModelEvent::ThinkingSignature { signature } => {
                PART_OVERHEAD_BYTES + json_len(signature)
            }
            ModelEvent::ToolCallStart { id, name } => {
                self.begin_call(name.as_str())?;
                PART_OVERHEAD_BYTES + json_len(id.as_str()) + json_len(name.as_str())
            }
            ModelEvent::ToolCallDelta { arguments, .. } => json_len(arguments),
            ModelEvent::ToolCallSignature { signature, .. } => json_len(signature),
            ModelEvent::ProviderItem { item, .. } => PART_OVERHEAD_BYTES + item.as_str().len(),
            _ => 0,
        };
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > MAX_REPLY_BYTES {
            let limit = MAX_REPLY_BYTES >> 20;
            let what = format!("it is larger than {limit} MiB");
            return Err(ModelError::Malformed(what));
        }
        Ok(())
    }

    fn begin_call(&mut self, name: &str) -> Result<(), ModelError> {
        let length = name.len();
        if length > MAX_NAME_BYTES {
            let start = first_chars(name, 40);
            return Err(ModelError::Malformed(format!(
                "it calls a tool whose name, `{start}…`, is {length} bytes long"
            )));
        }
        self.calls += 1;
        if self.calls > MAX_CALLS {
            let what = format!("it has more than {MAX_CALLS} calls");
            return Err(ModelError::Malformed(what));
        }
        Ok(())
    }
}

/// The approximate overhead of the keys and braces around a part, in bytes.
const PART_OVERHEAD_BYTES: usize = 64;

fn json_len(text: &str) -> usize {
    let length = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(length).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: String) -> ModelEvent {
        ModelEvent::TextDelta { text }
    }

    #[test]
    fn what_a_journal_cannot_hold_is_no_reply() {
        let mut size = ReplySize::default();
        let control = "\u{1}".repeat(1 << 20);
        for _ in 0..10 {
            size.add(&text(control.clone())).unwrap();
        }
        let error = size.add(&text("\u{1}".into())).unwrap_err().to_string();
        assert!(error.contains("larger than 60 MiB"), "{error}");
        let told = "a\"\\\u{1}\u{1f}\u{7f}\tö\n";
        let json = serde_json::to_string(told).unwrap();
        assert_eq!(json_len(told), json.len() - 2);
    }

    #[test]
    fn calls_and_their_names_have_an_end() {
        let call = |number: usize, name| ModelEvent::call(&number.to_string().into(), name);
        let mut size = ReplySize::default();
        for number in 0..MAX_CALLS {
            size.add(&call(number, "t")).unwrap();
        }
        let error = size.add(&call(0, "t")).unwrap_err().to_string();
        assert!(error.contains("more than 1024 calls"), "{error}");
        let name = "ö".repeat(5_000_000);
        let long = call(0, &name);
        let error = ReplySize::default().add(&long).unwrap_err().to_string();
        assert!(error.contains("10000000 bytes long"), "{error}");
        assert!(error.len() < 300, "{error}");
    }
}
