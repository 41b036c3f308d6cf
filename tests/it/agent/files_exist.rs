//! The guard that checks the files to which a reply links.

use std::fs;
use std::path::Path;

use helve::agent::{FilesExist, TurnReport};
use helve::capability::Grants;
use helve::sandbox::LocalFs;

use super::*;

/// Lets an agent give replies, one after the other, as long as the guard demands others.
async fn reply(folder: &Path, replies: &[&str]) -> (TurnReport, Arc<ScriptedModel>) {
    let files = Arc::new(LocalFs::new(folder).unwrap());
    let grants = Grants {
        files: Some(files),
        ..Grants::default()
    };
    let context = ToolContext::builder().grants(grants).build();
    let model = Arc::new(
        replies
            .iter()
            .fold(ScriptedModel::new(), |model, reply| model.say(*reply)),
    );
    let bounds = Bounds::new(9).reviews(Some(replies.len() as u32 - 1));
    let agent = Agent::with_model("main", model.clone())
        .bounds(bounds)
        .guard(FilesExist::new());
    let report = agent.run(vec![Message::user("go")], &context, |_| {}).await;
    (report, model)
}

/// Returns what the guard has against a reply; `None` if nothing.
async fn problems(folder: &Path, text: &str) -> Option<String> {
    let (report, _) = reply(folder, &[text]).await;
    let error = report.error?;
    let (_, problems) = error.split_once("cannot open:\n").expect("the problems");
    let (problems, _) = problems
        .split_once("\nCreate the files")
        .expect("the advice");
    Some(problems.replace(folder.to_str().unwrap(), "WORK"))
}

#[tokio::test]
async fn links_to_files_that_exist_pass() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().canonicalize().unwrap().join("work");
    fs::create_dir_all(folder.join("reports")).unwrap();
    for name in ["out.md", "two words.md", "report(1).md", "größe.md"] {
        fs::write(folder.join("reports").join(name), "").unwrap();
    }
    let work = folder.display();
    for text in [
        "Nothing is linked.".to_owned(),
        format!("[out.md](file://{work}/reports/out.md)"),
        format!("[out.md](file://localhost{work}/reports/out.md)"),
        format!("[out.md]({work}/reports/out.md)"),
        "[out.md](reports/out.md)".to_owned(),
        "[out.md](./reports/out.md#results)".to_owned(),
        "![picture](reports/out.md \"A title\")".to_owned(),
        "[![picture](reports/out.md)](https://example.org/a.png)".to_owned(),
        format!("[words](<file://{work}/reports/two words.md>)"),
        "[words](<reports/two%20words.md>)".to_owned(),
        "[parentheses](reports/report(1).md)".to_owned(),
        "[umlaut](reports/gr%C3%B6%C3%9Fe.md)".to_owned(),
        // Other places, and what is no path.
        "[docs](https://example.com/docs/index.html)".to_owned(),
        "[mail](mailto:ada@example.com)".to_owned(),
        "[data](data:text/plain,a.b)".to_owned(),
        "[js](javascript:a.b)".to_owned(),
        "[host](//example.com/a.md)".to_owned(),
        "[part](#section-1.2)".to_owned(),
        "[a tool](read_file)".to_owned(),
        "[up](..)".to_owned(),
        // In code, only the link of a file is a mistake.
        "```markdown\n[docs](https://example.com/docs)\n```\n`plain code`".to_owned(),
        "`array[0](missing.md)`".to_owned(),
        // A paragraph goes on, and escaped backticks are text.
        format!("The result:\n    [out.md](file://{work}/reports/out.md)"),
        format!("\\`[out.md](file://{work}/reports/out.md)\\`"),
        format!("- one\n\n  [out.md](file://{work}/reports/out.md)"),
        format!("`unmatched\n```text\nfenced\n```\n[out.md](file://{work}/reports/out.md) `"),
    ] {
        assert_eq!(problems(&folder, &text).await, None, "{text}");
    }
}

#[tokio::test]
async fn links_that_nobody_can_follow_are_told() {
    let outer = tempfile::tempdir().unwrap();
    let outer = outer.path().canonicalize().unwrap();
    let folder = outer.join("work");
    fs::create_dir_all(folder.join("reports")).unwrap();
    fs::write(outer.join("out.md"), "").unwrap();
    let work = folder.display();
    let mut told = String::new();
    for text in [
        format!("[new](file://{work}/reports/missing.pdf)"),
        "[new](reports/missing.pdf) and again: [new](reports/missing.pdf)".to_owned(),
        "![preview](missing(2).png)".to_owned(),
        format!("[out.md](file://{}/out.md)", outer.display()),
        "[out.md](../out.md)".to_owned(),
        "\\`[new](missing.md)\\`".to_owned(),
        "```\n[hidden](https://example.org)\n```\n[visible](<missing%20file.md>)".to_owned(),
    ] {
        let problems = problems(&folder, &text).await.unwrap_or_default();
        told.push_str(&format!(
            "{}\n",
            problems.replace(outer.to_str().unwrap(), "OUTER")
        ));
    }
    insta::assert_snapshot!(told, @"
    - `WORK/reports/missing.pdf` does not exist; list the folder above it to see what there is
    - `reports/missing.pdf` does not exist; list the folder above it to see what there is
    - `missing(2).png` does not exist; list the folder above it to see what there is
    - `OUTER/out.md` is outside of the accessible folders; give a path in `WORK`
    - `../out.md` is outside of the accessible folders; give a path in `WORK`
    - `missing.md` does not exist; list the folder above it to see what there is
    - `missing file.md` does not exist; list the folder above it to see what there is
    ");
}

#[tokio::test]
async fn links_to_files_in_code_are_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("report.md"), "").unwrap();
    for text in [
        "`[report.md](file:///tmp/report.md)`",
        "``[report.md](file:///tmp/report.md)``",
        "```markdown\n[report.md](file:///tmp/report.md)\n```",
        "~~~\n![report](file:///tmp/report.md)\n~~~",
        "```\n[report.md](file:///tmp/report.md)",
        "`[report](<file:///tmp/report.md>)`",
        "    [report.md](file:///tmp/report.md)",
        "\t[report.md](file:///tmp/report.md)",
        ">     [report.md](file:///tmp/report.md)",
        "The result:\n\n    [report.md](file:///tmp/report.md)",
        "- ```markdown\n  [report.md](file:///tmp/report.md)\n  ```",
        "1. one\n2. ~~~\n   [report.md](file:///tmp/report.md)\n   ~~~",
    ] {
        assert_eq!(
            problems(folder.path(), text).await.as_deref(),
            Some("- the link to `/tmp/report.md` is in code, where it is no link"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn only_the_last_reply_is_checked_and_corrected() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("new.md"), "").unwrap();
    let (report, model) = reply(folder.path(), &["[old](old.md)", "[new](new.md)"]).await;
    assert_eq!(report.end(), Some(EndReason::Finished));
    assert_eq!(report.text(), "[new](new.md)");
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn nothing_is_checked_where_no_files_are_granted() {
    let agent =
        Agent::new("main", ScriptedModel::new().say("[new](missing.md)")).guard(FilesExist::new());
    assert_eq!(agent.ask("go").await.unwrap(), "[new](missing.md)");
}
