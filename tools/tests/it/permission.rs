//! What a policy says of calls of the file tools, and what a search passes over.

use crate::support;

use helve::ToolContext;
use helve::permission::{DangerousPaths, Decider, Mode, Policy, Rules, Verdict};
use helve::tool::{State, dispatch};
use serde_json::{Value, json};
use support::Tree;

async fn decided(
    policy: &Policy,
    cx: &ToolContext,
    tool: &str,
    arguments: Value,
) -> (Verdict, Decider) {
    let tool = helve_tools::files().get(tool).expect("a granted tool");
    let arguments = arguments.to_string();
    let judged = policy.judge_with_files(&*tool, cx, &arguments);
    let judgement = judged
        .await
        .map_err(|error| error.to_string())
        .expect("arguments that fit");
    (judgement.verdict, judgement.decided_by)
}

fn is_safety(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Ask { safety: true, .. })
}

#[tokio::test]
async fn readers_of_dangerous_paths_ask_where_cat_would() {
    let tree = Tree::new(&[
        ("src/main.rs", "fn main() {}\n"),
        (".env", "KEY=1\n"),
        ("keys/id_rsa", "key\n"),
    ]);
    tree.link(".env", "settings");
    let cx = tree.builder().home("/home/me").build();
    let reads = |path: &str| ("read_file", json!({ "path": path }));
    let searches = |path: &str| ("grep", json!({ "pattern": "KEY", "path": path }));
    let globs = |glob: &str| ("grep", json!({ "pattern": "KEY", "glob": glob }));
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Bypass] {
        let policy = Policy::new(mode).rules(Rules::new().allow("*".parse().unwrap()));
        for (tool, arguments) in [
            reads(".env"),
            reads("~/.ssh/id"),
            reads("src/../.env"),
            reads("settings"),
            reads("keys/id_rsa"),
            searches(".env"),
            searches(".ssh"),
            globs(".env*"),
            globs("**/id_rsa"),
            globs("*.{pem,x}rc/.e?v"),
        ] {
            let (verdict, decided_by) = decided(&policy, &cx, tool, arguments.clone()).await;
            assert!(is_safety(&verdict), "{tool} {arguments}: {decided_by:?}");
        }
        for (tool, arguments) in [
            reads("src/main.rs"),
            reads(".env.example"),
            searches("."),
            searches("src"),
            globs("*.rs"),
            globs("!.env"),
            globs("*"),
        ] {
            let (verdict, decided_by) = decided(&policy, &cx, tool, arguments.clone()).await;
            assert_eq!(
                verdict,
                Verdict::Allow,
                "{tool} {arguments}: {decided_by:?}"
            );
        }
    }
    for mode in [Mode::Explore, Mode::DontAsk] {
        let (tool, arguments) = reads(".env");
        let (verdict, _) = decided(&Policy::new(mode), &cx, tool, arguments).await;
        assert!(matches!(verdict, Verdict::Deny { .. }));
    }
}

#[tokio::test]
async fn rules_are_about_paths() {
    let tree = Tree::new(&[("src/main.rs", "")]);
    let cx = tree.builder().build();
    let deny = |rule: &str| Policy::default().rules(Rules::new().deny(rule.parse().unwrap()));
    let read = json!({ "path": "src/main.rs" });
    let search = json!({ "pattern": "x", "path": "src" });
    for (rule, tool, arguments, denied) in [
        ("read_file(src/**)", "read_file", &read, true),
        ("read_file(*.rs)", "read_file", &read, true),
        ("read_file(docs/**)", "read_file", &read, false),
        ("grep(src)", "grep", &search, true),
        ("grep(src/**)", "grep", &search, true),
        ("grep(docs)", "grep", &search, false),
    ] {
        let (verdict, _) = decided(&deny(rule), &cx, tool, arguments.clone()).await;
        assert_eq!(matches!(verdict, Verdict::Deny { .. }), denied, "{rule}");
    }
}

async fn found(cx: &ToolContext, arguments: Value) -> String {
    let tool = helve_tools::files().get("grep").expect("a granted tool");
    let output = dispatch::call(&*tool, cx, &arguments.to_string()).await;
    output
        .map_err(|error| error.to_string())
        .expect("a search that runs")
        .text()
        .into_owned()
}

#[tokio::test]
async fn a_search_passes_over_secrets_that_nobody_was_asked_about() {
    let tree = Tree::new(&[
        ("a.txt", "needle\n"),
        ("keys/id_rsa", "needle\n"),
        (".env", "needle\n"),
        ("notes/plan.md", "needle\n"),
        (".ignore", "!.env\n"),
    ]);
    let cx = tree.builder().build();
    let all = json!({ "pattern": "needle", "output": "files" });
    insta::assert_snapshot!(found(&cx, all.clone()).await, @r#"
        a.txt
        notes/plan.md
        "#);
    let star = json!({ "pattern": "needle", "output": "files", "glob": "*" });
    insta::assert_snapshot!(found(&cx, star).await, @r#"
        a.txt
        notes/plan.md
        "#);
    let named = json!({ "pattern": "needle", "output": "files", "path": "keys/id_rsa" });
    insta::assert_snapshot!(found(&cx, named).await, @"keys/id_rsa");
    let globbed = json!({ "pattern": "needle", "output": "files", "glob": ".env*" });
    insta::assert_snapshot!(found(&cx, globbed).await, @".env");

    let mut state = State::new();
    state.insert(DangerousPaths::default().with(["notes/"]).unwrap());
    let cx = tree.builder().app(state.into()).build();
    insta::assert_snapshot!(found(&cx, all).await, @"a.txt");
}
