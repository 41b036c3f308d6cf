//! Which layer decides, in every mode.

use helve_runtime::permission::{
    DangerousPaths, Decider, Label, Mode, Policy, Rule, Rules, Source, Verdict,
};
use helve_runtime::tool::{Annotations, CallPart, Check, Concurrency, FileAccess, Risk};

use crate::permission::fixture::{FixedTool, rule};

/// Writes the verdict in each mode with what decided.
fn in_each_mode(tool: &FixedTool, rules: &Rules) -> String {
    let of = |mode: Mode| {
        let judgement = tool.judge(
            &Policy::new(mode)
                .rules(rules.clone())
                .working_folders(["/w"]),
        );
        let verdict = match &judgement.verdict {
            Verdict::Allow => "allow",
            Verdict::Ask { safety: true, .. } => "ask!",
            Verdict::Ask { .. } => "ask",
            _ => "deny",
        };
        format!("{mode}: {verdict} ({})", judgement.decided_by.layer())
    };
    Mode::ALL.map(of).join(", ")
}

fn none() -> Rules {
    Rules::new()
}

fn edit(path: &str) -> FixedTool {
    FixedTool::new("write").with_check(Check::Edit {
        paths: vec![path.to_owned()],
    })
}

#[test]
fn without_rules() {
    let rows = [
        ("a reader", FixedTool::reader("t")),
        ("of low risk", FixedTool::new("t").risk(Risk::Low)),
        ("undeclared", FixedTool::new("t")),
        ("of high risk", FixedTool::new("t").risk(Risk::High)),
        (
            "reads, by its check",
            FixedTool::new("t").with_check(Check::ReadOnly),
        ),
        (
            "allows itself",
            FixedTool::new("t").with_check(Check::Allow),
        ),
        ("asks", FixedTool::new("t").with_check(Check::ask("why"))),
        (
            "asks for safety",
            FixedTool::new("t").with_check(Check::ask_for_safety("why")),
        ),
        (
            "denies itself",
            FixedTool::new("t").with_check(Check::deny("why")),
        ),
        (
            "a reader that asks for safety",
            FixedTool::reader("t").with_check(Check::ask_for_safety("why")),
        ),
        (
            "a reader that denies itself",
            FixedTool::reader("t").with_check(Check::deny("why")),
        ),
        ("an edit of the workspace", edit("/w/a")),
        ("an edit elsewhere", edit("/x/a")),
        ("an edit of a dangerous path", edit("/w/.env")),
        (
            "a read of a dangerous path",
            FixedTool::reader("t")
                .with_check(Check::Pass.with_accesses([FileAccess::read("/w/.env")])),
        ),
    ];
    let rows = rows.map(|(name, tool)| format!("{name}\n  {}", in_each_mode(&tool, &none())));
    insta::assert_snapshot!(rows.join("\n"), @r#"
        a reader
          default: allow (read_only), accept_edits: allow (read_only), explore: allow (read_only), plan: allow (read_only), bypass: allow (read_only), dont_ask: allow (read_only)
        of low risk
          default: allow (mode), accept_edits: allow (mode), explore: deny (mode), plan: deny (mode), bypass: allow (mode), dont_ask: allow (mode)
        undeclared
          default: ask (mode), accept_edits: ask (mode), explore: deny (mode), plan: deny (mode), bypass: allow (mode), dont_ask: deny (mode)
        of high risk
          default: ask (mode), accept_edits: ask (mode), explore: deny (mode), plan: deny (mode), bypass: allow (mode), dont_ask: deny (mode)
        reads, by its check
          default: allow (read_only), accept_edits: allow (read_only), explore: allow (read_only), plan: allow (read_only), bypass: allow (read_only), dont_ask: allow (read_only)
        allows itself
          default: allow (tool_check), accept_edits: allow (tool_check), explore: deny (mode), plan: deny (mode), bypass: allow (tool_check), dont_ask: allow (tool_check)
        asks
          default: ask (tool_check), accept_edits: ask (tool_check), explore: deny (tool_check), plan: deny (tool_check), bypass: allow (mode), dont_ask: deny (tool_check)
        asks for safety
          default: ask! (tool_check), accept_edits: ask! (tool_check), explore: deny (tool_check), plan: deny (tool_check), bypass: ask! (tool_check), dont_ask: deny (tool_check)
        denies itself
          default: deny (tool_check), accept_edits: deny (tool_check), explore: deny (tool_check), plan: deny (tool_check), bypass: deny (tool_check), dont_ask: deny (tool_check)
        a reader that asks for safety
          default: ask! (tool_check), accept_edits: ask! (tool_check), explore: deny (tool_check), plan: deny (tool_check), bypass: ask! (tool_check), dont_ask: deny (tool_check)
        a reader that denies itself
          default: deny (tool_check), accept_edits: deny (tool_check), explore: deny (tool_check), plan: deny (tool_check), bypass: deny (tool_check), dont_ask: deny (tool_check)
        an edit of the workspace
          default: ask (mode), accept_edits: allow (workspace_edit), explore: deny (mode), plan: deny (mode), bypass: allow (mode), dont_ask: allow (workspace_edit)
        an edit elsewhere
          default: ask (mode), accept_edits: ask (mode), explore: deny (mode), plan: deny (mode), bypass: allow (mode), dont_ask: deny (mode)
        an edit of a dangerous path
          default: ask! (dangerous_path), accept_edits: ask! (dangerous_path), explore: deny (dangerous_path), plan: deny (dangerous_path), bypass: ask! (dangerous_path), dont_ask: deny (dangerous_path)
        a read of a dangerous path
          default: ask! (dangerous_path), accept_edits: ask! (dangerous_path), explore: deny (dangerous_path), plan: deny (dangerous_path), bypass: ask! (dangerous_path), dont_ask: deny (dangerous_path)
        "#);
}

#[test]
fn a_question_says_what_will_happen() {
    let destroys = Annotations::new(None, Some(true), None, None);
    let rows = [
        (FixedTool::new("t"), Mode::Default),
        (FixedTool::new("t").risk(Risk::High), Mode::DontAsk),
        (
            FixedTool::new("t").with_annotations(destroys),
            Mode::Default,
        ),
        (edit("/w/a"), Mode::Default),
        (
            FixedTool::new("t").with_check(Check::Edit {
                paths: ["a", "b", "c"].map(str::to_owned).to_vec(),
            }),
            Mode::Default,
        ),
        (edit("/w/a").with_annotations(destroys), Mode::Default),
        (FixedTool::new("t"), Mode::Explore),
    ];
    let rows = rows.map(
        |(tool, mode)| match tool.judge(&Policy::new(mode)).verdict {
            Verdict::Ask { reason, .. } | Verdict::Deny { reason } => reason,
            _ => "it runs".to_owned(),
        },
    );
    insta::assert_snapshot!(rows.join("\n"), @r#"
        it does not say what it changes (medium risk)
        it does not say what it changes (high risk), and the mode `dont_ask` does not prompt
        it may destroy something that cannot be brought back (high risk)
        it changes `/w/a` (medium risk)
        it changes `a` and 2 more (medium risk)
        it may destroy something that cannot be brought back (high risk)
        it does more than read, and the mode is `explore`
        "#);
}

#[test]
fn with_rules_about_the_whole_tool() {
    let dangerous = || {
        FixedTool::reader("t")
            .with_check(Check::ReadOnly.with_accesses([FileAccess::read("/w/.env")]))
    };
    let allow = || none().allow(Rule::tool("t"));
    let ask = || none().ask(Rule::tool("t"));
    let deny = || allow().ask(Rule::tool("t")).deny(Rule::tool("t"));
    let rows = [
        ("undeclared, allowed", FixedTool::new("t"), allow()),
        (
            "asks for safety, allowed",
            FixedTool::new("t").with_check(Check::ask_for_safety("why")),
            allow(),
        ),
        (
            "asks, allowed",
            FixedTool::new("t").with_check(Check::ask("why")),
            allow(),
        ),
        ("a dangerous path, allowed", dangerous(), allow()),
        ("a reader, asked", FixedTool::reader("t"), ask()),
        ("undeclared, asked", FixedTool::new("t"), ask()),
        ("a dangerous path, asked", dangerous(), ask()),
        (
            "asked and allowed",
            FixedTool::new("t"),
            ask().allow(Rule::tool("t")),
        ),
        (
            "denies itself, asked",
            FixedTool::new("t").with_check(Check::deny("why")),
            ask(),
        ),
        ("a reader, denied", FixedTool::reader("t"), deny()),
        ("a dangerous path, denied", dangerous(), deny()),
    ];
    let rows = rows.map(|(name, tool, rules)| format!("{name}\n  {}", in_each_mode(&tool, &rules)));
    insta::assert_snapshot!(rows.join("\n"), @r#"
        undeclared, allowed
          default: allow (allow_rules), accept_edits: allow (allow_rules), explore: deny (mode), plan: deny (mode), bypass: allow (allow_rules), dont_ask: allow (allow_rules)
        asks for safety, allowed
          default: ask! (tool_check), accept_edits: ask! (tool_check), explore: deny (tool_check), plan: deny (tool_check), bypass: ask! (tool_check), dont_ask: deny (tool_check)
        asks, allowed
          default: allow (allow_rules), accept_edits: allow (allow_rules), explore: deny (tool_check), plan: deny (tool_check), bypass: allow (allow_rules), dont_ask: allow (allow_rules)
        a dangerous path, allowed
          default: ask! (dangerous_path), accept_edits: ask! (dangerous_path), explore: deny (dangerous_path), plan: deny (dangerous_path), bypass: ask! (dangerous_path), dont_ask: deny (dangerous_path)
        a reader, asked
          default: ask (ask_rule), accept_edits: ask (ask_rule), explore: ask (ask_rule), plan: ask (ask_rule), bypass: ask (ask_rule), dont_ask: deny (ask_rule)
        undeclared, asked
          default: ask (ask_rule), accept_edits: ask (ask_rule), explore: deny (mode), plan: deny (mode), bypass: ask (ask_rule), dont_ask: deny (ask_rule)
        a dangerous path, asked
          default: ask! (dangerous_path), accept_edits: ask! (dangerous_path), explore: deny (dangerous_path), plan: deny (dangerous_path), bypass: ask! (dangerous_path), dont_ask: deny (dangerous_path)
        asked and allowed
          default: ask (ask_rule), accept_edits: ask (ask_rule), explore: deny (mode), plan: deny (mode), bypass: ask (ask_rule), dont_ask: deny (ask_rule)
        denies itself, asked
          default: deny (tool_check), accept_edits: deny (tool_check), explore: deny (tool_check), plan: deny (tool_check), bypass: deny (tool_check), dont_ask: deny (tool_check)
        a reader, denied
          default: deny (deny_rule), accept_edits: deny (deny_rule), explore: deny (deny_rule), plan: deny (deny_rule), bypass: deny (deny_rule), dont_ask: deny (deny_rule)
        a dangerous path, denied
          default: deny (deny_rule), accept_edits: deny (deny_rule), explore: deny (deny_rule), plan: deny (deny_rule), bypass: deny (deny_rule), dont_ask: deny (deny_rule)
        "#);
}

/// A call of three parts, the first of which only reads.
fn in_parts() -> FixedTool {
    let parts = [
        CallPart::read_only("look"),
        CallPart::new("build"),
        CallPart::new("ship"),
    ];
    FixedTool::new("t").with_check(Check::Pass.with_parts(parts))
}

#[test]
fn allow_rules_have_to_cover_every_part_and_others_any() {
    let judged = |rules: Rules| {
        let judgement = in_parts().judge(&Policy::default().rules(rules));
        (judgement.decided_by, judgement.part)
    };
    assert_eq!(judged(none()), (Decider::Mode, Some("build".into())));
    assert_eq!(judged(none().allow(rule("t(build)"))).0, Decider::Mode);
    assert_eq!(judged(none().allow(rule("t(look)"))).0, Decider::Mode);
    let both = none().allow(rule("t(build)")).allow(rule("t(ship)"));
    let rules = both.allow.clone();
    assert_eq!(judged(both), (Decider::AllowRules(rules), None));
    let deny = none().allow(rule("t")).deny(rule("t(ship)"));
    assert_eq!(
        judged(deny),
        (Decider::DenyRule(rule("t(ship)")), Some("ship".into()))
    );
    let ask = none().allow(rule("t")).ask(rule("t(look)"));
    assert_eq!(
        judged(ask),
        (Decider::AskRule(rule("t(look)")), Some("look".into()))
    );
}

#[test]
fn a_rule_that_a_tool_cannot_read_stops_and_never_allows() {
    let tool = FixedTool::new("t");
    let by = |rules: Rules| tool.judge(&Policy::default().rules(rules)).decided_by;
    assert_eq!(by(none().allow(rule("t(x)"))), Decider::Mode);
    assert_eq!(by(none().ask(rule("t(x)"))), Decider::AskRule(rule("t(x)")));
    assert_eq!(
        by(none().deny(rule("t(x)"))),
        Decider::DenyRule(rule("t(x)"))
    );
}

#[test]
fn the_check_of_a_call_has_its_way_over_the_declaration() {
    let facts = |tool: FixedTool| tool.judge(&Policy::default()).facts;
    let reads = facts(FixedTool::new("t").with_check(Check::ReadOnly));
    assert_eq!(
        (reads.annotations.read_only, reads.concurrency),
        (Some(true), Concurrency::Parallel)
    );
    let edit = Check::Edit { paths: Vec::new() };
    let edits = facts(FixedTool::reader("t").with_check(edit));
    assert_eq!(
        (edits.annotations.read_only, edits.concurrency),
        (Some(false), Concurrency::Exclusive)
    );
}

#[test]
fn names_of_tools_may_be_globs() {
    let tool = FixedTool::new("mcp__github__create_issue");
    let by = |text: &str| {
        tool.judge(&Policy::default().rules(none().deny(rule(text))))
            .decided_by
    };
    for text in [
        "mcp__github__*",
        "mcp__*__create_*",
        "*",
        "mcp__github__create_issue",
    ] {
        assert_eq!(by(text), Decider::DenyRule(rule(text)));
    }
    for text in ["mcp__gitlab__*", "mcp__github", "create_issue"] {
        assert_eq!(by(text), Decider::Mode, "{text}");
    }
}

#[test]
fn an_app_may_let_tools_run_that_declare_nothing() {
    let policy = |mode| Policy::new(mode).allow_unlisted(true);
    let by = |tool: &FixedTool, mode| tool.judge(&policy(mode)).decided_by;
    assert_eq!(by(&FixedTool::new("t"), Mode::Default), Decider::Unlisted);
    assert_eq!(by(&FixedTool::new("t"), Mode::Explore), Decider::Mode);
    assert_eq!(
        by(&FixedTool::new("t").risk(Risk::High), Mode::Default),
        Decider::Mode
    );
    let hints = Annotations::new(None, None, None, Some(true));
    assert_eq!(
        by(&FixedTool::new("t").with_annotations(hints), Mode::Default),
        Decider::Mode
    );
}

#[test]
fn what_may_be_steering_the_model_gets_nothing_risky_done() {
    let policy = Policy::new(Mode::Bypass).rules(none().allow(Rule::tool("*")));
    let send =
        FixedTool::new("send").with_annotations(Annotations::new(None, None, None, Some(true)));
    assert_eq!(send.judge(&policy).verdict, Verdict::Allow);
    let page = Label::from(Source::web("fetch", "https://example.org"));
    policy.clone().join_label(&page);
    let judgement = send.judge(&policy);
    assert!(matches!(
        judgement.verdict,
        Verdict::Ask { safety: true, .. }
    ));
    assert_eq!(
        judgement.decided_by,
        Decider::Taint("`fetch` (https://example.org)".into())
    );
    assert_eq!(
        FixedTool::reader("read").judge(&policy).verdict,
        Verdict::Allow
    );
    assert_eq!(send.judge(&policy.for_session()).verdict, Verdict::Allow);
}

#[test]
fn suggestions_are_offered_where_a_rule_would_help() {
    let suggestions = |tool: FixedTool, policy: &Policy| tool.judge(policy).suggestions;
    let policy = Policy::default();
    assert_eq!(suggestions(FixedTool::new("t"), &policy), [rule("t")]);
    assert_eq!(
        suggestions(in_parts().with_suggestion("build"), &policy),
        [rule("t(build)")]
    );
    assert_eq!(suggestions(in_parts(), &policy), []);
    assert_eq!(
        suggestions(edit("/w/.env").with_suggestion("/w/**"), &policy),
        []
    );
    assert_eq!(suggestions(FixedTool::reader("t"), &policy), []);
    // In a mode that does not prompt, the denial says what would have helped.
    assert_eq!(
        suggestions(FixedTool::new("t"), &Policy::new(Mode::DontAsk)),
        [rule("t")]
    );
    let open = Policy::default().with_dangerous_paths(DangerousPaths::empty());
    assert_eq!(
        suggestions(edit("/w/.env").with_suggestion("/w/**"), &open),
        [rule("write(/w/**)")]
    );
}
