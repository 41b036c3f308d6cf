//! What rmcp asks of a server, handed on to the modules that answer it.
#![expect(
    deprecated,
    reason = "sampling, roots and logging are deprecated by the protocol of 2026-07-28, and spoken before it"
)]

use std::sync::{Arc, Once, OnceLock};

use futures_util::FutureExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ErrorData, GetPromptRequestMethod,
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
    ConstString, GetSkillRequestMethod, GetSkillRequestParams, GetSkillResult,
    ListSkillsRequestMethod, ListSkillsResult, ReadResourceDirectoryRequestMethod,
    ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};

use super::session::Session;
#[cfg(feature = "skills")]
use super::skills::ServedSkills;
use super::{Server, call, changes, completion, info, list, prompts, resources};
use crate::tool::Principal;

/// Answers the requests of one connection, or of one principal that comes without connections.
///
/// Clones of it share the session.
#[derive(Clone)]
pub(crate) struct Handler {
    server: Server,
    principal: Principal,
    session: Arc<OnceLock<Arc<Session>>>,
    /// Done when the connection is told of changes, which it is once, however often it says that it has begun.
    told: Arc<Once>,
}

impl Handler {
    pub(super) fn new(server: Server, principal: Principal) -> Self {
        Self {
            server,
            principal,
            session: Arc::default(),
            told: Arc::new(Once::new()),
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

    fn has_resources(&self) -> bool {
        #[cfg(feature = "skills")]
        if self.server.inner.skills.is_some() {
            return true;
        }
        !self.server.inner.settings.resources.is_empty()
    }

    #[cfg(feature = "skills")]
    fn skills<M: ConstString>(&self) -> Result<&ServedSkills, ErrorData> {
        let skills = self.server.inner.skills.as_ref();
        skills.ok_or_else(ErrorData::method_not_found::<M>)
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
        let session = self.session().clone();
        self.told
            .call_once(|| changes::tell(&self.server, session, context.peer));
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        changes::accepted(requested)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let told = changes::listen(&self.server, self.session(), subscription);
        told.boxed().await
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

    // Each request is a task of its own as large as the largest of these futures: what is large stands apart.
    fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + Send + '_ {
        call::answer(&self.server, self.session(), request, context).boxed()
    }

    /// Says what a tool is like: over HTTP some of its arguments may have to be in headers, too.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        list::find(&self.server, name)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        if self.server.inner.settings.prompts.is_none() {
            return Err(ErrorData::method_not_found::<ListPromptsRequestMethod>());
        }
        prompts::answer::list(&self.server, cursor(request.as_ref()), &context)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if self.server.inner.settings.prompts.is_none() {
            return Err(ErrorData::method_not_found::<GetPromptRequestMethod>());
        }
        let answer = prompts::answer::get(&self.server, self.session(), request, context);
        answer.boxed().await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if !self.has_resources() {
            return Err(ErrorData::method_not_found::<ListResourcesRequestMethod>());
        }
        let cursor = cursor(request.as_ref());
        let answer = resources::answer::list(&self.server, self.session(), cursor, &context);
        answer.boxed().await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        if !self.has_resources() {
            return Err(ErrorData::method_not_found::<
                ListResourceTemplatesRequestMethod,
            >());
        }
        resources::answer::templates(&self.server, cursor(request.as_ref()), &context)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if !self.has_resources() {
            return Err(ErrorData::method_not_found::<ReadResourceRequestMethod>());
        }
        let answer = resources::answer::read(&self.server, self.session(), request, context);
        answer.boxed().await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.server.inner.settings.resources.is_empty() {
            return Err(ErrorData::method_not_found::<SubscribeRequestMethod>());
        }
        match self.session().subscribe(request.uri) {
            true => Ok(()),
            false => Err(ErrorData::internal_error(
                "you are told of too many resources; unsubscribe from one, then try again",
                None,
            )),
        }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session().unsubscribe(&request.uri);
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let settings = &self.server.inner.settings;
        if settings.prompts.is_none() && settings.resources.is_empty() {
            return Err(ErrorData::method_not_found::<CompleteRequestMethod>());
        }
        completion::complete(&self.server, &request)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let tasks = &self.server.inner.tasks;
        tasks.get(&self.principal, &request.task_id)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let tasks = &self.server.inner.tasks;
        tasks.update(&self.principal, &request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let tasks = &self.server.inner.tasks;
        tasks.cancel(&self.principal, &request.task_id)
    }

    #[cfg(feature = "skills")]
    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let skills = self.skills::<ListSkillsRequestMethod>()?;
        skills.list(cursor(request.as_ref())).boxed().await
    }

    #[cfg(feature = "skills")]
    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let skills = self.skills::<GetSkillRequestMethod>()?;
        skills.get(&request.uri).await
    }

    #[cfg(feature = "skills")]
    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let skills = self.skills::<ReadResourceDirectoryRequestMethod>()?;
        let folder = skills.directory(&request.uri, request.cursor.as_deref());
        folder.boxed().await
    }
}

fn cursor(request: Option<&PaginatedRequestParams>) -> Option<&str> {
    request.and_then(|request| request.cursor.as_deref())
}
