//! Whatever comes, something is said of it, and nothing is waited for.

use futures_util::{FutureExt as _, StreamExt as _, stream};
use helve_runtime::model::{Assembler, Endpoint, ResponseHead};
use proptest::prelude::*;

use crate::model_http::server::model;

/// Bytes that look like a stream, or like nothing.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "data: ",
        "\n\n",
        "event: error\n",
        "{\"type\":\"",
        "content_block_start",
        "content_block_delta",
        "message_start",
        "message_delta",
        "message_stop",
        "\",\"index\":0,",
        "\"content_block\":{\"type\":\"",
        "tool_use\",\"id\":\"a\",\"name\":\"b\"}}",
        "text\"}}",
        "\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}",
        "\"delta\":{\"stop_reason\":\"tool_use\"}}",
        "\"message\":{}}",
        "\"}",
        "null",
        "<html>",
        "\u{feff}",
        "[DONE]",
    ];
    prop_oneof![
        4 => prop::sample::select(words.as_slice().to_vec()).prop_map(|word| word.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ]
}

proptest! {
    #[test]
    fn no_answer_makes_a_client_panic(
        status in prop::sample::select(vec![200_u16, 204, 302, 400, 401, 429, 500, 529, 999]),
        kind in prop::sample::select(vec!["", "text/event-stream", "application/json", "text/html"]),
        pieces in prop::collection::vec(piece(), 0..40),
    ) {
        let endpoint = Endpoint::new("anthropic", "https://api.anthropic.com").unwrap();
        let model = model(endpoint);
        let head = ResponseHead::new(status).header("content-type", kind);
        let events = model.decode(head, stream::iter(pieces.into_iter().map(Ok)));
        let events: Vec<_> = events.collect().now_or_never().expect("nothing to wait for");
        let mut assembler = Assembler::new();
        let assembled = events.into_iter().try_for_each(|event| assembler.push(event?));
        let whole = assembled.and_then(|()| assembler.finish());
        prop_assert!(whole.is_ok() || !whole.unwrap_err().to_string().is_empty());
    }
}
