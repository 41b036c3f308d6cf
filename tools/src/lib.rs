//! The built-in tools of [helve](https://docs.rs/helve), written with its public macro like the tools of a user.
//!
//! Each tool is a `#[tool]` function: add a whole toolset, or name single functions.
//!
//! ```
//! # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
//! use helve::prelude::*;
//!
//! # #[cfg(feature = "files")] {
//! let tools = helve::tools::files();
//! assert_eq!(
//!     tools.names().join(", "),
//!     "apply_patch, edit_file, glob, grep, list_dir, read_file, write_file"
//! );
//!
//! let reading_only = toolset![helve::tools::files::read_file];
//! assert_eq!(reading_only.names().join(", "), "read_file");
//! # }
//! ```
//!
//! The tools have no ambient authority: the file tools only access files through the `cx.fs()?` of the host, and the
//! clock is host state. `clippy.toml` in this crate's folder bans other access.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

#[cfg(feature = "datetime")]
pub mod datetime;
#[cfg(feature = "ask-user")]
#[doc(inline)]
pub use helve_tools_ask_user as ask_user;
#[cfg(feature = "check-code")]
#[doc(inline)]
pub use helve_tools_check_code as check_code;
#[cfg(feature = "files")]
#[doc(inline)]
pub use helve_tools_files as files;
#[cfg(feature = "github")]
#[doc(inline)]
pub use helve_tools_github as github;
#[cfg(feature = "http-request")]
#[doc(inline)]
pub use helve_tools_http as http;
#[cfg(feature = "view-image")]
#[doc(inline)]
pub use helve_tools_image as image;
#[cfg(feature = "memory")]
#[doc(inline)]
pub use helve_tools_memory as memory;
#[cfg(feature = "schedule")]
#[doc(inline)]
pub use helve_tools_schedule as schedule;
#[cfg(feature = "session-search")]
#[doc(inline)]
pub use helve_tools_session_search as session_search;
#[cfg(feature = "shell")]
#[doc(inline)]
pub use helve_tools_shell as shell;
#[cfg(feature = "todo")]
#[doc(inline)]
pub use helve_tools_todo as todo;
#[cfg(feature = "web")]
#[doc(inline)]
pub use helve_tools_web as web;
#[cfg(feature = "web-search")]
#[doc(inline)]
pub use helve_tools_web_search as web_search;

/// Returns the toolset of the file tools: [`read_file`](fn@files::read_file), [`write_file`](fn@files::write_file),
/// [`edit_file`](fn@files::edit_file), [`apply_patch`](fn@files::apply_patch), [`glob`](fn@files::glob),
/// [`grep`](fn@files::grep) and [`list_dir`](fn@files::list_dir).
///
/// The tools read and write below the roots that the host grants. The session's state records the files that were
/// read: an existing file is not overwritten if it was not read, or has changed since.
///
/// ```
/// use std::sync::Arc;
/// use helve::ToolContext;
/// use helve::capability::Grants;
/// use helve::sandbox::LocalFs;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// let files = Arc::new(LocalFs::new(env!("CARGO_MANIFEST_DIR"))?);
/// let cx = ToolContext::builder()
///     .grants(Grants { files: Some(files), ..Grants::default() })
///     .build();
/// let arguments = r#"{"path": "Cargo.toml", "limit": 2}"#;
/// let output = helve::tools::files().call("read_file", arguments, &cx).await.unwrap();
/// assert_eq!(output.text(), "     1\t[package]\n     2\tname = \"helve-tools\"\n");
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "files")]
#[must_use]
pub fn files() -> helve::Toolset {
    helve::toolset![
        files::apply_patch,
        files::edit_file,
        files::glob,
        files::grep,
        files::list_dir,
        files::read_file,
        files::write_file
    ]
}

/// Returns the toolset of the [`datetime`](fn@datetime::datetime) tool.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// let tools = helve::tools::datetime();
/// let arguments = r#"{"timezone": "Asia/Tokyo", "at": "2026-07-14T09:30Z"}"#;
/// let output = tools.call("datetime", arguments, &helve::ToolContext::new()).await.unwrap();
/// assert!(output.text().contains("2026-07-14T18:30:00+09:00[Asia/Tokyo]"));
/// # }
/// ```
#[cfg(feature = "datetime")]
#[must_use]
pub fn datetime() -> helve::Toolset {
    helve::toolset![datetime::datetime]
}

