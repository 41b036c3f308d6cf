//! Mistakes of syntax in what is written.

use serde_json::json;

use crate::vectors_files::vectors::{self, Tally};
use crate::vectors_files::world::World;

const DIFFERENCES: &[(&str, &str)] = &[];

/// Cases of what helve has no part for, with the reason.
const NOT_SHARED: &[(&str, &str)] = &[(
    "file_validate:4",
    "there is no parser of Python in the program, and none is worth its size for a warning",
)];

#[tokio::test]
async fn file_validate() {
    let Some(cases) = vectors::load_topic("file_validate") else {
        return;
    };
    let mut tally = Tally::new("file_validate");
    for case in &cases {
        if let Some((id, why)) = NOT_SHARED.iter().find(|(id, _)| *id == case.id) {
            println!("  {id}: not shared; {why}");
            continue;
        }
        let path = case.input["file_path"].as_str().expect("a path");
        let path = path.trim_start_matches("/tmp/");
        let content = case.input["content"].as_str().expect("a text");
        let world = World::new(&json!({}));
        let write = json!({ "path": path, "content": content });
        let answer = world.call("write_file", write).await;
        let passed = answer.worked && !answer.text.contains("[warning: ");
        tally.compare(case, &Some(passed), &case.expected["passed"].as_bool());
        assert_eq!(
            world.tree.text(path).as_deref(),
            Some(content),
            "{}",
            case.id
        );
    }
    tally.finish(DIFFERENCES);
}
