//! A fake of GitHub's API with a state: issues, pull requests and a branch that change.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::routes;
use super::server::{Reply, reply};

/// The token that the fake accepts.
pub(crate) const TOKEN: &str = "github_pat_11AAAA_s3cr3t/of+the\"token";

/// A request, parsed.
pub(crate) struct Request<'r> {
    pub(crate) method: &'r str,
    pub(crate) path: &'r str,
    pub(crate) query: BTreeMap<String, String>,
    pub(crate) headers: BTreeMap<String, &'r str>,
    pub(crate) body: Value,
}

impl<'r> Request<'r> {
    fn parse(text: &'r str) -> Self {
        let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let mut line = lines.next().unwrap().split(' ');
        let (method, target) = (line.next().unwrap(), line.next().unwrap());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let query = pairs
            .map(|(name, value)| (name.to_owned(), value.replace('+', " ").replace("%3A", ":")));
        let headers = lines.filter_map(|line| line.split_once(": "));
        Self {
            method,
            path,
            query: query.collect(),
            headers: headers
                .map(|(name, value)| (name.to_ascii_lowercase(), value))
                .collect(),
            body: serde_json::from_str(body).unwrap_or(Value::Null),
        }
    }

    pub(crate) fn segments(&self) -> Vec<&'r str> {
        self.path.trim_matches('/').split('/').collect()
    }
}

/// What an answer of the fake is.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.to_string(),
        }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn error(status: u16, message: &str) -> Self {
        Self::json(
            status,
            &json!({ "message": message, "documentation_url": "https://evil.example/docs" }),
        )
    }
}

/// What the fake holds.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) is_private: bool,
    pub(crate) issues: Vec<Value>,
    pub(crate) comments: Vec<Value>,
    pub(crate) pulls: Vec<Value>,
    pub(crate) reviews: Vec<Value>,
    pub(crate) releases: Vec<Value>,
    /// The branches with the ids of their last commits.
    pub(crate) branches: BTreeMap<String, String>,
    /// The trees and the commits by their ids.
    pub(crate) trees: BTreeMap<String, Value>,
    pub(crate) commits: BTreeMap<String, Value>,
}

/// A fake of the API.
#[derive(Clone)]
pub(crate) struct FakeGithub {
    pub(crate) world: Arc<Mutex<World>>,
    /// Changes an answer before it is sent.
    pub(crate) special: Option<Arc<Special>>,
}

/// Answers a request in place of the fake.
type Special = dyn Fn(&Request<'_>) -> Option<Response> + Send + Sync;

impl FakeGithub {
    pub(crate) fn new() -> Self {
        Self {
            world: Arc::new(Mutex::new(routes::world())),
            special: None,
        }
    }

    /// Answers some requests in another way.
    pub(crate) fn with(
        mut self,
        special: impl Fn(&Request<'_>) -> Option<Response> + Send + Sync + 'static,
    ) -> Self {
        self.special = Some(Arc::new(special));
        self
    }

    /// Changes what the fake holds.
    pub(crate) fn change(self, change: impl FnOnce(&mut World)) -> Self {
        change(&mut self.world.lock().unwrap());
        self
    }

    pub(crate) fn respond(&self, text: &str) -> Reply {
        let request = Request::parse(text);
        let special = self.special.as_ref().and_then(|special| special(&request));
        let response = special.unwrap_or_else(|| self.answer(&request));
        write(&request, &response)
    }

    fn answer(&self, request: &Request<'_>) -> Response {
        let authorization = request.headers.get("authorization").copied();
        if authorization.is_some_and(|value| value != format!("Bearer {TOKEN}")) {
            return Response::error(401, "Bad credentials");
        }
        if request.headers.get("x-github-api-version") != Some(&"2022-11-28") {
            return Response::error(400, "no version of the API");
        }
        if request.method != "GET" && authorization.is_none() {
            return Response::error(401, "Requires authentication");
        }
        routes::answer(&mut self.world.lock().unwrap(), request)
    }
}

/// Writes an answer with its tag; what has the tag that the request names is not sent again.
fn write(request: &Request<'_>, response: &Response) -> Reply {
    let mut hasher = DefaultHasher::new();
    response.body.hash(&mut hasher);
    let etag = format!("W/\"{:x}\"", hasher.finish());
    let mut headers = vec![format!("etag: {etag}")];
    headers.extend(
        response
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}")),
    );
    let is_same = response.status == 200 && request.headers.get("if-none-match") == Some(&&*etag);
    let (status, body) = if is_same {
        (304, "")
    } else {
        (response.status, &*response.body)
    };
    reply(&format!("{status} Status"), &headers.join("\r\n"), body)
}
