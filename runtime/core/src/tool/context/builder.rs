//! The builder of a call's context.

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{ContextInner, HostContext, LazyToken, NOTHING, ToolContext};
use crate::capability::{Confinement, Grants, SecretsBackend};
use crate::tool::principal::Principal;
use crate::tool::progress::Progress;
use crate::tool::state::State;
use crate::transcript::{AgentId, CallAddress, CallId, SessionId, TurnId};

/// Builds a [`ToolContext`].
///
/// ```
/// # extern crate helve_core as helve;
/// use std::sync::Arc;
/// use helve::{State, ToolContext};
///
/// let mut state = State::new();
/// state.insert(42_u32);
/// let context = ToolContext::builder().app(Arc::new(state)).turn_number(3).build();
/// assert_eq!(context.turn_number(), 3);
/// ```
#[derive(Clone)]
pub struct ToolContextBuilder {
    pub(super) inner: ContextInner,
    pub(super) deadline: Option<Instant>,
}

impl Default for ToolContextBuilder {
    fn default() -> Self {
        let inner = ContextInner {
            call: CallId::new(""),
            address: None,
            session: SessionId::new(""),
            agent: AgentId::new(""),
            turn: TurnId::new(""),
            turn_number: 0,
            message_number: 0,
            cancellation: LazyToken::default(),
            progress: Progress::default(),
            result_budget: ToolContext::DEFAULT_RESULT_BUDGET,
            untruncated_results: false,
            dry_run: false,
            models: None,
            host: Arc::default(),
            links: None,
            read_log: None,
            confinement: Confinement::None,
            check_value: None,
        };
        Self {
            inner,
            deadline: None,
        }
    }
}

/// Declares one setter per line: those of the call, and those of the host.
macro_rules! setters {
    (call {$($(#[$doc:meta])* $name:ident: $type:ty;)*} host {$($(#[$host_doc:meta])* $host:ident: $host_type:ty;)*}) => {
        impl ToolContextBuilder {
            $($(#[$doc])* #[must_use] #[inline] pub fn $name(mut self, $name: $type) -> Self {
                self.inner.$name = $name;
                self
            })*
            $($(#[$host_doc])* #[must_use] pub fn $host(mut self, $host: $host_type) -> Self {
                self.host().$host = $host;
                self
            })*
        }
    };
}

setters! {
    call {
        /// Sets the id of the call.
        call: CallId;
        /// Sets the id of the session.
        session: SessionId;
        /// Sets the id of the agent.
        agent: AgentId;
        /// Sets the id of the turn.
        turn: TurnId;
        /// Sets the number of the turn in its session.
        turn_number: u32;
        /// Sets the number of the model's message in its turn.
        message_number: u32;
        /// Sets the progress reporter.
        progress: Progress;
        /// Sets the maximum number of characters of the result that the model sees.
        result_budget: usize;
        /// Sets whether results are returned untruncated, for a caller that truncates and stores them, as an agent's
        /// `ResultPipeline` does. Tools still see the budget.
        untruncated_results: bool;
        /// Sets whether the call must not change anything.
        dry_run: bool;
        #[doc(hidden)]
        models: Option<Arc<dyn Any + Send + Sync>>;
    }
    host {
        /// Sets the principal.
        principal: Principal;
        /// Sets the state of the app.
        app: Arc<State>;
        /// Sets the state of the session.
        session_state: Arc<State>;
        /// Sets the state of the call.
        call_state: Arc<State>;
        /// Sets the granted backends. A tool still reaches only the capabilities that it declares.
        grants: Grants;
    }
}

impl ToolContextBuilder {
    /// Sets the token that cancels the call.
    #[must_use]
    pub fn cancellation(self, cancellation: CancellationToken) -> Self {
        self.lazy_cancellation(cancellation.into())
    }

    /// Sets the token that cancels the call and may be created lazily.
    #[doc(hidden)]
    pub fn lazy_cancellation(mut self, cancellation: LazyToken) -> Self {
        self.inner.cancellation = cancellation;
        self
    }

    /// Sets the folder that `~` stands for; the default is the home folder of the user who runs the program.
    #[must_use]
    pub fn home(mut self, home: impl AsRef<Path>) -> Self {
        self.host().home = Some(home.as_ref().into());
        self
    }

    /// Sets the address of the call in its session.
    #[must_use]
    pub fn address(mut self, address: CallAddress) -> Self {
        self.inner.address = Some(address);
        self
    }

    /// Sets the deadline of the call.
    #[must_use]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Wraps the secrets backend, if there is one.
    #[doc(hidden)]
    pub fn watch_secrets(
        &mut self,
        watch: impl FnOnce(Arc<dyn SecretsBackend>) -> Arc<dyn SecretsBackend>,
    ) {
        if let Some(secrets) = self.inner.host.grants.secrets.clone() {
            self.host().grants.secrets = Some(watch(secrets));
        }
    }

    /// Returns the values of the host, copied for this context if they are shared.
    fn host(&mut self) -> &mut HostContext {
        Arc::make_mut(&mut self.inner.host)
    }

    /// Builds the context.
    #[must_use]
    #[inline]
    pub fn build(self) -> ToolContext {
        ToolContext {
            inner: Arc::new(self.inner),
            requires: &NOTHING,
            package: "",
            deadline: self.deadline,
        }
    }
}

impl fmt::Debug for ToolContextBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContextBuilder")
            .field("call", &self.inner.call)
            .finish_non_exhaustive()
    }
}
