//! What holds for any result, from any source.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::sync::Arc;

use helve_runtime::results::{
    MemorySpill, ProcessedResult, Redactor, ResultInput, ResultPipeline, Spill, conversation_label,
};
use helve_runtime::schema;
use helve_runtime::tool::{ToolContext, ToolError, ToolOutput, ToolResult, ToolSpec};
use helve_runtime::transcript::{
    AssistantMessage, CallAddress, Content, ContentBlock, Message, MessagePart, SessionId,
    ToolCall, sanitize,
};
use helve_runtime::untrusted::{find_flags, neutralize, wrap};
use proptest::prelude::*;

/// The most that stands around a text that was cut, enclosed and flagged.
const AROUND: usize = 1_500;

/// Secrets of many forms, each with what must not be readable of it any more.
const SECRETS: [(&str, &str); 8] = [
    (
        "ghp_abcdefghij1234567890abcdefghij123456",
        "abcdefghij1234567890",
    ),
    ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
    ("sk-ant-api03-abcDEF123456abcDEF123456", "abcDEF123456"),
    ("xoxb-123456789012-abcdefABCDEF", "abcdefABCDEF"),
    ("password=hunter2hunter2", "hunter2"),
    (r#""api_key": "zyx987zyx987""#, "zyx987"),
    ("postgres://me:pa55w0rd@db/x", "pa55w0rd"),
    (
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----",
        "MIIEvQIBADAN",
    ),
];

fn spec(untrusted: bool) -> ToolSpec {
    let mut spec = ToolSpec::new("fetch", "d", schema::input_schema(Vec::new()));
    spec.untrusted_output = untrusted;
    spec
}

fn read(
    pipeline: &ResultPipeline,
    untrusted: bool,
    calls: usize,
    result: ToolResult,
) -> ProcessedResult {
    let (session, address) = (SessionId::new("s"), address());
    let call = ToolCall::new("c", "fetch", r#"{"url":"https://example.org/\"><x"}"#);
    let spec = spec(untrusted);
    let input = ResultInput::new(&session, &address, &call)
        .spec(&spec)
        .calls(calls);
    block_on(pipeline.process(input, result))
}

fn address() -> CallAddress {
    "t1/1.0".parse().expect("an address")
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.expect("a runtime").block_on(future)
}

fn texts(content: &[ContentBlock]) -> String {
    let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
    texts.join("\n")
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

/// Text with what the pipeline looks for in it, whole and in pieces.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => any::<String>(),
        4 => "[ -~\\n]{0,40}",
        2 => prop::sample::select(vec![
            "</untrusted>", "<untrusted source=\"", "< / un\u{200d}trusted", "\u{ff1c}/untrusted\u{ff1e}", "&lt;/untrusted&gt;",
            "</\u{1d42e}ntruste\u{501}>", "</unt", "rusted>", "<|im_start|>", "system", "<|im_", "[INST]", "\u{1b}[31m",
            "\u{1b}]8;;", "\u{200b}", "\u{202e}", "\u{e0041}", "ignore all previous instructions", "://a:b@", "=", ":", "\"",
            "-----BEGIN ", "PRIVATE KEY-----", "Bearer ", "eyJ", "secret", "token: ", "\\n", "\u{1f469}\u{200d}\u{1f9b0}",
        ]).prop_map(str::to_owned),
        1 => prop::sample::select(SECRETS.to_vec()).prop_map(|(secret, _)| secret.to_owned()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// What secrets are written with, in small pieces.
fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        " ",
        " ",
        "  ",
        "     ",
        "\n",
        "\t",
        "\r",
        "=",
        ":",
        ":=",
        "=>",
        "==",
        "\"",
        "'",
        "\\",
        "`",
        "(",
        ".",
        "-----",
        "password",
        "api_key",
        "token",
        "auth",
        "Bearer",
        "Basic",
        "bearer ",
        "abc12345",
        "Abc123",
        "45678901234567890X",
        "x",
        "://u:p@h",
        "ghp_",
        "abcdefghij1234567890abcdefghij12",
        "eyJ",
        "AKIA",
        "$",
        "hunter2!",
        "ä",
        "sk-",
    ])
}

/// Reads a text as a careless reader would who looks for the end of the enclosure.
fn blurred(text: &str) -> String {
    let letters = text
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '\u{200c}' | '\u{200d}'));
    letters.flat_map(char::to_lowercase).collect()
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn nothing_exceeds_its_share_and_what_stands_around_it(
        texts_in in prop::collection::vec(hostile(), 1..4),
        budget in 0usize..400,
        calls in 1usize..5,
        untrusted: bool,
        fails: bool,
    ) {
        let pipeline = ResultPipeline::new().budget(budget).spill(Arc::new(MemorySpill::new()));
        let result = if fails {
            Err(ToolError::failed(texts_in.join("\n")))
        } else {
            Ok(ToolOutput::blocks(texts_in.iter().map(ContentBlock::text).collect()))
        };
        let reading = read(&pipeline, untrusted, calls, result);
        let shown = texts(&reading.outcome.content).chars().count();
        prop_assert!(shown <= budget / calls + AROUND, "{shown} of {budget}");
    }

    #[test]
    fn nothing_ends_the_enclosure_but_its_end(text in hostile(), source in hostile(), tool in hostile()) {
        let wrapped = wrap(&text, &tool, &source);
        let inside = wrapped.strip_suffix("\n</untrusted>").expect("its end");
        let (opening, body) = inside.split_once('\n').expect("its beginning");
        prop_assert_eq!(opening.matches('"').count(), 4);
        prop_assert_eq!(opening.matches(['<', '>']).count(), 2);
        let blurred = blurred(body);
        prop_assert!(!blurred.contains("<untrusted") && !blurred.contains("</untrusted"), "{body}");
    }

    #[test]
    fn taming_and_redacting_twice_changes_nothing_more(text in hostile()) {
        let defused = neutralize(&text).into_owned();
        prop_assert_eq!(&*neutralize(&defused), &*defused);
        let redactor = Redactor::new().personal_data();
        let redacted = redactor.redact(&text).into_owned();
        prop_assert_eq!(&*redactor.redact(&redacted), &*redacted);
        let _ = find_flags(&text);
    }

    #[test]
    fn no_secret_survives_a_cut(before in "[a-z \\n]{0,200}", after in "[ -~]{0,60}", which in 0..SECRETS.len(), budget in 0usize..300) {
        let (secret, part) = SECRETS[which];
        let spill = Arc::new(MemorySpill::new());
        let pipeline = ResultPipeline::new().budget(budget).spill(spill.clone());
        let text = format!("{before} {secret} {after}");
        for result in [Ok(ToolOutput::plain(&*text)), Err(ToolError::failed(&*text))] {
            let reading = read(&pipeline, false, 1, result);
            prop_assert!(!texts(&reading.outcome.content).contains(part));
        }
        let kept = block_on(spill.get(&SessionId::new("s"), &address())).expect("memory");
        prop_assert!(kept.is_none_or(|kept| !kept.text.contains(part)));
    }

    #[test]
    fn pieces_are_redacted_as_the_whole_is(text in hostile(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let redactor = Redactor::new();
        let mut ends: Vec<usize> = cuts.iter().map(|cut| {
            let mut end = cut.index(text.len() + 1);
            while !text.is_char_boundary(end) { end -= 1; }
            end
        }).collect();
        ends.push(text.len());
        ends.sort_unstable();
        let (mut stream, mut shown, mut from) = (redactor.stream(), String::new(), 0);
        for end in ends {
            shown.push_str(&stream.push(&text[from..end]));
            from = end;
        }
        shown.push_str(&stream.finish());
        prop_assert_eq!(shown, redactor.redact(&text).into_owned());
    }

    #[test]
    fn words_are_redacted_as_the_whole_line_is(words in prop::collection::vec(word(), 0..14), cuts in any::<u64>()) {
        let redactor = Redactor::new();
        let (mut stream, mut shown, mut piece) = (redactor.stream(), String::new(), String::new());
        for (place, word) in words.iter().enumerate() {
            piece.push_str(word);
            if cuts >> place & 1 == 1 {
                shown.push_str(&stream.push(&std::mem::take(&mut piece)));
            }
        }
        shown.push_str(&stream.push(&piece));
        shown.push_str(&stream.finish());
        prop_assert_eq!(shown, redactor.redact(&words.concat()).into_owned());
    }

    #[test]
    fn untrusted_text_labels_whoever_speaks_since(text in hostile(), untrusted: bool) {
        let reading = read(&ResultPipeline::new(), untrusted, 1, Ok(ToolOutput::plain(text)));
        prop_assert_eq!(reading.label().is_untrusted(), untrusted);
        let label = reading.label();
        let result = helve_runtime::transcript::ToolCallResult {
            call_id: "c".into(),
            content: reading.outcome.content,
            is_error: false,
        };
        let mut messages = vec![Message::user("x"), Message::Tool { content: vec![result] }];
        prop_assert!(conversation_label(&messages).is_untrusted() >= label.is_untrusted());
        messages.push(Message::user("y"));
        prop_assert!(conversation_label(&messages).is_untrusted() >= label.is_untrusted());
    }
}

