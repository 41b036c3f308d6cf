//! Which places are dangerous, and which lie in the workspace.

use helve_runtime::permission::{Decider, Mode, Policy, Verdict};
use serde_json::{Value, json};

use crate::vectors_permission::fixture::{self, RecordedTool};
use crate::vectors_permission::vectors::{self, Case, Tally};

const DIFFERENCES: &[(&str, &str)] = &[];

/// Reports whether somebody is asked about a path for reasons of safety.
fn is_dangerous(case: &Case) -> bool {
    let path = &case.input["file_path"];
    let tool = RecordedTool::new(&json!({ "name": "Write", "class": "Write" }));
    let judgement = Policy::default()
        .judge(
            &tool,
            &fixture::context(&case.input),
            &json!({ "file_path": path }).to_string(),
        )
        .expect("it fits");
    matches!(judgement.decided_by, Decider::DangerousPath(_))
}

/// Reports whether an edit of a path runs where edits are accepted.
fn is_inside(input: &Value, path: &Value, folders: impl IntoIterator<Item = String>) -> bool {
    let tool = RecordedTool::new(&json!({ "name": "Write", "class": "Write" }));
    let policy = Policy::new(Mode::AcceptEdits).working_folders(folders);
    let arguments = json!({ "file_path": path }).to_string();
    let judgement = policy
        .judge(&tool, &fixture::context(input), &arguments)
        .expect("it fits");
    judgement.verdict == Verdict::Allow
}

#[test]
fn path_safety() {
    let Some(cases) = vectors::load_topic("path_safety") else {
        return;
    };
    let mut tally = Tally::new("path_safety");
    for case in &cases {
        let input = &case.input;
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let found = match &*case.function {
            "ToolBase._is_dangerous_path" => is_dangerous(case),
            "ToolBase._path_in_allowed_working_path" => {
                let more = input["working_directories"].as_array().expect("folders");
                let folders = [&input["cwd"]].into_iter().chain(more).map(text);
                is_inside(input, &input["file_path"], folders)
            }
            "path_under_root" => is_inside(input, &input["path"], [text(&input["root"])]),
            other => panic!("{}: {other} is not known", case.id),
        };
        tally.compare(case, &found, &(case.expected == true));
    }
    tally.finish(DIFFERENCES);
}
