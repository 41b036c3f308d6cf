//! Plan mode: the tool that presents a plan, and the file of an approved plan.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use helve_core::tool::{Tool, ToolContext, ToolError, ToolOutput, chain_text};
use helve_core::toolset::DynamicTool;
use helve_permission::PRESENT_PLAN;
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::private_files;

const DESCRIPTION: &str = "The session is in plan mode: only calls that read are possible. Find out what you need to \
    know, and then present your plan with this tool. The user approves the plan or says what to change. Do not carry \
    the plan out before it is approved.";

/// Returns the tool that presents a plan. An approved plan is written to a file of the folder, if there is one.
pub(crate) fn present_plan_tool(folder: Option<&Path>) -> Option<Arc<dyn Tool>> {
    let schema = json!({
        "type": "object",
        "properties": {
            "plan": {
                "type": "string",
                "minLength": 1,
                "description":
                    "The whole plan as Markdown: the steps, the files that change, and how the result is tested.",
            },
        },
        "required": ["plan"],
        "additionalProperties": false,
    });
    let folder: Option<Arc<Path>> = folder.map(Arc::from);
    let tool = DynamicTool::new(
        PRESENT_PLAN,
        DESCRIPTION,
        schema,
        move |context, arguments| {
            let file = folder.as_ref().map(|folder| plan_file(folder, context));
            Box::pin(accept_plan(file, arguments))
        },
    );
    // The name is fixed and the schema is defined here, so the construction does not fail.
    Some(Arc::new(tool.ok()?.always()))
}

/// Writes a plan to its file. The call runs only if the user approved the plan.
async fn accept_plan(file: Option<PathBuf>, arguments: Value) -> Result<ToolOutput, ToolError> {
    const APPROVED: &str = "The user approved the plan. Plan mode has ended: carry the plan out.";
    let Some(file) = file else {
        return Ok(ToolOutput::plain(APPROVED));
    };
    let plan = arguments["plan"].as_str().unwrap_or_default().to_owned();
    let path = file.clone();
    let writing = tokio::task::spawn_blocking(move || write_plan(&path, &plan));
    let written = writing.await.map_err(|error| chain_text(&error));
    let written = written.and_then(|written| written.map_err(|error| chain_text(&error)));
    let file = file.display();
    Ok(ToolOutput::plain(match written {
        Ok(()) => format!("{APPROVED} It is stored in `{file}`."),
        // The approval holds in spite of the error.
        Err(error) => format!("{APPROVED} It could not be stored in `{file}`: {error}"),
    }))
}

fn write_plan(path: &Path, plan: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder)?;
    }
    AtomicFile::new(path, FilePermissions::OwnerOnly).replace(&[plan.trim_end().as_bytes(), b"\n"])
}

/// Returns the file of the plan of a turn: `SESSION-TURN.md`.
fn plan_file(folder: &Path, context: &ToolContext) -> PathBuf {
    let ids = format!("{}-{}", context.session_id(), context.turn_id());
    let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '-';
    let name = ids.replace(|char| !is_plain(char), "_");
    folder.join(name.trim_matches('-')).with_extension("md")
}
