//! The tools of the web and of checks with all that helve has around a tool: flags, a dry run, progress, an MCP server, the
//! search for tools, shortened results, and results that are used again.
#![cfg(all(unix, target_os = "linux"))]

mod agents;
mod calls;
mod listed;
mod memory;
mod secrets;
mod served;

use std::sync::LazyLock;

use serde_json::json;

use crate::config::fixture::ConfigFixture;
use crate::config::server::{TestRequest, TestResponse, TestServer};

/// The program with the tools, which cargo builds with the tests.
pub(crate) static TOOLBOX: LazyLock<String> = LazyLock::new(|| {
    let test = std::env::current_exe().expect("the test has a path");
    let folder = test.ancestors().nth(2).expect("it is in `deps`");
    let program = folder.join("examples/toolbox");
    program.to_str().expect("a path in UTF-8").to_owned()
});

/// The value of a secret that only the server may receive.
const TOKEN: &str = "tok-4711-of-the-tracker";

/// A page with a paragraph that is found by its words.
const PAGE: &str = "<html><head><title>The tower</title></head><body><nav>Home</nav><main><h1>The tower</h1>\
    <p>The tower was built in 1889, and it is the highest building of the old town.</p>\
    <p>Its height is 41 metres, from the market to the flag on its roof.</p></main></body></html>";

/// Settings with which nothing is asked after the web was read.
const WITHOUT_QUESTIONS: &str = "[untrusted]\nask = \"never\"\n";

/// A server with a page, a service and a search engine.
fn web() -> TestServer {
    TestServer::start(|request| Some(answer(request)))
}

fn answer(request: &TestRequest) -> TestResponse {
    let (method, path) = request.request_line();
    match (method, path.split('?').next().unwrap_or_default()) {
        ("GET", "/page") => TestResponse::new("200 OK", "text/html", PAGE),
        ("GET", "/v1/items") => {
            let items: Vec<_> = (0..3)
                .map(|at| json!({ "id": at, "name": format!("item {at}") }))
                .collect();
            TestResponse::json(&json!({ "items": items, "token": request.header("authorization") }))
        }
        ("POST", "/v1/items") => {
            TestResponse::new("201 Created", "application/json", request.text())
        }
        ("GET", "/search") => TestResponse::json(&json!({
            "results": [{ "title": "The tower", "url": "https://example.com/tower", "content": "It was built in 1889." }],
            "unresponsive_engines": [],
        })),
        _ => TestResponse::new("404 Not Found", "text/plain", "nothing is here"),
    }
}

/// A project with the app, whose tools reach the server.
fn place(server: &TestServer) -> ConfigFixture {
    place_with(server, "")
}

/// The same with more settings.
fn place_with(server: &TestServer, more: &str) -> ConfigFixture {
    let url = server.url();
    let origin = url.trim_end_matches("/v1");
    let host = origin.trim_start_matches("http://");
    let settings = format!(
        r#"[web_fetch]
max_chars = 5000

[web_search]
provider = "searxng"

[web_search.base_url]
searxng = "{origin}"

[http_request.presets.tracker]
base_url = "{origin}/v1/"
secret = "TRACKER_TOKEN"

[check_code]
timeout = 60

[tools.web_fetch]
hosts = ["{host}"]

[tools.web_search]
hosts = ["{host}"]

[tools.http_request.secrets]
TRACKER_TOKEN = ["{origin}"]

{more}"#
    );
    ConfigFixture::new()
        .with_program(&TOOLBOX)
        .with_user_settings(&settings)
        .with_variable("TRACKER_TOKEN", TOKEN)
        .with_variable("GROQ_API_KEY", "of-the-user")
        .with_file("project/Makefile", "all:\n")
}

/// The address of the server's page.
fn page(server: &TestServer) -> String {
    server.url().replace("/v1", "/page")
}
