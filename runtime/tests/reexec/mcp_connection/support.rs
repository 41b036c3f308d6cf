//! What the tests share: runtimes, contexts, and somebody who is asked.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use helve_runtime::capability::{
    BackendError, ClientBackend, Elicitation, ElicitationResult, Grants, LogLevel, Root,
    SamplingRequest, SamplingResult,
};
use helve_runtime::mcp::connection::{CallError, Connection, ConnectionDeps};
use helve_runtime::mcp::{CallTimeouts, ServerConfig};
use helve_runtime::tool::{Progress, ProgressUpdate, ToolContext};
use libtest_mimic::Trial;
use rmcp::model::CallToolResult;
use serde_json::{Map, Value};

use crate::mcp_connection::script::{self, ServerScript};

/// A test in a runtime of its own, in which time passes as it does.
pub(crate) fn trial<F>(name: &str, test: fn() -> F) -> Trial
where
    F: Future<Output = ()> + 'static,
{
    Trial::test(format!("mcp_connection::{name}"), move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        runtime.block_on(test());
        Ok(())
    })
}

/// A test in which time passes only while everybody waits.
pub(crate) fn paused_time_trial<F>(name: &str, test: fn() -> F) -> Trial
where
    F: Future<Output = ()> + 'static,
{
    Trial::test(format!("mcp_connection::{name}"), move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()?;
        runtime.block_on(test());
        Ok(())
    })
}

/// Describes a server that is reached otherwise than it says.
pub(crate) fn config() -> ServerConfig {
    ServerConfig::stdio("test".parse().unwrap(), "nothing", [] as [&str; 0])
}

/// Makes times of a test: connect, list, call and stall, in seconds.
pub(crate) fn timeouts(seconds: [u64; 4]) -> CallTimeouts {
    let mut timeouts = CallTimeouts::default();
    let [connect, list, call, stall] = seconds.map(Duration::from_secs);
    timeouts.connect = connect;
    timeouts.list = list;
    timeouts.call = call;
    timeouts.stall = stall;
    timeouts
}

/// Connects to a server that follows a script, anew each time.
pub(crate) fn scripted(config: ServerConfig, script: impl ServerScript) -> Connection {
    let script = Arc::new(script);
    let deps = ConnectionDeps::new().with_dial(move || {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        tokio::spawn(script::run_script(theirs, Arc::clone(&script)));
        Ok(ours)
    });
    Connection::new(config, deps)
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

/// Calls a tool for nobody in particular.
pub(crate) async fn call(
    connection: &Connection,
    tool: &str,
    repeatable: bool,
) -> Result<CallToolResult, CallError> {
    let cx = ToolContext::new();
    connection.call(tool, Map::new(), &cx, repeatable).await
}

/// Joins the texts of a result.
pub(crate) fn text(result: &CallToolResult) -> String {
    result
        .content
        .iter()
        .filter_map(|block| Some(block.as_text()?.text.as_str()))
        .collect()
}

/// Returns what an error says.
pub(crate) fn error_text<T: std::fmt::Debug>(result: Result<T, impl std::fmt::Display>) -> String {
    result.unwrap_err().to_string()
}

/// Waits for something that is bound to happen soon.
pub(crate) async fn until(mut is_so: impl FnMut() -> bool) {
    for _ in 0..3_000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it did not happen within a minute");
}

/// A context that keeps what is reported.
pub(crate) fn context(client: Option<Arc<TestUser>>) -> (ToolContext, Arc<Mutex<Vec<String>>>) {
    let reports: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&reports);
    let progress = Progress::new(move |update: ProgressUpdate| {
        let report = format!(
            "{:?}/{:?} {:?}",
            update.progress, update.total, update.message
        );
        kept.lock().unwrap().push(report);
    });
    let grants = Grants {
        client: client.map(|client| client as Arc<dyn ClientBackend>),
        ..Grants::default()
    };
    let cx = ToolContext::builder().progress(progress).grants(grants);
    (cx.build(), reports)
}

/// Somebody who answers, and notes what was asked.
#[derive(Debug, Default)]
pub(crate) struct TestUser {
    pub(crate) questions: Mutex<Vec<String>>,
    pub(crate) logs: Mutex<Vec<String>>,
    /// How long they think.
    pub(crate) delay: Duration,
}

impl ClientBackend for TestUser {
    fn elicit<'a>(
        &'a self,
        elicitation: &'a Elicitation,
    ) -> BoxFuture<'a, Result<ElicitationResult, BackendError>> {
        async move {
            let asker = elicitation.requester.as_deref().unwrap_or("nobody");
            let asked = format!("{asker}: {} {:?}", elicitation.message, elicitation.request);
            self.questions.lock().unwrap().push(asked);
            tokio::time::sleep(self.delay).await;
            let values = serde_json::json!({ "name": "main" });
            Ok(ElicitationResult::Accept(object(values)))
        }
        .boxed()
    }

    fn sample<'a>(
        &'a self,
        sampling: &'a SamplingRequest,
    ) -> BoxFuture<'a, Result<SamplingResult, BackendError>> {
        async move {
            let asked = format!("{:?}: {:?}", sampling.requester, sampling.messages);
            self.questions.lock().unwrap().push(asked);
            let content = vec![helve_runtime::transcript::ContentBlock::text("words")];
            let mut sampled = SamplingResult::new("a-model", content);
            sampled.stop_reason = Some("endTurn".to_owned());
            Ok(sampled)
        }
        .boxed()
    }

    fn roots(&self) -> BoxFuture<'_, Result<Vec<Root>, BackendError>> {
        let root = Root::new("file:///work", Some("work".to_owned()));
        async move { Ok(vec![root]) }.boxed()
    }

    fn log(&self, level: LogLevel, logger: Option<&str>, data: &Value) {
        let line = format!("{} {logger:?} {data}", level.as_str());
        self.logs.lock().unwrap().push(line);
    }
}
