//! One server with its approval and its tools.

use std::sync::{Arc, Weak};

use rmcp::model::ServerCapabilities;

use super::ServersState;
use super::status::{ServerStatus, ServersError};
use super::view::{ToolView, ViewInput};
use crate::approval;
use crate::connection::{Connection, ConnectionDeps, ToolsOffer};
use crate::{CallError, ServerConfig};
use helve_core::support::lock::Mutex;
use helve_permission::acceptances::{
    Acceptance, AcceptanceContent, AcceptanceList, AcceptanceSubject, Difference,
};

/// The number of tools up to which a view is created without a thread for blocking work.
const MAX_INLINE_TOOLS: usize = 50;

pub(crate) struct Server {
    pub(crate) config: ServerConfig,
    pub(crate) connection: Connection,
    /// The key of the server's approval.
    subject: AcceptanceSubject,
    known: Mutex<ServerCache>,
    /// Serializes the creation of views, so that an older view does not replace a newer one, and each current view is
    /// also in the joined list.
    view_lock: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct ServerCache {
    approved: Option<Arc<Acceptance>>,
    view: Arc<ToolView>,
    /// The inputs of the view.
    key: Option<ViewKey>,
    is_followed: bool,
}

/// The inputs of a view: the same inputs give the same view.
#[derive(Clone)]
struct ViewKey {
    offer: Arc<ToolsOffer>,
    instructions: Option<String>,
    capabilities: Option<ServerCapabilities>,
    approved: Option<Arc<Acceptance>>,
}

impl ViewKey {
    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.offer, &other.offer)
            && self.approved == other.approved
            && self.instructions == other.instructions
            && self.capabilities == other.capabilities
    }
}

impl Server {
    pub(super) fn new(config: ServerConfig, deps: ConnectionDeps) -> Self {
        Self {
            subject: approval::subject(&config),
            connection: Connection::new(config.clone(), deps),
            config,
            known: Mutex::default(),
            view_lock: tokio::sync::Mutex::default(),
        }
    }

    /// Connects, lists the tools, and follows later changes.
    pub(super) async fn start(
        self: &Arc<Self>,
        all: &Arc<ServersState>,
    ) -> Result<(), ServersError> {
        self.follow(all);
        let listed = async {
            self.connection.connect().await?;
            self.connection.tools().await?;
            Ok(())
        };
        let listed = listed.await;
        self.refresh_view(all).await;
        listed
    }

    /// Refreshes the view after each change of the tools, until the servers are dropped.
    pub(super) fn follow(self: &Arc<Self>, all: &Arc<ServersState>) {
        let was_followed = std::mem::replace(&mut self.known.lock().is_followed, true);
        if was_followed {
            return;
        }
        let mut changed = self.connection.changed();
        let (server, all) = (Arc::downgrade(self), Arc::downgrade(all));
        let upgrade = |server: &Weak<Self>, all: &Weak<ServersState>| {
            Some((server.upgrade()?, all.upgrade()?))
        };
        tokio::spawn(async move {
            while changed.changed().await.is_ok() {
                let Some((server, all)) = upgrade(&server, &all) else {
                    return;
                };
                server.refresh_view(&all).await;
            }
        });
    }

    /// Refreshes the view, unless its inputs are unchanged.
    pub(super) async fn refresh_view(self: &Arc<Self>, all: &Arc<ServersState>) {
        let _one = self.view_lock.lock().await;
        let last = self.known.lock().key.clone();
        let now = self.view_key(last.as_ref());
        if last.is_some_and(|last| last.is_same(&now)) {
            return;
        }
        let is_quick = now.offer.tools.len() <= MAX_INLINE_TOOLS;
        let context_tools = all.context_tools;
        let (server, key) = (Arc::clone(self), now.clone());
        let make = move || server.view_input(&key, context_tools).view();
        let view = if is_quick {
            make()
        } else {
            match tokio::task::spawn_blocking(make).await {
                Ok(view) => view,
                Err(_) => return,
            }
        };
        {
            let mut known = self.known.lock();
            known.view = Arc::new(view);
            known.key = Some(now);
        }
        all.join();
    }

    /// Returns the current inputs of the view. While the server is not connected, its last instructions and
    /// capabilities apply.
    fn view_key(&self, last: Option<&ViewKey>) -> ViewKey {
        let status = self.connection.status();
        let (instructions, capabilities) = match last {
            Some(last) if status.capabilities.is_none() => {
                (last.instructions.clone(), last.capabilities.clone())
            }
            _ => (status.instructions, status.capabilities),
        };
        ViewKey {
            offer: self.connection.tools_now(),
            instructions,
            capabilities,
            approved: self.known.lock().approved.clone(),
        }
    }

    fn view_input<'a>(&'a self, key: &'a ViewKey, context_tools: bool) -> ViewInput<'a> {
        ViewInput {
            config: &self.config,
            connection: &self.connection,
            offer: &key.offer,
            instructions: key.instructions.as_deref(),
            capabilities: key.capabilities.as_ref(),
            approved: key.approved.as_deref(),
            context_tools,
        }
    }

    pub(super) fn set_approval(&self, accepted: &AcceptanceList) {
        self.known.lock().approved = accepted.get(&self.subject).cloned().map(Arc::new);
    }

    pub(super) fn view(&self) -> Arc<ToolView> {
        Arc::clone(&self.known.lock().view)
    }

    #[cfg(feature = "skills")]
    pub(crate) fn approved(&self) -> Option<Arc<Acceptance>> {
        self.known.lock().approved.clone()
    }

    pub(super) fn status(&self) -> ServerStatus {
        let view = self.view();
        ServerStatus {
            name: self.config.name().clone(),
            connection: self.connection.status(),
            approval: view.approval,
            offered: view
                .tools
                .iter()
                .map(|tool| tool.spec().name.clone())
                .collect(),
            withheld: view.withheld.clone(),
            notes: view.notes.clone(),
        }
    }

    /// Compares the server's current definitions with the approved ones.
    pub(super) async fn difference(
        &self,
        accepted: &AcceptanceList,
    ) -> Result<Difference, ServersError> {
        let content = self.content().await?;
        Ok(accepted.difference(self.subject.clone(), content))
    }

    async fn content(&self) -> Result<AcceptanceContent, CallError> {
        let offer = self.connection.tools().await?;
        let status = self.connection.status();
        let instructions = status.instructions.as_deref().map(str::trim);
        let instructions = instructions.filter(|text| !text.is_empty());
        let instructions = instructions.map(approval::instructions_entry);
        let mut entries = Vec::from_iter(instructions);
        entries.extend(offer.tools.iter().map(approval::tool_entry));
        #[cfg(feature = "skills")]
        entries.extend(crate::skills::manifest::entries(&self.connection).await?);
        Ok(AcceptanceContent::from_entries(entries))
    }
}
