//! The requests that are under way: whom the server's reports and questions belong to.
#![expect(deprecated, reason = "older servers log")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use rmcp::model::{
    ClientJsonRpcMessage, GetExtensions as _, GetMeta as _, LoggingLevel,
    ProgressNotificationParam, ProgressToken, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::words::tidy;
use crate::capability::LogLevel;
use crate::mcp::ServerName;
use crate::mcp::transport::Listener;
use crate::support::lock::Mutex;
use crate::tool::{ProgressUpdate, ToolContext};

/// The requests that are under way on one connection.
#[derive(Debug)]
pub(super) struct Calls {
    server: ServerName,
    open: Mutex<Vec<Open>>,
}

#[derive(Debug)]
struct Open {
    id: RequestId,
    token: Option<ProgressToken>,
    under_way: Weak<UnderWay>,
}

/// One request that is under way.
#[derive(Debug)]
pub(super) struct UnderWay {
    /// The call that it is made for.
    pub(super) cx: Option<ToolContext>,
    /// The server has said something about it.
    pub(super) word: Notify,
    /// Ends when the request does, so that nobody is asked on behalf of one that is over.
    pub(super) over: CancellationToken,
    /// Whether it was handed over whole.
    sent: AtomicBool,
    /// How many of the server's questions wait for an answer.
    asking: AtomicUsize,
    progress: Mutex<f64>,
}

/// Carried by a request, unseen by the server, so that it is known when it leaves.
#[derive(Clone)]
pub(super) struct Mark(Weak<UnderWay>);

impl UnderWay {
    pub(super) fn new(cx: Option<ToolContext>) -> Arc<Self> {
        Arc::new(Self {
            cx,
            word: Notify::new(),
            over: CancellationToken::new(),
            sent: AtomicBool::new(false),
            asking: AtomicUsize::new(0),
            progress: Mutex::new(f64::NEG_INFINITY),
        })
    }

    pub(super) fn mark(self: &Arc<Self>) -> Mark {
        Mark(Arc::downgrade(self))
    }

    /// Reports whether the server may have it.
    pub(super) fn was_sent(&self) -> bool {
        self.sent.load(Ordering::Acquire)
    }

    /// Reports whether the server waits for an answer of ours.
    pub(super) fn is_asked(&self) -> bool {
        self.asking.load(Ordering::Acquire) > 0
    }

    /// Says that a question of the server is being answered, until the result is dropped.
    pub(super) fn asked(self: &Arc<Self>) -> Asked {
        self.asking.fetch_add(1, Ordering::AcqRel);
        Asked(Arc::clone(self))
    }

    fn report(&self, report: &ProgressNotificationParam) {
        self.word.notify_one();
        // It only ever grows; what comes late, or is made up, is left out.
        let mut progress = self.progress.lock();
        if !report.progress.is_finite() || report.progress <= *progress {
            return;
        }
        *progress = report.progress;
        drop(progress);
        let Some(cx) = self.cx.as_ref().filter(|cx| cx.progress().is_heard()) else {
            return;
        };
        let message = report.message.as_deref();
        cx.progress().report(ProgressUpdate {
            progress: Some(report.progress),
            total: report.total.filter(|total| total.is_finite()),
            message: message.map(|message| tidy(message, 1_000)),
            ..ProgressUpdate::default()
        });
    }
}

/// A question that is being answered.
pub(super) struct Asked(Arc<UnderWay>);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.asking.fetch_sub(1, Ordering::AcqRel);
        self.0.word.notify_one();
    }
}

impl Calls {
    pub(super) fn new(server: ServerName) -> Arc<Self> {
        Arc::new(Self {
            server,
            open: Mutex::default(),
        })
    }

    /// Returns the request that something belongs to: the one of that id, or the latest of a call where there is no id.
    pub(super) fn of(&self, id: Option<&RequestId>) -> Option<Arc<UnderWay>> {
        let open = self.open.lock();
        let mut under_way = open.iter().rev();
        if let Some(id) = id {
            return under_way
                .find(|open| open.id == *id)
                .and_then(|open| open.under_way.upgrade());
        }
        under_way
            .filter_map(|open| open.under_way.upgrade())
            .find(|under_way| under_way.cx.is_some())
    }
}

impl Listener for Calls {
    fn sending(&self, message: &ClientJsonRpcMessage) {
        let ClientJsonRpcMessage::Request(request) = message else {
            return;
        };
        let Some(Mark(under_way)) = request.request.extensions().get::<Mark>() else {
            return;
        };
        let mut open = self.open.lock();
        open.retain(|open| open.under_way.strong_count() > 0);
        open.push(Open {
            id: request.id.clone(),
            token: request.request.get_meta().get_progress_token(),
            under_way: under_way.clone(),
        });
    }

    fn sent(&self, request: &RequestId) {
        if let Some(under_way) = self.of(Some(request)) {
            under_way.sent.store(true, Ordering::Release);
        }
    }

    fn unsent(&self, request: &RequestId) {
        if let Some(under_way) = self.of(Some(request)) {
            under_way.sent.store(false, Ordering::Release);
        }
    }

    fn heard(&self, message: &ServerJsonRpcMessage) {
        let ServerJsonRpcMessage::Notification(notification) = message else {
            return;
        };
        match &notification.notification {
            ServerNotification::ProgressNotification(report) => {
                let report = &report.params;
                let under_way = self.open.lock().iter().rev().find_map(|open| {
                    let is_of = open.token.as_ref() == Some(&report.progress_token);
                    is_of.then(|| open.under_way.upgrade()).flatten()
                });
                if let Some(under_way) = under_way {
                    under_way.report(report);
                }
            }
            ServerNotification::LoggingMessageNotification(line) => {
                let line = &line.params;
                let level = level(line.level);
                let logger = line.logger.as_deref().map(|logger| tidy(logger, 200));
                tracing::debug!(
                    server = self.server.as_str(),
                    level = level.as_str(),
                    logger,
                    data = tidy(&line.data.to_string(), 2_000),
                    "an MCP server logged"
                );
                if let Some(cx) = self.of(None).and_then(|under_way| under_way.cx.clone()) {
                    cx.client().log(level, logger.as_deref(), &line.data);
                }
            }
            _ => {}
        }
    }
}

fn level(level: LoggingLevel) -> LogLevel {
    match level {
        LoggingLevel::Debug => LogLevel::Debug,
        LoggingLevel::Info => LogLevel::Info,
        LoggingLevel::Notice => LogLevel::Notice,
        LoggingLevel::Warning => LogLevel::Warning,
        LoggingLevel::Error => LogLevel::Error,
        LoggingLevel::Critical => LogLevel::Critical,
        LoggingLevel::Alert => LogLevel::Alert,
        LoggingLevel::Emergency => LogLevel::Emergency,
    }
}
