//! One turn of the agent, driven from the terminal.

use std::error::Error;
use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::finish::finish;
use super::interrupt::interrupt_on_ctrl_c;
use super::open::{self, Kept, OpenError};
use super::run_options::RunOptions;
use super::telling::Telling;
use crate::agent::session::SessionError;
use crate::agent::{Agent, Conversation, TurnReport};
use crate::cli::app_context::AppContext;
use crate::cli::non_interactive::NonInteractive;
use crate::cli::terminal::Terminal;
use crate::cli::{exit, hint, output};
use crate::permission::{Deferred, TimeLimited};
use crate::transcript::{ContentBlock, Message};

/// What the agent is to do.
pub(in crate::cli) enum Work {
    /// Answer this.
    Say(Message),
    /// Go on with what is open.
    GoOn,
}

/// Lets the agent work until it is done, or waits for somebody elsewhere.
pub(in crate::cli) async fn run(
    app: &AppContext,
    job: &RunOptions,
    kept: &Kept,
    work: Work,
) -> ExitCode {
    let conversation = match open::open(app, kept).await {
        Ok(conversation) => conversation,
        Err(OpenError::Session(
            error @ (SessionError::Unknown { .. } | SessionError::InvalidId { .. }),
        )) => {
            let code = exit::wrong_usage(&error);
            output::note(&format!("`{} sessions list` shows them", app.binary()));
            return code;
        }
        Err(error) => return failed(app, &error),
    };
    let session = conversation
        .as_ref()
        .map(|open| open.session().id().clone());
    let asks_here = !job.defers && !job.json && Terminal::is_attached();
    app.client.begin(&job.model, asks_here);
    #[cfg(feature = "mcp")]
    super::servers::servers_ready(app).await;
    let telling = match job.json {
        false => Telling::to_person(asks_here),
        true => match Telling::to_program(app, session.as_ref()) {
            Ok(telling) => telling,
            Err(error) => return exit::failed(&error),
        },
    };
    if let Work::Say(message) = &work
        && !job.json
    {
        output::line(&format!("> {}\n", text(message)));
    }
    let reported = work_on(app, job, conversation, work, &telling).await;
    job.finish_recording().await;
    telling.finish(reported.as_ref().ok().and_then(Option::as_ref));
    match reported {
        Ok(Some(report)) => finish(app, &report, session.as_ref(), job.json),
        Ok(None) => {
            output::note("nothing is open in this conversation: there is nothing to go on with");
            ExitCode::SUCCESS
        }
        Err(error) => failed(app, &error),
    }
}

/// Tells an error, and what to do about it where the disk has to do with it.
fn failed(app: &AppContext, error: &(dyn Error + 'static)) -> ExitCode {
    let code = exit::failed(error);
    if let Some(mend) = hint::of_state(error, app.package.name) {
        output::note(&mend);
    }
    code
}

/// Lets the agent work; `None` where nothing is open.
async fn work_on(
    app: &AppContext,
    job: &RunOptions,
    conversation: Option<Conversation>,
    work: Work,
    telling: &Telling,
) -> Result<Option<TurnReport>, SessionError> {
    let agent = asking(job.agent(app, conversation.is_some()), job);
    let stop = CancellationToken::new();
    let context = job.context(app, stop.clone());
    let _listening = interrupt_on_ctrl_c(stop);
    let events = telling.sink();
    match (work, conversation) {
        (Work::Say(message), Some(mut conversation)) => {
            let run = agent.run_in(&mut conversation, message, &context, events);
            run.await.map(Some)
        }
        (Work::Say(message), None) => Ok(Some(agent.run(vec![message], &context, events).await)),
        (Work::GoOn, Some(mut conversation)) => {
            agent.resume(&mut conversation, &context, events).await
        }
        (Work::GoOn, None) => Ok(None),
    }
}

/// Says who answers when a call needs approval: whoever sits at the terminal, somebody later, or nobody.
fn asking(agent: Agent, job: &RunOptions) -> Agent {
    if job.defers {
        return agent.approver(Deferred);
    }
    match Terminal::attached().filter(|_| !job.json) {
        Some(terminal) => agent.approver(TimeLimited::new(terminal)),
        None => agent.approver(NonInteractive::new()),
    }
}

fn text(message: &Message) -> String {
    match message {
        Message::User { content } => content.iter().filter_map(ContentBlock::as_text).collect(),
        _ => String::new(),
    }
}
