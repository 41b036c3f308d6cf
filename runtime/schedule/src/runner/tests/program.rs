//! A daemon that is killed and started again: the program of the tests, in a process of its own.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use helve::State;
use helve::prelude::*;
use helve_agent::Agent;
use helve_agent::session::{FolderStore, SessionMetadata, Sessions};
use helve_core::transcript::Message;
use helve_model::{Model, ModelRequest, Reply};
use helve_permission::{Mode, Policy};
use tokio_util::sync::CancellationToken;

use super::super::ScheduleRunner;
use crate::schedules::Schedules;

const FOLDER_VARIABLE: &str = "HELVE_DAEMON_FOLDER";

/// Where a run leaves that it was there.
pub(super) struct Ledger(PathBuf);

/// Writes a line into the ledger: work that must not be done twice.
#[tool]
async fn book(
    /// The line.
    line: &str,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let ledger = cx.app_state().get::<Ledger>()?.expect("a ledger");
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .open(&ledger.0)?;
    file.write_all(format!("{line}\n").as_bytes())?;
    // This takes a while, in which what was done is not recorded yet.
    file.sync_all()?;
    Ok("booked".to_owned())
}

/// Starts the daemon of a folder, with more variables of the environment.
pub(super) fn start(folder: &Path, environment: &[(&str, String)]) -> Child {
    Command::new(std::env::current_exe().expect("a program"))
        .args([
            "--exact",
            "runner::tests::program::the_daemon",
            "--ignored",
            "--nocapture",
        ])
        .env(FOLDER_VARIABLE, folder)
        .envs(
            environment
                .iter()
                .map(|(name, value)| (*name, value.as_str())),
        )
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

pub(super) fn ledger(folder: &Path) -> PathBuf {
    folder.join("ledger")
}

/// Returns the schedules of a folder.
pub(super) fn schedules(folder: &Path) -> Schedules {
    let sessions = Sessions::new(FolderStore::new(folder.join("sessions")));
    let about = SessionMetadata::new("daemon").folder("/project");
    Schedules::lazy(sessions, folder.join("state.db"), about)
}

/// The daemon itself, in the clothes of a test.
#[test]
#[ignore = "it is what the other tests start and kill"]
fn the_daemon() {
    let Some(folder) = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from) else {
        println!("the daemon was started by hand, and has nothing to do");
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .expect("a runtime");
    let agent = Agent::new("main", model())
        .toolset(toolset![book])
        .policy(Policy::new(Mode::Bypass));
    let context = move || {
        let mut state = State::new();
        state.insert(Ledger(ledger(&folder)));
        ToolContext::builder()
            .app(std::sync::Arc::new(state))
            .build()
    };
    let folder = std::env::var_os(FOLDER_VARIABLE)
        .map(PathBuf::from)
        .expect("a folder");
    let runner = ScheduleRunner::new(schedules(&folder), [agent], context)
        .poll_interval(Duration::from_millis(20))
        .lease(Duration::from_secs(1))
        .parallel(8);
    let stop = CancellationToken::new();
    runtime
        .block_on(runner.run(&stop))
        .expect("the files can be written");
}

/// A model that books its run, and says so.
fn model() -> impl Model {
    helve_model::from_fn(|request: ModelRequest| async move {
        let is_booked = request
            .messages
            .iter()
            .any(|message| matches!(message, Message::Tool { .. }));
        let prompt = serde_json::to_value(request.messages.first()).unwrap_or_default();
        let prompt = prompt["content"][0]["text"].as_str().unwrap_or_default();
        let run = prompt
            .split("run=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let run = run.unwrap_or("unknown").to_owned();
        Ok(match is_booked {
            true => Reply::from("Booked."),
            false => Reply::from("").with_call("c1", "book", &serde_json::json!({ "line": run })),
        })
    })
}
