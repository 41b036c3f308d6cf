//! One turn of the agent, driven from the terminal.

use std::error::Error;
use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::bound_question::ask_after_bound;
use super::event_output::EventOutput;
use super::finish::report_turn;
use super::interrupt::interrupt_on_ctrl_c;
use super::run_options::RunOptions;
use super::session_choice::{self, OpenError, SessionChoice};
use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::non_interactive::NonInteractive;
use crate::{hooks, memory, state_hint};
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
    let output = EventOutput::new(app, job, session.as_ref(), asks_here).or_failed()?;
    if let TurnInput::Message(message) = &input
        && !job.json
    {
        output::line(&format!("> {}\n", message_text(message)));
    }
    let source = if is_new { "startup" } else { "resume" };
    hooks::session_started(app, source, session.as_ref(), &job.notes).await;
    if let TurnInput::Message(message) = &input {
        let sent = hooks::submit(app, message, &job.notes).await;
        sent.map_err(|why| exit::with_message(exit::FAILED, why))?;
        let agent = job.agent_of_message(conversation.as_ref());
        let session = session.as_ref();
        memory::recall(app, &agent, message, session, is_new, &job.notes).await;
    }
    let turns = Turns {
        app,
        job,
        conversation,
        said: Vec::new(),
    };
    let reported = turns.run(input, output).await;
    hooks::session_ended(app, "other").await;
    job.finish_recording().await;
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

/// The turns of a command: one, and others where the user goes on after a bound.
struct Turns<'a> {
    app: &'a AppContext,
    job: &'a RunOptions,
    conversation: Option<Conversation>,
    /// The conversation so far, if it is not recorded.
    said: Vec<Message>,
}

impl Turns<'_> {
    /// Runs turns until the user does not go on; `None` if there is no open turn to resume.
    async fn run(
        mut self,
        mut input: TurnInput,
        mut output: EventOutput,
    ) -> Result<Option<TurnReport>, SessionError> {
        loop {
            let reported = self.run_turn(input, &output).await;
            output.finish(reported.as_ref().ok().and_then(Option::as_ref));
            let report = match reported {
                Ok(Some(report)) => report,
                ended => return ended,
            };
            let Some(next) = ask_after_bound(self.job, &report).await else {
                return Ok(Some(report));
            };
            if let Err(why) = hooks::submit(self.app, &next, &self.job.notes).await {
                output::note(&why);
                return Ok(Some(report));
            }
            output::line(&format!("> {}\n", message_text(&next)));
            self.said = report.messages;
            input = TurnInput::Message(next);
            // The user is asked at a terminal.
            output = EventOutput::terminal(true);
        }
    }

    /// Runs the agent; `None` if there is no open turn to resume.
    async fn run_turn(
        &mut self,
        input: TurnInput,
        output: &EventOutput,
    ) -> Result<Option<TurnReport>, SessionError> {
        let resumes = matches!(input, TurnInput::Resume);
        let (app, job, recorded) = (self.app, self.job, self.conversation.as_ref());
        let agent = job.agent_of_turn(app, recorded.is_some(), recorded, resumes);
        let agent = with_approver(app, agent, job);
        let stop = CancellationToken::new();
        let context = job.context(app, stop.clone());
        let _listening = interrupt_on_ctrl_c(stop);
        let events = output.sink();
        match (input, &mut self.conversation) {
            (TurnInput::Message(message), Some(conversation)) => {
                let run = agent.run_in(conversation, message, &context, events);
                run.await.map(Some)
            }
            (TurnInput::Message(message), None) => {
                let mut said = std::mem::take(&mut self.said);
                said.push(message);
                Ok(Some(agent.run(said, &context, events).await))
            }
            (TurnInput::Resume, Some(conversation)) => {
                agent.resume(conversation, &context, events).await
            }
            (TurnInput::Resume, None) => Ok(None),
        }
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
