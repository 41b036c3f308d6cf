//! The hook that runs the commands of the settings.

mod calls;
mod replies;
mod sessions;

use std::collections::VecDeque;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::alias::CallView;
use crate::event::HookEvent;
use crate::handler::HookHandler;
use crate::input::{EventTurn, HookSession};
use crate::output::HookOutcome;
use crate::run::HookRunner;
use crate::settings::HookSettings;
use helve_agent::{Hook, ModelSite};
use helve_core::sandbox::LazySandbox;
use helve_core::support::lock::Mutex;
use helve_core::tool::{ToolContext, ToolResult};
use helve_core::transcript::{CallAddress, Origin, RawJson, SessionId};
use helve_model::{ModelError, ModelRequest, Reply};
use helve_permission::call::{CallSite, Next};
use helve_permission::{Policy, Verdict};

pub use sessions::PromptOutcome;

/// The maximum number of calls whose outcomes are remembered between two steps of a call.
const MAX_PENDING: usize = 1024;

/// Receives what hooks tell the user.
type Report = Arc<dyn Fn(&str) + Send + Sync>;

/// Runs the hooks of settings files around the calls of an agent and its delegates.
///
/// It is a [`Hook`] for [`Agent::session_hook`](helve_agent::Agent::session_hook), so that the hooks hold in delegates,
/// too. A hook that denies a call has the last word; one that allows a call allows no more than a rule of the user
/// could. A changed input is judged, recorded and shown as any other.
///
/// It is a [`Guard`](helve_agent::Guard), too, for [`Agent::guard`](helve_agent::Agent::guard): the hooks of `Stop` and
/// `SubagentStop` check the last reply of a turn, and can demand another one.
///
/// Prompts and sessions are events of the program, which calls [`prompt`](Self::prompt),
/// [`session_started`](Self::session_started) and [`session_ended`](Self::session_ended).
#[derive(Clone)]
pub struct CommandHooks(Arc<HooksInner>);

struct HooksInner {
    settings: HookSettings,
    runner: HookRunner,
    session: Arc<Mutex<HookSession>>,
    /// The policy of the session, whose mode hooks follow.
    policy: Arc<Mutex<Option<Policy>>>,
    /// Whether the hooks are those of one agent, and hold in that agent alone.
    is_of_agent: bool,
    /// The outcomes for calls that have not run yet.
    pending: Mutex<VecDeque<(CallId, PendingCall)>>,
    /// The turns that hooks have ended, each with its session and the reason.
    stopped: Mutex<VecDeque<(SessionId, String, String)>>,
    report: Option<Report>,
}

/// A call among those of all sessions: the hooks of a session hold in its jobs, too.
struct CallId {
    session: SessionId,
    address: CallAddress,
}

impl CallId {
    fn new(site: &CallSite) -> Self {
        Self {
            session: site.session.clone(),
            address: site.address.clone(),
        }
    }

    fn is_of(&self, site: &CallSite) -> bool {
        self.address == site.address && self.session == site.session
    }
}

/// What hooks have said of a call before it runs.
#[derive(Default)]
struct PendingCall {
    /// The outcome that the verdict still has to consider.
    outcome: Option<HookOutcome>,
    /// The texts for the model.
    context: Vec<String>,
    /// Whether a hook may allow the call.
    may_allow: bool,
    /// The arguments that replaced those of the model.
    arguments: Option<RawJson>,
}

impl CommandHooks {
    /// Creates the hooks of a project folder, whose commands run in a sandbox.
    #[must_use]
    pub fn new(
        settings: HookSettings,
        project: impl Into<PathBuf>,
        sandbox: Arc<LazySandbox>,
    ) -> Self {
        Self(Arc::new(HooksInner {
            settings,
            runner: HookRunner {
                project: project.into(),
                sandbox,
                unconfined: None,
                is_read_only: false,
            },
            session: Arc::default(),
            policy: Arc::default(),
            is_of_agent: false,
            pending: Mutex::default(),
            stopped: Mutex::default(),
            report: None,
        }))
    }

    /// Sets the sandbox of the hooks that the user's settings do not confine. Without it, they run confined.
    ///
    /// # Panics
    ///
    /// Panics if the hooks are shared already.
    #[must_use]
    pub fn unconfined(mut self, sandbox: Arc<LazySandbox>) -> Self {
        self.inner_mut().runner.unconfined = Some(sandbox);
        self
    }

