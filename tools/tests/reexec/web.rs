//! Web pages, fetched from a server on loopback and read in a worker.

mod answers;
mod content;
mod hostile;
mod kinds;
mod reaching;
pub(crate) mod server;

use std::sync::Arc;

use helve::ToolContext;
use helve::capability::{Grants, GuardedHttp};
use helve::network::HostRules;
use helve::tool::State;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::runtime::run;
pub(crate) use hostile::run_as_role;
use server::Server;

pub(crate) fn tests() -> Vec<Trial> {
    let mut tests = content::tests();
    tests.extend(kinds::tests());
    tests.extend(reaching::tests());
    tests.extend(answers::tests());
    tests.extend(hostile::tests());
    tests
}

/// A session that reaches loopback.
struct Session {
    session: Arc<State>,
}

impl Session {
    fn new() -> Self {
        Self {
            session: Arc::default(),
        }
    }

    fn context(&self) -> ToolContext {
        context_builder()
            .session_state(self.session.clone())
            .build()
    }

    /// Calls `web_fetch`, and returns the whole answer.
    async fn fetch(&self, server: &Server, arguments: Value) -> String {
        fetch_in(&self.context(), server, arguments).await
    }
}

fn context_builder() -> helve::tool::ToolContextBuilder {
    let http = GuardedHttp::new(&HostRules::from_allowed(["127.0.0.1:*"])).unwrap();
    ToolContext::builder().grants(Grants {
        http: Some(Arc::new(http)),
        ..Grants::default()
    })
}

/// Calls `web_fetch` with the path that the arguments have as `url`, and returns the answer with its notes, or the error.
async fn fetch_in(cx: &ToolContext, server: &Server, mut arguments: Value) -> String {
    if let Some(path) = arguments["url"]
        .as_str()
        .filter(|path| path.starts_with('/'))
    {
        arguments["url"] = json!(server.url(path));
    }
    let result = helve_tools::web()
        .call("web_fetch", &arguments.to_string(), cx)
        .await;
    let text = match result {
        Err(error) => format!("{}: {error}", error.kind()),
        Ok(output) => {
            let notes = output.notes().iter().map(|note| format!("\n{note}"));
            format!("{}{}", output.text(), notes.collect::<String>())
        }
    };
    text.replace(&server.address.to_string(), "HOST")
}

/// Fetches one page.
async fn fetch_page(content_type: &str, body: impl AsRef<[u8]>, more: Value) -> String {
    let server = Server::start(vec![("/page", server::ok(content_type, body))]);
    let mut arguments = json!({ "url": "/page" });
    for (name, value) in more.as_object().into_iter().flatten() {
        arguments[name] = value.clone();
    }
    Session::new().fetch(&server, arguments).await
}

/// Makes a test of an asynchronous function.
fn trial<F>(name: &'static str, test: fn() -> F) -> Trial
where
    F: Future<Output = ()> + 'static,
{
    Trial::test(format!("web::{name}"), move || run(test()))
}
