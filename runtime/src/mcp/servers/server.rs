//! One of the servers.

use std::sync::{Arc, Weak};

use rmcp::model::ServerCapabilities;

use super::Inner;
use super::status::{ServerStatus, ServersError};
use super::view::{Sight, View};
use crate::acceptances::{Acceptance, Accepted, Content, Difference, Subject};
use crate::mcp::approval;
use crate::mcp::connection::{Connection, Surroundings, ToolsOffer};
use crate::mcp::{CallError, ServerConfig};
use crate::support::lock::Mutex;

/// So many tools are held against what was approved on a thread where that may take its time.
const QUICK: usize = 50;

/// One of the servers, with what is known of it.
pub(in crate::mcp) struct Server {
    pub(in crate::mcp) config: ServerConfig,
    pub(in crate::mcp) connection: Connection,
    /// What an approval of it is found by.
    subject: Subject,
    known: Mutex<Known>,
    /// One view is made and joined to the others at a time: an older one never takes the place of a newer, and whoever
    /// finds a view in place finds its tools in the list.
    viewing: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct Known {
    approved: Option<Arc<Acceptance>>,
    view: Arc<View>,
    /// What the view was made of.
    seen: Option<Seen>,
    is_followed: bool,
}

/// What a view depends on.
#[derive(Clone)]
struct Seen {
    offer: Arc<ToolsOffer>,
    instructions: Option<String>,
    capabilities: Option<ServerCapabilities>,
    approved: Option<Arc<Acceptance>>,
}

impl Seen {
    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.offer, &other.offer)
            && self.approved == other.approved
            && self.instructions == other.instructions
            && self.capabilities == other.capabilities
    }
}

impl Server {
    pub(super) fn new(config: ServerConfig, surroundings: Surroundings) -> Self {
        Self {
            subject: approval::subject(&config),
            connection: Connection::new(config.clone(), surroundings),
            config,
            known: Mutex::new(Known {
                approved: None,
                view: Arc::new(View::empty()),
                seen: None,
                is_followed: false,
            }),
            viewing: tokio::sync::Mutex::default(),
        }
    }

    /// Connects, lists, and keeps to what the server lists later.
    pub(super) async fn start(self: &Arc<Self>, all: &Arc<Inner>) -> Result<(), ServersError> {
        self.follow(all);
        let listed = async {
            self.connection.connect().await?;
            self.connection.tools().await?;
            Ok(())
        };
        let listed = listed.await;
        self.look(all).await;
        listed
    }

    /// Makes the view anew whenever the list of tools changes, until nobody needs the servers any more.
    pub(super) fn follow(self: &Arc<Self>, all: &Arc<Inner>) {
        let was_followed = std::mem::replace(&mut self.known.lock().is_followed, true);
        if was_followed {
            return;
        }
        let mut changed = self.connection.changed();
        let (server, all) = (Arc::downgrade(self), Arc::downgrade(all));
        let upgrade =
            |server: &Weak<Self>, all: &Weak<Inner>| Some((server.upgrade()?, all.upgrade()?));
        tokio::spawn(async move {
            while changed.changed().await.is_ok() {
                let Some((server, all)) = upgrade(&server, &all) else {
                    return;
                };
                server.look(&all).await;
            }
        });
    }

    /// Makes the view of what is there now, unless it is there already.
    pub(super) async fn look(self: &Arc<Self>, all: &Arc<Inner>) {
        let _one = self.viewing.lock().await;
        let seen = self.known.lock().seen.clone();
        let now = self.see(seen.as_ref());
        if seen.is_some_and(|seen| seen.is_same(&now)) {
            return;
        }
        let is_quick = now.offer.tools.len() <= QUICK;
        let context_tools = all.context_tools;
        let (server, sight) = (Arc::clone(self), now.clone());
        let make = move || server.sight(&sight, context_tools).view();
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
            known.seen = Some(now);
        }
        all.join();
    }

    /// Looks at what there is now. While a server is not there, what it said of itself last stands.
    fn see(&self, last: Option<&Seen>) -> Seen {
        let status = self.connection.status();
        let (instructions, capabilities) = match last {
            Some(last) if status.capabilities.is_none() => {
                (last.instructions.clone(), last.capabilities.clone())
            }
            _ => (status.instructions, status.capabilities),
        };
        Seen {
            offer: self.connection.tools_now(),
            instructions,
            capabilities,
            approved: self.known.lock().approved.clone(),
        }
    }

    fn sight<'a>(&'a self, seen: &'a Seen, context_tools: bool) -> Sight<'a> {
        Sight {
            config: &self.config,
            connection: &self.connection,
            offer: &seen.offer,
            instructions: seen.instructions.as_deref(),
            capabilities: seen.capabilities.as_ref(),
            approved: seen.approved.as_deref(),
            context_tools,
        }
    }

    /// Takes in what was approved.
    pub(super) fn take(&self, accepted: &Accepted) {
        self.known.lock().approved = accepted.get(&self.subject).cloned().map(Arc::new);
    }

    pub(super) fn view(&self) -> Arc<View> {
        Arc::clone(&self.known.lock().view)
    }

    /// Returns what was approved of the server.
    #[cfg(feature = "skills")]
    pub(in crate::mcp) fn approved(&self) -> Option<Arc<Acceptance>> {
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

    /// Compares what the server says now with what was approved.
    pub(super) async fn difference(&self, accepted: &Accepted) -> Result<Difference, ServersError> {
        let content = self.content().await?;
        Ok(accepted.difference(self.subject.clone(), content))
    }

    /// Takes down everything that the server says of itself.
    async fn content(&self) -> Result<Content, CallError> {
        let offer = self.connection.tools().await?;
        let status = self.connection.status();
        let said = status.instructions.as_deref().map(str::trim);
        let said = said.filter(|said| !said.is_empty());
        let mut entries: Vec<_> = said.map(approval::instructions_entry).into_iter().collect();
        entries.extend(offer.tools.iter().map(approval::tool_entry));
        #[cfg(feature = "skills")]
        entries.extend(crate::mcp::skills::entries(self).await?);
        Ok(Content::from_entries(entries))
    }
}