    /// Sets the function that receives what hooks tell the user, such as failures.
    ///
    /// # Panics
    ///
    /// Panics if the hooks are shared already.
    #[must_use]
    pub fn report(mut self, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.inner_mut().report = Some(Arc::new(report));
        self
    }

    /// Creates the hooks of one agent, which share the sandboxes and the session with these.
    ///
    /// Its users add them with [`Agent::hook`](helve_agent::Agent::hook) and [`Agent::guard`](helve_agent::Agent::guard).
    /// They do not hold in the delegates of the agent.
    #[must_use]
    pub fn for_agent(&self, settings: HookSettings) -> Self {
        Self(Arc::new(HooksInner {
            settings,
            runner: self.0.runner.clone(),
            session: Arc::clone(&self.0.session),
            policy: Arc::clone(&self.0.policy),
            is_of_agent: true,
            pending: Mutex::default(),
            stopped: Mutex::default(),
            report: self.0.report.clone(),
        }))
    }

    fn inner_mut(&mut self) -> &mut HooksInner {
        Arc::get_mut(&mut self.0).expect("the hooks are not shared yet")
    }

    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> &HookSettings {
        &self.0.settings
    }

    /// Changes what hooks learn about the session.
    pub fn update_session(&self, update: impl FnOnce(&mut HookSession)) {
        update(&mut self.0.session.lock());
    }

    /// Sets the policy of the session: hooks receive its mode, and those that run in the sandbox cannot write while the
    /// mode is [`Plan`](helve_permission::Mode::Plan) or [`Explore`](helve_permission::Mode::Explore).
    ///
    /// A sandbox that cannot limit a single command, such as a passthrough sandbox, runs the command as it is.
    pub fn follow_policy(&self, policy: &Policy) {
        *self.0.policy.lock() = Some(policy.clone());
    }

    /// Returns what hooks learn about the session now.
    fn current_session(&self) -> HookSession {
        let mut session = self.0.session.lock().clone();
        if let Some(policy) = &*self.0.policy.lock() {
            policy.current_mode().name().clone_into(&mut session.mode);
        }
        session
    }

    /// Reports whether the mode of the session denies what does more than read.
    fn is_read_only(&self) -> bool {
        let policy = self.0.policy.lock();
        let is_read_only =
            |policy: &Policy| policy.current_mode().is_read_only() || policy.is_planning();
        policy.as_ref().is_some_and(is_read_only)
    }

    /// Runs hooks with an input, and merges their outcomes.
    async fn run_handlers(&self, handlers: Vec<HookHandler>, input: &str) -> HookOutcome {
        let runner = HookRunner {
            is_read_only: self.is_read_only(),
            ..self.0.runner.clone()
        };
        runner.run_all(handlers, input).await
    }

    /// Returns the hooks that run for an input, which is in the form of Claude Code.
    #[must_use]
    pub fn select(&self, event: HookEvent, input: &serde_json::Value) -> Vec<HookHandler> {
        let subject = sessions::subject(event, input);
        if !event.is_about_tools() {
            return self.handlers(event, &[subject], None);
        }
        let view = CallView::from_input(subject, &input["tool_input"]);
        let names: Vec<&str> = view.names.iter().map(String::as_str).collect();
        self.handlers(event, &names, Some(&view))
    }

    /// Runs the hooks of one event for one input, which is in the form of Claude Code, and returns their merged outcome.
    pub async fn run(&self, event: HookEvent, input: &serde_json::Value) -> HookOutcome {
        let handlers = self.select(event, input);
        self.run_handlers(handlers, &input.to_string()).await
    }

    /// Returns the hooks of an event that are for one of these names, and for the call.
    fn handlers(
        &self,
        event: HookEvent,
        names: &[&str],
        call: Option<&CallView>,
    ) -> Vec<HookHandler> {
        let project = &self.0.runner.project;
        let handlers = self.0.settings.handlers.iter();
        let of_event = handlers.filter(|handler| self.is_at(handler, event));
        let selected = of_event.filter(|handler| {
            let condition = handler.condition.as_ref();
            let is_named = handler.matcher.matches(names.iter().copied());
            (is_named || !event.has_matcher())
                && condition.is_none_or(|condition| {
                    call.is_none_or(|call| condition.matches(call, project))
                })
        });
        selected.cloned().collect()
    }

