//! One turn of the agent, driven from the terminal.

use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::finish::finish;
use super::interrupt::interrupt_on_ctrl_c;
use super::job::Job;
use super::open::{self, Kept};
use crate::agent::{Agent, AgentEvent};
use crate::cli::assembly::Assembly;
use crate::cli::commands::block_on;
use crate::cli::nobody::Nobody;
use crate::cli::render::Renderer;
use crate::cli::terminal::Terminal;
use crate::cli::{exit, output};
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
pub(in crate::cli) fn run(assembly: &Assembly, job: &Job, kept: &Kept, work: Work) -> ExitCode {
    match block_on(drive(assembly, job, kept, work)) {
        Ok(code) => code,
        Err(error) => exit::failed(&error),
    }
}

async fn drive(assembly: &Assembly, job: &Job, kept: &Kept, work: Work) -> ExitCode {
    let conversation = match open::open(assembly, kept).await {
        Ok(conversation) => conversation,
        Err(error) => return exit::failed(&error),
    };
    if let Work::Say(message) = &work {
        output::line(&format!("> {}\n", text(message)));
    }
    let agent = asking(job.agent(assembly, conversation.is_some()), job);
    let stop = CancellationToken::new();
    let context = job.context(assembly, stop.clone());
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
        Err(error) => exit::failed(&error),
    }
}

/// Says who answers when a call needs approval: whoever sits at the terminal, somebody later, or nobody.
fn asking(agent: Agent, job: &Job) -> Agent {
    if job.defers {
        return agent.approver(Deferred);
    }
    match Terminal::attached() {
        Some(terminal) => agent.approver(TimeLimited::new(terminal)),
        None => agent.approver(Nobody::new()),
    }
}

fn text(message: &Message) -> String {
    match message {
        Message::User { content } => content.iter().filter_map(ContentBlock::as_text).collect(),
        _ => String::new(),
    }
}
