//! Reading, writing and editing.

use serde_json::{Value, json};

use crate::vectors_files::vectors::{self, Case, Tally};
use crate::vectors_files::world::World;

const DIFFERENCES: &[(&str, &str)] = &[];

/// Makes a recorded call with the tool of the same work.
async fn step(world: &World, tool: &str, arguments: &Value) -> bool {
    let path = arguments["file_path"].as_str().expect("a path");
    let path = path.strip_prefix("D/").unwrap_or(match path {
        "D" => ".",
        path => path,
    });
    let (tool, arguments) = match tool {
        "Read" => ("read_file", json!({ "path": path })),
        "Write" => (
            "write_file",
            json!({ "path": path, "content": arguments["content"] }),
        ),
        "Edit" => (
            "edit_file",
            json!({ "path": path, "old_string": arguments["old_string"], "new_string": arguments["new_string"] }),
        ),
        other => panic!("{other} is not known"),
    };
    world.call(tool, arguments).await.worked
}

async fn scenario(case: &Case, tally: &mut Tally) {
    let (input, expected) = (&case.input, &case.expected);
    let world = World::new(&input["files"]);
    let results = expected["results"].as_array().expect("results");
    let mut same = true;
    let mut laxer = false;
    for (made, wanted) in input["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .zip(results)
    {
        let worked = step(&world, made[0].as_str().expect("a name"), &made[1]).await;
        let refused = wanted["state"] == "error";
        same &= worked != refused;
        laxer |= worked && refused;
    }
    let files = world.files(&expected["files_after"]);
    let found = (same, files);
    let wanted = (true, expected["files_after"].clone());
    if laxer {
        tally.differ_laxer(case, format!("{found:?}"));
    } else {
        tally.compare(case, &found, &wanted);
    }
}

#[tokio::test]
async fn file_tools() {
    let Some(cases) = vectors::load_topic("file_tools") else {
        return;
    };
    let mut tally = Tally::new("file_tools");
    for case in &cases {
        match &*case.function {
            "file tools scenario" => scenario(case, &mut tally).await,
            "Read.call" => {
                let world = World::new(&Value::Null);
                let worked = step(&world, "Read", &case.input["args"]).await;
                tally.compare(case, &worked, &(case.expected["state"] != "error"));
            }
            other => panic!("{}: {other} is not known", case.id),
        }
    }
    tally.finish(DIFFERENCES);
}
