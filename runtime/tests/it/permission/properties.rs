//! What holds of every policy and every call.

use helve_runtime::permission::{
    DangerousPaths, Decider, Judgement, Mode, Policy, Rule, Rules, Verdict, paths,
};
use helve_runtime::tool::{Annotations, CallPart, Check, FileAccess, Risk};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::permission::fixture::{FixedTool, context};

const PARTS: [&str; 4] = ["look", "build", "ship", "clean"];
const PLACES: [&str; 5] = [
    "/w/a.rs",
    "/x/a.rs",
    "/w/.env",
    "~/.ssh/id",
    "a/../.git/config",
];

fn annotations() -> impl Strategy<Value = Annotations> {
    let hint = || select(vec![Some(true), Some(false), None]);
    (hint(), hint(), hint(), hint()).prop_map(|(reads, destroys, repeats, open)| {
        Annotations::new(reads, destroys, repeats, open)
    })
}

fn risk() -> impl Strategy<Value = Risk> {
    select(vec![Risk::Low, Risk::Medium, Risk::High])
}

fn check() -> impl Strategy<Value = Check> {
    let edit = vec(select(&PLACES[..]), 0..3).prop_map(|places| Check::Edit {
        paths: places.into_iter().map(str::to_owned).collect(),
    });
    prop_oneof![
        Just(Check::Pass),
        Just(Check::ReadOnly),
        Just(Check::Allow),
        Just(Check::ask("why")),
        Just(Check::ask_for_safety("why")),
        Just(Check::ask_person("why")),
        Just(Check::deny("why")),
        edit,
    ]
}

prop_compose! {
    /// A tool, and what it says of its one call.
    pub(crate) fn tool()(
        annotations in annotations(),
        risk in risk(),
        check in check(),
        touches in vec((select(&PLACES[..]), any::<bool>()), 0..3),
        parts in vec((select(&PARTS[..]), any::<bool>()), 0..4),
    ) -> FixedTool {
        let touches = touches.into_iter().map(|(place, writes)| {
            if writes { FileAccess::write(place) } else { FileAccess::read(place) }
        });
        let parts = parts.into_iter().map(|(text, reads)| {
            if reads { CallPart::read_only(text) } else { CallPart::new(text) }
        });
        FixedTool::new("tool")
            .with_annotations(annotations)
            .risk(risk)
            .with_check(check.with_accesses(touches).with_parts(parts))
    }
}

fn rule() -> impl Strategy<Value = Rule> {
    let name = select(vec!["tool", "to*", "*", "other"]);
    let content = select(vec![
        None,
        Some("look"),
        Some("build"),
        Some("ship"),
        Some("clean"),
    ]);
    (name, content).prop_map(|(tool, content)| Rule {
        tool: tool.to_owned(),
        content: content.map(str::to_owned),
    })
}

pub(crate) fn rules() -> impl Strategy<Value = Rules> {
    let list = || vec(rule(), 0..3);
    (list(), list(), list()).prop_map(|(allow, ask, deny)| Rules { allow, ask, deny })
}

pub(crate) fn mode() -> impl Strategy<Value = Mode> {
    select(Mode::ALL.to_vec())
}

fn judged(tool: &FixedTool, mode: Mode, rules: &Rules) -> Judgement {
    tool.judge(
        &Policy::new(mode)
            .rules(rules.clone())
            .working_folders(["/w"]),
    )
}

fn is_safety(judgement: &Judgement) -> bool {
    matches!(judgement.verdict, Verdict::Ask { safety: true, .. })
}

