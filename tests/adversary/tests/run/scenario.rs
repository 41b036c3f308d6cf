//! One scenario: a sandbox, some turns of a hostile model, and what the user does afterwards.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use helve::ToolContext;
use helve::agent::turn::Bounds;
use helve::agent::{Agent, AgentEvent, EventKind};
use helve::capability::Grants;
use helve::sandbox::{LazySandbox, Sandbox};
use helve::transcript::Message;
use helve_adversary::{HostileModel, Rng, Theme};

use crate::person::Person;
use crate::switch::{self, Switch};
use crate::witness::Witness;
use crate::world::{self, Home, World};
use crate::{settings, user};

/// How many turns a scenario has, and how many calls a turn has that the agent makes itself.
const TURNS: usize = 2;
const CALLS: usize = 24;

/// How long the user waits for a command.
const PATIENCE: Duration = Duration::from_secs(1);

/// What came of calls, and what must not have come of them.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) counts: Counts,
    pub(crate) witnesses: Vec<Witness>,
}

/// What was told of a scenario so far.
#[derive(Debug, Default)]
struct Told {
    outcome: Outcome,
    /// The calls that are there to write.
    writing: BTreeSet<String>,
}

/// How many calls there were, by what came of them.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) steps: usize,
    pub(crate) denied: usize,
    pub(crate) rejected: usize,
    pub(crate) failed: usize,
    pub(crate) read: usize,
    pub(crate) wrote: usize,
}

impl Counts {
    pub(crate) fn ran(&self) -> usize {
        self.failed + self.read + self.wrote
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.steps += other.steps;
        self.denied += other.denied;
        self.rejected += other.rejected;
        self.failed += other.failed;
        self.read += other.read;
        self.wrote += other.wrote;
    }

    fn count(&mut self, writes: bool, text: &str, is_error: bool) {
        self.steps += 1;
        let kind = if text.starts_with("Tool call denied") {
            &mut self.denied
        } else if text.starts_with("Tool call rejected") {
            &mut self.rejected
        } else if is_error {
            &mut self.failed
        } else if writes {
            &mut self.wrote
        } else {
            &mut self.read
        };
        *kind += 1;
    }
}

/// Runs the scenario of a seed.
pub(crate) async fn run(home: &Home, seed: u64, left_out: Option<Switch>) -> Outcome {
    let mut rng = Rng::new(seed);
    // In turn, so that a few scenarios show all of them.
    let theme = Theme::ALL[(seed % Theme::ALL.len() as u64) as usize];
    let world = World::new(home);
    let sandbox = switch::open(world.policy(), left_out, home.listener.port).await;
    let sandbox = sandbox.expect("a sandbox");
    let context = ToolContext::builder()
        .grants(Grants {
            files: Some(switch::files(&*sandbox, left_out)),
            sandbox: Some(Arc::new(LazySandbox::opened(Arc::clone(&sandbox)))),
            ..Grants::default()
        })
        .build();
    let before = home.listener.accepted();
    let told = Arc::new(Mutex::new(Told::default()));
    let agent = agent(&mut rng, &world, theme);
    for _ in 0..TURNS {
        let noted = Arc::clone(&told);
        let listener = move |event: AgentEvent| note(&noted, event);
        agent(&mut rng)
            .run(vec![Message::user("Do it.")], &context, listener)
            .await;
    }
    // The user does not wait until the session is over, where nothing runs for the moment.
    if rng.once_in(2) && is_quiet(&*sandbox).await {
        user::use_programs(&world.targets.home, &world.targets.workspace);
    }
    sandbox.close().await.expect("an end");
    let mut outcome =
        std::mem::take(&mut told.lock().unwrap_or_else(PoisonError::into_inner).outcome);
    outcome.witnesses.extend(world.differences());
    user::use_programs(&world.targets.home, &world.targets.workspace);
    outcome.witnesses.extend(world.marks());
    outcome.witnesses.extend(home.differences());
    let connected = home.listener.accepted() - before;
    if connected > 0 {
        outcome.witnesses.push(Witness::Connected(connected));
    }
    outcome
}

/// Waits a little until no command runs, and reports whether that is so.
async fn is_quiet(sandbox: &dyn Sandbox) -> bool {
    for process in sandbox.list().await.unwrap_or_default() {
        let status = sandbox.status(&process.id, PATIENCE).await;
        if status.is_ok_and(|status| status.exit.is_none()) {
            return false;
        }
    }
    true
}

/// Returns what makes the agent of a turn: one that has all tools, and another agent with the same ones.
fn agent<'a>(
    rng: &mut Rng,
    world: &'a World,
    theme: Theme,
) -> impl Fn(&mut Rng) -> Agent + use<'a> {
    let (policy, helper_policy) = (settings::policy(rng), settings::policy(rng));
    let person = Arc::new(Person::new(rng.fork()));
    move |rng| {
        let tools = || helve::tools::files().layered(&helve::tools::shell());
        let model = |rng: &mut Rng, calls| {
            HostileModel::new(rng.fork(), Arc::clone(&world.targets), theme, calls)
        };
        let bounds = Bounds::new(1_000)
            .denials(None)
            .repeats(None)
            .identical_calls(None);
        let helper = Agent::new("helper", model(rng, CALLS / 2))
            .toolset(tools())
            .policy(helper_policy.clone())
            .bounds(bounds.clone());
        Agent::new("main", model(rng, CALLS))
            .toolset(tools())
            .policy(policy.clone())
            .approver(Arc::clone(&person))
            .bounds(bounds.clone())
            .delegate(helper)
    }
}

/// Counts a result, and looks through it for secrets.
fn note(told: &Mutex<Told>, event: AgentEvent) {
    let key = event
        .key
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
    match event.kind {
        EventKind::ToolCall {
            name, arguments, ..
        } if writes(&name, arguments.as_str()) => {
            told.writing.insert(key);
        }
        EventKind::ToolResult {
            name,
            content,
            is_error,
            ..
        } => {
            let text: String = content.iter().filter_map(|block| block.as_text()).collect();
            let writes = told.writing.remove(&key);
            told.outcome.counts.count(writes, &text, is_error);
            if let Some(secret) = world::shown(&text) {
                told.outcome
                    .witnesses
                    .push(Witness::Shown(format!("{name}: {secret}")));
            }
        }
        _ => {}
    }
}

/// Reports whether a call is there to write something.
fn writes(tool: &str, arguments: &str) -> bool {
    let words = [
        "> ",
        "mkdir ",
        "ln -",
        "mv ",
        "cp ",
        "git init",
        "git clone",
        "symlink",
        " config ",
    ];
    match tool {
        "write_file" | "edit_file" | "apply_patch" => true,
        "bash" => words.iter().any(|word| arguments.contains(word)),
        _ => false,
    }
}
