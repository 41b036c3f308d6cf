//! Patches: their form, their paths, and where hunks belong.

use serde_json::{Value, json};

use crate::vectors_files::vectors::{self, Case, Tally};
use crate::vectors_files::world::World;

const DIFFERENCES: &[(&str, &str)] = &[];

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().expect("texts").iter().map(text).collect()
}

fn is_refused(case: &Case) -> bool {
    case.expected.get("$raises").is_some()
}

/// The line break that a patch of a file writes.
async fn line_break(content: &str) -> String {
    let world = World::of_file("a.txt", content);
    world.patch("*** Update File: a.txt\n@@\n+new").await;
    let after = world.tree.text("a.txt").expect("a file");
    let before_new = after.split("new").next().expect("a text");
    match before_new.ends_with("\r\n") {
        true => "\r\n".to_owned(),
        false => "\n".to_owned(),
    }
}

/// The lines of a file, its line break, and whether it ends with one: a patch leaves all of it as it is.
async fn stays(content: &str) -> bool {
    let world = World::of_file("a.txt", content);
    world.patch("*** Update File: a.txt\n@@\n+new").await;
    let after = world.tree.text("a.txt").expect("a file");
    match content.strip_suffix('\n') {
        Some(_) => after == format!("{content}new\n"),
        None => after == format!("{content}\nnew"),
    }
}

/// The line that a hunk of these lines changes; `None` where it is refused.
async fn place(input: &Value) -> Option<usize> {
    let (lines, pattern) = (texts(&input["lines"]), texts(&input["pattern"]));
    let world = World::of_file("a.txt", &(lines.join("\n") + "\n"));
    let mut hunk: String = pattern.iter().map(|line| format!("-{line}\n")).collect();
    hunk.push_str("+*here*");
    if input["end_of_file"] == true {
        hunk.push_str("\n*** End of File");
    }
    let answer = world
        .patch(&format!("*** Update File: a.txt\n@@\n{hunk}"))
        .await;
    let after = world.tree.text("a.txt").expect("a file");
    let at = after.lines().position(|line| line == "*here*");
    at.filter(|_| answer.worked)
}

/// Writes an operation as a patch.
fn section(operation: &Value) -> String {
    let path = text(&operation["path"]);
    match text(&operation["action"]) {
        "add" => {
            let lines = text(&operation["content"]).lines();
            let lines: Vec<String> = lines.map(|line| format!("+{line}")).collect();
            format!("*** Add File: {path}\n{}", lines.join("\n"))
        }
        "delete" => format!("*** Delete File: {path}"),
        _ => {
            let mut out = format!("*** Update File: {path}");
            if let Some(to) = operation["move_path"].as_str() {
                out.push_str(&format!("\n*** Move to: {to}"));
            }
            for chunk in operation["chunks"].as_array().expect("chunks") {
                out.push_str(&hunk(chunk));
            }
            out
        }
    }
}

fn hunk(chunk: &Value) -> String {
    let (mut old, mut new) = (texts(&chunk["old_lines"]), texts(&chunk["new_lines"]));
    let mut out = match chunk["change_context"].as_str() {
        Some(heading) => format!("\n@@ {heading}"),
        None => "\n@@".to_owned(),
    };
    while !old.is_empty() && old.first() == new.first() {
        out.push_str(&format!("\n {}", old.remove(0)));
        new.remove(0);
    }
    out.extend(old.iter().map(|line| format!("\n-{line}")));
    out.extend(new.iter().map(|line| format!("\n+{line}")));
    if chunk["is_end_of_file"] == true {
        out.push_str("\n*** End of File");
    }
    out
}

/// Makes the files that an operation needs.
fn prepare(world: &World, operation: &Value) {
    let mut lines: Vec<&str> = Vec::new();
    for chunk in operation["chunks"].as_array().into_iter().flatten() {
        lines.extend(texts(&chunk["old_lines"]));
    }
    if operation["action"] != "add" {
        world
            .tree
            .write(text(&operation["path"]), lines.join("\n") + "\n");
    }
}

async fn operations(case: &Case, tally: &mut Tally) {
    let operations = case.input["operations"].as_array().expect("operations");
    let world = World::new(&json!({}));
    operations
        .iter()
        .for_each(|operation| prepare(&world, operation));
    let sections: Vec<String> = operations.iter().map(section).collect();
    let answer = world.patch(&sections.join("\n")).await;
    judge(case, tally, answer.worked, &answer.text);
}

/// Counts a case by whether it is refused.
fn judge(case: &Case, tally: &mut Tally, worked: bool, what: &str) {
    match (worked, is_refused(case)) {
        (true, true) => tally.differ_laxer(case, "accepted"),
        (false, false) => tally.differ(case, what),
        _ => tally.agree(case),
    }
}

async fn update(case: &Case, tally: &mut Tally) {
    let operation = &case.input["operation"];
    let (path, content) = (
        text(&operation["path"]),
        text(&case.input["original_content"]),
    );
    let world = World::of_file(path, content);
    let answer = world.patch(&section(operation)).await;
    if is_refused(case) {
        return judge(case, tally, answer.worked, &answer.text);
    }
    let now = operation["move_path"].as_str().unwrap_or(path);
    let found = world.tree.text(now);
    tally.compare(case, &found.as_deref(), &case.expected[0].as_str());
}

/// Applies a whole recorded patch to files that it fits.
async fn whole(case: &Case, tally: &mut Tally) {
    let world = World::new(&json!({}));
    for operation in case.expected.as_array().into_iter().flatten() {
        prepare(&world, operation);
    }
    let patch = json!({ "patch": case.input["patch"] });
    let answer = world.call("apply_patch", patch).await;
    judge(case, tally, answer.worked, &answer.text);
}

#[tokio::test]
async fn apply_patch() {
    let Some(cases) = vectors::load_topic("apply_patch") else {
        return;
    };
    let mut tally = Tally::new("apply_patch");
    for case in &cases {
        let input = &case.input;
        match &*case.function {
            "_detect_newline" => {
                let found = line_break(text(&input["content"])).await;
                tally.compare(case, &Some(&*found), &case.expected.as_str());
            }
            "_split_source_lines" => {
                let found = stays(text(&input["content"])).await;
                tally.compare(case, &found, &true);
            }
            "_find_unique_sequence" => {
                let found = place(input).await;
                let wanted = case.expected.as_u64().and_then(|n| usize::try_from(n).ok());
                if found.is_some() && is_refused(case) {
                    tally.differ_laxer(case, format!("{found:?}"));
                } else {
                    tally.compare(case, &found, &wanted);
                }
            }
            "_normalize_patch_path" => {
                let world = World::new(&json!({}));
                let path = text(&input["raw_path"]);
                let answer = world.patch(&format!("*** Add File: {path}\n+x")).await;
                judge(case, &mut tally, answer.worked, &answer.text);
            }
            "_validate_unique_paths" => operations(case, &mut tally).await,
            "apply_update_operation" => update(case, &mut tally).await,
            "parse_patch" => whole(case, &mut tally).await,
            other => panic!("{}: {other} is not known", case.id),
        }
    }
    tally.finish(DIFFERENCES);
}
