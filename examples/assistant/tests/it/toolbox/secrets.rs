//! A service repeats a secret in every encoding: neither the model, nor the journal, nor the log, nor the screen have it.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::json;

use super::{TOOLBOX, place};
use crate::config::fixture::ConfigFixture;
use crate::config::server::{ModelReply, TestRequest, TestResponse, TestServer};
use crate::terminal::pty::PtySession;

/// A secret in all encodings.
fn encodings(secret: &str) -> Vec<String> {
    let bytes = secret.as_bytes();
    let hex = |separator: &str| {
        let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes.join(separator)
    };
    let percent = |byte: &u8| format!("%{byte:02X}");
    let in_json = |text: &str| {
        let quoted = json!(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    };
    vec![
        secret.to_owned(),
        STANDARD.encode(secret),
        URL_SAFE_NO_PAD.encode(format!("user:{secret}")),
        bytes.iter().map(percent).collect(),
        in_json(secret),
        in_json(&in_json(secret)),
        secret
            .encode_utf16()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect(),
        hex(""),
        hex(":").to_uppercase(),
    ]
}

/// The parts of the encodings that the secret alone determines.
fn traces(secret: &str) -> Vec<String> {
    let mut traces = encodings(secret);
    for at in [1, 2] {
        // The last digits depend on what follows.
        let digits = traces[at].trim_end_matches('=');
        traces[at] = digits[..digits.len() - 2].to_owned();
    }
    traces[2] = traces[2][8..].to_owned();
    traces
}

/// Runs the app in a terminal, and returns all that it wrote there.
fn screen(place: &ConfigFixture, secret: &str, arguments: &[&str]) -> String {
    let home = place.path("home").display().to_string();
    let variables = [
        ("HOME", &*home),
        ("TRACKER_TOKEN", secret),
        ("GROQ_API_KEY", "of-the-user"),
    ];
    let folder = place.path("project");
    let terminal = PtySession::in_folder(&folder, &TOOLBOX, arguments, &variables, (200, 2_000));
    let (written, code) = terminal.wait_for_written();
    assert_eq!(code, 0, "{written}");
    written
}

fn all_files(folder: &std::path::Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all += &all_files(&path);
        } else {
            let bytes = std::fs::read(path).expect("a file");
            all += &String::from_utf8_lossy(&bytes);
        }
    }
    all
}

/// What everybody received of calls whose answers repeat a secret.
fn received(secret: &str) -> Vec<(&'static str, String)> {
    let repeated = encodings(secret).join("\n");
    let service = TestServer::start(move |_| {
        Some(
            TestResponse::new("200 OK", "text/plain", format!("it is\n{repeated}\n"))
                .with("x-request-id", &repeated.replace('\n', " ")),
        )
    });
    let place = place(&service);
    let arguments = json!({ "preset": "tracker", "url": "items" });
    let replies = [
        ModelReply::tool_call("http_request", &arguments),
        ModelReply::message("Done."),
    ];
    let model = TestServer::with_replies(replies);
    let url = model.url();
    let log = place.path("log.txt").display().to_string();
    let run = [
        "run",
        "go",
        "--model",
        "groq/m",
        "--base-url",
        &url,
        "--mode",
        "bypass",
        "--log",
        "trace",
        "--log-file",
        &log,
    ];
    let shown = screen(&place, secret, &run);
    let call = [
        "call",
        "--log",
        "trace",
        "http_request",
        "--preset",
        "tracker",
        "--url",
        "items",
    ];
    let called = screen(&place, secret, &call);
    assert!(called.contains("[REDACTED"), "{called}");
    let requests = service.requests();
    let got = |request: &TestRequest| request.header("authorization").to_owned();
    assert_eq!(
        requests.iter().map(got).collect::<Vec<_>>(),
        [format!("Bearer {secret}"), format!("Bearer {secret}")]
    );
    let model: Vec<String> = model.requests().iter().map(TestRequest::text).collect();
    assert!(model[1].contains("[REDACTED"), "{model:?}");
    let log = std::fs::read_to_string(log).expect("a log");
    assert!(log.len() > 1_000, "{log}");
    vec![
        ("the model", model.concat()),
        ("the log", log),
        ("the journal", all_files(&place.path("home/.local"))),
        ("the screen of a run", shown),
        ("the screen of a call", called),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6) })]

    #[test]
    fn nobody_receives_a_secret(
        secret in "[a-zA-Z0-9/+_=-]{12,24}|[a-z\"\\\\&<%/]{4,8}[A-Z]{8}",
    ) {
        for (who, text) in received(&secret) {
            for trace in traces(&secret) {
                prop_assert!(!text.contains(&trace), "{who} received {trace:?} of {secret:?}: {text}");
            }
        }
    }
}
