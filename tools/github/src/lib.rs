//! The tools of [helve](https://docs.rs/helve) for GitHub. Depend on `helve`, not on this crate.
//!
//! Eight tools read, and eight write, each with its own risk. They speak the REST API of github.com or of a GitHub
//! Enterprise Server through the guarded HTTP client of the host, which alone reads the token.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod cache;
mod client;
mod endpoint;
mod failure;
mod listing;
mod lockdown;
mod origin;
mod read;
mod redirect;
mod repository;
mod settings;
mod text;
mod value;
mod write;

pub use self::read::file::github_file;
pub use self::read::issue::{IssuePart, github_issue};
pub use self::read::notifications::github_notifications;
pub use self::read::pull_request::{PullRequestPart, github_pr};
pub use self::read::release::github_release;
pub use self::read::repo::{RepositoryPart, github_repo};
pub use self::read::run::{RunPart, github_run};
pub use self::read::search::{SearchKind, github_search};
pub use self::settings::GithubSettings;
pub use self::write::comment::github_comment;
pub use self::write::commit::{CommitFile, github_commit};
pub use self::write::issue::{IssueState, IssueStateReason, github_issue_write};
pub use self::write::merge::{MergeMethod, github_pr_merge};
pub use self::write::pull_request::github_pr_create;
pub use self::write::release::github_release_create;
pub use self::write::rerun::github_run_rerun;
pub use self::write::review::{ReviewComment, ReviewEvent, ReviewSide, github_review};

/// Returns the toolset of the tools for GitHub, with their settings: the table `[github]`.
#[must_use]
pub fn toolset() -> helve::Toolset {
    helve::toolset![
        github_comment,
        github_commit,
        github_file,
        github_issue,
        github_issue_write,
        github_notifications,
        github_pr,
        github_pr_create,
        github_pr_merge,
        github_release,
        github_release_create,
        github_repo,
        github_review,
        github_run,
        github_run_rerun,
        github_search
    ]
    .settings::<GithubSettings>("github")
}