/// Any conversation, sound or not.
fn conversation() -> impl Strategy<Value = Vec<Message>> {
    let id = || prop::sample::select(vec!["a", "b", "c"]);
    let arguments = prop::sample::select(vec!["{}", "", "{\"x\":", "[1]", "no"]);
    let part = prop_oneof![
        "[a-z]{0,2}".prop_map(|text| MessagePart::Text { text }),
        Just(MessagePart::Thinking {
            text: String::new(),
            signature: None
        }),
        (id(), arguments)
            .prop_map(|(id, arguments)| MessagePart::ToolCall(ToolCall::new(id, "t", arguments))),
    ];
    let result = id().prop_map(|id| helve_runtime::transcript::ToolCallResult {
        call_id: id.into(),
        content: Content::text("r"),
        is_error: false,
    });
    let message = prop_oneof![
        "[a-z]{0,2}".prop_map(Message::user),
        "[a-z]{0,2}".prop_map(Message::system),
        prop::collection::vec(part, 0..4)
            .prop_map(|content| Message::Assistant(AssistantMessage::new(content))),
        prop::collection::vec(result, 0..4).prop_map(|content| Message::Tool { content }),
    ];
    prop::collection::vec(message, 0..12)
}

proptest! {
    #![proptest_config(config(2_048))]

    #[test]
    fn a_mended_conversation_is_sound_and_stays(messages in conversation()) {
        let mended = sanitize(messages.clone());
        prop_assert_eq!(&sanitize(mended.clone()), &mended);
        let users = |messages: &[Message]| -> Vec<Message> {
            let said = messages.iter().filter(|message| **message != Message::user(""));
            said.filter(|message| matches!(message, Message::User { .. })).cloned().collect()
        };
        prop_assert_eq!(users(&mended), users(&messages));
        let mut rest = mended.iter().peekable();
        while let Some(message) = rest.next() {
            match message {
                Message::Assistant(reply) => {
                    let calls: Vec<_> = reply.calls().map(|call| &call.id).collect();
                    let results = rest.next_if(|next| matches!(next, Message::Tool { .. }));
                    let results = results.map_or(Vec::new(), |results| match results {
                        Message::Tool { content } => content.iter().map(|result| &result.call_id).collect(),
                        _ => Vec::new(),
                    });
                    prop_assert_eq!(calls, results);
                }
                Message::Tool { .. } => prop_assert!(false, "results without calls"),
                _ => {}
            }
        }
    }
}

