//! The client of tools and MCP servers: the user at the terminal and the model of the agent.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use futures_util::TryStreamExt as _;
use futures_util::future::{BoxFuture, FutureExt as _};
use serde_json::Value;

use helve_core::capability::{
    BackendError, ClientBackend, Elicitation, ElicitationResult, LogLevel, Root, SamplingMessage,
    SamplingRequest, SamplingResult, SamplingRole,
};
use helve_core::transcript::{AssistantMessage, ContentBlock, Message, MessagePart};
use helve_model::{Assembler, Model, ModelOptions, ModelRequest, StopReason};
use helve_terminal::questions::{self, Terminal};

/// Answers elicitation and sampling requests of tools and MCP servers.
pub(super) struct CliClient {
    folder: PathBuf,
    agent: OnceLock<RunningAgent>,
}

/// The state that is set when an agent starts.
struct RunningAgent {
    model: Arc<dyn Model>,
    /// Whether the user at the terminal can be asked.
    can_prompt: bool,
}

impl CliClient {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            agent: OnceLock::new(),
        }
    }

    /// Sets the model for sampling requests and whether the user can be asked. Later calls have no effect.
    pub(super) fn set_agent(&self, model: &Arc<dyn Model>, asks: bool) {
        let (model, can_prompt) = (model.clone(), asks);
        let _ = self.agent.set(RunningAgent { model, can_prompt });
    }

    fn can_prompt(&self) -> bool {
        self.agent.get().is_none_or(|work| work.can_prompt) && Terminal::is_attached()
    }
}

impl std::fmt::Debug for CliClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandLine")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl ClientBackend for CliClient {
    fn elicit<'a>(
        &'a self,
        elicitation: &'a Elicitation,
    ) -> BoxFuture<'a, Result<ElicitationResult, BackendError>> {
        async move {
            if !self.can_prompt() {
                return Err("the user cannot be asked: no terminal is attached".into());
            }
            Ok(questions::elicit(elicitation).await?)
        }
        .boxed()
    }

    fn sample<'a>(
        &'a self,
        sampling: &'a SamplingRequest,
    ) -> BoxFuture<'a, Result<SamplingResult, BackendError>> {
        async move {
            let Some(work) = self.agent.get() else {
                return Err("no agent is running, so there is no model to sample".into());
            };
            if let Some(asker) = &sampling.requester {
                if !self.can_prompt() {
                    return Err("the user cannot approve the request: no terminal is attached".into());
                }
                if questions::ask_sampling(sampling, asker).await
                    == questions::SamplingAnswer::Refused
                {
                    return Err("the user declined the request".into());
                }
            }
            let written = sample_model(&*work.model, sampling).await;
            if let (Some(asker), Err(error)) = (&sampling.requester, &written) {
                // The provider's error may name the user's key and is not sent to the server.
                tracing::warn!(server = asker.as_str(), %error, "sampling for an MCP server failed");
                return Err("the model did not reply".into());
            }
            Ok(written?)
        }
        .boxed()
    }

    fn roots(&self) -> BoxFuture<'_, Result<Vec<Root>, BackendError>> {
        let name = self.folder.file_name();
        let name = name.map(|name| name.to_string_lossy().into_owned());
        let root = Root::new(file_uri(&self.folder), name);
        futures_util::future::ready(Ok(vec![root])).boxed()
    }

    fn log(&self, level: LogLevel, logger: Option<&str>, data: &Value) {
        let logger = logger.unwrap_or_default();
        match level {
            LogLevel::Debug => tracing::debug!(target: "helve::client", logger, %data),
            LogLevel::Info | LogLevel::Notice => {
                tracing::info!(target: "helve::client", logger, %data);
            }
            LogLevel::Warning => tracing::warn!(target: "helve::client", logger, %data),
            _ => tracing::error!(target: "helve::client", logger, %data),
        }
    }
}

