//! The agent of an app, driven from the terminal.

use std::process::ExitCode;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::open::{self, Kept};
use crate::agent::reading::Reader;
use crate::agent::turn::EndReason;
use crate::agent::{Agent, AgentEvent, TurnReport, TurnStatus};
use crate::cli::assembly::Assembly;
use crate::cli::commands::block_on;
use crate::cli::nobody::Nobody;
use crate::cli::render::Renderer;
use crate::cli::session_folder;
use crate::cli::terminal::Terminal;
use crate::cli::{output, permissions};
use crate::model::Model;
use crate::permission::{Deferred, Policy, TimeLimited};
use crate::transcript::{ContentBlock, Message, SessionId};

/// The turn waits for somebody elsewhere.
const WAITING: u8 = 3;

/// What the agent works with.
pub(super) struct Job {
    pub(super) model: Arc<dyn Model>,
    pub(super) policy: Policy,
    pub(super) dry_run: bool,
    /// Whether questions are put off.
    pub(super) defers: bool,
}

/// What the agent is to do.
pub(super) enum Work {
    /// Answer this.
    Say(Message),
    /// Go on with what is open.
    GoOn,
}

pub(super) fn run(assembly: &Assembly, job: &Job, kept: &Kept, work: Work) -> ExitCode {
    match block_on(drive(assembly, job, kept, work)) {
        Ok(code) => code,
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    }
}

async fn drive(assembly: &Assembly, job: &Job, kept: &Kept, work: Work) -> ExitCode {
    let conversation = match open::open(assembly, kept).await {
        Ok(conversation) => conversation,
        Err(error) => return failed(&error),
    };
    if let Work::Say(message) = &work {
        output::line(&format!("> {}\n", text(message)));
    }
    let mut agent = agent(assembly, job);
    if conversation.is_some()
        && let Ok(results) = session_folder::results(assembly.package.name)
    {
        // What is cut of a result lies beside the session, so that another process can read on in it.
        agent = agent.reader(Reader::new().spill(Arc::new(results)));
    }
    let stop = CancellationToken::new();
    let context = assembly.context().derive().dry_run(job.dry_run);
    let context = context.cancellation(stop.clone()).build();
    let _listening = interrupt_on_ctrl_c(stop);
    let asks_here = !job.defers && Terminal::is_attached();
    let renderer = Renderer::default().leave_questions(asks_here);
    let events = move |event: AgentEvent| renderer.show(&event);
    let Some(mut conversation) = conversation else {
        let Work::Say(message) = work else {
            return ExitCode::SUCCESS;
        };
        let report = agent.run(vec![message], &context, events).await;
        return finish(assembly, &report, None);
    };
    let report = match work {
        Work::Say(message) => {
            let run = agent.run_in(&mut conversation, message, &context, events);
            run.await.map(Some)
        }
        Work::GoOn => agent.resume(&mut conversation, &context, events).await,
    };
    match report {
        Ok(Some(report)) => finish(assembly, &report, Some(conversation.session().id())),
        Ok(None) => {
            output::note("nothing is open in this conversation: there is nothing to go on with");
            ExitCode::SUCCESS
        }
        Err(error) => failed(&error),
    }
}

fn failed(error: &dyn std::error::Error) -> ExitCode {
    output::error(error);
    ExitCode::FAILURE
}

fn agent(assembly: &Assembly, job: &Job) -> Agent {
    let mut agent = Agent::with_model("main", job.model.clone())
        .toolset(assembly.toolset.clone())
        .policy(job.policy.clone())
        .rule_files(permissions::files(assembly));
    if let Some(instructions) = instructions(assembly) {
        agent = agent.instructions(instructions);
    }
    if job.defers {
        return agent.approver(Deferred);
    }
    match Terminal::attached() {
        Some(terminal) => agent.approver(TimeLimited::new(terminal)),
        None => agent.approver(Nobody::new()),
    }
}

/// Interrupts the turn on the first Ctrl-C; the second one ends the process, as it always did.
fn interrupt_on_ctrl_c(stop: CancellationToken) -> Listening {
    Listening(tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_err() {
            return;
        }
        output::note("\ninterrupting; once more ends the program at once");
        stop.cancel();
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(INTERRUPTED);
        }
    }))
}

/// What a shell says of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Stops listening when it is dropped.
struct Listening(tokio::task::JoinHandle<()>);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Says where the conversation is and how to go on, and makes of a report the code to exit with.
fn finish(assembly: &Assembly, report: &TurnReport, session: Option<&SessionId>) -> ExitCode {
    let binary = assembly.binary();
    match (&report.status, session) {
        (TurnStatus::Ended(EndReason::Finished), _) => ExitCode::SUCCESS,
        (TurnStatus::Ended(_), _) => ExitCode::FAILURE,
        (
            TurnStatus::Waiting {
                approvals,
                external,
            },
            Some(session),
        ) => {
            for call in approvals {
                output::note(&format!(
                    "waiting for an answer: {binary} sessions answer {session} {call} allow|reject"
                ));
            }
            for call in external {
                output::note(&format!(
                    "waiting for a result: {binary} sessions result {session} {call} JSON"
                ));
            }
            output::note(&format!("then go on: {binary} resume {session}"));
            ExitCode::from(WAITING)
        }
        (_, session) => {
            let why = report.error.as_deref().unwrap_or("it waits for somebody");
            output::note(&format!("error: the turn cannot go on: {why}"));
            if let Some(session) = session {
                output::note(&format!(
                    "what is recorded can be gone on with: {binary} resume {session}"
                ));
            }
            ExitCode::FAILURE
        }
    }
}

fn text(message: &Message) -> String {
    match message {
        Message::User { content } => content.iter().filter_map(ContentBlock::as_text).collect(),
        _ => String::new(),
    }
}

/// Joins the app's instructions and the list of its skills.
fn instructions(assembly: &Assembly) -> Option<String> {
    #[cfg(feature = "skills")]
    let skills = (!assembly.skills.is_empty()).then(|| assembly.skills.prompt());
    #[cfg(not(feature = "skills"))]
    let skills: Option<String> = None;
    let parts: Vec<String> = assembly
        .instructions
        .iter()
        .cloned()
        .chain(skills)
        .collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}
