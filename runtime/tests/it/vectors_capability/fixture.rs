//! The names and rules of a case.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use helve_runtime::capability::GuardedHttp;
use helve_runtime::network::{HostRules, Resolve};
use serde_json::Value;

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
        Box::pin(ready(found))
    }

    fn is_own(&self, _: IpAddr) -> bool {
        false
    }
}

/// Reads rules as the other system spells them: none allows everything, and ports do not matter.
pub(crate) fn rules(policy: &Value) -> HostRules {
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

/// Opens the network of a case.
pub(crate) fn network(rules: &HostRules, names: &Value) -> GuardedHttp {
    let names = Names(names.clone());
    GuardedHttp::new(rules).unwrap().resolver(Arc::new(names))
}