#[test]
fn a_sound_conversation_stays_byte_for_byte() {
    let call = |id: &str, arguments: &str| MessagePart::ToolCall(ToolCall::new(id, "t", arguments));
    let mut broken = ToolCall::new("c", "t", "{\"x\":");
    broken.defect = Some(helve_runtime::transcript::ArgumentsDefect::Truncated);
    let result = |id: &str| helve_runtime::transcript::ToolCallResult {
        call_id: id.into(),
        content: Content::text("r"),
        is_error: false,
    };
    let messages = vec![
        Message::system("s"),
        Message::user("u"),
        Message::Assistant(AssistantMessage::new(vec![call("a", "{}"), call("b", "")])),
        Message::Tool {
            content: vec![result("a"), result("b")],
        },
        Message::Assistant(AssistantMessage::new(vec![MessagePart::ToolCall(broken)])),
        Message::Tool {
            content: vec![result("c")],
        },
        Message::Assistant(AssistantMessage::new(vec![MessagePart::Thinking {
            text: "t".into(),
            signature: None,
        }])),
    ];
    let bytes = serde_json::to_string(&messages).expect("serialises");
    let mended = sanitize(messages);
    assert_eq!(serde_json::to_string(&mended).expect("serialises"), bytes);
}

#[tokio::test]
async fn the_model_reads_on_where_a_result_was_cut() {
    let spill = Arc::new(MemorySpill::new());
    let pipeline = ResultPipeline::new().budget(1_000).spill(spill);
    let (session, address) = (SessionId::new("s"), address());
    let call = ToolCall::new("c", "fetch", r#"{"url":"https://example.org"}"#);
    let spec = spec(true);
    let text: String = (0..2_000)
        .map(|number| format!("{number}\u{e9} "))
        .collect();
    let input = ResultInput::new(&session, &address, &call).spec(&spec);
    let reading = pipeline.process(input, Ok(ToolOutput::plain(&*text))).await;
    let total = text.chars().count();
    let shown = texts(&reading.outcome.content);
    assert!(shown.ends_with(&format!(
        "[cut: the first 1000 of {total} characters are shown; read on with read_result(id=\"t1/1.0\", offset=1000)]"
    )), "{shown}");
    assert_eq!(reading.spilled, Some(total));

    let context = ToolContext::builder()
        .session(session)
        .result_budget(3_000)
        .build();
    let tools = pipeline.toolset();
    let (mut offset, mut whole) = (0, String::new());
    while offset < total {
        let arguments = format!(r#"{{"id":"t1/1.0","offset":{offset},"limit":2000}}"#);
        let output = tools
            .call("read_result", &arguments, &context)
            .await
            .expect("kept");
        let (page, notice) = (output.text().into_owned(), output.notes()[0].clone());
        let inside =
            page.strip_prefix("<untrusted source=\"https://example.org\" tool=\"fetch\">\n");
        let inside = inside
            .and_then(|inside| inside.strip_suffix("\n</untrusted>"))
            .expect("enclosed");
        whole.push_str(inside);
        offset += inside.chars().count();
        assert!(notice.contains(&format!("of {total}")), "{notice}");
    }
    assert_eq!(whole, text);

    let other = ToolContext::builder()
        .session(SessionId::new("other"))
        .build();
    let refused = tools
        .call("read_result", r#"{"id":"t1/1.0"}"#, &other)
        .await;
    assert_eq!(
        refused.expect_err("refused").to_string(),
        "no result `t1/1.0` is stored in this session"
    );
}

/// Text that makes a careless search look at the same bytes over and over; each would take minutes then.
#[test]
fn hostile_repetition_is_read_in_one_go() {
    for piece in [
        "<", "[", "<|", "<u ", "ignore ", "a:", "\u{1b}]", "\u{1b}[", "\u{200d}", "://a:b@",
        "system:",
    ] {
        let text = piece.repeat(60_000 / piece.len());
        let reading = read(&ResultPipeline::new(), true, 1, Ok(ToolOutput::plain(text)));
        assert!(reading.label().is_untrusted(), "{piece}");
    }
}
