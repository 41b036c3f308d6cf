//! The addresses that other systems refuse, through `web_fetch` and `http_request` themselves.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use helve::capability::{
    BackendError, Grants, GuardedHttp, HttpBackend, HttpRequest, HttpResponse, HttpScope,
};
use helve::network::{AddressClass, HostRules, Resolve};
use helve::{BoxFuture, ToolContext, Toolset};
use serde_json::{Value, json};

use super::server::{Server, reply};
use crate::vectors::{Case, load_topic};

/// The names of a case; a case without names has public ones only.
#[derive(Debug)]
struct Names(Value);

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let parse = |address: &Value| address.as_str().unwrap().parse().unwrap();
        let found = match &self.0 {
            Value::Object(names) => match names.get(name) {
                Some(addresses) => Ok(addresses.as_array().unwrap().iter().map(parse).collect()),
                None => Err(io::Error::other("no such name")),
            },
            _ if name == "localhost" => Ok(vec![IpAddr::from([127, 0, 0, 1])]),
            _ => Ok(vec![IpAddr::from([93, 184, 216, 34])]),
        };
        Box::pin(std::future::ready(found))
    }

    fn is_own(&self, _: IpAddr) -> bool {
        false
    }
}

/// The guarded client, which answers by itself where it would connect to anything but the server of the test.
#[derive(Debug)]
struct Backend {
    guarded: GuardedHttp,
    server: Option<String>,
    reached: Arc<Mutex<Vec<String>>>,
}

impl HttpBackend for Backend {
    fn send<'a>(
        &'a self,
        request: HttpRequest,
        scope: HttpScope<'a>,
    ) -> BoxFuture<'a, Result<HttpResponse, BackendError>> {
        Box::pin(async move {
            let is_own = |server: &String| request.url.starts_with(server);
            if self.server.as_ref().is_some_and(is_own) {
                return self.guarded.send(request, scope).await;
            }
            self.guarded.judge(&request.url).await?;
            self.reached.lock().unwrap().push(request.url);
            Ok(HttpResponse::new(204, Vec::new()))
        })
    }
}

/// A request of a case: its address, the rules, and whether it is let through, where the case says so.
struct Attempt<'a> {
    url: String,
    rules: HostRules,
    names: &'a Value,
    is_allowed: Option<bool>,
}

/// Reads rules as the other systems spell them: none allows everything, and ports do not matter.
fn rules(policy: &Value) -> HostRules {
    let list = |key: &str| -> Vec<String> {
        let rules = policy[key].as_array().into_iter().flatten();
        rules
            .map(|rule| rule.as_str().unwrap().to_owned())
            .collect()
    };
    let allow = match list("allow") {
        all if all.is_empty() => vec!["*:*".to_owned()],
        some => some.iter().map(|rule| format!("{rule}:*")).collect(),
    };
    let mut rules = HostRules::from_allowed(allow);
    rules.deny = list("deny");
    rules.private = policy["allow_private_urls"] == true;
    rules
}

/// Writes an address of a host.
fn url_of(host: &str) -> String {
    match host.contains(':') {
        true => format!("http://[{host}]/"),
        false => format!("http://{host}/"),
    }
}

/// Reports whether a host is no address, or one that everybody may reach.
fn is_public(host: &str) -> bool {
    host.parse().map_or(true, |address| {
        AddressClass::classify(address) == AddressClass::Public
    })
}

fn attempt(case: &Case) -> Attempt<'_> {
    let (input, args, expected) = (&case.input, &case.input["args"], &case.expected);
    let text = args[0].as_str().unwrap_or_default();
    let mut attempt = Attempt {
        url: input["url"].as_str().unwrap_or(text).to_owned(),
        rules: rules(&Value::Null),
        names: &Value::Null,
        is_allowed: None,
    };
    let name = case.function.rsplit(':').next().unwrap();
    match name {
        // Where an address leads is another question than its form.
        "checkScheme" => attempt.is_allowed = (expected["ok"] == false).then_some(false),
        "hostnameMatches" => {
            let hostname = input["hostname"].as_str().unwrap_or(text);
            let pattern = input["pattern"].as_str().or(args[1].as_str()).unwrap();
            // A star is the first label alone, and a rule that is none allows nothing.
            let is_rule = !pattern.trim_start_matches("*.").contains('*');
            let allow = is_rule.then(|| format!("{pattern}:*"));
            attempt.url = url_of(hostname);
            attempt.rules = HostRules::from_allowed(allow);
            attempt.is_allowed = expected.as_bool();
        }
        "checkAllowDeny" => {
            attempt.url = url_of(text);
            attempt.rules = rules(&args[1]);
            attempt.is_allowed = Some(expected["allowed"] == true && is_public(text));
        }
        "checkSsrf" => attempt.is_allowed = Some(expected["blocked"] == false),
        "safeFetch" | "validateUrl" => {
            let policy = match case.function.as_str() {
                "core:validateUrl" => &Value::Null,
                _ if input["policy"].is_object() => &input["policy"],
                _ if args[1]["policy"].is_object() => &args[1]["policy"],
                _ => &args[1],
            };
            attempt.rules = rules(policy);
            if args[1]["allowLocalhost"] == true {
                let own = ["localhost:*", "127.0.0.1:*", "[::1]:*"].map(str::to_owned);
                attempt.rules.allow.extend(own);
            }
            attempt.names = &input["dns"];
            let is_allowed = expected["ok"] == true || expected.get("$url").is_some();
            attempt.is_allowed = Some(is_allowed);
        }
        // The others say of what kind a host is: what is dangerous is refused, and public addresses are not.
        _ => {
            attempt.url = url_of(text);
            let is_dangerous =
                expected == true && !name.contains("Likely") && !name.contains("Literal")
                    || text.parse::<IpAddr>().is_ok() && !is_public(text);
            attempt.is_allowed = match is_dangerous {
                true => Some(false),
                false => text.parse::<IpAddr>().is_ok().then_some(true),
            };
        }
    }
    attempt
}

