//! Edits that do not fit, files that changed, places that are out of reach.

use serde_json::{Value, json};

use crate::vectors_files::vectors::{self, Case, Tally};
use crate::vectors_files::world::{Answer, World};

const DIFFERENCES: &[(&str, &str)] = &[];

/// A function of which helve has no part, with the reason.
const NOT_SHARED: (&str, &str) = (
    "tools-file:collapseWhitespace",
    "a search that finds nothing is not tried again with other spaces: `grep` finds what `rg` finds, and nothing else",
);

/// Makes a recorded call with the tool of the same work.
async fn step(world: &World, tool: &str, arguments: &Value) -> Answer {
    let path = &arguments["path"];
    match tool {
        "read_file" => world.call("read_file", json!({ "path": path })).await,
        "write_file" => {
            let write = json!({ "path": path, "content": arguments["content"] });
            world.call("write_file", write).await
        }
        "patch_file" => {
            let edit = json!({
                "path": path, "old_string": arguments["old_text"], "new_string": arguments["new_text"],
            });
            world.call("edit_file", edit).await
        }
        other => panic!("{other} is not known"),
    }
}

async fn scenario(case: &Case, tally: &mut Tally) {
    let (input, expected) = (&case.input, &case.expected);
    let world = World::new(&input["files"]);
    let results = expected["results"].as_array().expect("results");
    let mut found = Vec::new();
    for (made, wanted) in input["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .zip(results)
    {
        let answer = step(&world, made[0].as_str().expect("a name"), &made[1]).await;
        if answer.worked && wanted["ok"] == false {
            return tally.differ_laxer(case, answer.text);
        }
        found.push(answer.worked);
    }
    let wanted: Vec<bool> = results.iter().map(|result| result["ok"] == true).collect();
    let files = world.files(&expected["files_after"]);
    tally.compare(
        case,
        &(found, files),
        &(wanted, expected["files_after"].clone()),
    );
}

/// Edits a text, and returns how often it was there and what was answered.
async fn edit(content: &str, old: &str) -> (u64, Answer) {
    let world = World::of_file("a.ts", content);
    let edit =
        json!({ "path": "a.ts", "old_string": old, "new_string": "*other*", "replace_all": true });
    let answer = world.call("edit_file", edit).await;
    let after = world.tree.text("a.ts").expect("a file");
    (after.matches("*other*").count() as u64, answer)
}

/// The answer to an edit of what has to be there once.
async fn once(content: &str, old: &str) -> Answer {
    let world = World::of_file("a.ts", content);
    let edit = json!({ "path": "a.ts", "old_string": old, "new_string": "*other*" });
    world.call("edit_file", edit).await
}

/// Takes what stands between two words.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inner, _)| inner)
}

/// Whether text that differs in its spaces is found, and at which line.
async fn whitespace(case: &Case, tally: &mut Tally) {
    let arguments = &case.input["args"];
    let answer = once(text(&arguments[0]), text(&arguments[1])).await;
    if answer.worked {
        return tally.differ_laxer(case, "changed");
    }
    let found = between(&answer.text, "but line ", " has it");
    let wanted = case
        .expected
        .as_str()
        .and_then(|said| between(said, "but line ", " matches"));
    tally.compare(case, &found, &wanted);
}

/// Whether a line is the same as another that has other spaces: an edit that gives the one is led to the other.
async fn alike(line: &str, normal: &str) -> bool {
    if line == normal {
        return true;
    }
    let answer = once(&format!("{line}\n"), normal).await;
    !answer.worked && answer.text.contains("line 1 has it")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// Whether the place of a refusal is refused here.
async fn out_of_reach(message: &str) -> bool {
    let path = between(message, "read of \"", "\"").expect("a path");
    let world = World::of_file("a.txt", "a\n");
    if message.contains("through a symbolic link") {
        // The link of the case leads from its folder to what is beside it.
        world.tree.link("..", "peek");
        world.tree.link("../secret", "hop1");
        let name = if path.contains("/peek/") {
            "peek/secret"
        } else {
            "hop1"
        };
        return !world
            .call("read_file", json!({ "path": name }))
            .await
            .worked;
    }
    let answer = world.call("read_file", json!({ "path": path })).await;
    !answer.worked && answer.text.contains("is outside of the accessible folders")
}

async fn one(case: &Case, tally: &mut Tally) {
    let arguments = &case.input["args"];
    match &*case.function {
        "tools-file:countOccurrences" => {
            let found = edit(text(&arguments[0]), text(&arguments[1])).await.0;
            tally.compare(case, &Some(found), &case.expected.as_u64());
        }
        "tools-file:describeAmbiguousMatches" => {
            let answer = once(text(&arguments[0]), text(&arguments[1])).await;
            if answer.worked {
                return tally.differ_laxer(case, "changed");
            }
            let lines = |said: &str| between(said, "(lines ", ")").map(str::to_owned);
            let told = lines(&answer.text)
                .map(|lines| lines.split(';').next().unwrap_or_default().to_owned());
            tally.compare(case, &told, &lines(text(&case.expected)));
        }
        "tools-file:diagnoseWhitespaceMismatch" => whitespace(case, tally).await,
        "tools-file:normalizeWhitespace" => {
            let found = alike(text(&arguments[0]), text(&case.expected)).await;
            tally.compare(case, &found, &true);
        }
        "tools-file:visualizeWhitespace" => {
            let line = text(&arguments[0]);
            let answer = once("x  const\u{a0}\n", line).await;
            let shown = once(&format!("{} \n", line.trim()), &format!("{line}\n")).await;
            let found = shown.text.contains(text(&case.expected)) && !answer.worked;
            tally.compare(case, &found, &true);
        }
        "tools-file:isReachError" => {
            let found = out_of_reach(text(&arguments[0]["message"])).await;
            match found {
                true => tally.agree(case),
                false => tally.differ_laxer(case, "read"),
            }
        }
        "tools-file:isTextFile" => {
            let name = text(&arguments[0]).rsplit('/').next().expect("a name");
            let world = World::of_file(name, "needle\n");
            let search = json!({ "pattern": "needle", "output": "files" });
            let answer = world.call("grep", search).await;
            tally.compare(
                case,
                &Some(answer.text.contains(name)),
                &case.expected.as_bool(),
            );
        }
        "tools-file:matchGlob" => {
            let world = World::of_file(text(&arguments[0]), "");
            let answer = world.call("glob", json!({ "pattern": arguments[1] })).await;
            let found = answer.text.trim() == text(&arguments[0]);
            tally.compare(case, &Some(found), &case.expected.as_bool());
        }
        other => panic!("{}: {other} is not known", case.id),
    }
}

#[tokio::test]
async fn stale_write() {
    let Some(cases) = vectors::load_topic("stale_write") else {
        return;
    };
    let mut tally = Tally::new("stale_write");
    for case in &cases {
        match &*case.function {
            function if function == NOT_SHARED.0 => {
                println!("  {}: not shared; {}", case.id, NOT_SHARED.1);
            }
            "tools-file scenario" => scenario(case, &mut tally).await,
            _ => one(case, &mut tally).await,
        }
    }
    tally.finish(DIFFERENCES);
}
