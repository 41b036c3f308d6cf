//! Which URLs, hosts and addresses are refused.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use helve_runtime::network::{
    AddressClass, Host, HostPattern, HostPolicy, HostRefusalReason, HostRules,
};
use serde_json::{Value, json};

use crate::vectors_capability::fixture::{network, rules};
use crate::vectors_capability::redirects;
use crate::vectors_capability::vectors::{Case, Tally, load_topic};

/// What a case asks for: whether something is let through, or what kind of thing it is.
enum Answer {
    /// Whether something may be reached.
    Reached {
        found: Result<(), String>,
        recorded: bool,
    },
    /// Whether something is dangerous.
    Dangerous { found: bool, recorded: bool },
    /// Whether something is of a kind that decides nothing by itself.
    Kind { found: bool, recorded: bool },
}

#[tokio::test]
async fn what_is_refused_elsewhere_is_refused_here() {
    let Some(cases) = load_topic("ssrf") else {
        return;
    };
    let mut tally = Tally::new("ssrf");
    for case in &cases {
        count(&mut tally, case, answer(case).await);
    }
    tally.finish(&[]);
}

fn count(tally: &mut Tally, case: &Case, answer: Answer) {
    match answer {
        Answer::Reached {
            found: Ok(()),
            recorded: false,
        } => tally.differ_laxer(case, "reached"),
        Answer::Reached {
            found: Err(why),
            recorded: true,
        } => tally.differ(case, why),
        Answer::Dangerous {
            found: false,
            recorded: true,
        } => tally.differ_laxer(case, "harmless"),
        Answer::Dangerous { found, recorded } | Answer::Kind { found, recorded }
            if found != recorded =>
        {
            tally.differ(case, format!("{found}"));
        }
        _ => tally.agree(case),
    }
}

async fn answer(case: &Case) -> Answer {
    let args = &case.input["args"];
    let text = args[0].as_str().unwrap_or_default();
    let expected = &case.expected;
    let flag = expected.as_bool().unwrap_or_default();
    let name = case.function.rsplit(':').next().unwrap();
    match name {
        "checkScheme" => {
            let url = case.input["url"].as_str().unwrap_or(text);
            let found = scheme(url).await;
            Answer::Reached {
                found,
                recorded: expected["ok"] == true,
            }
        }
        "isLoopbackIp" => Answer::Dangerous {
            found: class(text) == Some(AddressClass::Loopback),
            recorded: flag,
        },
        "isPrivateIp" | "isPrivateIpLiteral" => Answer::Dangerous {
            found: class(text).is_some_and(|class| class != AddressClass::Public),
            recorded: flag,
        },
        "isPrivateIpv4" => {
            let found =
                text.parse::<Ipv4Addr>().is_ok() && class(text) != Some(AddressClass::Public);
            Answer::Dangerous {
                found,
                recorded: flag,
            }
        }
        "isPrivateIpv6" => {
            let found =
                text.parse::<Ipv6Addr>().is_ok() && class(text) != Some(AddressClass::Public);
            Answer::Dangerous {
                found,
                recorded: flag,
            }
        }
        "isValidIpv4" => Answer::Kind {
            found: matches!(host(text), Some(Host::Address(IpAddr::V4(_)))),
            recorded: flag,
        },
        "isLikelyIp" | "isIpLiteral" => Answer::Kind {
            found: matches!(host(text), Some(Host::Address(_))),
            recorded: flag,
        },
        "isCloudMetadataHost" => Answer::Dangerous {
            found: is_metadata(text),
            recorded: flag,
        },
        "hostnameMatches" => {
            let hostname = case.input["hostname"].as_str().unwrap_or(text);
            let pattern = case.input["pattern"].as_str().or(args[1].as_str()).unwrap();
            let pattern = HostPattern::parse(pattern);
            let found = pattern.is_ok_and(|pattern| pattern.matches_host(&host(hostname).unwrap()));
            // A match allows or denies; either way a pattern that misses its host is a difference.
            Answer::Kind {
                found,
                recorded: flag,
            }
        }
        "checkAllowDeny" => Answer::Reached {
            found: listed(text, &args[1]),
            recorded: expected["allowed"] == true,
        },
        "checkSsrf" => {
            let found = judge(text, &rules(&Value::Null), &Value::Null).await;
            Answer::Reached {
                found,
                recorded: expected["blocked"] == false,
            }
        }
        "safeFetch" => match redirects::follow(case).await {
            Some(found) => Answer::Reached {
                found,
                recorded: expected["ok"] == true,
            },
            None => {
                let found = judge(text, &rules(&args[1]["policy"]), &Value::Null).await;
                Answer::Reached {
                    found,
                    recorded: expected["ok"] == true,
                }
            }
        },
        "validateUrl" => validated(case).await,
        other => panic!("{}: `{other}` is not known", case.id),
    }
}

async fn validated(case: &Case) -> Answer {
    let args = &case.input["args"];
    if case.function == "core:validateUrl" {
        let mut rules = rules(&Value::Null);
        if args[1]["allowLocalhost"] == true {
            rules
                .allow
                .extend(["localhost:*", "127.0.0.1:*", "[::1]:*"].map(str::to_owned));
        }
        let found = judge(args[0].as_str().unwrap(), &rules, &Value::Null).await;
        return Answer::Reached {
            found,
            recorded: case.expected.get("$url").is_some(),
        };
    }
    let (url, policy) = match case.input["url"].as_str() {
        Some(url) => (url, &case.input["policy"]),
        None => (args[0].as_str().unwrap(), &args[1]),
    };
    let found = judge(url, &rules(policy), &case.input["dns"]).await;
    Answer::Reached {
        found,
        recorded: case.expected["ok"] == true,
    }
}

async fn judge(url: &str, rules: &HostRules, names: &Value) -> Result<(), String> {
    let judged = network(rules, names).judge(url).await;
    judged.map(|_| ()).map_err(|refusal| refusal.to_string())
}

/// Judges a URL by its form alone: wherever it leads, a refusal for that does not count.
async fn scheme(url: &str) -> Result<(), String> {
    let rules = rules(&json!({ "allow_private_urls": true }));
    match judge(url, &rules, &Value::Null).await {
        Err(why)
            if ["only `http`", "not an absolute URL", "credentials"]
                .iter()
                .any(|form| why.contains(form)) =>
        {
            Err(why)
        }
        _ => Ok(()),
    }
}

/// Judges a host by the lists alone.
fn listed(text: &str, policy: &Value) -> Result<(), String> {
    let policy = HostPolicy::new(&rules(policy)).unwrap();
    let Some(host) = host(text) else {
        return Err("no host".into());
    };
    match policy.judge(&host, 443) {
        Err(refusal)
            if matches!(
                refusal.reason,
                HostRefusalReason::NotListed { .. } | HostRefusalReason::Denied { .. }
            ) =>
        {
            Err(refusal.to_string())
        }
        _ => Ok(()),
    }
}

fn is_metadata(text: &str) -> bool {
    let policy = HostPolicy::new(&rules(&json!({ "allow_private_urls": true }))).unwrap();
    let refused = host(text).and_then(|host| policy.judge(&host, 80).err());
    refused.is_some_and(|refusal| refusal.reason == HostRefusalReason::Metadata)
}

fn class(text: &str) -> Option<AddressClass> {
    text.parse().ok().map(AddressClass::classify)
}

/// Reads a host; those systems write IPv6 addresses without brackets.
fn host(text: &str) -> Option<Host> {
    match text.parse::<Ipv6Addr>() {
        Ok(address) => Host::parse(&format!("[{address}]")),
        Err(_) => Host::parse(text),
    }
}
