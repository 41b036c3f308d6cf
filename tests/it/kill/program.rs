//! The program that is killed and started again: an agent with a session, which it goes on with.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use helve::State;
use helve::agent::session::{FolderStore, SessionError, SessionMetadata, Sessions};
use helve::agent::turn::{EndReason, Review};
use helve::agent::{Agent, Conversation, Guard, GuardError, GuardInput, GuardPoint};
use helve::permission::{Answer, Approver, Decision, Question};
use helve::prelude::*;
use helve::transcript::SessionId;

use crate::kill::crash_point::{CrashInjector, CrashPlan};
use crate::kill::script::{CrashingModel, Script, TURNS};
use crate::kill::store::CrashingStore;
use crate::kill::tools::{CrashingHook, RunLog, tools};

const FOLDER_VARIABLE: &str = "HELVE_KILLED_FOLDER";
const SEED_VARIABLE: &str = "HELVE_KILLED_SEED";
const CRASH_VARIABLE: &str = "HELVE_KILLED_DEATH";

/// The session of a folder.
pub(crate) fn session() -> SessionId {
    SessionId::from("killed")
}

/// Where a program leaves what it leaves.
pub(crate) fn witness(folder: &Path) -> PathBuf {
    folder.join("witness")
}

/// Starts the program and waits until it is done, or dead.
pub(crate) fn start(folder: &Path, seed: u64, death: Option<CrashPlan>) -> (ExitStatus, String) {
    let mut command = Command::new(env::current_exe().expect("a program"));
    command
        .args([
            "--exact",
            "kill::program::the_program",
            "--ignored",
            "--nocapture",
        ])
        .env(FOLDER_VARIABLE, folder)
        .env(SEED_VARIABLE, seed.to_string())
        .stdin(Stdio::null());
    if let Some(death) = death {
        command.env(CRASH_VARIABLE, death.to_string());
    }
    let output = command.output().expect("the program starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status, String::from_utf8_lossy(&said).into_owned())
}

/// The program itself: a process of its own, in the clothes of a test.
#[test]
#[ignore = "it is what the other tests start and kill"]
fn the_program() {
    let Some(folder) = env::var_os(FOLDER_VARIABLE).map(PathBuf::from) else {
        println!("the program was started by hand, and has nothing to do");
        return;
    };
    let seed = env::var(SEED_VARIABLE)
        .expect("a seed")
        .parse()
        .expect("a number");
    let death = env::var(CRASH_VARIABLE).ok();
    let death = death.map(|death| death.parse().expect("a way to die"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let trap = Arc::new(CrashInjector::new(death));
    let done = runtime.block_on(run(&folder, seed, &trap));
    done.expect("the session can be written");
}

async fn run(folder: &Path, seed: u64, trap: &Arc<CrashInjector>) -> Result<(), SessionError> {
    let sessions = Sessions::new(CrashingStore {
        inner: FolderStore::new(folder.join("sessions")),
        trap: trap.clone(),
    });
    let mut conversation = match sessions.load(&session()).await {
        Ok(loaded) => Conversation::from(loaded),
        Err(SessionError::Unknown { .. }) => {
            let about = SessionMetadata::new("killed").session(session());
            Conversation::new(sessions.create(about).await?)
        }
        Err(error) => return Err(error),
    };
    let agent = agent(seed, trap);
    let context = context(folder, trap);
    resume_to_end(&agent, &mut conversation, &context).await
}

/// Goes on with a session to its end.
pub(crate) async fn resume_to_end(
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
    while conversation.session().state().turns < TURNS {
        let prompt = Script::prompt(conversation.session().state().turns + 1);
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
pub(crate) fn agent(seed: u64, trap: &Arc<CrashInjector>) -> Agent {
    let agent = |id: &str, is_helper| {
        let script = Script { seed, is_helper };
        let trap = trap.clone();
        Agent::new(
            id,
            CrashingModel {
                script,
                trap: trap.clone(),
            },
        )
        .toolset(tools())
        .approver(AllowAll)
        .hook(CrashingHook(trap))
    };
    let agent = |id, is_helper| agent(id, is_helper).guard(Watch);
    agent("main", false).delegate(agent("helper", true))
}

pub(crate) fn context(folder: &Path, trap: &Arc<CrashInjector>) -> ToolContext {
    let mut state = State::new();
    state.insert(RunLog {
        file: witness(folder),
        trap: trap.clone(),
    });
    ToolContext::builder().app(Arc::new(state)).build()
}

/// Adds a note to each prompt, and has nothing against a reply.
struct Watch;

impl Guard for Watch {
    fn name(&self) -> &str {
        "watch"
    }

    fn checks(&self, point: GuardPoint) -> bool {
        matches!(point, GuardPoint::Prompt | GuardPoint::Reply)
    }

    fn check<'a>(&'a self, input: &'a GuardInput<'a>) -> BoxFuture<'a, Result<Review, GuardError>> {
        let review = match input.point {
            GuardPoint::Prompt => Review::again("Watch out."),
            _ => Review::Pass,
        };
        std::future::ready(Ok(review)).boxed()
    }

    fn holds_in_delegates(&self) -> bool {
        false
    }
}

/// Allows everything.
struct AllowAll;

impl Approver for AllowAll {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        std::future::ready(Decision::allow_once().into()).boxed()
    }
}
