//! Who may let a call run: the compiler keeps other crates from making a permit, and this keeps the rest of this one.

use std::path::{Path, PathBuf};

/// Lists the files below a folder whose text has some words.
fn files_with(words: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).to_owned();
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|name| name == "tests") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs")
                && std::fs::read_to_string(&path).unwrap().contains(words)
            {
                let path = path.strip_prefix(&root).unwrap();
                found.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn are_made_where_a_call_was_judged_or_nobody_judges() {
    // The run of a permitted call and the rehearsal of one that is asked about; in the core, the call that asks nobody.
    let issued = [
        "permission/src/call/pipeline.rs",
        "permission/src/call/question.rs",
    ];
    assert_eq!(files_with("authority::issue_permit("), issued);
    let made = ["core/src/authority.rs", "core/src/tool/dispatch.rs"];
    assert_eq!(files_with("Permit::new("), made);
    let permitted = ["permission/src/call/judged_call.rs"];
    assert_eq!(files_with("Ok(PermittedCall {"), permitted);
    // Whoever runs a prepared call has a permit.
    let run = [
        ("dispatch::run(", "permission/src/call/question.rs"),
        ("dispatch::run_taken(", "permission/src/call/cache/mod.rs"),
    ];
    for (words, file) in run {
        assert_eq!(files_with(words), [file]);
    }
}
