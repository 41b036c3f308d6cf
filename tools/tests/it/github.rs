//! The tools for GitHub, whole: called as a model calls them, against a stateful fake of the API on loopback.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests fail by panicking, make their own files and listen"
)]

mod bounded;
mod fake;
mod hostile;
mod limits;
mod lists;
mod lockdown;
mod long;
mod moved;
mod peers;
mod permission;
mod reading;
mod routes;
mod writing;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use helve::ToolContext;
use helve::capability::{GrantedSecrets, Grants, GuardedHttp};
use helve::network::HostRules;
use helve::sandbox::LocalFs;
use helve::tool::State;
use helve_tools::github::GithubSettings;
use serde_json::{Value, json};

use self::fake::{FakeGithub, TOKEN};
use self::server::Server;
use crate::loopback as server;

/// A context whose network is loopback, with a token and settings.
fn context(origin: &str, settings: Value, folder: Option<&Path>) -> ToolContext {
    context_with_token(origin, settings, folder, Some(TOKEN))
}

fn context_with_token(
    origin: &str,
    mut settings: Value,
    folder: Option<&Path>,
    token: Option<&str>,
) -> ToolContext {
    let rules = HostRules::from_allowed(["127.0.0.1:*", "localhost:*"]);
    let http = GuardedHttp::new(&rules)
        .unwrap()
        .response_limit(2 << 20)
        .time_limit(Duration::from_secs(5));
    settings["base_url"] = json!(origin);
    let mut state = State::new();
    state.insert(serde_json::from_value::<GithubSettings>(settings).unwrap());
    let secrets = token
        .into_iter()
        .fold(GrantedSecrets::new(), |secrets, token| {
            secrets.with_value("GITHUB_TOKEN", token)
        });
    let grants = Grants {
        http: Some(Arc::new(http)),
        secrets: Some(Arc::new(secrets)),
        files: folder.map(|folder| Arc::new(LocalFs::new(folder).unwrap()) as _),
        ..Grants::default()
    };
    ToolContext::builder()
        .app(Arc::new(state))
        .session_state(Arc::new(State::new()))
        .grants(grants)
        .build()
}

async fn call(cx: &ToolContext, tool: &str, arguments: Value) -> String {
    let called = helve_tools::github()
        .call(tool, &arguments.to_string(), cx)
        .await;
    called.map_or_else(
        |error| format!("error: {error}"),
        helve::ToolOutput::into_text,
    )
}

/// A fake of the API with a context for calls.
struct Session {
    server: Server,
    cx: ToolContext,
}

impl Session {
    async fn start(settings: Value) -> Self {
        Self::with(FakeGithub::new(), settings).await
    }

    async fn with(fake: FakeGithub, settings: Value) -> Self {
        let server = Server::start(move |request| fake.respond(request)).await;
        let cx = context(&server.origin(), settings, None);
        Self { server, cx }
    }

    /// Calls a tool.
    async fn call(&self, tool: &str, arguments: Value) -> String {
        self.server
            .without_port(&call(&self.cx, tool, arguments).await)
    }

    /// Calls several tools, and writes what each returned.
    async fn call_all(&self, calls: impl IntoIterator<Item = (&'static str, Value)>) -> String {
        let mut all = Vec::new();
        for (tool, arguments) in calls {
            all.push(format!(
                "# {tool} {arguments}\n{}",
                self.call(tool, arguments.clone()).await
            ));
        }
        all.join("\n\n")
    }

    /// Returns the first lines of the requests so far.
    fn asked(&self) -> Vec<String> {
        let asked = self.server.asked();
        let lines = asked
            .lines()
            .filter_map(|line| line.strip_suffix(" HTTP/1.1"));
        lines.map(str::to_owned).collect()
    }
}
