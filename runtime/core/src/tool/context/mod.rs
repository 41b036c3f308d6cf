//! The context of a call: the principal, the deadline, and the granted capabilities.

mod builder;
mod conversation;
mod judging;
mod lazy_token;
#[cfg(feature = "network")]
mod net;
pub(crate) mod notes;
mod seen_files;

use std::any::{Any, TypeId};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::capability::{
    Attachments, Capability, Client, Confinement, Grants, Http, KeyValue, Process, Refusal,
    Requires, Secrets,
};
use crate::sandbox::SandboxFs;
use crate::tool::check_value::CheckValue;
use crate::tool::links::Links;
use crate::tool::principal::Principal;
use crate::tool::progress::Progress;
use crate::tool::read_log::ReadLog;
use crate::tool::state::{State, StateError};
use crate::transcript::{AgentId, CallAddress, CallId, SessionId, TurnId};

pub use builder::ToolContextBuilder;
pub use lazy_token::LazyToken;
pub use seen_files::SeenFiles;

/// The context of a running tool: its call, the principal, the deadline, and the granted capabilities.
///
/// A tool takes it as `cx: &ToolContext`. Cloning it is cheap.
#[derive(Clone)]
pub struct ToolContext {
    inner: Arc<ContextInner>,
    /// The declaration of the running tool; at most as wide as the grants of the host.
    requires: &'static Requires,
    /// The package of the running tool.
    package: &'static str,
    deadline: Option<Instant>,
}

#[derive(Clone)]
struct ContextInner {
    call: CallId,
    address: Option<CallAddress>,
    session: SessionId,
    agent: AgentId,
    turn: TurnId,
    turn_number: u32,
    message_number: u32,
    cancellation: LazyToken,
    progress: Progress,
    result_budget: usize,
    untruncated_results: bool,
    dry_run: bool,
    models: Option<Arc<dyn Any + Send + Sync>>,
    host: Arc<HostContext>,
    links: Option<Arc<Links>>,
    read_log: Option<Arc<ReadLog>>,
    confinement: Confinement,
    check_value: Option<CheckValue>,
}

/// The values of the host, which are the same for most calls of a session.
#[derive(Clone, Default)]
struct HostContext {
    principal: Principal,
    app: Arc<State>,
    session_state: Arc<State>,
    call_state: Arc<State>,
    grants: Grants,
    home: Option<Arc<Path>>,
}

static NOTHING: Requires = Requires::NONE;

impl ToolContext {
    /// The result budget of a context that sets none, in characters.
    pub const DEFAULT_RESULT_BUDGET: usize = 80_000;

    /// Creates a context with no state, no deadline and nothing granted.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Returns a builder for a context.
    #[must_use]
    pub fn builder() -> ToolContextBuilder {
        ToolContextBuilder::default()
    }

    /// Returns a builder that starts with the values of this context: for the next call of the same session.
    #[must_use]
    pub fn derive(&self) -> ToolContextBuilder {
        let mut inner = ContextInner::clone(&self.inner);
        // The check value belongs to this call only.
        inner.check_value = None;
        ToolContextBuilder {
            inner,
            deadline: self.deadline,
        }
    }

    /// Derives the context of a call from that of its turn. Nothing that the call replaces is copied.
    #[doc(hidden)]
    #[must_use]
    pub fn derive_call(
        &self,
        call: CallId,
        address: CallAddress,
        progress: Progress,
        cancellation: LazyToken,
    ) -> ToolContextBuilder {
        let turn = &*self.inner;
        ToolContextBuilder {
            inner: ContextInner {
                message_number: address.call.round,
                call,
                address: Some(address),
                session: turn.session.clone(),
                agent: turn.agent.clone(),
                turn: turn.turn.clone(),
                turn_number: turn.turn_number,
                cancellation,
                progress,
                result_budget: turn.result_budget,
                // Only the pipeline of the agent cuts the result.
                untruncated_results: true,
                dry_run: turn.dry_run,
                host: Arc::clone(&turn.host),
                links: turn.links.clone(),
                read_log: turn.read_log.clone(),
                confinement: turn.confinement,
                check_value: None,
                models: None,
            },
            deadline: self.deadline,
        }
    }

    /// Returns the id of this call.
    #[must_use]
    pub fn call_id(&self) -> &CallId {
        &self.inner.call
    }

    /// Returns the key of this call, which is the same at each attempt: effects that happened under the key need not
    /// be repeated.
    ///
    /// It is `session/turn/round.index` within a turn, and `None` outside of one. Services accept it as idempotency key.
    #[must_use]
    pub fn idempotency_key(&self) -> Option<String> {
        let address = self.inner.address.as_ref()?;
        Some(match &*self.inner.session {
            "" => address.to_string(),
            session => format!("{session}/{address}"),
        })
    }

