//! The guard that checks the files to which a reply refers.

use std::collections::BTreeSet;
use std::path::Path;

use futures_util::future::{BoxFuture, FutureExt as _};

use super::links::{LinkTarget, find_links};
use super::{Guard, GuardError, GuardInput, GuardPoint};
use crate::turn::Review;
use helve_core::authority;
use helve_core::sandbox::SandboxFs;
use helve_core::support::text::percent_decode;

/// The maximum number of problems that the model is told at once.
const MAX_PROBLEMS: usize = 20;

/// A guard that demands that the files exist to which a reply links.
///
/// Checked are the targets of Markdown links and images that are paths or `file:` URLs: each has to be a file or folder
/// that the tools of the agent can read. A relative path begins at the working folder. A `file:` link in code is a
/// mistake, too, since a reader cannot follow it. Links to other places are not checked, and nothing is checked where
/// the host grants no files.
///
/// ```
/// use std::sync::Arc;
///
/// use helve::ToolContext;
/// use helve::agent::{Agent, FilesExist};
/// use helve::capability::Grants;
/// use helve::model::ScriptedModel;
/// use helve::sandbox::LocalFs;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// std::fs::write(folder.join("report.md"), "All is well.")?;
/// let files = Arc::new(LocalFs::new(folder)?);
/// let grants = Grants { files: Some(files), ..Grants::default() };
/// let context = ToolContext::builder().grants(grants).build();
///
/// let model = ScriptedModel::new()
///     .say("It is in [the report](reprot.md).")
///     .say("It is in [the report](report.md).");
/// let agent = Agent::new("main", model).guard(FilesExist::new());
/// let answer = agent.ask("Write a report.").context(&context).await?;
/// assert_eq!(answer, "It is in [the report](report.md).");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct FilesExist {
    _private: (),
}

impl FilesExist {
    /// Creates the guard.
    #[must_use]
    pub const fn new() -> Self {
        Self { _private: () }
    }
}

impl Guard for FilesExist {
    fn name(&self) -> &str {
        "files_exist"
    }

    fn checks(&self, point: GuardPoint) -> bool {
        point == GuardPoint::Reply
    }

    fn check<'a>(&'a self, input: &'a GuardInput<'a>) -> BoxFuture<'a, Result<Review, GuardError>> {
        let work = async move {
            let Some(files) = authority::granted_files(input.context) else {
                return Ok(Review::Pass);
            };
            let problems = find_problems(&**files, input.text).await;
            Ok(match problems.is_empty() {
                true => Review::Pass,
                false => Review::again(describe(&problems)),
            })
        };
        work.boxed()
    }
}

/// Lists what is wrong with the files to which a text links.
async fn find_problems(files: &dyn SandboxFs, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut checked = BTreeSet::new();
    for link in find_links(text) {
        let Some(path) = file_path(&link) else {
            continue;
        };
        if link.is_code {
            problems.push(format!(
                "the link to `{path}` is in code, where it is no link"
            ));
        } else if checked.insert(path.clone())
            && let Err(error) = files.metadata(Path::new(&path)).await
        {
            problems.push(error.to_string());
        }
    }
    problems
}

fn describe(problems: &[String]) -> String {
    let shown = problems.iter().take(MAX_PROBLEMS);
    let lines: String = shown.map(|problem| format!("- {problem}\n")).collect();
    let hidden = problems.len().saturating_sub(MAX_PROBLEMS);
    let more = match hidden {
        0 => String::new(),
        hidden => format!("- and {hidden} more\n"),
    };
    format!(
        "Your answer refers to files that the user cannot open:\n{lines}{more}Create the files or correct the links, and \
         give the whole answer again."
    )
}

/// Returns the path of a link that is one to a file.
fn file_path(link: &LinkTarget) -> Option<String> {
    let target = link.target.trim();
    if let Some(url) = target.strip_prefix("file:") {
        // An authority is empty or `localhost`.
        let path = url
            .strip_prefix("//")
            .map_or(url, |rest| rest.strip_prefix("localhost").unwrap_or(rest));
        return Some(decode(path)).filter(|path| !path.is_empty());
    }
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let is_url = path.starts_with("//") || has_scheme(path);
    let path = decode(path);
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_file = name.trim_matches('.').contains('.');
    (is_file && !is_url && !link.is_code).then_some(path)
}

fn decode(path: &str) -> String {
    percent_decode(path).unwrap_or_else(|| path.to_owned())
}

/// Reports whether a target begins with the scheme of a URL.
fn has_scheme(target: &str) -> bool {
    target.split_once(':').is_some_and(|(scheme, _)| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_part)
    })
}
