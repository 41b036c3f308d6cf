//! Connections to hosts that no rule allows.

use helve::permission::{Decision, RuleScope};
use helve::sandbox::BlockedAccess;
use serde_json::json;

use super::{Case, Fixture, bash, lasting};

pub(super) fn cases() -> Vec<(&'static str, Case)> {
    vec![
        ("a_host_is_allowed_for_one_command", || {
            Box::pin(one_command())
        }),
        ("a_host_is_allowed_for_the_session", || Box::pin(session())),
        ("a_host_is_allowed_for_all_sessions", || Box::pin(always())),
        ("a_host_is_denied_with_words", || Box::pin(denied())),
        ("after_untrusted_text_a_host_is_allowed_once", || {
            Box::pin(untrusted())
        }),
        ("hosts_that_must_stay_out_of_reach_are_not_offered", || {
            Box::pin(never_offered())
        }),
        ("a_flood_of_hosts_is_not_a_flood_of_questions", || {
            Box::pin(flood())
        }),
    ]
}

async fn one_command() {
    let fixture = Fixture::new(Decision::allow_once());
    let twice = format!("{0}; {0}", fixture.get());
    let results = fixture.bash(&[&twice, &fixture.get()]).await;
    assert_eq!(results[0].matches("hello").count(), 2, "{results:?}");
    assert!(results[1].contains("hello"), "{results:?}");
    assert_eq!(fixture.served(), 3);
    let reason =
        "a command connects to `localhost:PORT`, which no rule of the sandbox allows".to_owned();
    assert_eq!(fixture.reasons(), [reason.clone(), reason]);
    let asked = fixture.asked.0.lock().unwrap();
    let (host, port) = ("localhost".to_owned(), fixture.port);
    assert_eq!(asked[0].blocked, Some(BlockedAccess::Host { host, port }));
    assert!(asked[0].offers_lasting_access() && !asked[0].safety);
    assert!(fixture.saved().is_empty());
}

async fn session() {
    let fixture = Fixture::new(lasting(RuleScope::Session));
    fixture.bash(&[&fixture.get(), &fixture.get()]).await;
    // Another turn of the session.
    let results = fixture.bash(&[&fixture.get()]).await;
    assert!(results[0].contains("hello"), "{results:?}");
    assert_eq!((fixture.served(), fixture.reasons().len()), (3, 1));
    assert!(fixture.saved().is_empty());
}

async fn always() {
    let fixture = Fixture::new(lasting(RuleScope::User));
    fixture.bash(&[&fixture.get(), &fixture.get()]).await;
    assert_eq!((fixture.served(), fixture.reasons().len()), (2, 1));
    assert_eq!(fixture.saved(), ["sandbox.hosts = localhost:PORT"]);
    // A project's file is not changed.
    let fixture = Fixture::new(lasting(RuleScope::Project));
    fixture.bash(&[&fixture.get(), &fixture.get()]).await;
    assert_eq!((fixture.served(), fixture.reasons().len()), (2, 1));
    assert!(fixture.saved().is_empty());
}

async fn denied() {
    let fixture = Fixture::new(Decision::reject_with_message("use the mirror"));
    // A command that tries again is not asked about again.
    let twice = format!("{0}; {0}", fixture.get());
    let results = fixture.bash(&[&twice]).await;
    let said = format!(
        "[the connection to `localhost:{}` was refused: no rule allows the host, and the user rejected it: use the \
         mirror; a rule of `sandbox.hosts` allows it]",
        fixture.port
    );
    assert!(results[0].contains(&said), "{results:?}");
    assert_eq!((fixture.served(), fixture.reasons().len()), (0, 1));
}

async fn untrusted() {
    let fixture = Fixture::new(lasting(RuleScope::User)).wary();
    let page = ("page", json!({ "url": "https://example.org" }));
    let get = fixture.get();
    fixture.run(&[page, bash(&get), bash(&get)]).await;
    assert_eq!((fixture.served(), fixture.reasons().len()), (2, 2));
    let asked = fixture.asked.0.lock().unwrap();
    assert!(asked.iter().all(|question| question.safety));
    let untrusted = "and the model has read untrusted text from `page`";
    assert!(asked[0].reason.contains(untrusted), "{}", asked[0].reason);
    assert!(fixture.saved().is_empty());
}

async fn never_offered() {
    let fixture = Fixture::with_policy(Decision::allow_once(), |policy| {
        policy.network.deny.push("*.denied.test".to_owned());
    });
    let mut commands = Vec::new();
    for host in [
        "169.254.169.254",
        "metadata.google.internal",
        "[fd00:ec2::254]",
        "2852039166",
        "10.0.0.1:8080",
        "192.168.1.1",
        "127.0.0.1:9",
        "2130706433:9",
        "[::1]:9",
        "[::ffff:10.0.0.1]",
        "0.0.0.0:9",
        "224.0.0.1",
        "printer.local",
        "denied.test",
        "a.denied.test:8443",
    ] {
        commands.push(format!("bash get.sh '{host}'"));
    }
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    for (command, result) in commands.iter().zip(fixture.bash(&commands).await) {
        assert!(result.contains("403"), "{command}: {result}");
        assert!(result.contains("may not be reached"), "{command}: {result}");
    }
    assert_eq!(fixture.reasons(), [""; 0]);
    assert_eq!(fixture.served(), 0);
}

async fn flood() {
    let fixture = Fixture::new(Decision::reject_once());
    let flood = "for i in $(seq 1000); do bash get.sh h$i.example.com > /dev/null & \
                 [ $((i % 20)) = 0 ] && wait; done; wait; echo over";
    let results = fixture.bash(&[flood, flood]).await;
    assert!(results[0].contains("over"), "{results:?}");
    let more = "more connections were refused]";
    assert!(results[0].contains(more), "{results:?}");
    assert!(results[0].lines().count() < 20, "{results:?}");
    assert_eq!(fixture.reasons().len(), 16);
}
