//! Rules about hosts.

use helve_runtime::network::{Host, HostPattern, HostPolicy, HostRules};
use insta::assert_snapshot;
use proptest::prelude::*;

use crate::capability::names::Names;

fn policy(allow: &[&str], deny: &[&str], private: bool) -> HostPolicy {
    let mut rules = HostRules::from_allowed(allow.iter().copied());
    rules.deny = deny.iter().map(|&rule| rule.to_owned()).collect();
    rules.private = private;
    HostPolicy::new(&rules).unwrap()
}

fn names() -> Names {
    Names::owning(
        &["93.184.216.99"],
        &[
            ("example.com", &["93.184.216.34", "2606:2800::1"]),
            ("sub.example.com", &["93.184.216.34"]),
            ("private.test", &["10.1.2.3"]),
            ("mixed.test", &["8.8.8.8", "192.168.0.9"]),
            ("meta.test", &["169.254.169.254"]),
            ("six.test", &["::ffff:127.0.0.1"]),
            ("own.test", &["93.184.216.99"]),
            ("localhost", &["127.0.0.1", "::1"]),
            ("nobody.test", &[]),
            ("db.internal", &["10.0.0.5"]),
        ],
    )
}

async fn reach(policy: &HostPolicy, host: &str, port: u16) -> String {
    let Some(host) = Host::parse(host) else {
        return "no host".into();
    };
    match policy.resolve(&host, port, &names()).await {
        Ok(destination) => format!("{:?}", destination.addresses),
        Err(refusal) => refusal.to_string(),
    }
}