    /// Returns the id of the session.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        &self.inner.session
    }

    /// Returns the id of the agent that calls.
    #[must_use]
    pub fn agent_id(&self) -> &AgentId {
        &self.inner.agent
    }

    /// Returns the id of the turn.
    #[must_use]
    pub fn turn_id(&self) -> &TurnId {
        &self.inner.turn
    }

    /// Returns the number of the turn in its session, from 0.
    #[must_use]
    pub fn turn_number(&self) -> u32 {
        self.inner.turn_number
    }

    /// Returns the number of the model's message in its turn, from 0.
    #[must_use]
    pub fn message_number(&self) -> u32 {
        self.inner.message_number
    }

    /// Returns the address of the call in its session; `None` outside of a session.
    #[must_use]
    pub fn address(&self) -> Option<&CallAddress> {
        self.inner.address.as_ref()
    }

    /// Returns the principal of the call.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.inner.host.principal
    }

    /// Returns the cancellation token of the call.
    ///
    /// The future of a cancelled call is dropped; a blocking tool, or one that owns a process, must watch this token.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        self.inner.cancellation.token()
    }

    /// Reports whether the call was cancelled, without creating the token.
    #[inline]
    #[doc(hidden)]
    pub fn is_cancelled(&self) -> bool {
        self.inner.cancellation.is_cancelled()
    }

    /// Returns the cancellation token of the call, without creating it.
    #[doc(hidden)]
    pub fn lazy_cancellation(&self) -> &LazyToken {
        &self.inner.cancellation
    }

    /// Returns the deadline of the call, if there is one.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns the progress reporter.
    #[must_use]
    pub fn progress(&self) -> &Progress {
        &self.inner.progress
    }

    /// Returns the maximum number of characters of the result that the model sees.
    #[must_use]
    pub fn result_budget(&self) -> usize {
        self.inner.result_budget
    }

    /// Reports whether results are returned untruncated, because the caller truncates them.
    #[inline]
    pub(crate) fn has_untruncated_results(&self) -> bool {
        self.inner.untruncated_results
    }

    /// Reports whether the call must not change anything.
    #[must_use]
    pub fn is_dry_run(&self) -> bool {
        self.inner.dry_run
    }

    /// Returns host state of any scope: the call, the session or the app.
    #[must_use]
    pub fn state<T: ?Sized + Any + Send + Sync>(&self) -> Option<&T> {
        self.find_state().ok().flatten()
    }

    /// Returns the state of the app.
    #[must_use]
    pub fn app_state(&self) -> &State {
        &self.inner.host.app
    }

    /// Returns the state of the session.
    #[must_use]
    pub fn session_state(&self) -> &State {
        &self.inner.host.session_state
    }

    /// Returns the file system, for a tool that declares `requires(fs)`.
    ///
    /// # Errors
    ///
    /// When the tool did not declare `fs`, or the host granted no files.
    pub fn fs(&self) -> Result<&dyn SandboxFs, Refusal> {
        if !self.requires.fs {
            return Err(Refusal::not_declared(Capability::Files));
        }
        let files = self.granted_files().map(Arc::as_ref);
        files.ok_or_else(|| Refusal::not_granted(Capability::Files))
    }

    /// Returns the folder that relative paths start at: the first root that the host granted.
    #[must_use]
    pub fn working_folder(&self) -> Option<&Path> {
        let files = self.granted_files()?;
        files.roots().first().map(PathBuf::as_path)
    }

    /// Returns the folder that `~` stands for.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        static HOME: OnceLock<Option<PathBuf>> = OnceLock::new();
        match &self.inner.host.home {
            Some(home) => Some(home),
            None => HOME.get_or_init(std::env::home_dir).as_deref(),
        }
    }

    /// Returns the value that the check of this call passed to its body with
    /// [`CheckReport::with_value`](crate::tool::CheckReport::with_value); `None` if the check passed no value of this
    /// type.
    #[must_use]
    pub fn check_value<T: Any>(&self) -> Option<&T> {
        self.inner.check_value.as_ref()?.get()
    }

    /// Sets the value of the call's own check, and removes that of any other call's check.
    pub(crate) fn with_check_value(self, judged: Option<CheckValue>) -> Self {
        if judged.is_none() && self.inner.check_value.is_none() {
            return self;
        }
        self.with_inner(|inner| inner.check_value = judged)
    }

    /// Changes the inner context, which is copied first if it is shared.
    fn with_inner(mut self, change: impl FnOnce(&mut ContextInner)) -> Self {
        change(Arc::make_mut(&mut self.inner));
        self
    }

    /// Returns the process capability, available to a tool that declares `requires(process)`.
    #[must_use]
    pub fn process(&self) -> Process {
        let process = Process::new(self.requires, self.inner.host.grants.sandbox.clone());
        process.with_confinement(self.inner.confinement)
    }

    /// Returns the HTTP capability, available to a tool that declares `requires(net)`, in a call that is not confined.
    #[must_use]
    pub fn http(&self) -> Http {
        let (grants, confinement) = (&self.inner.host.grants, self.inner.confinement);
        let http = grants
            .http
            .clone()
            .filter(|_| confinement == Confinement::None);
        Http::new(self.requires, http).with_secrets(grants.secrets.clone())
    }

    /// Returns the secrets capability, available for the secrets that the tool declares with `requires(secrets("NAME"))`.
    #[must_use]
    pub fn secrets(&self) -> Secrets {
        Secrets::new(self.requires, self.inner.host.grants.secrets.clone())
    }

    /// Returns the key-value capability under a scope, available to a tool that declares `requires(kv)`.
    ///
    /// The scope belongs to the package of the tool and to the principal: other packages and other principals have
    /// other scopes, even under the same name.
    #[must_use]
    pub fn kv(&self, scope: &str) -> KeyValue {
        let Principal { user, tenant, .. } = &self.inner.host.principal;
        // Each part is prefixed with its length, so that two scopes never have the same text.
        let parts = [
            Some(self.package),
            tenant.as_deref(),
            user.as_deref(),
            Some(scope),
        ];
        let scope: String = parts
            .iter()
            .map(|part| part.map_or("-/".to_owned(), |part| format!("{}:{part}/", part.len())))
            .collect();
        let backend = self.inner.host.grants.key_value.clone();
        KeyValue::new(self.requires, scope, backend)
    }

    /// Returns the attachments of the conversation.
    #[must_use]
    pub fn attachments(&self) -> Attachments {
        Attachments::new(self.inner.host.grants.attachments.clone())
    }

    /// Returns the client: the user at the terminal, or the client of an MCP server.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(self.inner.host.grants.client.clone())
    }

    /// Returns the declaration of the running tool.
    #[doc(hidden)]
    pub fn requirements(&self) -> &'static Requires {
        self.requires
    }

    /// Returns the models that the call may use, in the type of the package of models, and the call that pays.
    #[doc(hidden)]
    pub fn lent_models(&self) -> Option<(Arc<dyn Any + Send + Sync>, Option<CallAddress>)> {
        Some((self.inner.models.clone()?, self.inner.address.clone()))
    }

    pub(crate) fn find_state<T: ?Sized + Any + Send + Sync>(
        &self,
    ) -> Result<Option<&T>, StateError> {
        let mut scopes = self.scopes().into_iter();
        let found = scopes.find_map(|state| state.get::<T>().transpose());
        found.transpose()
    }

    /// Creates the lazy state of these types on a thread where blocking is allowed.
    pub(crate) async fn prepare_state(&self, types: Vec<TypeId>) -> Result<(), StateError> {
        let mut scopes = self.scopes().into_iter();
        if !scopes.any(|state| state.is_unprepared(types.iter().copied())) {
            return Ok(());
        }
        let context = self.clone();
        let prepared = tokio::task::spawn_blocking(move || {
            let mut scopes = context.scopes().into_iter();
            scopes.try_for_each(|state| state.prepare(types.iter().copied()))
        });
        // The state itself reports a panic in an initialiser at the next look-up.
        prepared.await.unwrap_or(Ok(()))
    }

    fn scopes(&self) -> [&State; 3] {
        [
            &self.inner.host.call_state,
            &self.inner.host.session_state,
            &self.inner.host.app,
        ]
    }

    /// Restricts the capabilities to the declared ones.
    pub(crate) fn with_requirements(
        &self,
        requires: &'static Requires,
        package: &'static str,
    ) -> Self {
        Self {
            requires,
            package,
            ..self.clone()
        }
    }

    /// Shortens the deadline.
    #[doc(hidden)]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        let deadline = Instant::now() + timeout;
        let deadline = self.deadline.map_or(deadline, |own| own.min(deadline));
        Self {
            deadline: Some(deadline),
            ..self.clone()
        }
    }
}

impl Default for ToolContext {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("call", &self.inner.call)
            .field("session", &self.inner.session)
            .field("agent", &self.inner.agent)
            .field("turn", &self.inner.turn)
            .field("principal", &self.inner.host.principal)
            .field("requires", &self.requires)
            .finish_non_exhaustive()
    }
}
