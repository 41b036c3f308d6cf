//! A tool of a user that changes files, beside the built-in ones.

use std::path::PathBuf;

use helve::prelude::*;
use helve::sandbox::WriteCondition;
use serde_json::json;

use crate::writing::support::{Tree, whole};

/// Sets the version in a file.
#[tool(requires(fs))]
async fn set_version(
    /// The file.
    path: PathBuf,
    /// The new version.
    version: String,
    cx: &ToolContext,
) -> Result<(), ToolError> {
    let (fs, seen) = (cx.fs()?, cx.files_seen());
    let found = fs.resolve(&path).await?.absolute;
    let metadata = fs.metadata(&path).await?;
    seen.check(&found, &metadata)?;
    let condition = metadata
        .version
        .map_or(WriteCondition::Always, WriteCondition::Unchanged);
    let written = fs.write(&path, version.into_bytes(), condition).await?;
    seen.record(found, &written);
    Ok(())
}

/// Writes over a version of a file that is not the present one.
#[tool(requires(fs))]
async fn write_late(
    /// The file.
    path: PathBuf,
    cx: &ToolContext,
) -> Result<(), ToolError> {
    let fs = cx.fs()?;
    let version = fs.metadata(&path).await?.version;
    fs.write(&path, b"between".to_vec(), WriteCondition::Always)
        .await?;
    let condition = version.map_or(WriteCondition::Always, WriteCondition::Unchanged);
    fs.write(&path, b"late".to_vec(), condition).await?;
    Ok(())
}

async fn call(tree: &Tree, tool: &str, arguments: serde_json::Value) -> String {
    let cx = tree.builder().build();
    let tools = toolset![set_version, write_late];
    let answer = whole(tools.call(tool, &arguments.to_string(), &cx).await);
    answer.replace(
        tree.root().canonicalize().unwrap().to_str().unwrap(),
        "ROOT",
    )
}

#[tokio::test]
async fn shares_with_the_built_in_tools_what_the_agent_has_seen() {
    let tree = Tree::new(&[("version", "1\n")]);
    let set = |version: &'static str| {
        call(
            &tree,
            "set_version",
            json!({ "path": "version", "version": version }),
        )
    };
    tree.read(json!({ "path": "version" })).await;
    tree.write("version", "2 by the user\n");
    insta::assert_snapshot!(set("3\n").await, @"stale_write: `ROOT/version` has changed since it was read; read it again, then repeat the change");
    assert_eq!(tree.text("version").unwrap(), "2 by the user\n");
    tree.read(json!({ "path": "version" })).await;
    assert_eq!(set("3\n").await, "done\n");
    assert_eq!(tree.text("version").unwrap(), "3\n");
    // What it wrote, the agent has seen, so that a built-in tool may write over it.
    let write = json!({ "path": "version", "content": "4\n" });
    let answer = tree.call("write_file", write).await;
    assert!(answer.starts_with("wrote `version`"), "{answer}");
}

#[tokio::test]
async fn a_write_to_a_file_that_changed_meanwhile_is_stale() {
    let tree = Tree::new(&[("version", "1\n")]);
    insta::assert_snapshot!(call(&tree, "write_late", json!({ "path": "version" })).await, @"stale_write: `version` has changed since it was read; read it again, then repeat the change");
    assert_eq!(tree.text("version").unwrap(), "between");
}
