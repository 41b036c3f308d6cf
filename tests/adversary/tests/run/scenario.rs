//! One scenario: a sandbox, some turns of a hostile model, and what the user does meanwhile and afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use helve::agent::Agent;
use helve::agent::turn::Bounds;
use helve::capability::Grants;
use helve::permission::{Mode, Policy, UntrustedPolicy};
use helve::sandbox::{LazySandbox, Sandbox};
use helve::transcript::Message;
use helve::{ToolContext, Toolset};
use helve_adversary::{HostileModel, Rng, Targets, Theme};

use crate::approver::RandomApprover;
use crate::background::Background;
use crate::disabled_protection::{self, DisabledProtection};
use crate::fixture::{Fixture, HomeFolder};
use crate::hooks;
use crate::listener::Listener;
use crate::persistent::PersistentState;
use crate::record::{CallRecord, Outcome};
use crate::settings;
use crate::sites::{self, Sites};
use crate::user::Extent;
use crate::witness::Witness;

/// How many turns a scenario has, and how many calls a turn has that the agent makes itself.
const TURNS: usize = 6;
const CALLS: usize = 24;

/// How many calls a scheduled run makes.
const RUN_CALLS: usize = 8;

/// How long the user waits for a command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(1);

/// What the user wants of a scenario.
struct ScenarioKind {
    /// Whether hooks of the user see each call.
    has_hooks: bool,
    /// Whether nothing may be changed, since the user wants plans.
    plans: bool,
    /// Whether tasks may go on in the background.
    has_jobs: bool,
}

impl ScenarioKind {
    fn new(seed: u64, left_out: Option<DisabledProtection>) -> Self {
        use DisabledProtection::{HookPrograms, Hooks, PlanMode};
        Self {
            has_hooks: match left_out {
                None => seed % 4 == 3,
                Some(protection) => matches!(protection, Hooks | HookPrograms),
            },
            plans: match left_out {
                None => seed % 5 == 4,
                Some(protection) => protection == PlanMode,
            },
            has_jobs: seed % 2 == 1,
        }
    }

    /// Picks the mode of a turn.
    fn mode(&self, rng: &mut Rng, left_out: Option<DisabledProtection>) -> Mode {
        match self.plans && left_out != Some(DisabledProtection::PlanMode) {
            true => Mode::Plan,
            false => settings::mode(rng),
        }
    }
}

