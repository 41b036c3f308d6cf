//! The implementation of rmcp's server handler, which forwards each request to the module that answers it.
#![expect(
    deprecated,
    reason = "sampling, roots and logging are deprecated by the protocol of 2026-07-28, and spoken before it"
)]

use std::sync::{Arc, Once, OnceLock};

use futures_util::FutureExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ConstString, ErrorData, GetPromptRequestMethod,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    InitializeRequestParams, InitializeResult, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestMethod,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SetLevelRequestParams,
    SubscribeRequestMethod, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
#[cfg(feature = "skills")]
use rmcp::model::{
    GetSkillRequestMethod, GetSkillRequestParams, GetSkillResult, ListSkillsRequestMethod,
    ListSkillsResult, ReadResourceDirectoryRequestMethod, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult,
};
use rmcp::service::{NotificationContext, RoleServer, SubscriptionContext};

use super::call_tool::call_tool;
use super::changes;
use super::client::RequestContext;
use super::completion;
use super::prompts::requests as prompts;
use super::resources::requests as resources;
use super::server_info::server_config;
use super::session::Session;
#[cfg(feature = "skills")]
use super::skills::ServedSkills;
use super::state::ServerState;
use helve_core::tool::Principal;

type Answer<T> = Result<T, ErrorData>;

/// Answers the requests of one connection, or the requests of one principal that come without a connection.
///
/// Clones share the session.
#[derive(Clone)]
pub(crate) struct Handler {
    state: Arc<ServerState>,
    principal: Principal,
    session: Arc<OnceLock<Arc<Session>>>,
    /// Starts the notifier of changes once, even if the client sends `initialized` several times.
    notifier: Arc<Once>,
}

impl Handler {
    pub(super) fn new(state: Arc<ServerState>, principal: Principal) -> Self {
        Self {
            state,
            principal,
            session: Arc::default(),
            notifier: Arc::new(Once::new()),
        }
    }

    /// Returns the session of the connection if `initialize` has created one, otherwise the session of the principal.
    pub(crate) fn session(&self) -> &Arc<Session> {
        self.session
            .get_or_init(|| self.state.shared_session(&self.principal))
    }

    fn has_resources(&self) -> bool {
        #[cfg(feature = "skills")]
        if self.state.skills.is_some() {
            return true;
        }
        !self.state.settings.resources.is_empty()
    }

    #[cfg(feature = "skills")]
    fn skills<M: ConstString>(&self) -> Result<&ServedSkills, ErrorData> {
        let skills = self.state.skills.as_ref();
        skills.ok_or_else(ErrorData::method_not_found::<M>)
    }
}

impl rmcp::ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        server_config(&self.state.settings)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext,
    ) -> Answer<InitializeResult> {
        // A second `initialize` keeps the session of the first.
        self.session
            .get_or_init(|| self.state.new_session(&self.principal));
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let session = self.session().clone();
        self.notifier
            .call_once(|| changes::spawn_notifier(&self.state, session, context.peer));
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // Every kind of change is supported.
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Answer<()> {
        let listening = changes::listen(&self.state, self.session(), subscription);
        listening.boxed().await
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: RequestContext) -> Answer<()> {
        self.session().log_level.set(request.level);
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext,
    ) -> Answer<ListToolsResult> {
        let toolset = &self.state.settings.toolset;
        let cursor = cursor(request.as_ref());
        self.state.tools.page(toolset, cursor, &context)
    }

    // rmcp spawns a task for each request, as large as the largest of these futures: large futures are boxed.
    fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext,
    ) -> impl Future<Output = Answer<CallToolResponse>> + Send + '_ {
        call_tool(&self.state, self.session(), request, context)
    }

    /// Returns the definition of a tool, by which rmcp checks the arguments that HTTP clients repeat in headers.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.state.tools.get(&self.state.settings.toolset, name)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext,
    ) -> Answer<ListPromptsResult> {
        require::<ListPromptsRequestMethod>(self.state.settings.prompts.is_some())?;
        prompts::list(&self.state.settings, cursor(request.as_ref()), &context)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext,
    ) -> Answer<GetPromptResponse> {
        require::<GetPromptRequestMethod>(self.state.settings.prompts.is_some())?;
        let answer = prompts::get(&self.state, self.session(), request, context);
        answer.boxed().await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext,
    ) -> Answer<ListResourcesResult> {
        require::<ListResourcesRequestMethod>(self.has_resources())?;
        let cursor = cursor(request.as_ref());
        let answer = resources::list(&self.state, self.session(), cursor, &context);
        answer.boxed().await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext,
    ) -> Answer<ListResourceTemplatesResult> {
        require::<ListResourceTemplatesRequestMethod>(self.has_resources())?;
        resources::templates(&self.state.settings, cursor(request.as_ref()), &context)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext,
    ) -> Answer<ReadResourceResponse> {
        require::<ReadResourceRequestMethod>(self.has_resources())?;
        let answer = resources::read(&self.state, self.session(), request, context);
        answer.boxed().await
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: RequestContext) -> Answer<()> {
        require::<SubscribeRequestMethod>(!self.state.settings.resources.is_empty())?;
        if self.session().subscribe(request.uri) {
            Ok(())
        } else {
            let why = "you are told of too many resources; unsubscribe from one, then try again";
            Err(ErrorData::internal_error(why, None))
        }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext,
    ) -> Answer<()> {
        self.session().unsubscribe(&request.uri);
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext,
    ) -> Answer<CompleteResult> {
        let settings = &self.state.settings;
        let has_suggestions = settings.prompts.is_some() || !settings.resources.is_empty();
        require::<CompleteRequestMethod>(has_suggestions)?;
        completion::complete(settings, &request)
    }

    async fn get_task(&self, request: GetTaskParams, _: RequestContext) -> Answer<GetTaskResult> {
        self.state.tasks.get(&self.principal, &request.task_id)
    }

    async fn update_task(&self, request: UpdateTaskParams, _: RequestContext) -> Answer<()> {
        let tasks = &self.state.tasks;
        tasks.update(&self.principal, &request.task_id, request.input_responses)
    }

    async fn cancel_task(&self, request: CancelTaskParams, _: RequestContext) -> Answer<()> {
        self.state.tasks.cancel(&self.principal, &request.task_id)
    }

    #[cfg(feature = "skills")]
    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext,
    ) -> Answer<ListSkillsResult> {
        let skills = self.skills::<ListSkillsRequestMethod>()?;
        skills.list(cursor(request.as_ref())).boxed().await
    }

    #[cfg(feature = "skills")]
    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext,
    ) -> Answer<GetSkillResult> {
        let skills = self.skills::<GetSkillRequestMethod>()?;
        skills.get(&request.uri).await
    }

    #[cfg(feature = "skills")]
    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: RequestContext,
    ) -> Answer<ReadResourceDirectoryResult> {
        let skills = self.skills::<ReadResourceDirectoryRequestMethod>()?;
        let directory = skills.directory(&request.uri, request.cursor.as_deref());
        directory.boxed().await
    }
}

/// Fails a request of a method that the server does not have.
fn require<M: ConstString>(is_supported: bool) -> Answer<()> {
    is_supported
        .then_some(())
        .ok_or_else(ErrorData::method_not_found::<M>)
}

fn cursor(request: Option<&PaginatedRequestParams>) -> Option<&str> {
    request.and_then(|request| request.cursor.as_deref())
}