/// Returns the toolset of the shell: [`bash`](fn@shell::bash), [`bash_output`](fn@shell::bash_output) and
/// [`bash_kill`](fn@shell::bash_kill).
///
/// Commands run only in the sandbox that the host grants. Every command of a line is judged separately.
///
/// ```
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// use helve::permission::{Decider, Mode, Policy};
/// use helve::{Tool as _, ToolContext};
///
/// let tools = helve::tools::shell();
/// assert_eq!(tools.names().join(", "), "bash, bash_kill, bash_output");
/// let bash = tools.get("bash").unwrap();
/// let policy = Policy::new(Mode::Default);
/// let judgement = policy
///     .judge(&*bash, &ToolContext::new(), r#"{"command": "git log | head -n 5"}"#)
///     .unwrap();
/// assert_eq!(judgement.decided_by, Decider::ReadOnly);
/// ```
#[cfg(feature = "shell")]
#[must_use]
pub fn shell() -> helve::Toolset {
    helve::toolset![shell::bash, shell::bash_output, shell::bash_kill]
}

/// Returns the toolset of the tasks of a session: [`todo_create`](fn@todo::todo_create), [`todo_get`](fn@todo::todo_get),
/// [`todo_list`](fn@todo::todo_list) and [`todo_update`](fn@todo::todo_update).
///
/// All agents of a session share one [list](helve::agent::todo::TodoList), which its journal keeps. The tools change
/// nothing else, and need no permission.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::ToolError> {
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// let (tools, cx) = (helve::tools::todo(), helve::ToolContext::new());
/// let task = r#"{"subject": "Write the tests", "description": ""}"#;
/// tools.call("todo_create", task, &cx).await?;
/// let list = tools.call("todo_list", "{}", &cx).await?;
/// assert_eq!(list.text(), "1 [pending] Write the tests");
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "todo")]
#[must_use]
pub fn todo() -> helve::Toolset {
    helve::toolset![
        todo::todo_create,
        todo::todo_get,
        todo::todo_list,
        todo::todo_update
    ]
}

/// Returns the toolset of [`web_fetch`](fn@web::web_fetch), which fetches web pages.
///
/// Requests go through the guarded client of the host, which reaches no private network, and each redirect is checked like
/// a request. Pages are parsed in a [confined worker](helve::worker): call
/// [`become_helper`](helve::become_helper) first in `main`, as `app!` does. The settings of the tool are the table
/// `[web_fetch]`.
///
/// ```
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// use helve::permission::{Mode, Policy, Verdict};
/// use helve::{Tool as _, ToolContext};
///
/// let tools = helve::tools::web();
/// let fetch = tools.get("web_fetch").unwrap();
/// let arguments = r#"{"url": "https://example.com/"}"#;
/// let judged = Policy::new(Mode::Default).judge(&*fetch, &ToolContext::new(), arguments).unwrap();
/// assert_eq!(judged.verdict, Verdict::Allow);
/// ```
#[cfg(feature = "web")]
#[must_use]
pub fn web() -> helve::Toolset {
    web::toolset()
}

/// Returns the toolset of the tool `ask_user`, which asks the user one to four questions with choices or free text.
///
/// In a turn the questions are a form in the terminal, or are answered from another process. An MCP server asks the user
/// of its client. Where nobody can be asked, the result says so. The settings of the tool are the table `[ask_user]`.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// use helve::tools::ask_user::{AnswerStatus, Answers};
///
/// let question = r#"{"id": "name", "text": "What is it called?", "kind": "text"}"#;
/// let arguments = format!(r#"{{"questions": [{question}]}}"#);
/// let context = helve::ToolContext::new();
/// let output = helve::tools::ask_user().call("ask_user", &arguments, &context).await;
/// let output = output.map_err(|error| error.to_string())?;
/// let answers: Answers = serde_json::from_str(&output.text())?;
/// assert_eq!(answers.status, AnswerStatus::NobodyThere);
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "ask-user")]
#[must_use]
pub fn ask_user() -> helve::Toolset {
    ask_user::toolset()
}

