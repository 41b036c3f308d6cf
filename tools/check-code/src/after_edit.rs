//! Checks a file after a tool changed it.

use std::ffi::OsStr;
use std::path::Path;

use helve::ToolResult;
use helve::agent::{CallSite, Hook, Next};
use helve::permission::Rule;
use helve::prelude::*;
use helve::{BoxFuture, untrusted};
use serde::Deserialize;
use serde_json::json;

use super::tool::{CheckCodeSettings, check_code};

/// The tools that change files.
const EDITING_TOOLS: [&str; 3] = ["apply_patch", "edit_file", "write_file"];
/// The extensions of the files that checkers read.
const EXTENSIONS: [&str; 16] = [
    "cjs", "cts", "go", "js", "json", "jsx", "mjs", "mod", "mts", "py", "pyi", "rs", "svelte",
    "toml", "ts", "tsx",
];
/// The greatest number of rows that are added to the result of an edit.
const MAX_ROWS: usize = 20;

/// A hook that checks a project after `edit_file`, `write_file` or `apply_patch` changed a file of it, and adds what the
/// checkers found to the result of the change.
///
/// The hook does nothing unless the settings say what to check, as in `[check_code] after_edit = "types"`: a check runs
/// code of the project, in the sandbox, and the setting counts as a rule that allows it. Where a rule is not enough, the
/// project is not checked, and the result says why: a rule denies `check_code` or asks about it, an agent above may not
/// call it, or the model has read untrusted text and the sandbox does not monitor connections. A check that finds no
/// mistake adds nothing, nor does a file that no checker knows.
///
/// ```
/// # mod helve { pub use ::helve::*; pub mod tools { pub use helve_tools_check_code as check_code; } }
/// use helve::agent::Agent;
/// use helve::model::ScriptedModel;
/// use helve::tools::check_code::CheckAfterEdit;
///
/// let agent = Agent::new("main", ScriptedModel::new()).hook(CheckAfterEdit);
/// # let _ = agent;
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckAfterEdit;

impl Hook for CheckAfterEdit {
    fn tool_call<'a>(
        &'a self,
        site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        if !EDITING_TOOLS.contains(&&*site.call.name) {
            return next.run(context);
        }
        Box::pin(async move {
            let output = next.run(context.clone()).await?;
            let found = check(site, &context).await;
            Ok(match found {
                Some(found) => output.append(ToolOutput::plain(found)),
                None => output,
            })
        })
    }
}

/// The arguments of a tool that changes files, and the structured result of a check.
#[derive(Deserialize)]
struct EditArguments {
    path: Option<String>,
}

#[derive(Deserialize)]
struct CheckVerdict {
    passed: bool,
}

/// Returns what a check found after a call; `None` if nothing is to be said.
async fn check(site: &CallSite, context: &ToolContext) -> Option<String> {
    let settings = context.state::<CheckCodeSettings>()?;
    let kind = settings.after_edit.filter(|_| !context.is_dry_run())?;
    let edit: EditArguments = serde_json::from_str(site.call.arguments.as_str()).ok()?;
    // A patch may change several files: the project is checked.
    let path = edit.path.as_deref().unwrap_or(".");
    if edit.path.is_some() && !is_code(path) {
        return None;
    }
    let arguments = json!({ "kind": kind.name(), "path": path, "max_rows": MAX_ROWS });
    let tool = helve::toolset![check_code].get("check_code")?;
    let rule = Rule::calls("check_code", kind.name());
    let arguments = arguments.to_string();
    let checked = site.call_with_rule(tool, context, &arguments, rule).await;
    let output = match checked {
        Ok(output) => output,
        Err(ToolError::Denied(denial)) => {
            let reason = denial.reason;
            return Some(format!("\n\nnot checked after the change: {reason}"));
        }
        // No checker knows the file, or there is no sandbox.
        Err(_) => return None,
    };
    let verdict: CheckVerdict = serde_json::from_str(output.structured_content()?).ok()?;
    if verdict.passed {
        return None;
    }
    let rows = untrusted::wrap(&output.text(), "check_code", path);
    Some(format!("\n\nchecked after the change:\n{rows}"))
}

/// Reports whether checkers read a file, by its name.
fn is_code(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}
