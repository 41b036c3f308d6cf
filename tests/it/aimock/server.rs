//! The mock server.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use helve::model::{Api, Model, ModelName, Provider, Providers};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// How long anything may take that has to happen at all.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// The one key that the server takes.
const KEY: &str = "right-key";

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/aimock/fixtures.json");

/// The protocols that have clients of their own.
pub(crate) const NATIVE: [Api; 3] = [Api::Anthropic, Api::OpenaiChat, Api::OpenaiResponses];

/// A server that runs as long as this lives.
pub(crate) struct Server {
    url: String,
    _process: Child,
}

impl Server {
    /// Starts one; `None`, and a line that says so, where there is none to start.
    pub(crate) async fn start(test: &str) -> Option<Self> {
        let Some(program) = std::env::var_os("HELVE_AIMOCK") else {
            println!("{test}: nothing ran, because HELVE_AIMOCK is not set");
            return None;
        };
        let mut process = Command::new(program)
            .args([
                "--port",
                "0",
                "--strict",
                "--validate-on-load",
                "--fixtures",
                FIXTURES,
            ])
            .env("AIMOCK_API_KEYS", KEY)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("HELVE_AIMOCK names a program");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let url = tokio::time::timeout(DEADLINE, address(&mut lines));
        let url = url.await.expect("a server that starts in time");
        // What it says is read on, or it would stop when nobody does.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Some(Self {
            url,
            _process: process,
        })
    }

    /// Does the same once for each protocol that is spoken natively, all at the same time.
    pub(crate) async fn for_each<T>(&self, work: impl AsyncFn(Peer<'_>) -> T) -> Vec<T> {
        self.for_these(&NATIVE, work).await
    }

    /// Does the same once for each of these protocols, all at the same time.
    pub(crate) async fn for_these<T>(
        &self,
        apis: &[Api],
        work: impl AsyncFn(Peer<'_>) -> T,
    ) -> Vec<T> {
        let works = apis.iter().map(|&api| work(Peer { server: self, api }));
        let works = join_all(works);
        tokio::time::timeout(DEADLINE, works)
            .await
            .expect("in time")
    }
}

async fn address(lines: &mut Lines<BufReader<ChildStdout>>) -> String {
    while let Some(line) = lines.next_line().await.unwrap() {
        if let Some((_, url)) = line.split_once("listening on ") {
            return url.trim().to_owned();
        }
    }
    panic!("the server ended before it listened");
}

/// The server as it speaks one protocol.
#[derive(Clone, Copy)]
pub(crate) struct Peer<'a> {
    server: &'a Server,
    pub(crate) api: Api,
}

impl Peer<'_> {
    /// Returns who offers models here: `mock`, and `stranger`, which has a wrong key.
    pub(crate) fn providers(&self) -> Providers {
        let path = match self.api {
            Api::OpenaiChat | Api::OpenaiResponses => "/v1",
            Api::Gemini => "/v1beta",
            _ => "",
        };
        let provider = |key: &str| {
            Provider::new()
                .api(self.api)
                .base_url(format!("{}{path}", self.server.url))
                .key(key)
                // The server counts requests by it.
                .header("x-test-id", self.api.to_string())
        };
        Providers::new()
            .environment(|_| None)
            .configure("mock", provider(KEY))
            .configure("stranger", provider("wrong-key"))
    }

    /// Returns a model that is asked again when it fails, with others to fall back on.
    pub(crate) fn model(&self, name: &str, fallbacks: &[&str]) -> Arc<dyn Model> {
        let parse = |name: &&str| name.parse::<ModelName>().unwrap();
        let fallbacks: Vec<_> = fallbacks.iter().map(parse).collect();
        let chosen = self
            .providers()
            .model_with_fallbacks(&parse(&name), &fallbacks);
        chosen.unwrap()
    }
}
