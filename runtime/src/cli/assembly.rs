//! An app put together: tools, state and doors held against each other before anything runs.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::app::{App, Package, SandboxSettings, SessionState};
use super::client::CommandLine;
use super::filters::Narrowing;
#[cfg(feature = "skills")]
use super::skills::SkillSettings;
use crate::agent::SystemPrompt;
use crate::agent::offer::Offering;
use crate::agent::reading::reducer::Reducers;
use crate::capability::Grants;
use crate::model::Model;
use crate::network::HostRules;
use crate::permission::Policy;
use crate::registry::{DuplicateTools, Registry};
#[cfg(feature = "files")]
use crate::sandbox::LocalFs;
use crate::sandbox::SandboxChoice;
#[cfg(feature = "skills")]
use crate::skill::{CatalogError, SkillCatalog, SkillLibrary};
use crate::tool::{State, Tool, ToolContext, ToolDef};
use crate::toolset::{MissingState, Toolset};

/// An app that is ready to run.
pub(super) struct Assembly {
    pub(super) package: Package,
    /// What the app grants.
    pub(super) toolset: Toolset,
    /// What it would grant without its filters.
    pub(super) all: Toolset,
    /// What narrows its tools.
    pub(super) filters: Vec<Narrowing>,
    pub(super) state: Arc<State>,
    pub(super) session_state: Vec<SessionState>,
    pub(super) root: PathBuf,
    pub(super) grants: Grants,
    #[cfg(feature = "skills")]
    pub(super) skills: Arc<SkillLibrary>,
    #[cfg(feature = "skills")]
    pub(super) skill_settings: SkillSettings,
    /// What of the tools has nothing to do with skills.
    #[cfg(feature = "skills")]
    granted: Granted,
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
    /// How the tools are offered to a model.
    pub(super) offering: Offering,
    /// What makes results shorter.
    pub(super) reducers: Reducers,
    /// Which hosts its tools reach.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "without `http` no tool reaches any")
    )]
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
    pub(super) fn of(app: App, root: &Path) -> Result<Self, AssemblyError> {
        #[cfg(feature = "skills")]
        let skills = skills(&app)?;
        let mut state = app.state;
        // Tools that go through folders pass over the same places that a policy asks about.
        state.insert(app.policy.shut().clone());
        let state = Arc::new(state);
        let session = session_state(&app.session_state);
        if let Some(type_name) = state.overlap(&session) {
            return Err(AssemblyError::AmbiguousState { type_name });
        }
        let package = app.package.name;
        let filters = app.filters.into_iter();
        let filters = filters.map(|filter| Narrowing::of_app(package, filter));
        let mut granted = Granted::of_package(package)?;
        for pack in &app.packs {
            granted.add(pack.tools());
        }
        granted.add(app.offering.tools().tools());
        let toolset = granted.toolset()?;
        toolset.check_state(&[&state, &session])?;
        let grants = grants(root)?;
        let files = grants
            .files
            .as_ref()
            .and_then(|files| files.roots().first());
        let client = CommandLine::new(files.map_or(root, |folder| folder).to_owned());
        let mut assembly = Self {
            client: Arc::new(client),
            package: app.package,
            toolset: Toolset::empty(),
            all: Toolset::empty(),
            filters: filters.collect(),
            state,
            session_state: app.session_state,
            root: root.to_owned(),
            grants,
            #[cfg(feature = "skills")]
            skills: Arc::new(SkillCatalog::new().into()),
            #[cfg(feature = "skills")]
            skill_settings: app.skill_settings,
            #[cfg(feature = "skills")]
            granted,
            #[cfg(feature = "mcp")]
            servers: app.servers,
            #[cfg(feature = "mcp")]
            mcp: None,
            prompt: app.prompt,
            model: app.model,
            policy: app.policy,
            offering: app.offering,
            reducers: app.reducers,
            network: app.network,
            sandbox: app.sandbox,
            sandbox_settings: app.sandbox_settings,
            demo: app.demo,
        };
        assembly.grant(toolset);
        #[cfg(feature = "skills")]
        assembly.grant_skills(skills)?;
        Ok(assembly)
    }

    /// Grants what the filters let through of these tools, in place of those that were granted before.
    pub(super) fn grant(&mut self, all: Toolset) {
        let filters = self.filters.iter();
        self.toolset = filters.fold(all.clone(), |tools, narrowing| {
            tools.granted(&narrowing.filter)
        });
        self.all = all;
    }

    /// Takes more filters, beside those that there are.
    pub(super) fn narrow(&mut self, filters: Vec<Narrowing>) {
        self.filters.extend(filters);
        self.grant(self.all.clone());
    }

    /// Grants the tools of skills, in place of those that were granted before. Where there is no skill yet, they come with
    /// the first.
    #[cfg(feature = "skills")]
    pub(super) fn grant_skills(&mut self, catalog: SkillCatalog) -> Result<(), AssemblyError> {
        let is_empty = catalog.is_empty();
        self.skills = Arc::new(SkillLibrary::new(catalog));
        let common = self.tools_of_skills();
        let mut granted = self.granted.clone();
        if !is_empty {
            granted.add(common.tools());
        }
        // They come and go with the skills, and none of them takes the name of another tool.
        let own = SkillLibrary::tools(&self.skills);
        let own = own.filtered(|spec| !matches!(&*spec.name, "load_skill" | "read_skill_file"));
        let later = match is_empty {
            true => common.layered(&own),
            false => own,
        };
        let later = SkillLibrary::while_any(&self.skills, later);
        self.grant(granted.toolset()?.layered(&later));
        Ok(())
    }

    /// Returns the tools that work with whichever skills there are.
    #[cfg(feature = "skills")]
    fn tools_of_skills(&self) -> Toolset {
        let tools = SkillLibrary::toolset(Arc::clone(&self.skills));
        #[cfg(all(unix, feature = "sandbox"))]
        let tools = {
            let scripts = crate::skill::SkillScripts::new(Arc::clone(&self.skills));
            tools.layered(&crate::skill::SkillScripts::toolset(Arc::new(scripts)))
        };
        tools
    }

    /// Reports whether a tool is granted whatever skills there are.
    #[cfg(feature = "skills")]
    pub(super) fn has_besides_skills(&self, tool: &str) -> bool {
        self.granted.tools.contains_key(tool)
    }

    /// Makes the context of a session's calls.
    pub(super) fn context(&self) -> ToolContext {
        ToolContext::builder()
            .app(self.state.clone())
            .session_state(Arc::new(session_state(&self.session_state)))
            .grants(self.grants.clone())
            .build()
    }

    /// Returns the name under which the program was most likely started.
    pub(super) fn binary(&self) -> &'static str {
        self.package.binary.unwrap_or(self.package.name)
    }

    /// Returns the folder that the tools may reach, as the file system names it where they reach files.
    pub(super) fn folder(&self) -> &Path {
        let files = self.grants.files.as_ref();
        files
            .and_then(|files| files.roots().first())
            .unwrap_or(&self.root)
    }

    /// Writes down the folder that the tools may reach.
    pub(super) fn shown_root(&self) -> String {
        self.folder().display().to_string()
    }

    /// Reports whether the app grants a linked tool, whatever filters say.
    pub(super) fn grants_tool(&self, definition: &'static ToolDef) -> bool {
        let is_it = |tool: &Arc<dyn Tool>| {
            tool.definition()
                .is_some_and(|own| own.function() == definition.function())
        };
        self.all.tools().iter().any(is_it)
    }
}

