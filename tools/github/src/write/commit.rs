//! `github_commit`.

use std::collections::{BTreeMap, BTreeSet};

use helve::prelude::*;
use helve::tool::CheckReport;
use serde_json::{Value, json};

use super::{judge as judge_plan, object, planned, repository};
use crate::client::Api;
use crate::endpoint::{Endpoint, check_path, check_ref, check_sha};
use crate::repository::RepositoryName;
use crate::settings::{check_token, may_write};
use crate::value::{flag, items, sha, text};

/// The greatest size of all contents together, in bytes.
const MAX_BYTES: usize = 5 << 20;

/// The mode of a file, and of one that can be run.
const FILE: &str = "100644";
const EXECUTABLE: &str = "100755";

/// A file of a commit: its new content, or that it is deleted.
#[helve::data]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFile {
    /// The path below the root of the repository.
    #[arg(min_len = 1, max_len = 4_000)]
    pub path: String,
    /// The whole new content.
    pub content: Option<String>,
    /// Whether the file is deleted.
    #[arg(default)]
    pub delete: bool,
}

/// A commit that is checked, but not made.
#[derive(Debug, Clone)]
struct CommitPlan {
    repository: RepositoryName,
    branch: String,
    message: String,
    /// The new contents by their paths; `None` for a file that is deleted.
    files: BTreeMap<String, Option<String>>,
    expected_head: String,
    summary: String,
}

/// Commits files to a branch on GitHub, without a clone, in one commit.
///
/// `expected_head` is the last commit of the branch that you read: if there has been another one since, nothing is
/// changed. A branch that does not exist begins at that commit. To change files of the working folder, commit with git.
#[tool(
    open_world,
    risk = "high",
    destructive,
    title = "Commit to GitHub",
    requires(net, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    check = judge,
    config_check = check_token,
    available_if = may_write,
    examples = [
        r#"{"repo": "acme/app", "branch": "docs", "message": "Describe the settings", "files": [{"path": "docs/settings.md", "content": "…\n"}], "expected_head": "6dcb09b5b57875f334f61aebed695e2e4193db5e"}"#
    ]
)]
pub async fn github_commit(
    /// The repository, as `owner/name`.
    repo: &str,
    /// The branch.
    branch: &str,
    /// The message of the commit.
    #[arg(min_len = 1, max_len = 10_000)]
    message: &str,
    /// The files that change.
    #[arg(min_len = 1, max_len = 100)]
    files: Vec<CommitFile>,
    /// The id of the last commit of the branch that was read, with all its digits.
    #[arg(min_len = 40, max_len = 64)]
    expected_head: &str,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let plan = planned(cx, || {
        plan(cx, repo, branch, message, &files, expected_head)
    })?;
    if cx.is_dry_run() {
        return Ok(ToolOutput::plain(plan.render()));
    }
    let api = Api::new(cx).await?;
    let commit = api.in_turn(plan.make(&api)).await?;
    let page = api
        .host
        .page(&format!("{}/commit/{commit}", plan.repository));
    Ok(ToolOutput::plain(format!(
        "committed to `{branch}` of {}: {page}",
        plan.repository
    )))
}

fn judge(
    cx: &ToolContext,
    repo: &str,
    branch: &str,
    message: &str,
    files: &[CommitFile],
    expected_head: &str,
) -> CheckReport {
    let planned = plan(cx, repo, branch, message, files, expected_head);
    judge_plan(planned, |plan| {
        (plan.repository.clone(), plan.summary.clone())
    })
}

fn plan(
    cx: &ToolContext,
    repo: &str,
    branch: &str,
    message: &str,
    files: &[CommitFile],
    expected_head: &str,
) -> Result<CommitPlan, String> {
    let repository = repository(cx, repo)?;
    let branch = check_ref(branch)?.to_owned();
    let expected_head = check_sha(expected_head)?.to_ascii_lowercase();
    let mut contents = BTreeMap::new();
    for file in files {
        let path = check_path(&file.path)?.join("/");
        let is_git = path
            .split('/')
            .any(|part| part.eq_ignore_ascii_case(".git"));
        if path.is_empty() || is_git {
            return Err(format!(
                "`{}` cannot be committed",
                file.path.escape_debug()
            ));
        }
        let content = match (&file.content, file.delete) {
            (Some(content), false) => Some(content.clone()),
            (None, true) => None,
            _ => return Err(format!("`{path}` needs either `content` or `delete`")),
        };
        if contents.insert(path.clone(), content).is_some() {
            return Err(format!("`{path}` is there twice"));
        }
    }
    let bytes: usize = contents.values().flatten().map(String::len).sum();
    if bytes > MAX_BYTES {
        return Err(format!(
            "the files have {bytes} bytes, and at most {MAX_BYTES} can be committed at once"
        ));
    }
    let summary = summarize(&repository, &branch, &contents, bytes);
    Ok(CommitPlan {
        repository,
        branch,
        message: message.to_owned(),
        files: contents,
        expected_head,
        summary,
    })
}

fn summarize(
    repository: &RepositoryName,
    branch: &str,
    files: &BTreeMap<String, Option<String>>,
    bytes: usize,
) -> String {
    const MAX_NAMED: usize = 5;
    let names = files
        .iter()
        .take(MAX_NAMED)
        .map(|(path, content)| match content {
            Some(_) => format!("`{path}`"),
            None => format!("`{path}` (deleted)"),
        });
    let mut names: Vec<String> = names.collect();
    if files.len() > MAX_NAMED {
        names.push(format!("{} more", files.len() - MAX_NAMED));
    }
    let has_workflow = files
        .keys()
        .any(|path| path.to_ascii_lowercase().starts_with(".github/workflows/"));
    let workflow = if has_workflow {
        ", and changes what GitHub Actions runs"
    } else {
        ""
    };
    format!(
        "commits {} to `{branch}` of {repository} ({bytes} bytes){workflow}",
        names.join(", ")
    )
}

