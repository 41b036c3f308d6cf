//! What a call is read and judged from is read once.

use std::sync::atomic::{AtomicUsize, Ordering};

use helve::agent::ResultCache;
use helve::tool::Coverage;

use super::*;

/// How many times a [`Counted`] was read.
static READ: AtomicUsize = AtomicUsize::new(0);

/// Keeps the tests that count apart.
static COUNTING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// A number that counts how often it is read.
#[derive(Debug, Clone, schemars::JsonSchema)]
#[schemars(transparent)]
struct Counted(i64);

impl<'de> serde::Deserialize<'de> for Counted {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(from)?;
        READ.fetch_add(1, Ordering::SeqCst);
        Ok(Self(number))
    }
}

/// Is judged in every way that a tool can be.
#[tool(destructive, risk_with = risk, check = check, match_rule = matches, suggest_rules = suggest)]
fn judged(
    /// A number.
    number: Counted,
    /// A text.
    text: &str,
    /// Another text.
    more: Option<&str>,
    /// Numbers.
    numbers: &[Counted],
) -> String {
    format!("{} {text} {more:?} {}", number.0, numbers.len())
}

fn risk(number: &Counted, _: &str, _: Option<&str>, _: &[Counted]) -> Risk {
    if number.0 > 0 { Risk::High } else { Risk::Low }
}

fn check(_: &ToolContext, number: &Counted, _: &str, _: Option<&str>, _: &[Counted]) -> Check {
    Check::ask(format!("do {}?", number.0))
}

fn matches(
    _: &ToolContext,
    rule: &str,
    _: &Counted,
    text: &str,
    more: Option<&str>,
    _: &[Counted],
) -> Coverage {
    Coverage::from(rule == text || Some(rule) == more)
}

fn suggest(_: &Counted, text: &str, _: Option<&str>, _: &[Counted]) -> Vec<String> {
    vec![text.to_owned()]
}

const ARGUMENTS: &str = r#"{"number":7,"text":"a\nb","more":"c","numbers":[1,2]}"#;
const RESULT: &str = "7 a\nb Some(\"c\") 2";

fn many_rules() -> Policy {
    let rule = |text: &str| format!("judged({text})").parse().unwrap();
    let rules = Rules::new().deny(rule("x")).deny(rule("y")).ask(rule("z"));
    Policy::new(Mode::Default).rules(rules.allow(rule("u")).allow(rule("v")))
}

#[tokio::test]
async fn arguments_are_read_once_by_an_agent() {
    let _counting = COUNTING.lock().await;
    READ.store(0, Ordering::SeqCst);
    let model = calling("judged", ARGUMENTS);
    let asked = RecordingApprover::default();
    let agent = Agent::new("main", model)
        .toolset(toolset![judged])
        .policy(many_rules())
        .approver(asked.clone());
    let report = agent
        .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
        .await;
    let result = report.messages.iter().find_map(|message| match message {
        Message::Tool { content } => content[0].content.first()?.as_text(),
        _ => None,
    });
    assert_eq!(result, Some(RESULT));
    assert_eq!(asked.last().unwrap()["reason"], json!("do 7?"));
    // The number and the two of the list.
    assert_eq!(READ.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn arguments_are_read_once_by_a_server() {
    let _counting = COUNTING.lock().await;
    READ.store(0, Ordering::SeqCst);
    let server = Server::builder("once", "1")
        .tools(toolset![judged])
        .policy(many_rules())
        .approver(RecordingApprover::default())
        .build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let arguments = serde_json::from_str(ARGUMENTS).unwrap();
    let answer = wire.call("judged", arguments).await;
    assert_eq!(answer["content"][0]["text"], json!(RESULT));
    assert_eq!(READ.load(Ordering::SeqCst), 3);
}

/// How often [`looked_up`] ran.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// Looks something up.
#[tool(read_only, cached)]
fn looked_up(
    /// What.
    what: &str,
    cx: &ToolContext,
) -> String {
    cx.reads("the world", 1, || 1);
    RUNS.fetch_add(1, Ordering::SeqCst);
    format!("{what} was looked up")
}

#[tokio::test]
async fn a_cached_result_is_used_again_by_agent_and_server() {
    let _counting = COUNTING.lock().await;
    RUNS.store(0, Ordering::SeqCst);
    let call = json!({ "what": "it" });
    let model = ScriptedModel::new()
        .call("looked_up", call.clone())
        .call("looked_up", call.clone())
        .say("done");
    let agent = Agent::new("main", model).toolset(toolset![looked_up]);
    let session = ToolContext::builder().session("s".into()).build();
    agent.run(vec![Message::user("go")], &session, |_| {}).await;
    assert_eq!(RUNS.load(Ordering::SeqCst), 1);

    let server = Server::builder("once", "1")
        .tools(toolset![looked_up])
        .result_cache(ResultCache::new())
        .build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let first = wire.call("looked_up", call.clone()).await;
    let second = wire.call("looked_up", call.clone()).await;
    assert_eq!((&first, RUNS.load(Ordering::SeqCst)), (&second, 2));
    // Another session has results of its own.
    let mut other = WireClient::connect_legacy(&server, json!({})).await;
    other.call("looked_up", call).await;
    assert_eq!(RUNS.load(Ordering::SeqCst), 3);
}

/// Where the text of a call lies.
static TEXT: Mutex<std::ops::Range<usize>> = Mutex::new(0..0);

/// Says whether its text was copied.
#[tool]
fn address(
    /// A text.
    text: &str,
) -> bool {
    TEXT.lock().unwrap().contains(&(text.as_ptr() as usize))
}

/// A call that was prepared to be judged owns its text.
#[tokio::test]
async fn a_direct_call_reads_its_text_where_it_stands() {
    for (text, is_borrowed) in [
        (r#"{"text":"abc"}"#, "true"),
        (r#"{"text":"a\nc"}"#, "false"),
    ] {
        let start = text.as_ptr() as usize;
        *TEXT.lock().unwrap() = start..start + text.len();
        let registry = helve::Registry::collect().unwrap();
        let context = ToolContext::new();
        let said = registry.call("address", text, &context).await.unwrap();
        assert_eq!(said.text(), is_borrowed, "{text}");
    }
}
