//! An app put together: tools, state and doors held against each other before anything runs.

mod tools;

use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tools::AppTools;

use super::app::{App, Package, SandboxSettings, SessionState};
use super::client::CommandLine;
#[cfg(feature = "skills")]
use super::skills::SkillSettings;
use crate::agent::SystemPrompt;
use crate::agent::exposure::ToolExposure;
use crate::agent::hook::HookChain;
use crate::capability::Grants;
use crate::model::Model;
use crate::network::HostRules;
use crate::permission::{DangerousPaths, Policy};
use crate::registry::DuplicateTools;
use crate::results::reducer::Reducers;
#[cfg(feature = "files")]
use crate::sandbox::LocalFs;
use crate::sandbox::SandboxChoice;
#[cfg(feature = "skills")]
use crate::skill::{CatalogError, SkillCatalog, SkillLibrary};
use crate::tool::{State, ToolContext};
use crate::toolset::MissingState;

/// An app that is ready to run.
pub(super) struct Assembly {
    pub(super) package: Package,
    /// The dangerous paths that hold, once the settings are known.
    dangerous: Arc<OnceLock<DangerousPaths>>,
    pub(super) tools: AppTools,
    pub(super) state: Arc<State>,
    pub(super) session_state: Vec<SessionState>,
    pub(super) root: PathBuf,
    pub(super) grants: Grants,
    #[cfg(feature = "skills")]
    pub(super) skills: Arc<SkillLibrary>,
    #[cfg(feature = "skills")]
    pub(super) skill_settings: SkillSettings,
    /// The MCP servers that the app itself names.
    #[cfg(feature = "mcp")]
    pub(super) servers: Vec<crate::mcp::ServerConfig>,
    /// The servers that a command works with.
    #[cfg(feature = "mcp")]
    pub(super) mcp: Option<Arc<super::mcp::AtWork>>,
    /// Whoever drives the program.
    pub(super) client: Arc<CommandLine>,
    /// What the app itself says to the model.
    pub(super) prompt: SystemPrompt,
    pub(super) model: Option<Arc<dyn Model>>,
    /// What the app itself says of permissions.
    pub(super) policy: Policy,
    /// The app's own code around turns and calls.
    pub(super) hooks: HookChain,
    /// How the tools are offered to a model.
    pub(super) exposure: ToolExposure,
    /// What makes results shorter.
    pub(super) reducers: Reducers,
    /// Which hosts its tools reach.
    pub(super) network: HostRules,
    /// The sandbox that the app itself chose.
    pub(super) sandbox: Option<SandboxChoice>,
    pub(super) sandbox_settings: Vec<SandboxSettings>,
    pub(super) demo: Option<&'static str>,
}

/// Says why an app cannot start; written for the programmer who put it together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssemblyError {
    /// Two tools of the app's own package have one name.
    #[error(transparent)]
    DuplicateTools(#[from] DuplicateTools),
    /// Two granted tools have one name.
    #[error("two packs grant a tool called `{name}`: use `.prefixed(\"…\")` on one{places}")]
    DuplicateGrant {
        /// The name.
        name: String,
        /// Where they are written, as far as that is known.
        places: String,
    },
    /// Tools need state that is not there.
    #[error(transparent)]
    MissingState(#[from] MissingState),
    /// One type is in two scopes.
    #[error(
        "`{type_name}` is both app state and session state: a `&{type_name}` could mean either"
    )]
    AmbiguousState {
        /// The type.
        type_name: &'static str,
    },
    /// Two skills have one name.
    #[cfg(feature = "skills")]
    #[error(transparent)]
    Skills(#[from] CatalogError),
    /// The root is not there.
    #[cfg(feature = "files")]
    #[error("the root `{}` cannot be used", root.display())]
    Root {
        /// The folder.
        root: PathBuf,
        /// Why.
        #[source]
        source: crate::sandbox::FsError,
    },
}