impl fmt::Debug for Assembly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assembly")
            .field("package", &self.package.name)
            .field("toolset", &self.toolset)
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
fn skills(app: &App) -> Result<SkillCatalog, CatalogError> {
    let mut catalog = SkillCatalog::for_packages(&[app.package.name])?;
    for set in &app.skills {
        catalog = catalog.with(set)?;
    }
    Ok(catalog)
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

/// The granted tools by name.
#[derive(Clone)]
struct Granted {
    tools: BTreeMap<Arc<str>, Vec<Arc<dyn Tool>>>,
}

impl Granted {
    /// Starts with the linked tools of one package; its methods come with the value that a pack binds them to, or with
    /// the app's state.
    fn of_package(package: &str) -> Result<Self, DuplicateTools> {
        let mut granted = Self {
            tools: BTreeMap::new(),
        };
        let own = Registry::of_packages(&[package])?;
        granted.add(own.iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>));
        Ok(granted)
    }

    fn add(&mut self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) {
        for tool in tools {
            let same = self.tools.entry(tool.spec().name.clone()).or_default();
            let function = |tool: &Arc<dyn Tool>| tool.definition().map(ToolDef::function);
            match same
                .iter()
                .position(|other| function(other).is_some() && function(other) == function(&tool))
            {
                // The same function again: the one that has its value stands.
                Some(index) if tool.is_bound() => same[index] = tool,
                Some(_) => {}
                None => same.push(tool),
            }
        }
    }

    fn toolset(&self) -> Result<Toolset, AssemblyError> {
        if let Some((name, tools)) = self.tools.iter().find(|(_, tools)| tools.len() > 1) {
            let places = tools.iter().filter_map(|tool| tool.definition());
            let places = places
                .map(|tool| format!("\n  {} ({})", tool.package(), tool.location()))
                .collect();
            return Err(AssemblyError::DuplicateGrant {
                name: name.to_string(),
                places,
            });
        }
        Ok(Toolset::of_tools(self.tools.values().flatten().cloned()))
    }
}

#[cfg(test)]
#[allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests panic, and linkme blames its sections on the crate that declares the slice"
)]
mod tests;
