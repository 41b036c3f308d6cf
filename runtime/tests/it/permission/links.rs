//! Where paths lead, on a real disk.
#![cfg(all(feature = "files", unix))]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use helve_runtime::capability::Grants;
use helve_runtime::permission::{Decider, Judgement, Mode, Policy, Rules, Verdict};
use helve_runtime::sandbox::LocalFs;
use helve_runtime::tool::{Check, FileAccess, ToolContext};
use serde_json::json;

use crate::permission::fixture::{FixedTool, rule};

fn context(root: &Path) -> ToolContext {
    ToolContext::builder()
        .home("/home/me")
        .grants(Grants {
            files: Some(Arc::new(LocalFs::new(root).unwrap())),
            ..Grants::default()
        })
        .build()
}

async fn judge(policy: &Policy, root: &Path, check: Check, path: &str) -> Judgement {
    let tool = FixedTool::reader("read").with_check(check.with_accesses([FileAccess::read(path)]));
    let arguments = json!({ "path": path }).to_string();
    policy
        .judge_with_files(&tool, &context(root), &arguments)
        .await
        .unwrap()
}

fn is_dangerous(judgement: &Judgement) -> bool {
    matches!(judgement.decided_by, Decider::DangerousPath(_))
        && matches!(judgement.verdict, Verdict::Ask { safety: true, .. })
}

#[tokio::test]
async fn a_link_to_a_dangerous_path_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join(".ssh")).unwrap();
    std::fs::write(root.join(".ssh/id"), "key").unwrap();
    symlink(".ssh", root.join("docs")).unwrap();
    symlink("docs/id", root.join("notes.txt")).unwrap();
    std::fs::write(root.join("plain.txt"), "").unwrap();
    symlink("plain.txt", root.join("other.txt")).unwrap();

    let policy = Policy::new(Mode::Bypass);
    for path in [
        "docs/id",
        "notes.txt",
        "docs",
        "docs/not/yet/there",
        "docs/../.ssh/id",
    ] {
        let judgement = judge(&policy, &root, Check::Pass, path).await;
        assert!(is_dangerous(&judgement), "{path}: {judgement:?}");
    }
    for path in ["plain.txt", "other.txt", "missing.txt", ".", "/etc/hosts"] {
        let judgement = judge(&policy, &root, Check::Pass, path).await;
        assert_eq!(judgement.verdict, Verdict::Allow, "{path}");
    }
}

#[tokio::test]
async fn a_link_out_of_what_was_granted_asks() {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().canonicalize().unwrap().join("root");
    std::fs::create_dir(&root).unwrap();
    symlink("/etc", root.join("configuration")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    for path in ["configuration/hosts", "configuration", "loop"] {
        let judgement = judge(&Policy::default(), &root, Check::Pass, path).await;
        assert!(is_dangerous(&judgement), "{path}: {judgement:?}");
    }
}

#[tokio::test]
async fn an_edit_through_a_link_is_one_of_where_it_leads() {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("work/src")).unwrap();
    std::fs::create_dir_all(root.join("elsewhere")).unwrap();
    symlink("../elsewhere", root.join("work/link")).unwrap();
    let policy = Policy::new(Mode::AcceptEdits).working_folders([root.join("work")]);
    for (path, allowed) in [("work/src/new.rs", true), ("work/link/new.rs", false)] {
        let edit = Check::Edit {
            paths: vec![root.join(path).display().to_string()],
        };
        let tool = FixedTool::new("write").with_check(edit);
        let judged = policy.judge_with_files(&tool, &context(&root), "{}").await;
        assert_eq!(judged.unwrap().verdict == Verdict::Allow, allowed, "{path}");
    }
}

#[tokio::test]
async fn a_rule_is_held_against_both_ends_of_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["src", "private"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    std::fs::write(root.join("private/plan"), "").unwrap();
    symlink("../private/plan", root.join("src/plan")).unwrap();
    let write = |rules: Rules| {
        let (policy, root) = (Policy::default().rules(rules), root.clone());
        async move {
            let tool = FixedTool::new("read")
                .with_check(Check::Pass.with_accesses([FileAccess::write("src/plan")]));
            let context = context(&root);
            let judged = policy.judge_with_files(&tool, &context, r#"{"path":"src/plan"}"#);
            judged.await.unwrap().decided_by
        }
    };
    let deny = rule("read(private/**)");
    assert_eq!(
        write(Rules::new().deny(deny.clone())).await,
        Decider::DenyRule(deny.clone())
    );
    assert_eq!(
        write(Rules::new().allow(rule("read(src/**)"))).await,
        Decider::Mode
    );
    let both = Rules::new().allow(rule("read(src/**)")).allow(deny);
    assert!(matches!(write(both).await, Decider::AllowRules(rules) if rules.len() == 2));
}