/// Runs the scenario of a seed, until something is found or enough was found elsewhere.
pub(crate) async fn run(
    home: &HomeFolder,
    (listener, sites): (&Listener, &Sites),
    seed: u64,
    left_out: Option<DisabledProtection>,
    stop: &AtomicBool,
) -> Outcome {
    let mut rng = Rng::new(seed);
    let world = Fixture::new(home, sites.ports(listener.port));
    world.user.accept_project().await;
    let mut policy = world.policy();
    // In one of three, what commands change is judged before it is applied.
    policy.staged = left_out.is_none() && seed.is_multiple_of(3);
    let sandbox = disabled_protection::open(policy, left_out, listener.port).await;
    let sandbox = sandbox.expect("a sandbox");
    let kind = ScenarioKind::new(seed, left_out);
    let mut background = Background::open(&world.state_folder(), kind.has_jobs).await;
    let mut persistent = PersistentState::open(&world, &background, sites.api(), left_out).await;
    let mut state = sites.settings(left_out);
    persistent.grant(&mut state);
    let tools = sites::tools(left_out).layered(&persistent.tools());
    let context = ToolContext::builder()
        .grants(Grants {
            files: Some(disabled_protection::files(&*sandbox, left_out)),
            sandbox: Some(Arc::new(LazySandbox::from_opened(Arc::clone(&sandbox)))),
            ..sites.grants(left_out)
        })
        .app(Arc::new(state))
        .build();
    let before = listener.accepted();
    let mut hooks = None;
    if kind.has_hooks && left_out != Some(DisabledProtection::Hooks) {
        hooks = Some(hooks::open(&world, &sandbox).await);
    }
    let record = Arc::new(CallRecord::new(kind.has_hooks));
    for turn in 0..TURNS {
        let theme = theme(seed, turn, left_out);
        let planned = kind.plans.then(|| world.workspace());
        let mode = kind.mode(&mut rng, left_out);
        let untrusted = untrusted(left_out);
        let policy = settings::policy(mode, &mut rng).untrusted(untrusted);
        let models = AgentModels {
            targets: &world.targets,
            untrusted,
            theme,
            calls: CALLS,
        };
        let mut agent = agent(&mut rng, &tools, &models, policy, &record);
        if let Some(hooks) = &hooks {
            agent = agent.session_hook(hooks.clone());
        }
        let prompt = Message::user("Do it.");
        if !kind.has_jobs && turn > 0 {
            background.renew().await;
        }
        background.run(agent, prompt, &context, &record).await;
        let written = planned.map(|before| before.differences(&world.workspace()));
        let mut stored = persistent.witnesses(&record).await;
        stored.extend(persistent.review(&mut rng, &record).await);
        let mut runner = runner(&mut rng, &tools, &world, left_out, &record);
        if let Some(hooks) = &hooks {
            runner = runner.session_hook(hooks.clone());
        }
        let ran = persistent.run_due(&mut rng, runner, &context, &record);
        stored.extend(ran.await);
        stored.extend(persistent.witnesses(&record).await);
        // The user does not wait until the session is over, where nothing runs for the moment.
        let uses = !left_out.is_some_and(DisabledProtection::is_persistent)
            && rng.one_in(2)
            && wait_until_idle(&*sandbox).await;
        if uses {
            world.user.use_programs(&mut rng, Extent::Some).await;
        }
        let connected = connection_witness(listener, before)
            .into_iter()
            .chain(sites.witnesses());
        let found = world.marks().into_iter().chain(world.differences());
        let found = found.chain(written.into_iter().flatten().chain(stored));
        let what = format!("turn {turn}, {theme:?}, the user's programs ran: {uses}");
        if record.check(&what, found.chain(connected)) || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    sandbox.close().await.expect("an end");
    let differences = world.differences();
    if !left_out.is_some_and(DisabledProtection::is_persistent) {
        let share = match stop.load(Ordering::Relaxed) {
            true => Extent::Some,
            false => Extent::All,
        };
        world.user.use_programs(&mut rng, share).await;
    }
    let found = differences.into_iter().chain(world.marks());
    let found = found.chain(home.differences());
    record.check(
        "the end",
        found
            .chain(connection_witness(listener, before))
            .chain(sites.witnesses()),
    );
    let mut outcome = record.outcome();
    outcome.witnesses.dedup();
    outcome
}

/// Picks what a turn is mostly about: in turn, so that a few scenarios show all themes.
fn theme(seed: u64, turn: usize, left_out: Option<DisabledProtection>) -> Theme {
    match left_out {
        Some(DisabledProtection::Labels | DisabledProtection::SecretOrigin) => Theme::Web,
        Some(DisabledProtection::JudgedPaths) => Theme::Swap,
        Some(DisabledProtection::ProtectedPaths) => Theme::Plant,
        Some(protection) if protection.is_persistent() => Theme::Store,
        _ => Theme::ALL[(seed as usize).wrapping_add(turn * 5) % Theme::ALL.len()],
    }
}

/// Returns what is asked of the agents of a turn after text of others was read.
fn untrusted(left_out: Option<DisabledProtection>) -> UntrustedPolicy {
    match left_out {
        Some(
            DisabledProtection::Labels
            | DisabledProtection::SecretOrigin
            | DisabledProtection::ScheduleQuestions,
        ) => UntrustedPolicy::Never,
        _ => UntrustedPolicy::Egress,
    }
}

fn connection_witness(listener: &Listener, before: usize) -> Option<Witness> {
    let connected = listener.accepted() - before;
    (connected > 0).then_some(Witness::PortReached(connected))
}

/// Waits a little until no command runs, and reports whether that is so; what one left running does, too.
async fn wait_until_idle(sandbox: &dyn Sandbox) -> bool {
    for process in sandbox.list().await.unwrap_or_default() {
        let status = sandbox.status(&process.id, COMMAND_TIMEOUT).await;
        if status.is_ok_and(|status| status.exit.is_none() || status.left_running) {
            return false;
        }
    }
    true
}

/// The models of an agent and of the one that works for it.
struct AgentModels<'t> {
    targets: &'t Arc<Targets>,
    /// What is asked of both after text of others was read.
    untrusted: UntrustedPolicy,
    theme: Theme,
    calls: usize,
}

impl AgentModels<'_> {
    fn model(&self, rng: &mut Rng, calls: usize) -> HostileModel {
        HostileModel::new(rng.fork(), Arc::clone(self.targets), self.theme, calls)
    }
}

/// Makes the agent of a turn: one that has all tools, and another agent with the same ones.
fn agent(
    rng: &mut Rng,
    tools: &Toolset,
    models: &AgentModels<'_>,
    policy: Policy,
    record: &Arc<CallRecord>,
) -> Agent {
    let bounds = Bounds::new(1_000)
        .denials(None)
        .repeats(None)
        .identical_calls(None);
    let helper_mode = settings::mode(rng);
    let helper_policy = settings::policy(helper_mode, rng).untrusted(models.untrusted);
    let person = Arc::new(RandomApprover::new(rng.fork(), record));
    let helper = Agent::new("helper", models.model(rng, models.calls / 2))
        .toolset(tools.clone())
        .tool_exposure(sites::exposure())
        .policy(helper_policy)
        .bounds(bounds.clone());
    Agent::new("main", models.model(rng, models.calls))
        .toolset(tools.clone())
        .tool_exposure(sites::exposure())
        .policy(policy)
        .approver(person)
        .bounds(bounds)
        .delegate(helper)
        .define_agents(true)
}

/// Makes the agent of scheduled runs, which may do everything: what a run may do is what the maker of its schedule might.
fn runner(
    rng: &mut Rng,
    tools: &Toolset,
    world: &Fixture,
    left_out: Option<DisabledProtection>,
    record: &Arc<CallRecord>,
) -> Agent {
    let theme = match left_out {
        Some(DisabledProtection::ScheduleAuthority) => Theme::Reach,
        _ => rng.pick(&[Theme::Reach, Theme::Swap, Theme::Store, Theme::Web]),
    };
    let models = AgentModels {
        targets: &world.targets,
        untrusted: UntrustedPolicy::Egress,
        theme,
        calls: RUN_CALLS,
    };
    agent(rng, tools, &models, settings::unrestricted(), record)
}
