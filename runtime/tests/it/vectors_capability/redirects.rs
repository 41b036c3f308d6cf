//! Chains of redirects, against a real server on loopback in the place of the recorded sites.

use std::collections::BTreeMap;

use helve_runtime::capability::{HttpBackend, HttpRequest, HttpScope};
use serde_json::Value;

use crate::vectors_capability::fixture::{network, rules};
use crate::vectors_capability::server::{Server, to};
use crate::vectors_capability::vectors::Case;

/// Follows the recorded sites of a case; `None` where it recorded none.
pub(crate) async fn follow(case: &Case) -> Option<Result<(), String>> {
    let (sites, url, policy) = if case.input["sites"].is_object() {
        let url = case.input["url"].as_str().unwrap();
        (sites(&case.input["sites"]), url, &case.input["policy"])
    } else if case.expected["reason"]
        .as_str()
        .is_some_and(|reason| reason.contains("possible loop"))
    {
        // The recorded function sent every request on to the next host.
        let sites = [("/".to_owned(), to(302, "/"))].into();
        let args = &case.input["args"];
        (sites, args[0].as_str().unwrap(), &args[1]["policy"])
    } else {
        return None;
    };
    let sites: Vec<(&str, &str)> = sites
        .iter()
        .map(|(path, answer)| (&**path, &**answer))
        .collect();
    let server = Server::start("127.0.0.1:0", &sites).await;
    // The server stands for the one host that all sites are of, so whatever is allowed allows it.
    let mut rules = rules(policy);
    rules.allow.push("127.0.0.1:*".to_owned());
    let path = url.splitn(4, '/').nth(3).unwrap();
    let mut request = HttpRequest::new("GET", format!("http://{}/{path}", server.address));
    for (name, value) in case.input["init"]["headers"]
        .as_object()
        .into_iter()
        .flatten()
    {
        request
            .headers
            .push((name.clone(), value.as_str().unwrap().to_owned()));
    }
    let sent = network(&rules, &case.input["dns"])
        .send(request, HttpScope::default())
        .await;
    if let Some(requests) = case.expected["requests"].as_array() {
        assert_eq!(
            server.asked().len(),
            requests.len(),
            "{}: requests",
            case.id
        );
    }
    Some(sent.map(|_| ()).map_err(|error| error.to_string()))
}

/// Reads the sites of a case as paths of one server.
fn sites(sites: &Value) -> BTreeMap<String, String> {
    let sites = sites.as_object().unwrap().iter();
    let own = sites.filter_map(|(url, site)| {
        let path = url.strip_prefix("http://pub.test")?;
        let status = site["status"].as_u64().unwrap();
        let answer = match site["location"].as_str() {
            Some(location) => {
                let location = location.strip_prefix("http://pub.test").unwrap_or(location);
                to(u16::try_from(status).unwrap(), location)
            }
            None => format!("HTTP/1.1 {status} There\r\ncontent-length: 0\r\n\r\n"),
        };
        Some((path.to_owned(), answer))
    });
    own.collect()
}
