//! `http_request` against httpbin, a server of other people: `HELVE_HTTPBIN` is a Python that has it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::{call, context};

/// A server that runs; it ends when it is dropped.
struct Httpbin {
    child: Child,
    origin: String,
}

impl Httpbin {
    /// Starts httpbin, if there is one.
    fn start() -> Option<Self> {
        let Ok(python) = std::env::var("HELVE_HTTPBIN") else {
            println!("ran nothing: HELVE_HTTPBIN is not set");
            return None;
        };
        let mut command = Command::new(python);
        let arguments = ["-m", "flask", "--app", "httpbin", "run", "--port", "0"];
        let command = command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let origin = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, origin) = line.split_once("Running on ")?;
            Some(origin.trim().to_owned())
        });
        // It writes a line for each request.
        std::thread::spawn(move || lines.for_each(drop));
        let origin = origin.expect("it says where it listens");
        Some(Self { child, origin })
    }
}

impl Drop for Httpbin {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_others_is_asked() {
    let Some(httpbin) = Httpbin::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let base = httpbin.origin.as_str();
    let preset = |auth: &str, name: Value| json!({ "base_url": base, "secret": "API_KEY", "auth": auth, "auth_name": name });
    let settings = json!({ "presets": {
        "bearer": preset("bearer", Value::Null),
        "basic": preset("basic", json!("ann")),
        "query": preset("query", json!("key")),
    } });
    let cx = context(base, settings, folder.path());
    std::fs::write(folder.path().join("body.bin"), b"\0\x01\xff").unwrap();
    let mut all = Vec::new();
    for (what, url, more) in [
        (
            "all that is sent",
            "/anything?a=1",
            json!({ "query": { "b": "x y" }, "headers": { "X-A": "b" }, "pick": "/args" }),
        ),
        (
            "JSON",
            "/anything",
            json!({ "method": "PUT", "json": { "a": [1, "ü"] }, "pick": "/json" }),
        ),
        (
            "a form",
            "/anything",
            json!({ "method": "POST", "form": { "a": "1 & 2" }, "pick": "/form" }),
        ),
        (
            "a file",
            "/anything",
            json!({ "method": "PATCH", "file": "body.bin", "pick": "/data" }),
        ),
        (
            "delete",
            "/anything",
            json!({ "method": "DELETE", "pick": "/method" }),
        ),
        ("head", "/anything", json!({ "method": "HEAD" })),
        ("options", "/anything", json!({ "method": "OPTIONS" })),
        ("a bearer", "/bearer", json!({ "preset": "bearer" })),
        (
            "a password of nobody",
            "/basic-auth/bob/x",
            json!({ "preset": "basic" }),
        ),
        (
            "a secret in the query",
            "/anything",
            json!({ "preset": "query", "pick": "/args" }),
        ),
        ("gzip", "/gzip", json!({ "pick": "/gzipped" })),
        ("deflate", "/deflate", json!({ "pick": "/deflated" })),
        ("brotli", "/brotli", json!({ "pick": "/brotli" })),
        ("a redirect", "/redirect/3", json!({ "pick": "/args" })),
        ("redirects without end", "/redirect/9", json!({})),
        (
            "a redirect that keeps its method",
            "/redirect-to?url=/anything&status_code=307",
            json!({ "method": "POST", "text": "x", "pick": "/method" }),
        ),
        (
            "a redirect to another site",
            "/redirect-to?url=http://example.com/",
            json!({}),
        ),
        ("a status", "/status/418", json!({})),
        ("no content", "/status/204", json!({})),
        (
            "not modified",
            "/etag/abc",
            json!({ "headers": { "If-None-Match": "abc" } }),
        ),
        ("slow", "/delay/3", json!({ "timeout_s": 1 })),
        ("drips", "/drip?duration=0&numbytes=5&code=200", json!({})),
        ("chunks", "/stream/2", json!({ "save_to": "stream.txt" })),
        ("too many bytes", "/bytes/2000000", json!({})),
        ("bytes", "/bytes/10?seed=1", json!({})),
        (
            "a part of them",
            "/range/26",
            json!({ "headers": { "Range": "bytes=2-4" } }),
        ),
        ("UTF-8", "/encoding/utf8", json!({ "save_to": "utf8.html" })),
        ("an image", "/image/png", json!({ "save_to": "image.png" })),
        (
            "a link",
            "/response-headers?Link=%3C/next%3E&Retry-After=9",
            json!({ "pick": "/Retry-After" }),
        ),
        (
            "a cookie",
            "/cookies/set?a=b",
            json!({ "pick": "/cookies" }),
        ),
    ] {
        let mut arguments = more;
        let has_preset = arguments.get("preset").is_some();
        let url = if has_preset {
            url.trim_start_matches('/').to_owned()
        } else {
            format!("{base}{url}")
        };
        arguments["url"] = url.into();
        let answer = call(&cx, arguments).await.replace(base, "http://HOST");
        let answer: String = answer.replace('\n', " ").chars().take(170).collect();
        all.push(format!("{what}: {answer}"));
    }
    insta::assert_snapshot!(all.join("\n"), @"");
}