impl Assembly {
    /// Puts an app together, with its files below `root`.
    pub(super) fn of(mut app: App, root: &Path) -> Result<Self, AssemblyError> {
        #[cfg(feature = "skills")]
        let skills = skills(&app)?;
        // Tools that go through folders pass over the same places that a policy asks about.
        let (dangerous, shut) = (Arc::new(OnceLock::new()), app.policy.shut().clone());
        let chosen = Arc::clone(&dangerous);
        app.state
            .insert_with(move || Ok::<_, Infallible>(chosen.get().cloned().unwrap_or(shut)));
        let session = session_state(&app.session_state);
        if let Some(type_name) = app.state.overlap(&session) {
            return Err(AssemblyError::AmbiguousState { type_name });
        }
        #[cfg_attr(
            not(feature = "skills"),
            expect(unused_mut, reason = "skills bring more")
        )]
        let mut tools = AppTools::of(&app)?;
        tools.all().check_state(&[&app.state, &session])?;
        let grants = grants(root)?;
        #[cfg(feature = "skills")]
        tools.grant_skills(&skills)?;
        Ok(Self {
            client: Arc::new(CommandLine::new(folder(&grants, root).to_owned())),
            package: app.package,
            dangerous,
            tools,
            state: Arc::new(app.state),
            session_state: app.session_state,
            root: root.to_owned(),
            grants,
            #[cfg(feature = "skills")]
            skills,
            #[cfg(feature = "skills")]
            skill_settings: app.skill_settings,
            #[cfg(feature = "mcp")]
            servers: app.servers,
            #[cfg(feature = "mcp")]
            mcp: None,
            prompt: app.prompt,
            hooks: app.hooks,
            model: app.model,
            policy: app.policy,
            exposure: app.exposure,
            reducers: app.reducers,
            network: app.network,
            sandbox: app.sandbox,
            sandbox_settings: app.sandbox_settings,
            demo: app.demo,
        })
    }

    /// Takes skills and grants their tools, in place of those that there were.
    #[cfg(feature = "skills")]
    pub(super) fn grant_skills(&mut self, catalog: SkillCatalog) -> Result<(), AssemblyError> {
        self.skills = Arc::new(catalog.into());
        self.tools.grant_skills(&self.skills)
    }

    /// Makes the context of a session's calls.
    pub(super) fn context(&self) -> ToolContext {
        ToolContext::builder()
            .app(self.state.clone())
            .session_state(Arc::new(session_state(&self.session_state)))
            .grants(self.grants.clone())
            .build()
    }

    /// Takes the dangerous paths of the app with those of the settings, for tools that go through folders; returns what holds.
    pub(super) fn use_dangerous(&self, paths: DangerousPaths) -> DangerousPaths {
        self.dangerous.get_or_init(|| paths).clone()
    }

    /// Returns the name under which the program was most likely started.
    pub(super) fn binary(&self) -> &'static str {
        self.package.binary.unwrap_or(self.package.name)
    }

    /// Returns the folder that the tools may reach, as the file system names it where they reach files.
    pub(super) fn folder(&self) -> &Path {
        folder(&self.grants, &self.root)
    }

    /// Writes down the folder that the tools may reach.
    pub(super) fn shown_root(&self) -> String {
        self.folder().display().to_string()
    }
}

impl fmt::Debug for Assembly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assembly")
            .field("package", &self.package.name)
            .field("toolset", self.tools.granted())
            .finish_non_exhaustive()
    }
}

fn session_state(make: &[SessionState]) -> State {
    let mut state = State::new();
    for make in make {
        make(&mut state);
    }
    state
}

#[cfg(feature = "skills")]
fn skills(app: &App) -> Result<Arc<SkillLibrary>, CatalogError> {
    let mut catalog = SkillCatalog::for_packages(&[app.package.name])?;
    for set in &app.skills {
        catalog = catalog.with(set)?;
    }
    Ok(Arc::new(catalog.into()))
}

fn folder<'a>(grants: &'a Grants, root: &'a Path) -> &'a Path {
    let files = grants.files.as_ref();
    files
        .and_then(|files| files.roots().first())
        .map_or(root, |folder| folder)
}

#[cfg(feature = "files")]
fn grants(root: &Path) -> Result<Grants, AssemblyError> {
    let files = LocalFs::new(root).map_err(|source| AssemblyError::Root {
        root: root.to_owned(),
        source,
    })?;
    Ok(Grants {
        files: Some(Arc::new(files)),
        ..Grants::default()
    })
}

#[cfg(not(feature = "files"))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail with files")]
fn grants(_: &Path) -> Result<Grants, AssemblyError> {
    Ok(Grants::default())
}

#[cfg(test)]
#[allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests panic, and linkme blames its sections on the crate that declares the slice"
)]
mod tests;