/// Returns the toolset of the tool [`check_code`](fn@check_code::check_code), which runs the checkers of a project in the
/// sandbox and returns what they found as rows.
///
/// It knows cargo, tsc, eslint, ruff, pytest and go. The settings of the tool are the table `[check_code]`.
///
/// ```
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// use helve::permission::{Mode, Policy, Verdict};
/// use helve::ToolContext;
///
/// let check_code = helve::tools::check_code().get("check_code").unwrap();
/// let policy = Policy::new(Mode::Default);
/// let judgement = policy.judge(&*check_code, &ToolContext::new(), r#"{"kind": "tests"}"#).unwrap();
/// // It runs code of the project.
/// assert!(matches!(judgement.verdict, Verdict::Ask { .. }));
/// ```
#[cfg(feature = "check-code")]
#[must_use]
pub fn check_code() -> helve::Toolset {
    check_code::toolset()
}

/// Returns the toolset of the tool [`web_search`](fn@web_search::web_search), which asks Tavily, Exa, Brave, SearXNG or an
/// engine of the program.
///
/// The settings of the tool are the table `[web_search]`. Without a provider the tool is not configured:
///
/// ```
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// use helve::tool::Availability;
/// use helve::ToolContext;
///
/// let web_search = helve::tools::web_search().get("web_search").unwrap();
/// let availability = web_search.availability(&ToolContext::new());
/// assert!(matches!(availability, Availability::NotConfigured(_)));
/// ```
#[cfg(feature = "web-search")]
#[must_use]
pub fn web_search() -> helve::Toolset {
    web_search::toolset()
}

/// Returns the toolset of [`http_request`](fn@http::http_request), which sends one HTTP request to a host that the app or
/// the settings allow.
///
/// The methods that only read run without a question, and the others ask. The settings of the tool are the table
/// `[http_request]`: bases of services with their credentials, whose values no model sees.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// let tools = helve::tools::http();
/// let arguments = r#"{"url": "https://example.com/", "headers": {"Host": "other.example"}}"#;
/// let output = tools.call("http_request", arguments, &helve::ToolContext::new()).await;
/// assert_eq!(output.unwrap_err().to_string(), "the header `Host` cannot be set; leave it out");
/// # }
/// ```
#[cfg(feature = "http-request")]
#[must_use]
pub fn http() -> helve::Toolset {
    http::toolset()
}

/// Returns the toolset of the tools for GitHub, of which eight read and eight write.
///
/// Those that read run without a question, and those that write ask with what they would do and where. The settings of
/// the tools are the table `[github]`; the token is the environment variable `GITHUB_TOKEN`, which no tool holds.
///
/// ```
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// use helve::tool::Risk;
/// use helve::Tool as _;
///
/// let tools = helve::tools::github();
/// let merge = tools.get("github_pr_merge").unwrap();
/// assert_eq!(merge.spec().risk, Risk::High);
/// let reading = tools.tools().into_iter().filter(|tool| tool.spec().annotations.read_only == Some(true));
/// let reading: Vec<_> = reading.map(|tool| tool.spec().name.to_string()).collect();
/// assert_eq!(
///     reading.join(", "),
///     "github_file, github_issue, github_notifications, github_pr, github_release, github_repo, github_run, github_search"
/// );
/// ```
#[cfg(feature = "github")]
#[must_use]
pub fn github() -> helve::Toolset {
    github::toolset()
}

/// Returns the toolset of the memory: [`memory`](fn@memory::memory), [`memory_search`](fn@memory::memory_search),
/// [`remember`](fn@memory::remember), [`recall`](fn@memory::recall) and [`forget`](fn@memory::forget).
///
/// The tools work on the [memory](helve::memory::Memory) that the app grants, which the command line does. What a model
/// writes after it has read text from outside waits until a person has reviewed it.
///
/// ```
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// assert_eq!(helve::tools::memory().names().join(", "), "forget, memory, memory_search, recall, remember");
/// ```
#[cfg(feature = "memory")]
#[must_use]
pub fn memory() -> helve::Toolset {
    memory::toolset()
}

/// Returns the toolset of [`view_image`](fn@image::view_image), which shows a file, an image on the web or an attachment.
///
/// The settings of the tool are the table `[view_image]`. The hook [`PrepareImages`](image::PrepareImages) prepares the
/// images in the results of other tools in the same way.
///
/// ```
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// use helve::permission::{Mode, Policy, Verdict};
/// use helve::ToolContext;
///
/// let view_image = helve::tools::view_image().get("view_image").unwrap();
/// let policy = Policy::new(Mode::Default);
/// let judgement = policy.judge(&*view_image, &ToolContext::new(), r#"{"source": "plan.png"}"#).unwrap();
/// assert_eq!(judgement.verdict, Verdict::Allow);
/// ```
#[cfg(feature = "view-image")]
#[must_use]
pub fn view_image() -> helve::Toolset {
    image::toolset()
}

