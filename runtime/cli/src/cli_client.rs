//! The client of tools and MCP servers: the user at the terminal and the model of the agent.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use futures_util::future::{BoxFuture, FutureExt as _};
use serde_json::Value;

use super::terminal::{self, Terminal};
use helve_core::capability::{
    BackendError, ClientBackend, Elicitation, ElicitationResult, LogLevel, Root, SamplingRequest,
    SamplingResult,
};
use helve_model::Model;

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
            Ok(terminal::elicit(elicitation).await?)
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
                if terminal::ask_sampling(sampling, asker).await
                    == terminal::SamplingAnswer::Refused
                {
                    return Err("the user declined the request".into());
                }
            }
            let written = helve_model::sample(&*work.model, sampling).await;
            if let (Some(asker), Err(error)) = (&sampling.requester, &written) {
                // The provider's error may name the user's key and is not sent to the server.
                tracing::warn!(server = asker.as_str(), %error, "sampling for an MCP server failed");
                return Err("the model did not reply".into());
            }
            Ok(written?.0)
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
