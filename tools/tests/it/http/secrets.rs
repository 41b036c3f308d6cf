//! A hostile server repeats a secret in every encoding: neither the model, nor the journal, nor the events, nor the log have
//! it, whatever the pieces in which it comes.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use helve::agent::session::{FolderStore, SessionMetadata, Sessions};
use helve::agent::{Agent, AgentEvent, Conversation};
use helve::capability::{GrantedSecrets, Grants, GuardedHttp, SecretRef};
use helve::model::ScriptedModel;
use helve::network::HostRules;
use helve::permission::{Mode, Policy};
use helve::prelude::*;
use helve::tool::State;
use helve::transcript::Message;
use helve::{ToolContext, toolset};
use proptest::prelude::*;
use serde_json::json;

use super::server::{Reply, Server};

/// The ways in which the server writes the secret.
const ENCODINGS: usize = 9;

fn encode(secret: &str, encoding: usize) -> String {
    let bytes = secret.as_bytes();
    let hex = |separator: &str| {
        let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes.join(separator)
    };
    match encoding {
        0 => secret.to_owned(),
        1 => STANDARD.encode(secret),
        2 => URL_SAFE_NO_PAD.encode(format!("user:{secret}")),
        3 => bytes.iter().map(|byte| format!("%{byte:02X}")).collect(),
        4 => json!(secret).to_string().trim_matches('"').to_owned(),
        5 => secret
            .encode_utf16()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect(),
        6 => hex(""),
        7 => hex(":").to_uppercase(),
        _ => json!(json!(secret).to_string()).to_string(),
    }
}

/// The parts of the encodings that the secret alone determines, none of which anybody may have.
fn traces(secret: &str) -> Vec<String> {
    let mut traces: Vec<String> = (0..ENCODINGS)
        .map(|encoding| encode(secret, encoding))
        .collect();
    traces[8] = traces[8].trim_matches(['"', '\\']).to_owned();
    // The last digits depend on what follows.
    for at in [1, 2] {
        let digits = traces[at].trim_end_matches('=');
        traces[at] = digits[..digits.len() - 2].to_owned();
    }
    traces[2] = traces[2][8..].to_owned();
    traces
}

/// The pieces of an answer.
struct Pieces(Vec<String>);

/// Reports an answer piece by piece, as a tool does that shows it while it arrives.
#[tool(read_only)]
fn repeat(pieces: &Pieces, cx: &ToolContext) -> String {
    for piece in &pieces.0 {
        cx.progress().stdout(piece);
    }
    pieces.0.concat()
}

/// What everybody received of a session in which a server repeats a secret.
async fn received(secret: &str, encoding: usize, cut: usize) -> Vec<(&'static str, String)> {
    let encoded = encode(secret, encoding);
    let body = format!("before {encoded} after");
    let answer = body.clone();
    let server = Server::start(move |_| {
        let length = answer.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\nx-request-id: {}\r\ncontent-length: {length}\r\n\r\n",
            answer.escape_default()
        );
        Reply::Bytes((head + &answer).into_bytes())
    })
    .await;
    let origin = server.origin();
    let http = GuardedHttp::new(&HostRules::from_allowed(["127.0.0.1:*"])).unwrap();
    let grants = Grants {
        http: Some(Arc::new(
            http.granted_secrets([SecretRef::new("API_KEY", &origin)]),
        )),
        secrets: Some(Arc::new(
            GrantedSecrets::new().with_value("API_KEY", secret),
        )),
        ..Grants::default()
    };
    let cut = body.floor_char_boundary(cut.min(body.len()));
    let mut state = State::new();
    state.insert(Pieces(vec![body[..cut].to_owned(), body[cut..].to_owned()]));
    state.insert(helve_tools::http::HttpRequestSettings::default());
    let context = ToolContext::builder()
        .app(Arc::new(state))
        .grants(grants)
        .build();
    let request = json!({ "url": origin, "headers": { "X-Key": "{{secret:API_KEY}}" } });
    let model = ScriptedModel::new();
    let model = model
        .call("http_request", request)
        .call("repeat", json!({}))
        .say("done");
    let model = Arc::new(model);
    let agent = Agent::new("main", model.clone())
        .toolset(helve_tools::http().layered(&toolset![repeat]))
        .policy(Policy::new(Mode::Bypass));
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(FolderStore::new(folder.path()));
    let session = sessions
        .create(SessionMetadata::new("tests"))
        .await
        .unwrap();
    let mut conversation = Conversation::new(session);
    let events = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&events);
    let listen = move |event: AgentEvent| {
        *heard.lock().unwrap() += &(serde_json::to_string(&event).unwrap() + "\n");
    };
    let report = agent
        .run_in(&mut conversation, Message::user("go"), &context, listen)
        .await
        .unwrap();
    assert!(
        server.asked().contains("x-key: "),
        "the server got the secret"
    );
    drop(conversation);
    let requests = format!("{:?}", model.requests());
    vec![
        ("the model", requests),
        ("the journal", all_files(folder.path())),
        ("the events", events.lock().unwrap().clone()),
        ("the report", format!("{:?}", report.messages)),
    ]
}

fn all_files(folder: &std::path::Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        all += &match path.is_dir() {
            true => all_files(&path),
            false => String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned(),
        };
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nobody_receives_a_secret(
        secret in "[a-zA-Z0-9/+_=-]{12,24}|[a-z\"\\\\ &<%/]{4,8}[A-Z]{8}",
        encoding in 0..ENCODINGS,
        cut in 0_usize..120,
    ) {
        let secret = secret.trim().to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for (who, text) in runtime.block_on(received(&secret, encoding, cut)) {
            for trace in traces(&secret) {
                prop_assert!(!text.contains(&trace), "{who} received {trace:?} of {secret:?}: {text}");
            }
        }
    }
}
