//! What stands behind `cx.client()` while a call is served.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use rmcp::model::InputRequest;
use serde_json::Value;
use tokio::sync::mpsc;

use super::convert;
use super::{Answer, Ask, AskError, Features, Note, Outgoing, Undeclared};
use crate::capability::{
    BackendError, ClientBackend, Elicitation, ElicitationRequest, Elicited, LogLevel, Root,
    Sampled, Sampling,
};
use crate::results::Redactor;
use crate::serve::session::Session;

/// The client of one call.
pub(in crate::serve) struct CallClient {
    pub(in crate::serve) out: mpsc::Sender<Outgoing>,
    pub(in crate::serve) features: Features,
    pub(in crate::serve) log: Log,
    pub(in crate::serve) redactor: Redactor,
}

/// Which lines of the log the client wants.
pub(in crate::serve) enum Log {
    /// Those that its connection wants at the moment.
    Session(Arc<Session>),
    /// Those from this level on; none where the request named none.
    From(Option<LogLevel>),
}

impl CallClient {
    /// Asks the client, and waits for the answer.
    async fn ask(&self, request: InputRequest, key: Option<String>) -> Result<Answer, AskError> {
        let (ask, answered) = Ask::new(request, key);
        let sent = self.out.send(Outgoing::Ask(Box::new(ask))).await;
        sent.map_err(|_| AskError::Gone)?;
        answered.await.unwrap_or(Err(AskError::Gone))
    }

    async fn elicited(&self, elicitation: &Elicitation) -> Result<Elicited, BackendError> {
        let supported = match elicitation.request {
            ElicitationRequest::Form { .. } => self.features.form,
            ElicitationRequest::Url { .. } => self.features.url,
        };
        if !supported {
            return Err(Undeclared::elicitation(elicitation).into());
        }
        let request = convert::elicitation(elicitation)?;
        match self.ask(request, elicitation.key.clone()).await? {
            Answer::Elicited(result) => convert::elicited(elicitation, result),
            _ => Err(AskError::Malformed("it answers another one".to_owned()).into()),
        }
    }

    async fn sampled(&self, sampling: &Sampling) -> Result<Sampled, BackendError> {
        if !self.features.sampling {
            return Err(Undeclared::sampling().into());
        }
        let request = convert::sampling(sampling)?;
        match self.ask(request, None).await? {
            Answer::Sampled(result) => convert::sampled(*result),
            _ => Err(AskError::Malformed("it answers another one".to_owned()).into()),
        }
    }

    async fn told_roots(&self) -> Result<Vec<Root>, BackendError> {
        if !self.features.roots {
            return Err(Undeclared::roots().into());
        }
        match self.ask(convert::list_roots(), None).await? {
            Answer::Roots(result) => Ok(convert::roots(result)),
            _ => Err(AskError::Malformed("it answers another one".to_owned()).into()),
        }
    }

    fn wants(&self, level: LogLevel) -> bool {
        match &self.log {
            Log::Session(session) => session.wants(level),
            Log::From(least) => least.is_some_and(|least| level >= least),
        }
    }
}

impl ClientBackend for CallClient {
    fn elicit<'a>(
        &'a self,
        elicitation: &'a Elicitation,
    ) -> BoxFuture<'a, Result<Elicited, BackendError>> {
        self.elicited(elicitation).boxed()
    }

    fn sample<'a>(
        &'a self,
        sampling: &'a Sampling,
    ) -> BoxFuture<'a, Result<Sampled, BackendError>> {
        self.sampled(sampling).boxed()
    }

    fn roots(&self) -> BoxFuture<'_, Result<Vec<Root>, BackendError>> {
        self.told_roots().boxed()
    }

    fn log(&self, level: LogLevel, logger: Option<&str>, data: &Value) {
        if !self.wants(level) {
            return;
        }
        let text = data.to_string();
        let redacted = self.redactor.redact_json_text(&text);
        let note = Note::Log {
            level,
            logger: logger.map(str::to_owned),
            data: serde_json::from_str(&redacted).unwrap_or_else(|_| Value::from(&*redacted)),
        };
        // A client that does not keep up loses lines, as a terminal does.
        let _ = self.out.try_send(Outgoing::Note(Box::new(note)));
    }
}

impl std::fmt::Debug for CallClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallClient")
            .field("features", &self.features)
            .finish_non_exhaustive()
    }
}
