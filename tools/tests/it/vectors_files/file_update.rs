//! One piece of text for another.

use serde_json::{Value, json};

use crate::vectors_files::vectors::{self, Case, Tally};
use crate::vectors_files::world::World;

const DIFFERENCES: &[(&str, &str)] = &[];

/// Lines are not replaced by their numbers here: the same change is made by what stands in them, as a model that has read
/// them does it.
async fn by_lines(case: &Case) -> Option<String> {
    let input = &case.input;
    let content = input["content"].as_str().expect("a text");
    let number = |key: &str| input[key].as_u64().and_then(|n| usize::try_from(n).ok());
    let (first, last) = (number("start_line")?, number("end_line")?);
    let replacement = input["replacement"].as_str().expect("a text");
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    let mut old: String = lines.get(first..=last)?.concat();
    // What is put between other lines ends one, so that only the text of the line is replaced.
    if !replacement.is_empty() && last + 1 < lines.len() {
        old.pop();
    }
    Some(by_text(content, &old, replacement, false).await.1)
}

async fn by_text(content: &str, old: &str, new: &str, all: bool) -> (bool, String, String) {
    let world = World::of_file("a.txt", content);
    let edit = json!({ "path": "a.txt", "old_string": old, "new_string": new, "replace_all": all });
    let answer = world.call("edit_file", edit).await;
    let text = world.tree.text("a.txt").expect("a file");
    (answer.worked, text, answer.text)
}

async fn search(case: &Case, tally: &mut Tally) {
    let (input, expected) = (&case.input, &case.expected);
    let text = |key: &str| input[key].as_str().expect("a text");
    let all = input["replace_all"] == true;
    let (worked, content, answer) = by_text(
        text("content"),
        text("search_pattern"),
        text("replacement"),
        all,
    )
    .await;
    let wanted = expected["status"] == "success";
    if worked && !wanted {
        return tally.differ_laxer(case, answer);
    }
    let after = match expected["content"].as_str() {
        Some(after) => after,
        None => text("content"),
    };
    tally.compare(case, &(worked, &*content), &(wanted, after));
}

/// The arguments of an operation, as far as `edit_file` has them; the others are there for it to refuse.
fn operation(op: &Value) -> Value {
    let mut arguments =
        json!({ "path": "a.txt", "new_string": op["replacement"].as_str().unwrap_or_default() });
    for (key, value) in op.as_object().into_iter().flatten() {
        match &**key {
            "search_pattern" => arguments["old_string"] = value.clone(),
            "replacement" => {}
            other => arguments[other] = value.clone(),
        }
    }
    arguments
}

#[tokio::test]
async fn file_update() {
    let Some(cases) = vectors::load_topic("file_update") else {
        return;
    };
    let mut tally = Tally::new("file_update");
    for case in &cases {
        match &*case.function {
            "_apply_line_range_update" => {
                let found = by_lines(case).await;
                let wanted = case.expected["content"].as_str().map(str::to_owned);
                tally.compare(case, &found, &wanted);
            }
            "_apply_search_update" => search(case, &mut tally).await,
            "_normalize_update_operation" => {
                let world = World::of_file("a.txt", "a\n");
                let answer = world.call("edit_file", operation(&case.input["op"])).await;
                if answer.worked {
                    tally.differ_laxer(case, answer.text);
                } else {
                    tally.compare(case, &answer.worked, &(case.expected["success"] == true));
                }
            }
            other => panic!("{}: {other} is not known", case.id),
        }
    }
    tally.finish(DIFFERENCES);
}
