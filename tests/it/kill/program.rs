//! The program that is killed and started again: an agent with a session, which it goes on with.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use helve::State;
use helve::agent::session::{About, FolderStore, SessionError, Sessions};
use helve::agent::turn::EndReason;
use helve::agent::{Agent, Conversation};
use helve::permission::{Answer, Approver, Decision, Question};
use helve::prelude::*;
use helve::transcript::SessionId;

use crate::kill::script::{Script, Scripted, TURNS};
use crate::kill::store::DeadlyStore;
use crate::kill::tools::{Around, Witness, tools};
use crate::kill::trap::{Death, Trap};

const FOLDER: &str = "HELVE_KILLED_FOLDER";
const SEED: &str = "HELVE_KILLED_SEED";
const DEATH: &str = "HELVE_KILLED_DEATH";

/// The session of a folder.
pub(crate) fn session() -> SessionId {
    SessionId::from("killed")
}

/// Where a program leaves what it leaves.
pub(crate) fn witness(folder: &Path) -> PathBuf {
    folder.join("witness")
}

/// Starts the program and waits until it is done, or dead.
pub(crate) fn start(folder: &Path, seed: u64, death: Option<Death>) -> (ExitStatus, String) {
    let mut command = Command::new(env::current_exe().expect("a program"));
    command
        .args([
            "--exact",
            "kill::program::the_program",
            "--ignored",
            "--nocapture",
        ])
        .env(FOLDER, folder)
        .env(SEED, seed.to_string())
        .stdin(Stdio::null());
    if let Some(death) = death {
        command.env(DEATH, death.to_string());
    }
    let output = command.output().expect("the program starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status, String::from_utf8_lossy(&said).into_owned())
}

/// The program itself: a process of its own, in the clothes of a test.
#[test]
#[ignore = "it is what the other tests start and kill"]
fn the_program() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        println!("the program was started by hand, and has nothing to do");
        return;
    };
    let seed = env::var(SEED).expect("a seed").parse().expect("a number");
    let death = env::var(DEATH).ok();
    let death = death.map(|death| death.parse().expect("a way to die"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let trap = Arc::new(Trap::new(death));
    let done = runtime.block_on(run(&folder, seed, &trap));
    done.expect("the session can be written");
}

async fn run(folder: &Path, seed: u64, trap: &Arc<Trap>) -> Result<(), SessionError> {
    let sessions = Sessions::new(DeadlyStore {
        inner: FolderStore::new(folder.join("sessions")),
        trap: trap.clone(),
    });
    let mut conversation = match sessions.load(&session()).await {
        Ok(loaded) => Conversation::from(loaded),
        Err(SessionError::Unknown { .. }) => {
            let about = About::new("killed").session(session());
            Conversation::new(sessions.create(about).await?)
        }
        Err(error) => return Err(error),
    };
    let agent = agent(seed, trap);
    let context = context(folder, trap);
    go_on(&agent, &mut conversation, &context).await
}

/// Goes on with a session to its end.
pub(crate) async fn go_on(
    agent: &Agent,
    conversation: &mut Conversation,
    context: &ToolContext,
) -> Result<(), SessionError> {
    if let Some(report) = agent.resume(conversation, context, |_event| {}).await? {
        assert_eq!(
            report.end(),
            Some(EndReason::Finished),
            "{:?}",
            report.error
        );
    }
    while conversation.session().standing().turns < TURNS {
        let prompt = Script::prompt(conversation.session().standing().turns + 1);
        let report = agent
            .run_in(conversation, prompt, context, |_event| {})
            .await?;
        assert_eq!(
            report.end(),
            Some(EndReason::Finished),
            "{:?}",
            report.error
        );
    }
    Ok(())
}

/// Makes the agent, and the one that it hands tasks to.
pub(crate) fn agent(seed: u64, trap: &Arc<Trap>) -> Agent {
    let agent = |id: &str, is_helper| {
        let script = Script { seed, is_helper };
        let trap = trap.clone();
        Agent::new(
            id,
            Scripted {
                script,
                trap: trap.clone(),
            },
        )
        .toolset(tools())
        .approver(Yes)
        .hook(Around(trap))
    };
    agent("main", false).delegate(agent("helper", true))
}

pub(crate) fn context(folder: &Path, trap: &Arc<Trap>) -> ToolContext {
    let mut state = State::new();
    state.insert(Witness {
        file: witness(folder),
        trap: trap.clone(),
    });
    ToolContext::builder().app(Arc::new(state)).build()
}

/// Allows everything.
struct Yes;

impl Approver for Yes {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        std::future::ready(Decision::allow_once().into()).boxed()
    }
}
