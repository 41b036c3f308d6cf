//! `workspace.folders` and `--add-dir`: folders beside that of the project.

use serde_json::json;

use crate::config::fixture::ConfigFixture;
use crate::config::server::{ModelReply, TestServer};

/// Has a model read a file beside the project, and returns the result that the model was given.
fn read_beside(settings: &str, flags: &[&str]) -> String {
    let place = ConfigFixture::new()
        .with_file("beside/notes.txt", "Buy milk.\n")
        .with_user_settings(settings)
        .with_variable("GROQ_API_KEY", "of-the-user");
    let path = place.path("beside/notes.txt");
    let path = path.canonicalize().expect("it is there");
    let model = TestServer::with_replies([
        ModelReply::tool_call("read_file", &json!({ "path": path })),
        ModelReply::message("Done."),
    ]);
    let url = model.url();
    let command = ["run", "go", "--model", "groq/m", "--base-url", &url];
    let seen = place.run(&[&command, flags].concat());
    assert!(seen.starts_with("exit 0"), "{seen}");
    let body = model.requests().last().expect("a request").json();
    let messages = body["messages"].as_array().expect("a list");
    let system = messages[0]["content"].as_str().expect("a text");
    assert_eq!(
        system.contains("\nAdditional folders: "),
        !(settings.is_empty() && flags.is_empty()),
        "{system}"
    );
    let result = messages.last().expect("a message")["content"].as_str();
    let result = result.expect("a text").trim();
    place.redact_paths(result)
}

#[test]
fn a_folder_beside_the_project_is_reached_where_it_is_added() {
    insta::assert_snapshot!(read_beside("", &[]), @"Error: `PLACE/beside/notes.txt` is outside of the accessible folders; give a path in `PLACE/project`");
    insta::assert_snapshot!(read_beside("", &["--add-dir", "../beside"]), @"1\tBuy milk.");
    insta::assert_snapshot!(read_beside("workspace.folders = [\"../beside\"]\n", &[]), @"1\tBuy milk.");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let place = ConfigFixture::new().with_recording();
    let seen = place.run(&[
        "run",
        "go",
        "--replay",
        "../says.jsonl",
        "--add-dir",
        "../nowhere",
    ]);
    insta::assert_snapshot!(seen, @r#"
    exit 1
    --- stderr
    error: failed to open the root folder `PLACE/project/../nowhere`
      Caused by: `PLACE/project/../nowhere` does not exist; list the folder above it to see what there is
    "#);
}

#[test]
fn a_project_adds_no_folder_before_it_is_accepted() {
    let place = ConfigFixture::new()
        .with_recording()
        .with_project_settings("workspace.folders = [\"..\"]\n");
    let seen = place.run(&["run", "go", "--replay", "../says.jsonl"]);
    assert!(
        seen.contains("note: ignoring `workspace.folders`"),
        "{seen}"
    );
}
