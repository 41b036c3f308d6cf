//! The memory of an app: which memories a call reaches.

use std::path::Path;
use std::sync::Arc;

use helve_core::tool::{Principal, State};
use helve_text_index::TextEmbedder;

use crate::base::{MemoryBase, NoProject};
use crate::entry::{MemoryAuthor, MemorySource};
use crate::error::MemoryError;
use crate::meaning::MemoryVectors;
use crate::path::MemoryScope;
use crate::session_memory::{MemoryWriter, SessionMemory};
use crate::store::{MemoryKey, MemoryStore, PendingChange, digest};

/// The memory of an app: a store, and the project that the app works in.
///
/// Cloning it is cheap. [`grant`](Self::grant) puts it into the state of the app, where the tools that declare
/// `requires(memory)` reach it with [`cx.memory()`](crate::MemoryContext::memory).
///
/// ```
/// use helve::memory::{FileMemory, Memory, MemoryScope};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let memory = Memory::new(FileMemory::new(folder.path())).with_project("/home/ann/shop".as_ref());
/// let ann = memory.for_person();
/// let path = ann.parse("project/deploys")?;
/// ann.write(&path, "Deploys are on Tuesdays.", None).await?;
/// assert_eq!(ann.search("When do we deploy?", None, 5).await?[0].path, path.as_file());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Memory(MemoryBase);

/// The memory in the state of an app, which tools reach through [`MemoryContext`](crate::MemoryContext) alone.
#[derive(Debug)]
pub(crate) struct GrantedMemory(pub(crate) Memory);

impl Memory {
    /// Creates a memory without a project.
    pub fn new(store: impl MemoryStore + 'static) -> Self {
        Self(MemoryBase::new(Arc::new(store)))
    }

    /// Sets the folder of the project, whose memory is told apart by the path of the folder.
    #[must_use]
    pub fn with_project(mut self, folder: &Path) -> Self {
        let path = folder.as_os_str().as_encoded_bytes();
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_lowercase();
        let name = name.chars().filter(char::is_ascii_alphanumeric).take(24);
        let name: String = name.collect();
        self.0.project = Ok(format!("{name}-{}", &digest(path)[..12]));
        self
    }

    /// Sets the embedding model, with which searches find entries by their meaning, too. Its ranking and that of the words are
    /// fused by reciprocal rank.
    #[must_use]
    pub fn with_embedder(mut self, embedder: impl TextEmbedder + 'static) -> Self {
        let folder = self.0.store.folder();
        self.0.vectors = Some(MemoryVectors::new(embedder, folder));
        self
    }

    /// Reaches no memory of the project, and of an agent in it, because the user has not accepted the project yet.
    #[must_use]
    pub fn without_project_trust(mut self) -> Self {
        self.0.project = Err(NoProject::NotAccepted);
        self.with_shared_reviews()
    }

    /// Has every change wait for a review that an agent makes to the memories of the user and the team, which other projects
    /// read, because the user has not accepted the folder of the project yet; see [`ProjectTrust`](crate::ProjectTrust).
    #[must_use]
    pub fn with_shared_reviews(mut self) -> Self {
        self.0.is_accepted = false;
        self
    }

    /// Puts the memory into the state of an app.
    pub fn grant(&self, state: &mut State) {
        state.insert(GrantedMemory(self.clone()));
    }

    /// Returns the store.
    #[must_use]
    pub fn store(&self) -> &dyn MemoryStore {
        &*self.0.store
    }

    /// Returns the memories that a person without a name reaches, as the user of a command line does.
    #[must_use]
    pub fn for_person(&self) -> SessionMemory {
        self.for_principal(&Principal::default(), None)
    }

    /// Returns the memories that a principal reaches, and that of an agent. What is written there was written by a person.
    #[must_use]
    pub fn for_principal(&self, principal: &Principal, agent: Option<&str>) -> SessionMemory {
        let writer = MemoryWriter {
            source: MemorySource::new(MemoryAuthor::Person),
            label: None,
        };
        self.reach(principal, agent, None, writer)
    }

    /// Returns the memories that an agent of a session reaches on behalf of a principal. What is written there was written
    /// by a model.
    #[must_use]
    pub fn for_session(&self, principal: &Principal, agent: &str, session: &str) -> SessionMemory {
        let mut source = MemorySource::new(MemoryAuthor::Model);
        session.clone_into(&mut source.session);
        let label = Some(Box::default());
        let writer = MemoryWriter { source, label };
        self.reach(principal, Some(agent), Some(session), writer)
    }

    pub(crate) fn reach(
        &self,
        principal: &Principal,
        agent: Option<&str>,
        session: Option<&str>,
        writer: MemoryWriter,
    ) -> SessionMemory {
        let named = principal.user.is_some() || principal.tenant.is_some();
        let parts = (&principal.tenant, &principal.user);
        let owner = named.then(|| digest(format!("{parts:?}").as_bytes()));
        let key =
            |scope: MemoryScope, names: &[&str]| MemoryKey::new(owner.as_deref(), scope, names);
        let is_named = |name: &&str| !name.is_empty();
        let mut keys = vec![key(MemoryScope::User, &[])];
        if let Ok(project) = &self.0.project {
            keys.push(key(MemoryScope::Project, &[project]));
        }
        if let Some(team) = &principal.team {
            // The members of a team of a tenant share its memory.
            let tenant = principal.tenant.as_ref();
            let tenant = tenant.map(|tenant| digest(format!("{tenant:?}").as_bytes()));
            let key = MemoryKey::new(tenant.as_deref(), MemoryScope::Team, &[team]);
            keys.push(key);
        }
        let project = match &self.0.project {
            Ok(project) => Some(&**project),
            Err(NoProject::Nowhere) => Some("none"),
            Err(NoProject::NotAccepted) => None,
        };
        if let (Some(project), Some(agent)) = (project, agent.filter(is_named)) {
            keys.push(key(MemoryScope::Agent, &[project, agent]));
        }
        if let Some(session) = session.filter(is_named) {
            keys.push(key(MemoryScope::Session, &[session]));
        }
        SessionMemory::new(self.0.clone(), keys, writer)
    }

    /// Lists the changes that wait until a person has reviewed them, the oldest first.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn pending(&self) -> Result<Vec<PendingChange>, MemoryError> {
        self.0.store.pending().await
    }

    /// Makes a change that waits, or rejects it, so that the same text is not stored again.
    ///
    /// # Errors
    /// Fails if there is no such change, it is no longer possible, or the store fails.
    pub async fn review(&self, id: &str, accept: bool) -> Result<(), MemoryError> {
        self.0.store.review(id, accept).await
    }
}