/// Calls a tool, and says whether anything was reached, with its answer.
async fn reach(
    tools: &Toolset,
    name: &str,
    attempt: &Attempt<'_>,
    server: Option<String>,
) -> (bool, String) {
    let reached = Arc::default();
    let guarded = GuardedHttp::new(&attempt.rules).unwrap();
    let backend = Backend {
        guarded: guarded.resolver(Arc::new(Names(attempt.names.clone()))),
        server,
        reached: Arc::clone(&reached),
    };
    let cx = ToolContext::builder().grants(Grants {
        http: Some(Arc::new(backend)),
        ..Grants::default()
    });
    let arguments = json!({ "url": attempt.url }).to_string();
    let answer = tools.call(name, &arguments, &cx.build()).await;
    let text = answer.map_or_else(
        |error| format!("error: {error}"),
        |output| output.text().into_owned(),
    );
    let is_reached = !reached.lock().unwrap().is_empty();
    (is_reached, text)
}

/// Serves the recorded sites of a case; `None` where it recorded none.
async fn serve_sites(case: &Case) -> Option<Server> {
    let sites = case.input["sites"].clone();
    let is_loop = case.expected["reason"]
        .as_str()
        .is_some_and(|reason| reason.contains("possible loop"));
    if !sites.is_object() && !is_loop {
        return None;
    }
    let respond = move |request: &str| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        let site = &sites[format!("http://pub.test{path}")];
        let location = match site["location"].as_str() {
            Some(location) => location.trim_start_matches("http://pub.test").to_owned(),
            None if sites.is_object() => {
                return reply("200 OK", "content-type: text/plain", "there");
            }
            None => "/".to_owned(),
        };
        reply("302 Found", &format!("location: {location}"), "")
    };
    Some(Server::start(respond).await)
}

#[tokio::test]
async fn what_other_systems_refuse_is_refused_to_the_tools() {
    let Some(cases) = load_topic("ssrf") else {
        return;
    };
    let tools = helve_tools::web().layered(&helve_tools::http());
    let (mut wrong, mut counts) = (Vec::new(), [0; 3]);
    for case in &cases {
        let mut attempt = attempt(case);
        let server = serve_sites(case).await;
        if let Some(server) = &server {
            let path = attempt.url.splitn(4, '/').nth(3).unwrap().to_owned();
            attempt.url = format!("{}/{path}", server.origin());
            // The server stands for the one host that all sites are of.
            attempt.rules.allow.push("127.0.0.1:*".to_owned());
        }
        for name in ["web_fetch", "http_request"] {
            let origin = server.as_ref().map(Server::origin);
            let (is_reached, text) = reach(&tools, name, &attempt, origin).await;
            // What a redirect leads to is another call.
            let is_followed = name == "web_fetch" || server.is_none();
            let is_allowed = attempt.is_allowed.filter(|allowed| is_followed || !allowed);
            counts[match is_allowed {
                Some(false) => 0,
                Some(true) => 1,
                None => 2,
            }] += 1;
            let is_through = is_reached
                || server.is_some()
                    && !text.starts_with("error: ")
                    && !text.contains("was not followed");
            if is_allowed.is_some_and(|is_allowed| is_allowed != is_through) {
                wrong.push(format!("{} {name} {}: {text}", case.id, attempt.url));
            }
        }
    }
    let [refused, reached, either] = counts;
    println!(
        "ssrf: {} cases through two tools: {refused} refused, {reached} let through, {either} where the case says neither",
        cases.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
