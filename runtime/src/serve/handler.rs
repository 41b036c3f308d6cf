//! What rmcp asks of a server, handed on to the modules that answer it.
#![expect(
    deprecated,
    reason = "sampling, roots and logging are deprecated by the protocol of 2026-07-28, and spoken before it"
)]

use std::sync::{Arc, OnceLock};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, InitializeRequestParams, InitializeResult,
    ListToolsResult, PaginatedRequestParams, ServerConfig, SetLevelRequestParams,
    SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};

use super::session::Session;
use super::{Server, call, changes, info, list, parked};
use crate::tool::Principal;

/// Answers the requests of one connection, or of one principal that comes without connections.
///
/// Clones of it share the session.
#[derive(Clone)]
pub(crate) struct Handler {
    server: Server,
    principal: Principal,
    session: Arc<OnceLock<Arc<Session>>>,
}

impl Handler {
    pub(super) fn new(server: Server, principal: Principal) -> Self {
        Self {
            server,
            principal,
            session: Arc::default(),
        }
    }

    /// Returns the session: the connection's own where it has begun one, else that of the principal.
    pub(crate) fn session(&self) -> &Arc<Session> {
        let shared = || {
            self.server
                .inner
                .houses
                .shared(&self.server, &self.principal)
        };
        self.session.get_or_init(shared)
    }
}

impl rmcp::ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        info::of(&self.server)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        // A second `initialize` finds the session that the first began.
        let house = self.server.inner.houses.of(&self.principal);
        self.session
            .get_or_init(|| Session::begin(&self.server, house));
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        changes::tell(&self.server, context.peer);
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        changes::accepted(requested)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        changes::listen(&self.server, self.session(), subscription).await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session().set_level(request.level);
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        list::page(&self.server, request, &context)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match request.request_state.is_some() {
            true => parked::go_on(&self.server, self.session(), request, context).await,
            false => call::answer(&self.server, self.session(), request, context).await,
        }
    }
}
