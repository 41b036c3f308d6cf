//! Policies under policies.

use helve_runtime::permission::{
    DangerousPaths, Decision, Mode, Policy, RuleScope, Rules, Verdict,
};
use helve_runtime::tool::{Check, Part, Touch};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::permission::properties::{mode, rules, strictness, tool};
use crate::permission::world::{Fixed, rule};

fn policy(mode: Mode) -> Policy {
    Policy::new(mode).working_folders(["/w"])
}

/// Writes what a policy says of a call, and by which layer.
fn said(policy: &Policy, tool: &Fixed) -> String {
    let judgement = tool.judged(policy);
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
        ("a reader", Fixed::reader("t")),
        ("undeclared", Fixed::named("t")),
        (
            "an edit of the workspace",
            Fixed::named("t").checked(Check::Edit {
                paths: vec!["/w/a".to_owned()],
            }),
        ),
        (
            "a read of `.git`",
            Fixed::reader("t").checked(Check::Pass.touching([Touch::read("/w/.git/config")])),
        ),
    ];
    let rows = rows.map(|(name, tool)| {
        let under = |above: Mode| {
            let bypass = policy(Mode::Bypass).under(&policy(above));
            format!("{above}: {}", said(&bypass, &tool))
        };
        format!("{name}\n  {}", Mode::ALL.map(under).join(", "))
    });
    insta::assert_snapshot!(rows.join("\n"), @r#"
        a reader
          default: allow (read_only), accept_edits: allow (read_only), explore: allow (read_only), bypass: allow (read_only), dont_ask: allow (read_only)
        undeclared
          default: ask (mode), accept_edits: ask (mode), explore: deny (mode), bypass: allow (mode), dont_ask: deny (mode)
        an edit of the workspace
          default: ask (mode), accept_edits: allow (mode), explore: deny (mode), bypass: allow (mode), dont_ask: allow (mode)
        a read of `.git`
          default: ask! (dangerous_path), accept_edits: ask! (dangerous_path), explore: deny (dangerous_path), bypass: allow (read_only), dont_ask: deny (dangerous_path)
        "#);
}

#[test]
fn rules_dangerous_paths_and_folders_of_those_above_hold() {
    let delegate = Policy::new(Mode::Bypass).rules(Rules::new().allow(rule("*")));
    let denied = policy(Mode::Bypass).rules(Rules::new().deny(rule("t")));
    assert_eq!(
        said(&delegate.under(&denied), &Fixed::named("t")),
        "deny (deny_rule)"
    );
    let asked = policy(Mode::Bypass).rules(Rules::new().ask(rule("t")));
    assert_eq!(
        said(&delegate.under(&asked), &Fixed::named("t")),
        "ask (ask_rule)"
    );

    let vault = DangerousPaths::none().with(["vault/"]).unwrap();
    let guarded = policy(Mode::Bypass).dangerous_paths(vault);
    let open = delegate.clone().dangerous_paths(DangerousPaths::none());
    let touches = Fixed::reader("t").checked(Check::Pass.touching([Touch::read("/w/vault/x")]));
    assert_eq!(said(&open, &touches), "allow (read_only)");
    assert_eq!(
        said(&open.under(&guarded), &touches),
        "ask! (dangerous_path)"
    );

    let edit = Fixed::named("t").checked(Check::Edit {
        paths: vec!["/elsewhere/a".to_owned()],
    });
    let everywhere = Policy::new(Mode::AcceptEdits).working_folders(["/"]);
    assert_eq!(said(&everywhere, &edit), "allow (workspace_edit)");
    let inside = policy(Mode::AcceptEdits);
    assert_eq!(said(&everywhere.under(&inside), &edit), "ask (mode)");
    let app = policy(Mode::Default).unlisted_allow(true);
    assert_eq!(said(&app, &Fixed::named("t")), "allow (unlisted)");
    assert_eq!(
        said(&app.under(&policy(Mode::Default)), &Fixed::named("t")),
        "ask (mode)"
    );
}

#[test]
fn a_grant_is_judged_under_every_ceiling() {
    let session = policy(Mode::Default).rules(Rules::new().ask(rule("ship")));
    let delegate = policy(Mode::Default).under(&session);
    let always = |text: &str| Decision::AllowAlways {
        rules: vec![rule(text)],
        scope: RuleScope::Session,
        message: None,
    };
    delegate.take_in(&always("build"));
    delegate.take_in(&always("ship"));
    // It is the session's: the agent above has it, too.
    assert_eq!(
        said(&delegate, &Fixed::named("build")),
        "allow (allow_rules)"
    );
    assert_eq!(
        said(&session, &Fixed::named("build")),
        "allow (allow_rules)"
    );
    assert_eq!(said(&delegate, &Fixed::named("ship")), "ask (ask_rule)");
    let exploring = policy(Mode::Default).under(&policy(Mode::Explore));
    exploring.take_in(&always("build"));
    assert_eq!(said(&exploring, &Fixed::named("build")), "deny (mode)");
}

#[test]
fn a_rule_is_suggested_where_it_satisfies_all() {
    let suggestions = |policy: &Policy, tool: &Fixed| {
        let judgement = tool.judged(policy);
        judgement
            .suggestions
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let plain = Fixed::named("t");
    let both = policy(Mode::Default).under(&policy(Mode::AcceptEdits));
    assert_eq!(suggestions(&both, &plain), ["t"]);
    let asks = policy(Mode::Default).rules(Rules::new().ask(rule("t")));
    assert_eq!(
        suggestions(&policy(Mode::Default).under(&asks), &plain),
        [""; 0]
    );
    let explore = policy(Mode::Default).under(&policy(Mode::Explore));
    assert_eq!(suggestions(&explore, &plain), [""; 0]);
    // One level has a rule for the first part, the other for none: both are wanted.
    let parts = Check::Pass.of_parts([Part::new("build"), Part::new("ship")]);
    let call = || {
        let call = Fixed::named("t").checked(parts.clone());
        call.suggesting("build").suggesting("ship")
    };
    let built = policy(Mode::Default).rules(Rules::new().allow(rule("t(build)")));
    let under = built.under(&policy(Mode::Default));
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
        let bound = below.iter().fold(first.clone(), |above, own| own.under(&above));
        bound.grant(granted.clone());
        let alone = levels.iter().map(|policy| {
            let policy = policy.for_session();
            policy.grant(granted.clone());
            strictness(&tool.judged(&policy))
        });
        let judgement = tool.judged(&bound);
        prop_assert_eq!(Some(strictness(&judgement)), alone.max(), "{:?}", judgement);
        if !judgement.suggestions.is_empty() && bound.clone().current_mode() != Mode::Explore {
            let more = Rules { allow: judgement.suggestions.clone(), ..Rules::default() };
            if levels.len() > 1 {
                bound.grant(more);
                prop_assert_eq!(strictness(&tool.judged(&bound)), 0, "{:?}", judgement);
            }
        }
    }
}
