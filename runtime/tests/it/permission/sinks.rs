//! What asks after untrusted text was read, and what does not.

use helve_runtime::capability::Requires;
use helve_runtime::permission::{
    Decider, Label, Mode, Policy, Rule, Rules, Source, UntrustedPolicy, Verdict,
};
use helve_runtime::tool::{Annotations, CallPart, Check, CheckReport, FileAccess, Risk};

use crate::permission::fixture::FixedTool;

/// A policy that lets everything run, but for what was read.
fn bold() -> Policy {
    let everything = Rules::new().allow(Rule::tool("*"));
    Policy::new(Mode::Bypass)
        .rules(everything)
        .working_folders(["/w"])
}

fn page() -> Label {
    Source::web("fetch", "https://example.org").into()
}

fn after(label: &Label) -> Policy {
    let policy = bold();
    policy.join_label(label);
    policy
}

fn asks(tool: &FixedTool, policy: &Policy) -> bool {
    match tool.judge(policy).verdict {
        Verdict::Allow => false,
        Verdict::Ask { safety, .. } => safety,
        _ => panic!("nothing is denied here"),
    }
}

/// A command line of one part.
fn command(text: &str) -> FixedTool {
    let requires = Requires {
        process: true,
        ..Requires::NONE
    };
    let shell = Annotations::new(None, None, None, Some(true));
    let checked = CheckReport::from(Check::Pass).with_parts([CallPart::new(text)]);
    FixedTool::new("bash")
        .with_annotations(shell)
        .with_requires(requires)
        .with_check(checked)
}

fn edit(path: &str) -> FixedTool {
    let paths = vec![path.to_owned()];
    FixedTool::new("write").with_check(Check::Edit { paths })
}

fn writer(path: &str) -> FixedTool {
    let touched = CheckReport::from(Check::Pass).with_accesses([FileAccess::write(path)]);
    FixedTool::new("write").with_check(touched)
}

fn network(read_only: bool) -> FixedTool {
    FixedTool::new("net").with_annotations(Annotations::new(
        Some(read_only),
        None,
        None,
        Some(true),
    ))
}

#[test]
fn after_a_page_sinks_ask_whatever_is_allowed_and_work_goes_on() {
    let net = Requires {
        net: true,
        ..Requires::NONE
    };
    let rows = [
        ("cargo test", command("cargo test"), false),
        ("sh ./run.sh", command("sh ./run.sh"), false),
        (
            "rm -r target",
            command("rm -r target").risk(Risk::High),
            false,
        ),
        ("curl", command("curl https://example.org"), true),
        ("git push", command("git push origin main"), true),
        ("an edit", edit("/w/src/a.rs"), false),
        ("an edit outside", edit("/etc/motd"), true),
        ("instructions", edit("/w/AGENTS.md"), true),
        ("a skill", edit("/w/skills/pdf/SKILL.md"), true),
        ("a workflow", writer("/w/.github/workflows/ci.yml"), true),
        (
            "a command that writes instructions",
            {
                let checked = CheckReport::from(Check::Pass)
                    .with_parts([CallPart::new("echo x >> CLAUDE.md")]);
                let requires = Requires {
                    process: true,
                    ..Requires::NONE
                };
                let checked = checked.with_accesses([FileAccess::write("CLAUDE.md")]);
                FixedTool::new("bash")
                    .with_requires(requires)
                    .with_check(checked)
            },
            true,
        ),
        ("a reader", FixedTool::reader("read"), false),
        ("a reader of the network", network(true), true),
        ("a writer to the network", network(false), true),
        (
            "declared network",
            FixedTool::reader("get").with_requires(net),
            true,
        ),
        (
            "a program with a network of its own",
            FixedTool::new("install").with_requires(Requires {
                process: true,
                ..net
            }),
            true,
        ),
        (
            "a reader with a program and a network",
            FixedTool::reader("browse").with_requires(Requires {
                process: true,
                ..net
            }),
            true,
        ),
        (
            "a server's reader",
            FixedTool::reader("mcp__a__get").with_server("a"),
            true,
        ),
        ("harm", FixedTool::new("drop").risk(Risk::High), true),
    ];
    for (what, tool, expected) in rows {
        assert!(!asks(&tool, &bold()), "{what}: before");
        assert!(
            !asks(&tool, &after(&Label::workspace())),
            "{what}: after a file"
        );
        assert_eq!(asks(&tool, &after(&page())), expected, "{what}");
    }
}

#[test]
fn text_of_a_server_may_go_back_to_it() {
    let label = Label::from(Source::server("mcp__a__get", "a", "MCP server a"));
    let policy = after(&label);
    let (same, other) = (
        FixedTool::new("t").with_server("a"),
        FixedTool::new("t").with_server("b"),
    );
    assert!(!asks(&same, &policy) && asks(&other, &policy));
    assert!(asks(&network(true), &policy));
}

#[test]
fn a_question_says_why_and_where_it_came_from_and_never_is_it_suggested_away() {
    let policy = after(&page());
    let judgement = command("git push origin main")
        .with_suggestion("git push:*")
        .judge(&policy);
    let Verdict::Ask {
        reason,
        safety: true,
        suggestions,
    } = &judgement.verdict
    else {
        panic!("{:?}", judgement.verdict)
    };
    assert_eq!(
        reason,
        "it runs `git push`, which reaches the network, and the model has read untrusted text from `fetch` (https://example.org)"
    );
    assert!(suggestions.is_empty());
    assert_eq!(judgement.part.as_deref(), Some("git push origin main"));
    assert_eq!(
        judgement.decided_by,
        Decider::Taint("`fetch` (https://example.org)".into())
    );
    // In a mode that does not prompt, it is denied.
    let quiet = Policy::new(Mode::DontAsk).rules(Rules::new().allow(Rule::tool("*")));
    quiet.join_label(&page());
    let denied = command("git push").judge(&quiet).verdict;
    assert!(matches!(denied, Verdict::Deny { .. }), "{denied:?}");
}

#[test]
fn always_asks_about_every_change_and_never_about_nothing() {
    let always = after(&page()).untrusted(UntrustedPolicy::Always);
    assert!(asks(&command("cargo test"), &always) && asks(&edit("/w/a"), &always));
    assert!(!asks(&FixedTool::reader("read"), &always));
    let never = after(&page()).untrusted(UntrustedPolicy::Never);
    assert!(!asks(&command("git push"), &never) && !asks(&edit("/w/AGENTS.md"), &never));
}

#[test]
fn hosts_whose_rule_says_so_are_reached_all_the_same() {
    let open = after(&page()).even_tainted(["*.example.com"]);
    let declared = |hosts| Requires {
        net: true,
        hosts,
        ..Requires::NONE
    };
    let asks = |hosts| asks(&network(true).with_requires(declared(hosts)), &open);
    assert!(!asks(&["api.example.com"]));
    assert!(asks(&["api.example.com", "example.org"]));
    assert!(asks(&[]));
}
