//! `http_request` against httpbin, a server of other people: `HELVE_HTTPBIN` is a Python that has it.

#![allow(clippy::disallowed_types, reason = "it starts a server")]

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

/// What is asked for, the address, and the other arguments.
fn requests() -> Vec<(&'static str, &'static str, Value)> {
    let mut requests = methods_and_bodies();
    requests.extend(responses());
    requests
}

fn methods_and_bodies() -> Vec<(&'static str, &'static str, Value)> {
    vec![
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
            "a wrong password",
            "/basic-auth/bob/x",
            json!({ "preset": "basic" }),
        ),
        (
            "a secret in the query",
            "/anything",
            json!({ "preset": "query", "pick": "/args" }),
        ),
    ]
}

fn responses() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("gzip", "/gzip", json!({ "pick": "/gzipped" })),
        ("deflate", "/deflate", json!({ "pick": "/deflated" })),
        ("brotli", "/brotli", json!({ "pick": "/brotli" })),
        ("a redirect", "/redirect/3", json!({})),
        (
            "a redirect that keeps its method",
            "/redirect-to?url=/anything&status_code=307",
            json!({ "method": "POST", "text": "x" }),
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
    ]
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
    for (what, url, more) in requests() {
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
        // The order of the methods differs from run to run.
        let (answer, _) = answer.split_once(" allow: ").unwrap_or((&answer, ""));
        all.push(format!("{what}: {}", answer.trim_end()));
    }
    insta::assert_snapshot!(all.join("\n"), @r#"
    all that is sent: 200 OK, application/json, `/args` of 370 bytes, shown whole  {   "a": "1",   "b": "x y" }
    JSON: 200 OK, application/json, `/json` of 444 bytes, shown whole  {   "a": [     1,     "ü"   ] }
    a form: 200 OK, application/json, `/form` of 417 bytes, shown whole  {   "a": "1 & 2" }
    a file: 200 OK, application/json, `/data` of 430 bytes, shown whole  "data:application/octet-stream;base64,AAH/"
    delete: 200 OK, application/json, `/method` of 315 bytes, shown whole  "DELETE"
    head: 200 OK, application/json, no body
    options: 200 OK, text/html; charset=utf-8, no body
    a bearer: 200 OK, application/json, 60 bytes, shown whole  {   "authenticated": true,   "token": "[REDACTED:secret]" }
    a wrong password: 401 Unauthorized, no content type, no body www-authenticate: Basic realm="Fake Realm"
    a secret in the query: 200 OK, application/json, `/args` of 368 bytes, shown whole  {   "key": "[REDACTED:secret]" }
    gzip: 200 OK, application/json, `/gzipped` of 214 bytes, shown whole  true
    deflate: 200 OK, application/json, `/deflated` of 215 bytes, shown whole  true
    brotli: 200 OK, application/json, `/brotli` of 213 bytes, shown whole  true
    a redirect: 302 Found, text/html; charset=utf-8, 227 bytes, shown whole location: /relative-redirect/2 (the redirect was not followed; it leads to http://HOST/relative-redirect/2)  <
    a redirect that keeps its method: 307 Temporary Redirect, text/html; charset=utf-8, no body location: /anything (the redirect was not followed; it leads to http://HOST/anything)
    a redirect to another site: 302 Found, text/html; charset=utf-8, no body location: http://example.com/ (the redirect was not followed; it leads to http://example.com/)
    a status: 418, no content type, 135 bytes, shown whole       -=[ teapot ]=-         _...._      .'  _ _ `.     | ."` ^ `". _,     \_;`"---"`|//       |       ;/       \_     _/
    no content: 204 No Content, text/html; charset=utf-8, no body
    not modified: 304 Not Modified, no content type, no body etag: abc
    slow: error: timeout: there was no whole response within 1 s
    drips: 200 OK, application/octet-stream, 5 bytes, shown whole  *****
    chunks: 200 OK, application/json, 426 bytes, saved in `stream.txt`
    bytes: 200 OK, application/octet-stream, 10 bytes that are no text, sha256 12fb9f7358e4fc5ef087a2c1725c6036bd22c302ba8ebde3342edd9910ed2eeb; use `save_to` to get them
    a part of them: 206, application/octet-stream, 3 bytes, shown whole etag: range26  cde
    UTF-8: 200 OK, text/html; charset=utf-8, 14239 bytes, saved in `utf8.html`
    an image: 200 OK, image/png, 8090 bytes, saved in `image.png`
    a link: 200 OK, application/json, `/Retry-After` of 111 bytes, shown whole link: </next> retry-after: 9  "9"
    a cookie: 302 Found, text/html; charset=utf-8, 203 bytes, shown whole location: /cookies (the redirect was not followed; it leads to http://HOST/cookies)  <!doctype html> <html lan
    "#);
}
