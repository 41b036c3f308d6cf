//! Policies under policies.

use helve_runtime::permission::{
    DangerousPaths, Decision, Mode, Policy, RuleScope, Rules, Verdict,
};
use helve_runtime::tool::{CallPart, Check, FileAccess};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::permission::fixture::{FixedTool, rule};
use crate::permission::properties::{mode, rules, strictness, tool};

fn policy(mode: Mode) -> Policy {
    Policy::new(mode).working_folders(["/w"])
}

/// Writes what a policy says of a call, and by which layer.
fn said(policy: &Policy, tool: &FixedTool) -> String {
    let judgement = tool.judge(policy);
    let verdict = match &judgement.verdict {
        Verdict::Allow => "allow",
        Verdict::Ask { safety: true, .. } => "ask!",
        Verdict::Ask { .. } => "ask",
        _ => "deny",
    };
    format!("{verdict} ({})", judgement.decided_by.layer())
}

#[test]
fn a_delegate_may_do_what_every_mode_above_it_lets_it() {
    let rows = [
        ("a reader", FixedTool::reader("t")),
        ("undeclared", FixedTool::new("t")),
        (
            "an edit of the workspace",
            FixedTool::new("t").with_check(Check::Edit {
                paths: vec!["/w/a".to_owned()],
            }),
        ),
        (
            "a read of `.git`",
            FixedTool::reader("t")
                .with_check(Check::Pass.with_accesses([FileAccess::read("/w/.git/config")])),
        ),
    ];
    let rows = rows.map(|(name, tool)| {
        let under = |above: Mode| {
            let bypass = policy(Mode::Bypass).with_ceiling(&policy(above));
            format!("{above}: {}", said(&bypass, &tool))
        };
        format!("{name}\n  {}", Mode::ALL.map(under).join(", "))
    });
    insta::assert_snapshot!(rows.join("\n"), @"
    a reader
      default: allow (read_only), accept_edits: allow (read_only), explore: allow (read_only), plan: allow (read_only), bypass: allow (read_only), dont_ask: allow (read_only)
    undeclared
      default: ask (mode), accept_edits: ask (mode), explore: deny (mode), plan: deny (mode), bypass: allow (mode), dont_ask: deny (mode)
    an edit of the workspace
      default: ask (mode), accept_edits: allow (mode), explore: deny (mode), plan: deny (mode), bypass: allow (mode), dont_ask: allow (mode)
    a read of `.git`
      default: ask! (dangerous_path), accept_edits: ask! (dangerous_path), explore: deny (dangerous_path), plan: deny (dangerous_path), bypass: allow (read_only), dont_ask: deny (dangerous_path)
    ");
}

#[test]
fn rules_dangerous_paths_and_folders_of_those_above_hold() {
    let delegate = Policy::new(Mode::Bypass).rules(Rules::new().allow(rule("*")));
    let denied = policy(Mode::Bypass).rules(Rules::new().deny(rule("t")));
    assert_eq!(
        said(&delegate.with_ceiling(&denied), &FixedTool::new("t")),
        "deny (deny_rule)"
    );
    let asked = policy(Mode::Bypass).rules(Rules::new().ask(rule("t")));
    assert_eq!(
        said(&delegate.with_ceiling(&asked), &FixedTool::new("t")),
        "ask (ask_rule)"
    );

    let vault = DangerousPaths::empty().with(["vault/"]).unwrap();
    let guarded = policy(Mode::Bypass).with_dangerous_paths(vault);
    let open = delegate
        .clone()
        .with_dangerous_paths(DangerousPaths::empty());
    let touches = FixedTool::reader("t")
        .with_check(Check::Pass.with_accesses([FileAccess::read("/w/vault/x")]));
    assert_eq!(said(&open, &touches), "allow (read_only)");
    assert_eq!(
        said(&open.with_ceiling(&guarded), &touches),
        "ask! (dangerous_path)"
    );

    let edit = FixedTool::new("t").with_check(Check::Edit {
        paths: vec!["/elsewhere/a".to_owned()],
    });
    let everywhere = Policy::new(Mode::AcceptEdits).working_folders(["/"]);
    assert_eq!(said(&everywhere, &edit), "allow (workspace_edit)");
    let inside = policy(Mode::AcceptEdits);
    assert_eq!(said(&everywhere.with_ceiling(&inside), &edit), "ask (mode)");
    let app = policy(Mode::Default).allow_unlisted(true);
    assert_eq!(said(&app, &FixedTool::new("t")), "allow (unlisted)");
    assert_eq!(
        said(
            &app.with_ceiling(&policy(Mode::Default)),
            &FixedTool::new("t")
        ),
        "ask (mode)"
    );
}

#[test]
fn a_grant_is_judged_under_every_ceiling() {
    let session = policy(Mode::Default).rules(Rules::new().ask(rule("ship")));
    let delegate = policy(Mode::Default).with_ceiling(&session);
    let always = |text: &str| Decision::AllowAlways {
        rules: vec![rule(text)],
        scope: RuleScope::Session,
        message: None,
    };
    delegate.apply_decision(&always("build"));
    delegate.apply_decision(&always("ship"));
    // It is the session's: the agent above has it, too.
    assert_eq!(
        said(&delegate, &FixedTool::new("build")),
        "allow (allow_rules)"
    );
    assert_eq!(
        said(&session, &FixedTool::new("build")),
        "allow (allow_rules)"
    );
    assert_eq!(said(&delegate, &FixedTool::new("ship")), "ask (ask_rule)");
    let exploring = policy(Mode::Default).with_ceiling(&policy(Mode::Explore));
    exploring.apply_decision(&always("build"));
    assert_eq!(said(&exploring, &FixedTool::new("build")), "deny (mode)");
}

#[test]
fn a_rule_is_suggested_where_it_satisfies_all() {
    let suggestions = |policy: &Policy, tool: &FixedTool| {
        let judgement = tool.judge(policy);
        judgement
            .suggestions
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let plain = FixedTool::new("t");
    let both = policy(Mode::Default).with_ceiling(&policy(Mode::AcceptEdits));
    assert_eq!(suggestions(&both, &plain), ["t"]);
    let asks = policy(Mode::Default).rules(Rules::new().ask(rule("t")));
    assert_eq!(
        suggestions(&policy(Mode::Default).with_ceiling(&asks), &plain),
        [""; 0]
    );
    let explore = policy(Mode::Default).with_ceiling(&policy(Mode::Explore));
    assert_eq!(suggestions(&explore, &plain), [""; 0]);
    // One level has a rule for the first part, the other for none: both are wanted.
    let parts = Check::Pass.with_parts([CallPart::new("build"), CallPart::new("ship")]);
    let call = || {
        let call = FixedTool::new("t").with_check(parts.clone());
        call.with_suggestion("build").with_suggestion("ship")
    };
    let built = policy(Mode::Default).rules(Rules::new().allow(rule("t(build)")));
    let under = built.with_ceiling(&policy(Mode::Default));
    assert_eq!(suggestions(&under, &call()), ["t(ship)", "t(build)"]);
    under.grant(Rules::new().allow(rule("t(ship)")).allow(rule("t(build)")));
    assert_eq!(said(&under, &call()), "allow (allow_rules)");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    /// However deep agents work for each other, a verdict is as strict as the strictest above, and no stricter.
    #[test]
    fn a_verdict_is_that_of_the_strictest(
        tool in tool(),
        levels in vec((mode(), rules()), 1..6),
        granted in rules(),
    ) {
        let levels: Vec<Policy> = levels
            .into_iter()
            .map(|(mode, rules)| policy(mode).rules(rules))
            .collect();
        let (first, below) = levels.split_first().unwrap();
        let bound = below.iter().fold(first.clone(), |above, own| own.with_ceiling(&above));
        bound.grant(granted.clone());
        let alone = levels.iter().map(|policy| {
            let policy = policy.for_session();
            policy.grant(granted.clone());
            strictness(&tool.judge(&policy))
        });
        let judgement = tool.judge(&bound);
        prop_assert_eq!(Some(strictness(&judgement)), alone.max(), "{:?}", judgement);
        if !judgement.suggestions.is_empty() && bound.clone().current_mode() != Mode::Explore {
            let more = Rules { allow: judgement.suggestions.clone(), ..Rules::default() };
            if levels.len() > 1 {
                bound.grant(more);
                prop_assert_eq!(strictness(&tool.judge(&bound)), 0, "{:?}", judgement);
            }
        }
    }
}
