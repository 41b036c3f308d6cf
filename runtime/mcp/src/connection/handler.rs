//! The implementation of rmcp's client handler.
#![expect(deprecated, reason = "older servers use sampling and roots")]

use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ErrorData,
    FormElicitationCapability, Implementation, ListRootsResult, ProtocolVersion, RootsCapabilities,
    SamplingCapability, UrlElicitationCapability,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::Notify;

use super::answers::ServerRequestHandler;
use super::calls::{ActiveRequest, Calls};

/// Handles the requests and notifications of one server on one connection.
#[derive(Debug, Clone)]
pub(super) struct Handler {
    pub(super) client: Implementation,
    pub(super) answers: ServerRequestHandler,
    pub(super) calls: Arc<Calls>,
    /// Notified when the server reports changed tools.
    pub(super) changed: Arc<Notify>,
}

impl Handler {
    /// Returns the active request that a request of the server belongs to.
    fn call(&self, context: &RequestContext<RoleClient>) -> Option<Arc<ActiveRequest>> {
        match context.extensions.get::<InboundStreamOrigin>() {
            Some(InboundStreamOrigin::OutboundRequest(id)) => self.calls.find(Some(id)),
            _ => self.calls.find(None),
        }
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut can = ClientCapabilities::default();
        can.roots = Some(RootsCapabilities::default());
        can.elicitation = Some(
            ElicitationCapability::new()
                .with_form(FormElicitationCapability::default())
                .with_url(UrlElicitationCapability::default()),
        );
        can.sampling = self
            .answers
            .trust
            .sampling
            .then(SamplingCapability::default);
        ClientConfig::new(can, self.client.clone())
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let call = self.call(&context);
        self.answers.sample(call.as_ref(), params).await
    }

    async fn list_roots(
        &self,
        context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(self.answers.roots(self.call(&context).as_ref()).await)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let call = self.call(&context);
        let answer = self.answers.elicit(call.as_ref(), params);
        let answer = context.ct.run_until_cancelled(answer).await;
        Ok(answer.unwrap_or_else(|| ElicitResult::new(ElicitationAction::Cancel)))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}