/// Returns the toolset of schedules: [`schedule_create`](fn@schedule::schedule_create),
/// [`schedule_list`](fn@schedule::schedule_list), [`schedule_change`](fn@schedule::schedule_change),
/// [`schedule_delete`](fn@schedule::schedule_delete) and [`schedule_runs`](fn@schedule::schedule_runs).
///
/// The runs of a schedule have the authority of the turn that makes it. They are made by the command `daemon`, or by a
/// [`ScheduleRunner`](helve::schedule::ScheduleRunner).
///
/// ```
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// use helve::permission::{Mode, Policy, Verdict};
/// use helve::{Tool as _, ToolContext};
///
/// let tools = helve::tools::schedule();
/// let create = tools.get("schedule_create").unwrap();
/// let arguments = r#"{"name": "Tea", "prompt": "Remind me of the tea.", "when": "in 5m"}"#;
/// let judged = Policy::new(Mode::Default).judge(&*create, &ToolContext::new(), arguments).unwrap();
/// assert!(matches!(judged.verdict, Verdict::Ask { .. }));
/// ```
#[cfg(feature = "schedule")]
#[must_use]
pub fn schedule() -> helve::Toolset {
    helve::toolset![
        schedule::schedule_change,
        schedule::schedule_create,
        schedule::schedule_delete,
        schedule::schedule_list,
        schedule::schedule_runs
    ]
}

/// Returns the toolset of [`session_search`](fn@session_search::session_search), which finds messages of past sessions, and
/// [`session_read`](fn@session_search::session_read), which reads a session.
///
/// An app with `app!` searches its own sessions, those of its user alone. Other programs add a
/// [`SessionSearch`](helve::session_search::SessionSearch) to the state of the app.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// use std::sync::Arc;
/// use helve::session_search::SessionSearch;
/// use helve::{State, ToolContext};
///
/// # let folder = tempfile::tempdir()?;
/// let mut state = State::new();
/// state.insert(SessionSearch::in_folder(folder.path().join("sessions"), folder.path()));
/// let context = ToolContext::builder().app(Arc::new(state)).build();
/// let question = r#"{"query": "the branch of releases", "folders": "all"}"#;
/// let output = helve::tools::session_search().call("session_search", question, &context).await;
/// let output = output.map_err(|error| error.to_string())?;
/// assert_eq!(output.text(), "No message matches `the branch of releases`; try other words.");
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "session-search")]
#[must_use]
pub fn session_search() -> helve::Toolset {
    session_search::toolset()
}

/// Returns the toolset of [`index_folder`](fn@files::documents::index_folder), which indexes the text of the files in a
/// folder, and [`search_documents`](fn@files::documents::search_documents), which finds passages of them.
///
/// The tools reach what the file tools do. The index is that of the app, a
/// [`TextIndex`](helve::text_index::TextIndex) in its state.
///
/// ```
/// use std::sync::Arc;
/// use helve::capability::Grants;
/// use helve::sandbox::LocalFs;
/// use helve::text_index::TextIndex;
/// use helve::{State, ToolContext};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// # let (folder, index) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// std::fs::write(folder.path().join("deploy.md"), "# Releases\n\nThey are deployed from `stable`.\n")?;
/// let files = Arc::new(LocalFs::new(folder.path())?);
/// let mut state = State::new();
/// state.insert(TextIndex::open(index.path())?);
/// let cx = ToolContext::builder()
///     .app(Arc::new(state))
///     .grants(Grants { files: Some(files), ..Grants::default() })
///     .build();
/// let tools = helve::tools::documents();
/// tools.call("index_folder", "{}", &cx).await.unwrap();
/// let found = tools.call("search_documents", r#"{"query": "deploying a release"}"#, &cx).await.unwrap();
/// assert_eq!(
///     found.text(),
///     "1 passage in `.` matches `deploying a release`:\n\ndeploy.md:3-3 (Releases)\nThey are deployed from `stable`."
/// );
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "documents")]
#[must_use]
pub fn documents() -> helve::Toolset {
    helve::toolset![
        files::documents::index_folder,
        files::documents::search_documents
    ]
}
