//! The state of a server, which all of its connections share.

use std::sync::Arc;

use tokio::sync::watch;

use super::limits::Principals;
use super::revisions::Revisions;
use super::session::Session;
use super::settings::Settings;
use super::shared_sessions::SharedSessions;
#[cfg(feature = "skills")]
use super::skills::ServedSkills;
use super::suspended::SuspendedCalls;
use super::tasks::Tasks;
use super::tool_list::ToolList;
use helve_core::tool::Principal;

pub(crate) struct ServerState {
    pub(crate) settings: Arc<Settings>,
    pub(super) tools: ToolList,
    pub(super) suspended: SuspendedCalls,
    pub(super) tasks: Tasks,
    #[cfg(feature = "skills")]
    pub(super) skills: Option<ServedSkills>,
    /// The revisions after the last call, which may have changed the lists.
    pub(super) revisions: watch::Sender<Revisions>,
    principals: Principals,
    shared_sessions: SharedSessions,
}

impl ServerState {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            tools: ToolList::default(),
            suspended: SuspendedCalls::new(settings.limits),
            tasks: Tasks::new(settings.tasks.clone()),
            #[cfg(feature = "skills")]
            skills: settings.skills.clone().map(ServedSkills::new),
            revisions: watch::Sender::default(),
            principals: Principals::new(settings.limits),
            shared_sessions: SharedSessions::default(),
            settings: Arc::new(settings),
        }
    }

    pub(super) fn new_session(&self, principal: &Principal) -> Arc<Session> {
        Session::new(&self.settings, self.principals.get(principal))
    }

    /// Returns the session of the requests of a principal that come without a connection.
    pub(super) fn shared_session(&self, principal: &Principal) -> Arc<Session> {
        let create = || self.new_session(principal);
        self.shared_sessions.get_or_create(principal, create)
    }

    /// Compares the revisions with those after the last call, and wakes the watchers of changes if they differ.
    pub(super) fn update_revisions(&self) {
        let current = Revisions::current(&self.settings);
        self.revisions
            .send_if_modified(|known| std::mem::replace(known, current) != current);
    }
}