    fn has_event(&self, event: HookEvent) -> bool {
        let mut handlers = self.0.settings.handlers.iter();
        handlers.any(|handler| self.is_at(handler, event))
    }

    /// Reports whether a hook runs at an event. In an agent file, `Stop` and `SubagentStop` are the same: the agent works
    /// for a user or for another agent.
    fn is_at(&self, handler: &HookHandler, event: HookEvent) -> bool {
        let both = [HookEvent::Stop, HookEvent::SubagentStop];
        let is_reply = both.contains(&handler.event) && both.contains(&event);
        handler.event == event || self.0.is_of_agent && is_reply
    }

    fn report_all(&self, messages: &[String]) {
        for message in messages {
            match &self.0.report {
                Some(report) => report(message),
                None => tracing::warn!("{message}"),
            }
        }
    }

    /// Ends the turn that an origin belongs to, before its next call of the model.
    fn stop(&self, turn: EventTurn<'_>, why: &str) {
        let mut stopped = self.0.stopped.lock();
        if stopped.len() >= MAX_PENDING {
            stopped.pop_front();
        }
        let root = root_turn(turn.origin).to_owned();
        stopped.push_back((turn.session.clone(), root, why.to_owned()));
    }

    fn stop_reason(&self, turn: EventTurn<'_>) -> Option<String> {
        let stopped = self.0.stopped.lock();
        let root = root_turn(turn.origin);
        let mut stopped = stopped.iter();
        let is_it = |session: &SessionId, stopped: &str| session == turn.session && stopped == root;
        let (.., why) = stopped.find(|(session, stopped, _)| is_it(session, stopped))?;
        Some(why.clone())
    }
}

/// Returns the turn of a call of the model.
fn turn_of(site: &ModelSite) -> EventTurn<'_> {
    EventTurn {
        session: &site.session,
        origin: &site.origin,
    }
}

/// Returns the turn of the user that a turn belongs to.
fn root_turn(origin: &Origin) -> &str {
    let turn = origin.turn.as_str();
    turn.split_once('/').map_or(turn, |(root, _)| root)
}

impl fmt::Debug for CommandHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandHooks")
            .field("settings", &self.0.settings)
            .finish_non_exhaustive()
    }
}

impl Hook for CommandHooks {
    fn model_call<'a>(
        &'a self,
        site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        match self.stop_reason(turn_of(site)) {
            Some(why) => Box::pin(async move {
                let message = format!("a hook ended the turn: {why}");
                Err(ModelError::provider(message))
            }),
            None => next.run(request),
        }
    }

    fn compaction<'a>(
        &'a self,
        site: &'a ModelSite,
        request: Arc<ModelRequest>,
        next: Next<'a, Arc<ModelRequest>, Result<Reply, ModelError>>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        if !self.has_event(HookEvent::PreCompact) {
            return next.run(request);
        }
        Box::pin(async move {
            match self.before_compaction(turn_of(site)).await {
                Some(why) => {
                    let message = format!("a hook blocked the compaction: {why}");
                    Err(ModelError::provider(message))
                }
                None => next.run(request).await,
            }
        })
    }

    fn arguments<'a>(
        &'a self,
        site: &'a CallSite,
        arguments: RawJson,
        next: Next<'a, RawJson, RawJson>,
    ) -> BoxFuture<'a, RawJson> {
        if !self.has_event(HookEvent::PreToolUse) {
            return next.run(arguments);
        }
        Box::pin(async move { self.before_call(site, next.run(arguments).await).await })
    }

    fn permission<'a>(
        &'a self,
        site: &'a CallSite,
        next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        let events = [HookEvent::PreToolUse, HookEvent::PermissionRequest];
        if !events.into_iter().any(|event| self.has_event(event)) {
            return next.run(());
        }
        Box::pin(async move { self.decide(site, next.run(()).await).await })
    }

    fn tool_call<'a>(
        &'a self,
        site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move { self.after_call(site, next.run(context).await).await })
    }
}
