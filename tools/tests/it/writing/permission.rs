//! What a policy says of calls that change files.

use helve::ToolContext;
use helve::permission::{Decider, Mode, Policy, Rules, Verdict};
use helve::tool::Risk;
use serde_json::{Value, json};

use crate::writing::support::Tree;

fn calls(path: &str) -> [(&'static str, Value); 3] {
    [
        ("write_file", json!({ "path": path, "content": "x" })),
        (
            "edit_file",
            json!({ "path": path, "old_string": "a", "new_string": "b" }),
        ),
        ("apply_patch", json!({ "patch": patch(&[path]) })),
    ]
}

fn patch(paths: &[&str]) -> String {
    let files: String = paths
        .iter()
        .map(|path| format!("*** Update File: {path}\n@@\n-a\n+b\n"))
        .collect();
    format!("*** Begin Patch\n{files}*** End Patch")
}

async fn judged(
    policy: &Policy,
    cx: &ToolContext,
    tool: &str,
    arguments: &Value,
) -> helve::permission::Judgement {
    let tool = helve_tools::files().get(tool).unwrap();
    let arguments = arguments.to_string();
    let judged = policy.judge_with_files(&*tool, cx, &arguments);
    judged.await.map_err(|error| error.to_string()).unwrap()
}

#[tokio::test]
async fn each_mode_has_its_way() {
    let tree = Tree::new(&[("src/a.rs", "a\n")]);
    tree.link("../secret", "out");
    let cx = tree.builder().home("/home/me").build();
    for (mode, inside, outside) in [
        (Mode::Default, "ask", "ask"),
        (Mode::AcceptEdits, "allow", "ask"),
        (Mode::Explore, "deny", "deny"),
        (Mode::Bypass, "allow", "allow"),
        (Mode::DontAsk, "allow", "deny"),
    ] {
        let policy = Policy::new(mode);
        for (path, word) in [
            ("src/a.rs", inside),
            ("new/b.rs", inside),
            ("/tmp/x", outside),
            ("~/x", outside),
        ] {
            for (tool, arguments) in calls(path) {
                let judgement = judged(&policy, &cx, tool, &arguments).await;
                let found = match judgement.verdict {
                    Verdict::Allow => "allow",
                    Verdict::Ask { safety: false, .. } => "ask",
                    Verdict::Deny { .. } => "deny",
                    other => panic!("{tool} {path} {mode:?}: {other:?}"),
                };
                assert_eq!(
                    found, word,
                    "{tool} {path} {mode:?}: {:?}",
                    judgement.decided_by
                );
            }
        }
        // Whatever the mode, only a person opens these.
        for path in [
            ".git/hooks/x",
            ".env",
            "sub/.bashrc",
            "~/.ssh/config",
            "out",
        ] {
            for (tool, arguments) in calls(path).into_iter().take(2) {
                let judgement = judged(&policy, &cx, tool, &arguments).await;
                let stopped = matches!(
                    judgement.verdict,
                    Verdict::Ask { safety: true, .. } | Verdict::Deny { .. }
                );
                assert!(stopped, "{tool} {path} {mode:?}: {:?}", judgement.verdict);
            }
        }
    }
}

/// What bash cannot write in a sandbox, the file tools do not write unasked.
#[tokio::test]
async fn edits_of_what_runs_or_steers_later_ask() {
    let tree = Tree::new(&[(".husky/pre-commit", "a\n"), ("AGENTS.md", "a\n")]);
    tree.link(".husky", "hooks");
    let cx = tree.builder().home("/home/me").build();
    let edits = Policy::new(Mode::AcceptEdits);
    for path in [
        ".mcp.json",
        ".claude/settings.json",
        ".cursor/mcp.json",
        ".zed/tasks.json",
        ".agents/skills/x/SKILL.md",
        ".husky/pre-commit",
        "hooks/pre-commit",
        "helve.toml",
        "pkg/.pre-commit-config.yaml",
        "lefthook.yml",
        ".devcontainer/devcontainer.json",
        "a.code-workspace",
        ".nvim.lua",
        ".exrc",
        ".mise.toml",
        ".cargo/config.toml",
        "rust-toolchain.toml",
    ] {
        for (tool, arguments) in calls(path) {
            let judgement = judged(&edits, &cx, tool, &arguments).await;
            let asks = matches!(judgement.verdict, Verdict::Ask { safety: true, .. });
            assert!(asks, "{tool} {path}: {:?}", judgement.verdict);
        }
    }
    for path in [
        "Cargo.toml",
        "package.json",
        "Makefile",
        ".github/workflows/ci.yml",
        "AGENTS.md",
        "flake.nix",
    ] {
        for (tool, arguments) in calls(path) {
            let judgement = judged(&edits, &cx, tool, &arguments).await;
            assert_eq!(judgement.verdict, Verdict::Allow, "{tool} {path}");
        }
    }
}

#[tokio::test]
async fn a_patch_is_judged_by_all_of_its_files() {
    let tree = Tree::new(&[]);
    let cx = tree.builder().build();
    let edits = Policy::new(Mode::AcceptEdits);
    let both = json!({ "patch": patch(&["a", "/tmp/b"]) });
    assert!(matches!(
        judged(&edits, &cx, "apply_patch", &both).await.verdict,
        Verdict::Ask { .. }
    ));
    let secret = json!({ "patch": patch(&["a", ".env"]) });
    let judgement = judged(&edits, &cx, "apply_patch", &secret).await;
    assert!(matches!(
        judgement.verdict,
        Verdict::Ask { safety: true, .. }
    ));
    let moved =
        json!({ "patch": "*** Begin Patch\n*** Update File: a\n*** Move to: .env\n*** End Patch" });
    let judgement = judged(&edits, &cx, "apply_patch", &moved).await;
    assert!(matches!(
        judgement.verdict,
        Verdict::Ask { safety: true, .. }
    ));

    let rules = |allow: &str| Policy::default().rules(Rules::new().allow(allow.parse().unwrap()));
    let two = json!({ "patch": patch(&["src/a", "docs/b"]) });
    let judgement = judged(&rules("apply_patch(src/**)"), &cx, "apply_patch", &two).await;
    assert!(matches!(judgement.verdict, Verdict::Ask { .. }));
    let suggested: Vec<String> = judgement
        .suggestions
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(suggested, ["apply_patch(docs/**)"]);
    let policy = rules("apply_patch(src/**)")
        .rules(Rules::new().allow("apply_patch(docs/**)".parse().unwrap()));
    assert_eq!(
        judged(&policy, &cx, "apply_patch", &two).await.verdict,
        Verdict::Allow
    );
    let deny = policy.rules(Rules::new().deny("apply_patch(docs/*)".parse().unwrap()));
    assert!(matches!(
        judged(&deny, &cx, "apply_patch", &two).await.verdict,
        Verdict::Deny { .. }
    ));
}

#[tokio::test]
async fn removing_is_risky_and_nonsense_is_not_asked_about() {
    let tree = Tree::new(&[]);
    let cx = tree.builder().build();
    let policy = Policy::default();
    let delete = json!({ "patch": "*** Begin Patch\n*** Delete File: a\n*** End Patch" });
    assert_eq!(
        judged(&policy, &cx, "apply_patch", &delete)
            .await
            .facts
            .risk,
        Risk::High
    );
    let nonsense = json!({ "patch": "make it better" });
    let judgement = judged(&policy, &cx, "apply_patch", &nonsense).await;
    assert_eq!(
        (judgement.verdict, judgement.decided_by),
        (Verdict::Allow, Decider::ReadOnly)
    );
}

#[tokio::test]
async fn rules_are_suggested_about_folders() {
    let tree = Tree::new(&[]);
    let cx = tree.builder().build();
    for (tool, arguments) in calls("src/a.rs") {
        let judgement = judged(&Policy::default(), &cx, tool, &arguments).await;
        let suggested: Vec<String> = judgement
            .suggestions
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(suggested, [format!("{tool}(src/**)")]);
        let Verdict::Ask { reason, .. } = judgement.verdict else {
            panic!("no question");
        };
        assert!(
            reason.contains("changes `") && reason.contains("src/a.rs` (medium risk)"),
            "{reason}"
        );
    }
}

#[tokio::test]
async fn listing_only_reads() {
    let tree = Tree::new(&[]);
    let cx = tree.builder().home("/home/me").build();
    for (tool, arguments) in [("glob", json!({ "pattern": "*" })), ("list_dir", json!({}))] {
        let judgement = judged(&Policy::new(Mode::Explore), &cx, tool, &arguments).await;
        assert_eq!(judgement.verdict, Verdict::Allow);
    }
    let listed = judged(
        &Policy::default(),
        &cx,
        "list_dir",
        &json!({ "path": "~/.ssh" }),
    )
    .await;
    assert!(matches!(listed.verdict, Verdict::Ask { safety: true, .. }));
}
