//! One turn of the agent, driven from the terminal.

use std::error::Error;
use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::event_output::EventOutput;
use super::finish::report_turn;
use super::interrupt::interrupt_on_ctrl_c;
use super::run_options::RunOptions;
use super::session_choice::{self, OpenError, SessionChoice};
use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::non_interactive::NonInteractive;
use crate::{hooks, state_hint};
use helve_agent::session::SessionError;
use helve_agent::{Agent, Conversation, TurnReport};
use helve_core::transcript::{ContentBlock, Message};
use helve_permission::DeferAll;
use helve_terminal::output;
use helve_terminal::questions::Terminal;

pub(crate) enum TurnInput {
    Message(Message),
    /// No message: the open turn is resumed.
    Resume,
}

/// Runs the agent until the turn ends or waits for an answer from elsewhere.
pub(crate) async fn run(
    app: &AppContext,
    job: &RunOptions,
    choice: &SessionChoice,
    input: TurnInput,
) -> CommandResult {
    let conversation = match session_choice::open_conversation(app, choice).await {
        Ok(conversation) => conversation,
        Err(OpenError::Session(
            error @ (SessionError::Unknown { .. } | SessionError::InvalidId { .. }),
        )) => {
            let code = exit::wrong_usage(&error);
            let binary = app.binary();
            output::note(&format!("help: run `{binary} sessions list` for a list"));
            return Err(code);
        }
        Err(error) => return Err(report_failure(app, &error)),
    };
    let session = conversation
        .as_ref()
        .map(|open| open.session().id().clone());
    let is_new = matches!(choice, SessionChoice::New | SessionChoice::Unrecorded);
    let asks_here = !job.defers_questions && !job.json && Terminal::is_attached();
    app.client.set_agent(&job.model, asks_here);
    #[cfg(feature = "mcp")]
    super::servers::wait_for_servers(app).await;
    let telling = match job.json {
        false => EventOutput::terminal(asks_here),
        true => EventOutput::ndjson(app, session.as_ref()).or_failed()?,
    };
    if let TurnInput::Message(message) = &input
        && !job.json
    {
        output::line(&format!("> {}\n", message_text(message)));
    }
    let source = if is_new { "startup" } else { "resume" };
    let context = hooks::session_started(app, source, session.as_ref()).await;
    let input = match input {
        TurnInput::Message(message) => {
            let sent = hooks::submit(app, message, context).await;
            TurnInput::Message(sent.map_err(|why| exit::with_message(exit::FAILED, why))?)
        }
        TurnInput::Resume => TurnInput::Resume,
    };
    let reported = run_turn(app, job, conversation, input, &telling).await;
    hooks::session_ended(app, "other").await;
    job.finish_recording().await;
    telling.finish(reported.as_ref().ok().and_then(Option::as_ref));
    match reported {
        Ok(Some(report)) => Ok(report_turn(app, &report, session.as_ref(), job.json)),
        Ok(None) => {
            output::note("the session has no open turn to resume");
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => Err(report_failure(app, &error)),
    }
}

/// Prints an error, and a hint if the disk is the cause.
fn report_failure(app: &AppContext, error: &(dyn Error + 'static)) -> ExitCode {
    let code = exit::failed(error);
    if let Some(hint) = state_hint::for_state_error(error, app.package.name) {
        output::note(&hint);
    }
    code
}

/// Runs the agent; `None` if there is no open turn to resume.
async fn run_turn(
    app: &AppContext,
    job: &RunOptions,
    conversation: Option<Conversation>,
    input: TurnInput,
    telling: &EventOutput,
) -> Result<Option<TurnReport>, SessionError> {
    let resumed = match &input {
        TurnInput::Resume => conversation.as_ref().and_then(Conversation::open_turn),
        TurnInput::Message(_) => None,
    };
    let agent = job.agent_of_turn(app, conversation.is_some(), resumed);
    let agent = with_approver(app, agent, job);
    let stop = CancellationToken::new();
    let context = job.context(app, stop.clone());
    let _listening = interrupt_on_ctrl_c(stop);
    let events = telling.sink();
    match (input, conversation) {
        (TurnInput::Message(message), Some(mut conversation)) => {
            let run = agent.run_in(&mut conversation, message, &context, events);
            run.await.map(Some)
        }
        (TurnInput::Message(message), None) => {
            Ok(Some(agent.run(vec![message], &context, events).await))
        }
        (TurnInput::Resume, Some(mut conversation)) => {
            agent.resume(&mut conversation, &context, events).await
        }
        (TurnInput::Resume, None) => Ok(None),
    }
}

/// Sets the approver: the user at the terminal, an answer that is given later, or none.
fn with_approver(app: &AppContext, agent: Agent, job: &RunOptions) -> Agent {
    if job.defers_questions {
        return hooks::set_approver(app, agent, DeferAll);
    }
    match Terminal::attached().filter(|_| !job.json) {
        Some(terminal) => job.with_terminal(app, agent, terminal),
        None => hooks::set_approver(app, agent, NonInteractive::new()),
    }
}

fn message_text(message: &Message) -> String {
    match message {
        Message::User { content } => content.iter().filter_map(ContentBlock::as_text).collect(),
        _ => String::new(),
    }
}
