//! Capabilities as a tool uses them: what `requires(…)` says is what it gets, and the model reads why not.

use std::sync::Arc;

use helve::capability::{Command, Grants, HttpRequest, KeyValueStore};
use helve::network::HostRules;
use helve::prelude::*;
use helve::tool::{Principal, dispatch};
use insta::assert_snapshot;

use crate::capability::http::guarded;
use crate::capability::names::Names;

/// Asks one of two hosts.
#[tool(requires(net("api.github.com", "*.crates.io")))]
async fn ask(
    /// Where.
    url: String,
    cx: &ToolContext,
) -> Result<u16, ToolError> {
    let response = cx.http().send(HttpRequest::new("GET", url)).await?;
    Ok(response.status)
}

/// Runs one of two programs.
#[tool(requires(process("git", "cargo")))]
async fn run(
    /// Which.
    program: String,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let output = cx
        .process()
        .run(Command::new(program, ["--version"]))
        .await?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Remembers a value and returns the one before.
#[tool(requires(kv))]
async fn remember(
    /// What.
    value: String,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let values = cx.kv("notes");
    let before = values.get("last").await?;
    values.set("last", value).await?;
    Ok(String::from_utf8_lossy(&before.unwrap_or_default()).into_owned())
}

/// Asks for all that it did not declare.
#[tool]
async fn undeclared(cx: &ToolContext) -> Result<String, ToolError> {
    let mut all = Vec::new();
    let error = cx
        .http()
        .send(HttpRequest::new("GET", "https://example.com"))
        .await;
    all.push(error.unwrap_err().code());
    all.push(cx.process().sandbox().await.unwrap_err().code());
    all.push(cx.kv("x").get("y").await.unwrap_err().code());
    all.push(cx.secrets().get("PATH").await.unwrap_err().code());
    let codes = all.iter().map(|code| code.unwrap().as_str());
    Ok(codes.collect::<Vec<_>>().join(" "))
}

async fn told(tool: &str, arguments: serde_json::Value, context: &ToolContext) -> String {
    let tools = toolset![ask, run, remember, undeclared];
    let tool = tools.get(tool).unwrap();
    match dispatch::call(&*tool, context, &arguments.to_string()).await {
        Ok(output) => output.text().into_owned(),
        Err(error) => format!("{}: {error}", error.kind()),
    }
}

fn granting(grants: Grants) -> ToolContext {
    ToolContext::builder().grants(grants).build()
}

#[tokio::test]
async fn refusals_reach_the_model_as_denials_in_words() {
    let names = Names::new(&[
        ("api.github.com", &["10.0.0.1"]),
        ("index.crates.io", &["10.0.0.2"]),
    ]);
    let http = guarded(&["*"], names);
    let granted = granting(Grants {
        http: Some(Arc::new(http)),
        ..Grants::default()
    });
    let url = |url: &str| serde_json::json!({ "url": url });
    let all = [
        told("ask", url("https://example.com"), &granted).await,
        told("ask", url("https://api.github.com"), &granted).await,
        told("ask", url("https://index.crates.io"), &granted).await,
        told("ask", url("https://crates.io"), &granted).await,
        told("ask", url("https://api.github.com"), &ToolContext::new()).await,
        told(
            "run",
            serde_json::json!({ "program": "rm" }),
            &ToolContext::new(),
        )
        .await,
        told("undeclared", serde_json::json!({}), &granted).await,
    ];
    assert_snapshot!(all.join("\n"), @r#"
    denied: refused: `example.com` may not be reached: this tool declared that it reaches `api.github.com` and `*.crates.io` and no other host; declare it in `requires(net("…"))` on the tool
    denied: refused: `api.github.com` may not be reached: the host resolves to 10.0.0.1, which is a private address; use a public host, or ask the user to allow private addresses
    denied: refused: `index.crates.io` may not be reached: the host resolves to 10.0.0.2, which is a private address; use a public host, or ask the user to allow private addresses
    denied: refused: `crates.io` may not be reached: this tool declared that it reaches `api.github.com` and `*.crates.io` and no other host; declare it in `requires(net("…"))` on the tool
    denied: refused: this app does not grant access to the network; grant it where the app is built
    denied: refused: `rm` may not be started: this tool declared that it starts `git` and `cargo`, by name; declare `requires(process("rm"))` on the tool
    NOT_DECLARED NOT_DECLARED NOT_DECLARED SECRET_NOT_DECLARED
    "#);
}

#[tokio::test]
async fn what_is_stored_for_one_principal_is_not_anothers() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(KeyValueStore::lazy(folder.path().join("values")));
    let of = |principal: Principal| {
        let grants = Grants {
            key_value: Some(store.clone()),
            ..Grants::default()
        };
        ToolContext::builder()
            .grants(grants)
            .principal(principal)
            .build()
    };
    let mut all = Vec::new();
    for (principal, value) in [
        (Principal::user("ann"), "1"),
        (Principal::user("bob"), "2"),
        (Principal::user("ann"), "3"),
        (Principal::user("ann").with_tenant("shop"), "4"),
        (Principal::default(), "5"),
        (Principal::user("ann").with_platform("chat"), "6"),
        (Principal::user("bob"), "7"),
    ] {
        let value = serde_json::json!({ "value": value });
        all.push(told("remember", value, &of(principal)).await);
    }
    assert_eq!(all, ["", "", "1", "", "", "3", "2"]);
}

#[test]
fn what_is_declared_is_what_the_tool_tells() {
    let tools = toolset![ask, run];
    let requires = |tool: &str| tools.get(tool).unwrap().spec().requires;
    assert_eq!(requires("ask").hosts, ["api.github.com", "*.crates.io"]);
    assert!(requires("ask").net && !requires("ask").process);
    assert_eq!(requires("run").programs, ["git", "cargo"]);
    // What the macro lets through, the runtime reads.
    let rules = HostRules::from_allowed(requires("ask").hosts.iter().copied());
    helve::network::HostPolicy::new(&rules).unwrap();
}