impl CommitPlan {
    /// Shows the commit, for a dry run.
    fn render(&self) -> String {
        let mut text = format!(
            "dry run, nothing is sent: {}\n\n{}\n",
            self.summary, self.message
        );
        for (path, content) in &self.files {
            let content = content.as_deref().unwrap_or("(deleted)");
            text.push_str(&format!("\n=== {path}\n{content}\n"));
        }
        text
    }

    /// Makes the commit: its tree, itself, and then the branch, which changes last.
    async fn make(&self, api: &Api<'_>) -> Result<String, ToolError> {
        let Self {
            repository,
            branch,
            expected_head,
            ..
        } = self;
        let head = self.head(api).await?;
        if let Some(head) = &head
            && head != expected_head
        {
            return Err(ToolError::failed(format!(
                "nothing was committed: the last commit of `{branch}` is {head}, and not {expected_head}; read what changed"
            )));
        }
        let base = repository.endpoint(["git", "commits", &**expected_head]);
        let base = api
            .read(&base, &format!("the commit {expected_head}"))
            .await?;
        let tree = sha(&base, "/tree/sha").ok_or_else(unnamed)?;
        let entries = self.entries(api, tree).await?;
        let what = format!("the files of a commit to {repository}");
        let body = json!({ "base_tree": tree, "tree": entries });
        let made = api
            .write("POST", &repository.endpoint(["git", "trees"]), &body, &what)
            .await?;
        let tree = sha(&made, "/sha").ok_or_else(unnamed)?;
        let what = format!("a commit to {repository}");
        let body = json!({ "message": self.message, "tree": tree, "parents": [expected_head] });
        let made = api
            .write(
                "POST",
                &repository.endpoint(["git", "commits"]),
                &body,
                &what,
            )
            .await?;
        let commit = sha(&made, "/sha").ok_or_else(unnamed)?.to_owned();
        let what = format!("the branch `{branch}` of {repository}");
        match head {
            // Without force, so that a later commit of another person is not lost.
            Some(_) => {
                let body = json!({ "sha": commit, "force": false });
                api.write("PATCH", &self.branch_endpoint("refs"), &body, &what)
                    .await?;
            }
            None => {
                let body = json!({ "ref": format!("refs/heads/{branch}"), "sha": commit });
                api.write("POST", &repository.endpoint(["git", "refs"]), &body, &what)
                    .await?;
            }
        }
        Ok(commit)
    }

    fn branch_endpoint(&self, segment: &str) -> Endpoint {
        self.repository
            .endpoint(["git", segment, "heads"])
            .below(self.branch.split('/'))
    }

    /// Returns the last commit of the branch; `None` if there is no such branch.
    async fn head(&self, api: &Api<'_>) -> Result<Option<String>, ToolError> {
        // Branches whose names begin with the same words are listed, and none is no error.
        let value = api
            .read(
                &self.branch_endpoint("matching-refs"),
                &format!("the branches of {}", self.repository),
            )
            .await?;
        let name = format!("refs/heads/{}", self.branch);
        let found = items(&value, "")
            .iter()
            .find(|item| text(item, "/ref") == name);
        let Some(found) = found else {
            return Ok(None);
        };
        sha(found, "/object/sha")
            .map(|sha| Some(sha.to_ascii_lowercase()))
            .ok_or_else(unnamed)
    }

    /// Returns the entries of the new tree. A file keeps its mode, and what is no file is not replaced by one.
    async fn entries(&self, api: &Api<'_>, tree: &str) -> Result<Vec<Value>, ToolError> {
        let endpoint = self
            .repository
            .endpoint(["git", "trees", tree])
            .with("recursive", 1);
        let value = api
            .read(&endpoint, &format!("the tree of {}", self.repository))
            .await?;
        let modes: BTreeMap<&str, &str> = items(&value, "/tree")
            .iter()
            .map(|entry| (text(entry, "/path"), text(entry, "/mode")))
            .collect();
        let known: BTreeSet<&str> = [FILE, EXECUTABLE].into();
        let mut entries = Vec::new();
        for (path, content) in &self.files {
            let mode = modes.get(&**path).copied();
            if let Some(mode) = mode.filter(|mode| !known.contains(mode)) {
                let kind = if mode == "040000" {
                    "a folder"
                } else {
                    "a symbolic link or a submodule"
                };
                return Err(ToolError::failed(format!(
                    "nothing was committed: `{path}` is {kind}"
                )));
            }
            if mode.is_none() && content.is_none() && !flag(&value, "/truncated") {
                return Err(ToolError::failed(format!(
                    "nothing was committed: there is no `{path}` to delete"
                )));
            }
            let is_new = content
                .as_ref()
                .map(|content| ("content", Some(json!(content))));
            entries.push(object([
                ("path", Some(json!(path))),
                ("mode", Some(json!(mode.unwrap_or(FILE)))),
                ("type", Some(json!("blob"))),
                // Without an id the entry is removed.
                is_new.unwrap_or(("sha", Some(Value::Null))),
            ]));
        }
        Ok(entries)
    }
}

fn unnamed() -> ToolError {
    ToolError::failed("nothing was committed: the answer of GitHub names no commit")
}