#[tokio::test]
async fn refusals_say_what_is_wrong_and_what_to_do() {
    let mut told = Vec::new();
    let all = policy(&["*"], &["*.denied.test", "5.6.7.8"], false);
    let few = policy(
        &["example.com", "*.example.com", "private.test"],
        &[],
        false,
    );
    let none = policy(&[], &[], false);
    for (policy, host, port) in [
        (&all, "example.com", 443),
        (&all, "example.com", 22),
        (&all, "x.denied.test", 443),
        (&all, "5.6.7.8", 443),
        (&all, "private.test", 443),
        (&all, "mixed.test", 443),
        (&all, "meta.test", 443),
        (&all, "six.test", 443),
        (&all, "own.test", 443),
        (&all, "localhost", 443),
        (&all, "nobody.test", 443),
        (&all, "unknown.test", 443),
        (&all, "metadata.google.internal", 443),
        (&all, "printer.local", 443),
        (&all, "169.254.169.254", 80),
        (&few, "evil.test", 443),
        (&none, "example.com", 443),
    ] {
        told.push(reach(policy, host, port).await);
    }
    let narrow = all
        .with_declared(&["api.github.com", "*.crates.io"])
        .unwrap();
    told.push(reach(&narrow, "example.com", 443).await);
    assert_snapshot!(told.join("\n"), @r#"
    [93.184.216.34:443, [2606:2800::1]:443]
    `example.com` may not be reached: port 22 is not allowed for this host; use port 443 or 80, or ask the user to allow `example.com:22`
    `x.denied.test` may not be reached: the rule `*.denied.test` denies this host; do not use it
    `5.6.7.8` may not be reached: the rule `5.6.7.8` denies this host; do not use it
    `private.test` may not be reached: the host resolves to 10.1.2.3, which is a private address; use a public host, or ask the user to allow private addresses
    `mixed.test` may not be reached: the host resolves to 192.168.0.9, which is a private address; use a public host, or ask the user to allow private addresses
    `meta.test` may not be reached: the host resolves to 169.254.169.254, which is a metadata service of cloud machines; use a public host
    `six.test` may not be reached: the host resolves to 127.0.0.1, which is a loopback address: this machine itself; use a public host, or ask the user to allow that address
    `own.test` may not be reached: the host resolves to 93.184.216.99, which is an address of this machine itself; use a public host, or ask the user to allow that address
    `localhost` may not be reached: names of the local network need a rule that names them exactly; ask the user to allow this host
    `nobody.test` may not be reached: the name cannot be resolved (it has no address); check the spelling
    `unknown.test` may not be reached: the name cannot be resolved (no such name); check the spelling
    `metadata.google.internal` may not be reached: cloud metadata services are never reachable
    `printer.local` may not be reached: names of the local network need a rule that names them exactly; ask the user to allow this host
    `169.254.169.254` may not be reached: cloud metadata services are never reachable
    `evil.test` may not be reached: the allowed hosts are `example.com`, `*.example.com` and `private.test`; use one of them, or ask the user to allow this host
    `example.com` may not be reached: no host is allowed; do not use the network, or ask the user to allow this host
    `example.com` may not be reached: this tool declared that it reaches `api.github.com` and `*.crates.io` and no other host; declare it in `requires(net("…"))` on the tool
    "#);
}

#[tokio::test]
async fn a_denial_of_all_below_a_name_is_one_of_the_name_and_an_allowance_is_not() {
    let denied = policy(&["*"], &["*.example.com"], false);
    for host in ["example.com", "sub.example.com", "EXAMPLE.com."] {
        let answer = reach(&denied, host, 443).await;
        assert!(
            answer.contains("the rule `*.example.com` denies this host"),
            "{answer}"
        );
    }
    assert!(
        !reach(&denied, "notexample.com", 443)
            .await
            .contains("denies")
    );
    let allowed = policy(&["*.example.com"], &[], false);
    assert_eq!(
        reach(&allowed, "sub.example.com", 443).await,
        "[93.184.216.34:443]"
    );
    let answer = reach(&allowed, "example.com", 443).await;
    assert!(
        answer.contains("the allowed hosts are `*.example.com`"),
        "{answer}"
    );
}

#[tokio::test]
async fn what_is_spelled_out_is_opened_as_far_as_it_may_be() {
    let spelled = policy(
        &[
            "127.0.0.1:*",
            "localhost:8080",
            "10.1.2.3",
            "169.254.169.254",
            "0.0.0.0",
            "[::1]:9",
            "93.184.216.99",
        ],
        &[],
        false,
    );
    assert_eq!(reach(&spelled, "127.0.0.1", 8080).await, "[127.0.0.1:8080]");
    assert_eq!(reach(&spelled, "0x7f.1", 8080).await, "[127.0.0.1:8080]");
    assert_eq!(
        reach(&spelled, "LOCALHOST.", 8080).await,
        "[127.0.0.1:8080, [::1]:8080]"
    );
    assert_eq!(reach(&spelled, "10.1.2.3", 80).await, "[10.1.2.3:80]");
    assert_eq!(reach(&spelled, "[::1]", 9).await, "[[::1]:9]");
    assert_eq!(
        reach(&spelled, "93.184.216.99", 443).await,
        "[93.184.216.99:443]"
    );
    for (host, port) in [
        ("localhost", 80),
        ("127.0.0.2", 80),
        ("[::1]", 80),
        ("169.254.169.254", 80),
        ("0.0.0.0", 80),
        ("10.1.2.4", 80),
        // The name was never spelled out, only its address.
        ("private.test", 80),
    ] {
        assert!(
            reach(&spelled, host, port)
                .await
                .contains("may not be reached"),
            "{host}"
        );
    }
}

#[tokio::test]
async fn private_opens_private_ranges_and_nothing_else() {
    let private = policy(&["*"], &["mixed.test"], true);
    assert_eq!(reach(&private, "private.test", 443).await, "[10.1.2.3:443]");
    assert_eq!(reach(&private, "db.internal", 443).await, "[10.0.0.5:443]");
    assert_eq!(reach(&private, "100.64.0.1", 443).await, "[100.64.0.1:443]");
    for host in [
        "localhost",
        "127.0.0.1",
        "meta.test",
        "100.100.100.200",
        "fe80::1",
        "mixed.test",
        "six.test",
    ] {
        assert!(!reach(&private, host, 443).await.starts_with('['), "{host}");
    }
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_its_addresses_are_the_answer() {
    let names = Names::changing([("rebind.test", vec![&["93.184.216.34"][..], &["127.0.0.1"]])]);
    let host = Host::parse("rebind.test").unwrap();
    let all = policy(&["*"], &[], false);
    let first = all.resolve(&host, 443, &*names).await.unwrap();
    assert_eq!(first.addresses, ["93.184.216.34:443".parse().unwrap()]);
    assert_eq!(names.asked(), ["rebind.test"]);
    let second = all.resolve(&host, 443, &*names).await.unwrap_err();
    assert!(second.to_string().contains("127.0.0.1"), "{second}");
    // What is refused by name is not even looked up: names carry secrets out, too.
    let few = policy(&["example.com"], &[], false);
    few.resolve(&host, 443, &*names).await.unwrap_err();
    assert_eq!(names.asked().len(), 2);
}

#[test]
fn rules_that_cannot_be_read_say_why() {
    let wrong = [
        "",
        " ",
        "a b",
        "https://crates.io/",
        "crates.io/x",
        "*crates.io",
        "a.*.io",
        "*.*",
        "*.",
        "**",
        "a:0",
        "a:70000",
        "a:x",
        "a:",
        "user@a",
        "*.10.0.0.1",
        "1.2.3.4.5",
        "[::1",
        "%41.io",
        "a..b",
        ".a",
        "a?b",
    ];
    let told = wrong.map(|rule| match HostPattern::parse(rule) {
        Ok(rule) => format!("{rule:?} is read"),
        Err(error) => error.to_string(),
    });
    let told: Vec<&str> = told
        .iter()
        .map(|told| told.split(';').next().unwrap())
        .collect();
    assert_snapshot!(told.join("\n"), @"
    `` is not a valid host rule, because it is empty
    ` ` is not a valid host rule, because it contains a space
    `a b` is not a valid host rule, because it contains a space
    `https://crates.io/` is not a valid host rule, because it is a URL
    `crates.io/x` is not a valid host rule, because it names more than a host and a port
    `*crates.io` is not a valid host rule, because `*` must stand alone or replace the first label, as in `*.example.com`
    `a.*.io` is not a valid host rule, because `*` must stand alone or replace the first label, as in `*.example.com`
    `*.*` is not a valid host rule, because `*` must stand alone or replace the first label, as in `*.example.com`
    `*.` is not a valid host rule, because its host is none
    `**` is not a valid host rule, because `*` must stand alone or replace the first label, as in `*.example.com`
    `a:0` is not a valid host rule, because its port is none
    `a:70000` is not a valid host rule, because its port is none
    `a:x` is not a valid host rule, because its port is none
    `a:` is not a valid host rule, because its port is none
    `user@a` is not a valid host rule, because it names more than a host and a port
    `*.10.0.0.1` is not a valid host rule, because nothing is below an address
    `1.2.3.4.5` is not a valid host rule, because its host is none
    `[::1` is not a valid host rule, because its host is none
    `%41.io` is not a valid host rule, because it names more than a host and a port
    `a..b` is not a valid host rule, because its host is none
    `.a` is not a valid host rule, because its host is none
    `a?b` is not a valid host rule, because it names more than a host and a port
    ");
}

#[test]
fn names_match_whatever_their_case_dots_and_script() {
    let matches = |rule: &str, host: &str| {
        let host = Host::parse(host).unwrap();
        HostPattern::parse(rule).unwrap().matches_host(&host)
    };
    for (rule, host) in [
        ("crates.io", "CRATES.io."),
        ("Crates.IO.", "crates.io"),
        ("*.crates.io", "static.crates.io"),
        ("*.crates.io", "a.b.crates.io"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("xn--bcher-kva.example", "BÜCHER.example"),
        ("*.bücher.example", "www.bücher.example"),
        ("127.0.0.1", "0x7f000001"),
        ("2130706433", "127.0.0.1"),
        ("::1", "[0:0:0:0:0:0:0:1]"),
        ("[::ffff:10.0.0.1]", "10.0.0.1"),
        ("*", "anything.example"),
        ("*", "1.1.1.1"),
    ] {
        assert!(matches(rule, host), "{rule} {host}");
    }
    for (rule, host) in [
        ("*.crates.io", "crates.io"),
        ("*.crates.io", "evil-crates.io"),
        ("*.crates.io", "evilcrates.io"),
        ("*.crates.io", "crates.io.evil.test"),
        ("crates.io", "static.crates.io"),
        ("crates.io", "crates.io.evil.test"),
        // A Cyrillic letter that looks like ours.
        ("crates.io", "сrates.io"),
        ("*.0.0.example", "10.0.0.1"),
    ] {
        assert!(!matches(rule, host), "{rule} {host}");
    }
}

fn texts(rules: &[String]) -> Vec<&str> {
    rules.iter().map(String::as_str).collect()
}

fn rule() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c](\\.[a-c]){0,2}",
        "\\*\\.[a-c](\\.[a-c]){0,1}",
        Just("*".to_owned()),
        "[a-c]\\.[a-c]:(80|443|8443|\\*)",
        Just("10.0.0.1".to_owned()),
    ]
}

proptest! {
    #[test]
    fn nothing_panics(text in "\\PC{0,60}", port in any::<u16>()) {
        let _ = HostPattern::parse(&text);
        let _ = Host::parse_authority(&text, Some(port));
    }

    #[test]
    fn a_denied_host_is_refused_whatever_is_allowed(
        allow in prop::collection::vec(rule(), 0..5),
        host in "[a-c](\\.[a-c]){0,3}",
        port in prop_oneof![Just(80), Just(443), any::<u16>()],
        private in any::<bool>(),
    ) {
        let allow = texts(&allow);
        let judged = policy(&allow, &[&host], private).judge(&Host::parse(&host).unwrap(), port);
        prop_assert!(judged.is_err());
    }

    #[test]
    fn a_declaration_and_a_denial_only_take_away(
        allow in prop::collection::vec(rule(), 0..5),
        deny in prop::collection::vec(rule(), 0..3),
        declared in prop::collection::vec(rule(), 1..4),
        host in prop_oneof!["[a-c](\\.[a-c]){0,3}", Just("10.0.0.1".to_owned())],
        port in prop_oneof![Just(80), Just(443), Just(8443)],
        private in any::<bool>(),
    ) {
        let (a, d, n) = (texts(&allow), texts(&deny), texts(&declared));
        let host = Host::parse(&host).unwrap();
        let open = policy(&a, &[], private);
        let closed = policy(&a, &d, private);
        let narrow = closed.with_declared(&n).unwrap();
        let (open, closed, narrow) =
            (open.judge(&host, port), closed.judge(&host, port), narrow.judge(&host, port));
        prop_assert!(closed.is_err() || open.is_ok());
        prop_assert!(narrow.is_err() || closed.is_ok());
        if a.is_empty() {
            prop_assert!(open.is_err());
        }
    }

    #[test]
    fn case_and_a_last_dot_change_nothing(
        allow in prop::collection::vec(rule(), 0..4),
        host in "[a-c](\\.[a-c]){0,3}",
    ) {
        let allow = texts(&allow);
        let policy = policy(&allow, &[], false);
        let judge = |text: &str| policy.judge(&Host::parse(text).unwrap(), 443).is_ok();
        prop_assert_eq!(judge(&host), judge(&format!("{}.", host.to_uppercase())));
    }

    #[test]
    fn every_address_that_comes_back_is_judged(
        bad in prop_oneof![Just("127.0.0.1"), Just("10.0.0.1"), Just("::1"), Just("169.254.169.254")],
        good in 0_usize..6,
        at in 0_usize..6,
    ) {
        let mut addresses = vec!["93.184.216.34"; good];
        addresses.insert(at.min(good), bad);
        let names = Names::new(&[("a.test", &addresses)]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let host = Host::parse("a.test").unwrap();
        let all = policy(&["*"], &[], false);
        let reached = runtime.block_on(all.resolve(&host, 443, &*names));
        prop_assert!(reached.is_err());
    }
}
