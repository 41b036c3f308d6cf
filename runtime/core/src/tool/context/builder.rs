//! Setting up the context of a call.

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

/// Sets up a [`ToolContext`].
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

/// Writes one setter a line: those of the call's own values, and those of the host's.
macro_rules! setters {
    (call {$($(#[$doc:meta])* $name:ident: $type:ty;)*} host {$($(#[$host_doc:meta])* $host:ident: $host_type:ty;)*}) => {
        impl ToolContextBuilder {
            $($(#[$doc])* #[must_use] pub fn $name(mut self, $name: $type) -> Self {
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
        /// Sets where reports go.
        progress: Progress;
        /// Sets how many characters of the result the model sees.
        result_budget: usize;
        /// Sets whether results are handed on whole, for a caller that cuts them and keeps the rest, as an agent's
        /// `ResultPipeline` does. Tools still see the budget.
        untruncated_results: bool;
        /// Sets whether nothing may be changed.
        dry_run: bool;
    }
    host {
        /// Sets who is asking.
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
    /// Sets the token that stops the call.
    #[must_use]
    pub fn cancellation(self, cancellation: CancellationToken) -> Self {
        self.lazy_cancellation(cancellation.into())
    }

    /// Sets the token that stops the call, which need not be made yet.
    #[doc(hidden)]
    pub fn lazy_cancellation(mut self, cancellation: LazyToken) -> Self {
        self.inner.cancellation = cancellation;
        self
    }

    /// Sets the folder that `~` stands for; that of the user who runs the program otherwise.
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

    /// Sets when the call is stopped.
    #[must_use]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Puts something around what gives secrets, where anything does.
    #[doc(hidden)]
    pub fn watch_secrets(
        &mut self,
        watch: impl FnOnce(Arc<dyn SecretsBackend>) -> Arc<dyn SecretsBackend>,
    ) {
        if let Some(secrets) = self.inner.host.grants.secrets.clone() {
            self.host().grants.secrets = Some(watch(secrets));
        }
    }

    /// Returns what the host sets, for this context alone.
    fn host(&mut self) -> &mut HostContext {
        Arc::make_mut(&mut self.inner.host)
    }

    /// Makes the context.
    #[must_use]
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