/// Orders what a policy says by how little it lets through.
pub(crate) fn strictness(judgement: &Judgement) -> u8 {
    match judgement.verdict {
        Verdict::Allow => 0,
        Verdict::Ask { safety: false, .. } => 1,
        Verdict::Ask { .. } => 2,
        _ => 3,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn a_deny_rule_always_wins(tool in tool(), mode in mode(), rules in rules()) {
        let rules = rules.deny(Rule::tool("tool"));
        let judgement = judged(&tool, mode, &rules);
        prop_assert_eq!(strictness(&judgement), 3);
        prop_assert!(matches!(judgement.decided_by, Decider::DenyRule(_)));
    }

    #[test]
    fn a_deny_or_an_ask_rule_never_lets_more_run(tool in tool(), mode in mode(), rules in rules(), more in rule()) {
        let before = strictness(&judged(&tool, mode, &rules));
        let denied = judged(&tool, mode, &rules.clone().deny(more.clone()));
        prop_assert!(strictness(&denied) >= before);
        let asked = judged(&tool, mode, &rules.ask(more));
        prop_assert!(strictness(&asked) >= before, "{asked:?}");
    }

    #[test]
    fn an_allow_rule_answers_nothing_but_plain_questions(
        tool in tool(), mode in mode(), rules in rules(), more in rule(),
    ) {
        let before = judged(&tool, mode, &rules);
        let after = judged(&tool, mode, &rules.allow(more));
        if strictness(&after) == strictness(&before) {
            return Ok(());
        }
        prop_assert_eq!(&after.verdict, &Verdict::Allow);
        prop_assert!(!is_safety(&before));
        prop_assert!(mode != Mode::Explore);
        // Where nobody is asked, a denial stands for the question that an allow rule answers.
        if matches!(before.verdict, Verdict::Deny { .. }) {
            prop_assert_eq!(mode, Mode::DontAsk);
            let asking = judged(&tool, Mode::AcceptEdits, &Rules::new());
            prop_assert_eq!(strictness(&asking), 1);
        }
    }

    #[test]
    fn nobody_is_asked_where_nobody_is_there(tool in tool(), rules in rules()) {
        let unasked = judged(&tool, Mode::DontAsk, &rules);
        prop_assert!([0, 3].contains(&strictness(&unasked)));
        let exploring = judged(&tool, Mode::Explore, &rules);
        if matches!(exploring.verdict, Verdict::Ask { .. }) {
            // The one question: an ask rule about what would run otherwise, because it only reads.
            prop_assert!(!is_safety(&exploring));
            prop_assert!(matches!(exploring.decided_by, Decider::AskRule(_)));
            let without = Rules { ask: Vec::new(), ..rules };
            prop_assert_eq!(judged(&tool, Mode::Explore, &without).decided_by, Decider::ReadOnly);
        }
    }

    #[test]
    fn a_question_of_safety_is_one_in_every_mode(tool in tool(), rules in rules()) {
        let asked = judged(&tool, Mode::Default, &rules);
        if is_safety(&asked) {
            prop_assert!(is_safety(&judged(&tool, Mode::AcceptEdits, &rules)));
            prop_assert_eq!(strictness(&judged(&tool, Mode::Explore, &rules)), 3);
            prop_assert_eq!(strictness(&judged(&tool, Mode::DontAsk, &rules)), 3);
            // Bypass lets run what reads a dangerous path that holds no secret, and nothing else of that.
            if !is_safety(&judged(&tool, Mode::Bypass, &rules)) {
                prop_assert!(tool.reads_what_others_obey(), "{asked:?}");
            }
        }
    }

    #[test]
    fn only_what_reads_runs_where_only_reading_is(tool in tool(), rules in rules()) {
        let judgement = judged(&tool, Mode::Explore, &rules);
        if judgement.verdict == Verdict::Allow {
            prop_assert_eq!(judgement.decided_by, Decider::ReadOnly);
        }
    }

    #[test]
    fn what_no_rule_may_answer_is_offered_none(tool in tool(), mode in mode(), rules in rules()) {
        let judgement = judged(&tool, mode, &rules);
        if judgement.verdict == Verdict::Allow || is_safety(&judgement) {
            prop_assert!(judgement.suggestions.is_empty());
        }
    }

    #[test]
    fn a_rule_reads_back_as_it_is_written(
        tool in "[A-Za-z0-9_.*:/-]{1,12}", content in proptest::option::of(".{1,20}"),
    ) {
        let rule = Rule { tool, content };
        prop_assert_eq!(rule.to_string().parse::<Rule>(), Ok(rule.clone()));
        let text = serde_json::to_string(&rule).unwrap();
        prop_assert_eq!(serde_json::from_str::<Rule>(&text).unwrap(), rule);
    }

    #[test]
    fn a_suggested_rule_stays_in_the_folder(folder in "(/?[a-z. ]{1,6}){0,3}", name in "[a-z.]{1,6}", other in "(/?[a-z./ ]{1,8}){1,3}") {
        let path = format!("{folder}/{name}");
        let cx = context();
        if let Some(rule) = paths::suggest(&path) {
            prop_assert!(paths::covers(&cx, &rule, &path).covers_all(), "{rule} {path}");
            let place = paths::absolute(&path, None, cx.home()).into_owned();
            let parent = place.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
            if paths::covers(&cx, &rule, &other).covers_all() {
                let other = paths::absolute(&other, None, cx.home()).into_owned();
                prop_assert!(parent.is_empty() || other == parent || other.starts_with(&format!("{parent}/")), "{rule} admits {other}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// Whatever comes in, there is an answer: reading, matching and judging neither panic nor take long.
    #[test]
    fn junk_is_answered(junk in ".{0,60}", other in "[-*?\\[\\]!/.~a\\\\{}(),\u{0}\u{17f}]{0,40}") {
        let cx = context();
        let dangerous = DangerousPaths::default();
        for text in [&junk, &other] {
            if let Ok(rule) = text.parse::<Rule>() {
                prop_assert_eq!(&rule.to_string(), text);
            }
            let _ = text.parse::<Mode>();
            let _ = dangerous.find(text);
            let _ = dangerous.find_accessed(&FileAccess::read(text.clone()).into_pattern(), &cx);
            let _ = paths::suggest(text);
            let _ = paths::covers(&cx, text, &junk);
            if let Ok(more) = DangerousPaths::empty().with([text]) {
                let _ = more.find(&other);
            }
        }
        let policy = Policy::default().rules(Rules::new().deny(Rule::calls("tool", other.clone())));
        let _ = policy.judge(&FixedTool::new("tool"), &cx, &serde_json::json!({ "path": junk }).to_string());
    }
}