/// Lets the model write.
async fn sample_model(
    model: &dyn Model,
    sampling: &SamplingRequest,
) -> Result<SamplingResult, helve_model::ModelError> {
    let messages = sampling.messages.iter().map(to_message);
    let mut options = ModelOptions::new().max_output_tokens(sampling.max_tokens.max(1));
    if let Some(temperature) = sampling.temperature {
        #[expect(clippy::cast_possible_truncation, reason = "it is a small number")]
        let temperature = temperature.clamp(0.0, 2.0) as f32;
        options = options.temperature(temperature);
    }
    let mut request = ModelRequest::new(messages.collect()).options(options);
    if let Some(system) = &sampling.system_prompt {
        request = request.system(system.as_str());
    }
    let mut assembler = Assembler::new();
    let mut events = model.reply(&request);
    while let Some(event) = events.try_next().await? {
        assembler.push(event)?;
    }
    let reply = assembler.finish()?;
    let mut text = reply.message.text();
    let mut stop = match reply.stop {
        StopReason::MaxTokens | StopReason::ContextWindow => "maxTokens",
        StopReason::StopSequence => "stopSequence",
        _ => "endTurn",
    };
    // Not every provider knows such texts, so they are looked for here.
    let ends = sampling.stop_sequences.iter();
    let ends = ends.filter(|end| !end.is_empty());
    if let Some(end) = ends.filter_map(|end| text.find(end.as_str())).min() {
        text.truncate(end);
        stop = "stopSequence";
    }
    let name = model
        .name()
        .map_or_else(|| "unknown".to_owned(), ToString::to_string);
    let mut sampled = SamplingResult::new(name, vec![ContentBlock::text(text)]);
    sampled.stop_reason = Some(stop.to_owned());
    Ok(sampled)
}

fn to_message(message: &SamplingMessage) -> Message {
    match message.role {
        SamplingRole::User => Message::User {
            content: message.content.clone(),
        },
        SamplingRole::Assistant => {
            let texts = message.content.iter().filter_map(ContentBlock::as_text);
            let parts = texts.map(|text| MessagePart::Text {
                text: text.to_owned(),
            });
            Message::Assistant(AssistantMessage::new(parts.collect()))
        }
    }
}

/// Returns the `file` URI of a folder.
fn file_uri(folder: &std::path::Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in folder.to_string_lossy().bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) => {
                uri.push(char::from(byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use helve_model::ScriptedModel;

    #[tokio::test]
    async fn the_model_is_lent() {
        let model: Arc<dyn Model> = Arc::new(ScriptedModel::new().say("One. Two. Three."));
        let client = CliClient::new("/work".into());
        let mut sampling = SamplingRequest::from_text("Count.", 100);
        let refused = client.sample(&sampling).await.expect_err("no agent");
        let why = "no agent is running, so there is no model to sample";
        assert_eq!(refused.to_string(), why);
        client.set_agent(&model, false);
        sampling.stop_sequences = vec!["Three".to_owned(), " Two".to_owned()];
        let sampled = client.sample(&sampling).await.expect("a reply");
        assert_eq!(sampled.text(), "One.");
        assert_eq!(sampled.stop_reason.as_deref(), Some("stopSequence"));
    }

    #[tokio::test]
    async fn a_server_gets_nothing_where_nobody_can_be_asked() {
        let model: Arc<dyn Model> = Arc::new(ScriptedModel::new().say("Hello."));
        let client = CliClient::new("/work".into());
        client.set_agent(&model, false);
        let mut sampling = SamplingRequest::from_text("Hello?", 100);
        sampling.requester = Some("files".to_owned());
        let refused = client.sample(&sampling).await.expect_err("nobody to ask");
        let nobody = "the user cannot approve the request: no terminal is attached";
        assert_eq!(refused.to_string(), nobody);
    }

    #[test]
    fn a_folder_is_an_address() {
        assert_eq!(file_uri(Path::new("/a b/ä%")), "file:///a%20b/%C3%A4%25");
    }
}
