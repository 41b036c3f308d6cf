//! The tools of an app: what its packs and skills bring, and what its filters leave of that.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::AssemblyError;
use crate::cli::app::App;
use crate::cli::filters::Narrowing;
use crate::registry::{DuplicateTools, Registry};
#[cfg(feature = "skills")]
use crate::skill::SkillLibrary;
use crate::tool::{Tool, ToolDef, ToolSpec};
use crate::toolset::{Gate, Toolset};

/// The tools of an app, and the filters that they pass.
pub(in crate::cli) struct AppTools {
    /// Those that have nothing to do with skills.
    #[cfg(feature = "skills")]
    packed: ByName,
    /// What the app would grant without its filters.
    all: Toolset,
    filters: Vec<Narrowing>,
    /// What the filters let through.
    granted: Toolset,
}

impl AppTools {
    /// Takes the linked tools of an app's package and those of its packs and groups.
    pub(super) fn of(app: &App) -> Result<Self, AssemblyError> {
        let package = app.package.name;
        let mut packed = ByName::of_package(package)?;
        for pack in &app.packs {
            packed.add(pack.tools());
        }
        packed.add(app.exposure.tools().tools());
        let all = packed.toolset()?;
        let filters = app.filters.iter().cloned();
        let filters = filters.map(|filter| Narrowing::of_app(package, filter));
        let mut tools = Self {
            #[cfg(feature = "skills")]
            packed,
            all: Toolset::empty(),
            filters: filters.collect(),
            granted: Toolset::empty(),
        };
        tools.grant(all);
        Ok(tools)
    }

    /// Returns what the app grants.
    pub(in crate::cli) fn granted(&self) -> &Toolset {
        &self.granted
    }

    /// Returns what it would grant without its filters.
    pub(in crate::cli) fn all(&self) -> &Toolset {
        &self.all
    }

    pub(in crate::cli) fn filters(&self) -> &[Narrowing] {
        &self.filters
    }

    /// Takes more filters, beside those that there are.
    pub(in crate::cli) fn narrow(&mut self, filters: Vec<Narrowing>) {
        self.filters.extend(filters);
        self.grant(self.all.clone());
    }

    /// Adds tools, which pass the same filters; where one has the name of another that is there, that one stands.
    #[cfg(feature = "mcp")]
    pub(in crate::cli) fn add(&mut self, tools: &Toolset) {
        self.grant(self.all.layered(tools));
    }

    /// Puts the tools of skills beside those of the packs, in place of whatever was added to them. Where there is no skill
    /// yet, they come with the first.
    #[cfg(feature = "skills")]
    pub(super) fn grant_skills(&mut self, skills: &Arc<SkillLibrary>) -> Result<(), AssemblyError> {
        let is_empty = skills.current().is_empty();
        let common = tools_of_skills(skills);
        let mut packed = self.packed.clone();
        if !is_empty {
            packed.add(common.tools());
        }
        // They come and go with the skills, and none of them takes the name of another tool.
        let own = SkillLibrary::tools(skills);
        let own = own.filtered(|spec| !matches!(&*spec.name, "load_skill" | "read_skill_file"));
        let later = match is_empty {
            true => common.layered(&own),
            false => own,
        };
        let later = SkillLibrary::while_any(skills, later);
        self.grant(packed.toolset()?.layered(&later));
        Ok(())
    }

    /// Reports whether there is a tool whatever skills there are.
    #[cfg(feature = "skills")]
    pub(in crate::cli) fn has_besides_skills(&self, tool: &str) -> bool {
        self.packed.tools.contains_key(tool)
    }

    /// Reports whether a linked tool is among them, whatever the filters say.
    pub(in crate::cli) fn has_linked(&self, definition: &'static ToolDef) -> bool {
        let is_it = |tool: &Arc<dyn Tool>| {
            tool.definition()
                .is_some_and(|own| own.function() == definition.function())
        };
        self.all.tools().iter().any(is_it)
    }

    /// Says at which gate a tool is left out and who put it there; `None` where it passes all.
    pub(in crate::cli) fn gate(&self, spec: &ToolSpec) -> Option<(Gate, &Narrowing)> {
        let closed = self.filters.iter().filter_map(|narrowing| {
            let gate = narrowing.filter.check(spec).err()?;
            Some((gate, narrowing))
        });
        closed.min_by(|(one, _), (other, _)| one.cmp(other))
    }

    /// Tells a person that there is no such tool, or why it is left out.
    pub(in crate::cli) fn no_tool(&self, name: &str) -> String {
        let there = self.all.get(name);
        match there.as_deref().and_then(|tool| self.gate(tool.spec())) {
            Some((gate, narrowing)) => {
                format!("the tool `{name}` is left out: {gate} ({narrowing})")
            }
            None => format!("{}; `tools` lists them", self.granted.unknown(name)),
        }
    }

    /// Reports whether any tool of an MCP server can be granted.
    #[cfg(feature = "mcp")]
    pub(in crate::cli) fn takes_server(&self, name: &str) -> bool {
        let mut filters = self.filters.iter();
        filters.all(|narrowing| narrowing.filter.takes_server(name))
    }

    /// Grants what the filters let through of these tools, in place of those that were granted before.
    fn grant(&mut self, all: Toolset) {
        let filters = self.filters.iter();
        self.granted = filters.fold(all.clone(), |tools, narrowing| {
            tools.granted(&narrowing.filter)
        });
        self.all = all;
    }
}

/// Returns the tools that work with whichever skills there are.
#[cfg(feature = "skills")]
fn tools_of_skills(skills: &Arc<SkillLibrary>) -> Toolset {
    let tools = SkillLibrary::toolset(Arc::clone(skills));
    #[cfg(all(unix, feature = "sandbox"))]
    let tools = {
        let scripts = crate::skill::SkillScripts::new(Arc::clone(skills));
        tools.layered(&scripts.into_toolset())
    };
    tools
}

/// Tools by their names, among which two of one name are found out.
#[derive(Clone)]
struct ByName {
    tools: BTreeMap<Arc<str>, Vec<Arc<dyn Tool>>>,
}

impl ByName {
    /// Starts with the linked tools of one package; its methods come with the value that a pack binds them to, or with
    /// the app's state.
    fn of_package(package: &str) -> Result<Self, DuplicateTools> {
        let mut tools = Self {
            tools: BTreeMap::new(),
        };
        let own = Registry::of_packages(&[package])?;
        tools.add(own.iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>));
        Ok(tools)
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
