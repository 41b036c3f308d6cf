//! An app for the tests of the terminal: its model and its tools wait where a test wants to look.
//!
//! A gate is a name, and open once a file of that name is in the folder `WORKSHOP_GATES`. The model plays the recording
//! `WORKSHOP_RECORDING` and waits before each signature of thinking until the gate of that name is open.

use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;
use std::task::Poll;
use std::time::Duration;

use helve::model::{ModelEvent, Recording, ReplayModel};
use helve::prelude::*;
use helve::tool::{Check, CheckReport, Preview, ProgressUpdate};

type GateFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Waits until a gate is open.
fn wait_for_gate(name: &str) -> GateFuture {
    let folder = std::env::var_os("WORKSHOP_GATES").map_or_else(PathBuf::new, PathBuf::from);
    let gate = folder.join(name);
    Box::pin(std::future::poll_fn(move |cx| {
        if gate.exists() {
            return Poll::Ready(());
        }
        let waker = cx.waker().clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            waker.wake();
        });
        Poll::Pending
    }))
}

/// Writes a note.
#[tool(check = check_note)]
fn write_note(
    /// The file.
    path: &str,
    /// What it says.
    text: &str,
) -> String {
    format!("{path} has {} lines", text.lines().count())
}

fn check_note(_: &ToolContext, path: &str, text: &str) -> CheckReport {
    let before = "# Notes\n\nBuy milk.\nCall Ann.\n";
    Check::ask(format!("it changes `{path}`")).with_preview(Preview::diff(path, Some(before), text))
}

/// Builds something, until the gate `built` is open.
#[tool(read_only)]
async fn build(cx: &ToolContext) -> String {
    cx.progress().report(ProgressUpdate::step(3.0, 7.0));
    cx.progress().message("Compiling the workshop");
    wait_for_gate("built").await;
    "built 7 of 7".to_owned()
}

/// Does not listen to anybody for a minute.
#[tool(read_only, blocking)]
fn sleep() {
    std::thread::sleep(Duration::from_secs(60));
}

fn main() -> ExitCode {
    let app = helve::app!().pack(helve::tools::shell());
    let Some(file) = std::env::var_os("WORKSHOP_RECORDING") else {
        return app.main();
    };
    let recording = std::fs::read_to_string(file).map(|text| Recording::parse(&text));
    let Ok(Ok(recording)) = recording else {
        return ExitCode::FAILURE;
    };
    let model = ReplayModel::new(recording).with_pace(|event| match event {
        ModelEvent::ThinkingSignature { signature } => wait_for_gate(signature),
        _ => Box::pin(std::future::ready(())),
    });
    app.model(model).main()
}
