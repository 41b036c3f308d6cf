//! The active requests of a connection, by which notifications and requests of the server are assigned to calls.
#![expect(deprecated, reason = "older servers log")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use rmcp::model::{
    ClientJsonRpcMessage, GetExtensions as _, GetMeta as _, LoggingLevel,
    ProgressNotificationParam, ProgressToken, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::ServerName;
use crate::sanitize::one_line;
use crate::transport::Listener;
use helve_core::capability::LogLevel;
use helve_core::support::lock::Mutex;
use helve_core::tool::{ProgressUpdate, ToolContext};

#[derive(Debug)]
pub(super) struct Calls {
    server: ServerName,
    open: Mutex<Vec<Open>>,
}

#[derive(Debug)]
struct Open {
    id: RequestId,
    token: Option<ProgressToken>,
    active: Weak<ActiveRequest>,
}

#[derive(Debug)]
pub(super) struct ActiveRequest {
    /// The context of the call that made the request.
    pub(super) cx: Option<ToolContext>,
    /// Notified when the server reports on the request.
    pub(super) word: Notify,
    /// Cancelled when the request ends, so that the user is not asked on behalf of an ended request.
    pub(super) over: CancellationToken,
    /// Whether the whole request was sent.
    sent: AtomicBool,
    /// The number of the server's requests that wait for a response.
    asking: AtomicUsize,
    progress: Mutex<f64>,
}

/// An extension of a request, which is not sent, that identifies the request when it passes the transport.
#[derive(Clone)]
pub(super) struct Mark(Weak<ActiveRequest>);

impl ActiveRequest {
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

    /// Returns whether the server may have received the request.
    pub(super) fn was_sent(&self) -> bool {
        self.sent.load(Ordering::Acquire)
    }

    /// Returns whether the server waits for a response of this client.
    pub(super) fn is_asked(&self) -> bool {
        self.asking.load(Ordering::Acquire) > 0
    }

    /// Counts a request of the server as open until the result is dropped.
    pub(super) fn begin_response(self: &Arc<Self>) -> ResponseGuard {
        self.asking.fetch_add(1, Ordering::AcqRel);
        ResponseGuard(Arc::clone(self))
    }

    fn report(&self, report: &ProgressNotificationParam) {
        self.word.notify_one();
        // The progress must increase; late or invented values are ignored.
        let mut progress = self.progress.lock();
        if !report.progress.is_finite() || report.progress <= *progress {
            return;
        }
        *progress = report.progress;
        drop(progress);
        let Some(cx) = self.cx.as_ref().filter(|cx| cx.progress().is_enabled()) else {
            return;
        };
        let message = report.message.as_deref();
        let mut update = ProgressUpdate::default();
        update.progress = Some(report.progress);
        update.total = report.total.filter(|total| total.is_finite());
        update.message = message.map(|message| one_line(message, 1_000));
        cx.progress().report(update);
    }
}

/// An open request of the server.
pub(super) struct ResponseGuard(Arc<ActiveRequest>);

impl Drop for ResponseGuard {
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

    /// Returns the active request of an id, or the latest request of a call if there is no id.
    pub(super) fn find(&self, id: Option<&RequestId>) -> Option<Arc<ActiveRequest>> {
        let open = self.open.lock();
        let mut active = open.iter().rev();
        if let Some(id) = id {
            return active
                .find(|open| open.id == *id)
                .and_then(|open| open.active.upgrade());
        }
        active
            .filter_map(|open| open.active.upgrade())
            .find(|active| active.cx.is_some())
    }
}

impl Listener for Calls {
    fn sending(&self, message: &ClientJsonRpcMessage) {
        let ClientJsonRpcMessage::Request(request) = message else {
            return;
        };
        let Some(Mark(active)) = request.request.extensions().get::<Mark>() else {
            return;
        };
        let mut open = self.open.lock();
        open.retain(|open| open.active.strong_count() > 0);
        open.push(Open {
            id: request.id.clone(),
            token: request.request.get_meta().get_progress_token(),
            active: active.clone(),
        });
    }

    fn sent(&self, request: &RequestId) {
        if let Some(active) = self.find(Some(request)) {
            active.sent.store(true, Ordering::Release);
        }
    }

    fn unsent(&self, request: &RequestId) {
        if let Some(active) = self.find(Some(request)) {
            active.sent.store(false, Ordering::Release);
        }
    }

    fn heard(&self, message: &ServerJsonRpcMessage) {
        let ServerJsonRpcMessage::Notification(notification) = message else {
            return;
        };
        match &notification.notification {
            ServerNotification::ProgressNotification(report) => {
                let report = &report.params;
                let active = self.open.lock().iter().rev().find_map(|open| {
                    let is_of = open.token.as_ref() == Some(&report.progress_token);
                    is_of.then(|| open.active.upgrade()).flatten()
                });
                if let Some(active) = active {
                    active.report(report);
                }
            }
            ServerNotification::LoggingMessageNotification(line) => {
                let line = &line.params;
                let level = level(line.level);
                let logger = line.logger.as_deref().map(|logger| one_line(logger, 200));
                tracing::debug!(
                    server = self.server.as_str(),
                    level = level.as_str(),
                    logger,
                    data = one_line(&line.data.to_string(), 2_000),
                    "an MCP server logged"
                );
                if let Some(cx) = self.find(None).and_then(|active| active.cx.clone()) {
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
