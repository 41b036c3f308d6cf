//! The tools of an app, from its packs, skills and MCP servers, and the tools that its filters grant.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::assembly_error::AssemblyError;
use super::filters::SourcedFilter;
use helve_core::registry::{DuplicateTools, Registry};
use helve_core::tool::{Tool, ToolDef, ToolSpec};
use helve_core::toolset::{ExclusionReason, Toolset};
#[cfg(feature = "skills")]
use helve_skill::SkillLibrary;

/// The tools of an app, and the filters that they pass.
pub(super) struct AppTools {
    #[cfg(feature = "skills")]
    pack_tools: ToolsByName,
    /// The tools that the app would grant without its filters.
    all: Toolset,
    filters: Vec<SourcedFilter>,
    granted: Toolset,
}

impl AppTools {
    /// Collects the linked tools of a package and the tools of packs.
    pub(super) fn new<'p>(
        package: &str,
        packs: impl IntoIterator<Item = &'p Toolset>,
        filters: Vec<SourcedFilter>,
    ) -> Result<Self, AssemblyError> {
        let mut packed = ToolsByName::from_package(package)?;
        for pack in packs {
            packed.add(pack.tools());
        }
        let all = packed.toolset()?;
        let mut tools = Self {
            #[cfg(feature = "skills")]
            pack_tools: packed,
            all,
            filters,
            granted: Toolset::empty(),
        };
        tools.grant_filtered();
        Ok(tools)
    }

    pub(super) fn granted(&self) -> &Toolset {
        &self.granted
    }

    /// Returns what it would grant without its filters.
    pub(super) fn all(&self) -> &Toolset {
        &self.all
    }

    pub(super) fn filters(&self) -> &[SourcedFilter] {
        &self.filters
    }

    /// Adds filters to those that there are.
    pub(super) fn add_filters(&mut self, filters: Vec<SourcedFilter>) {
        self.filters.extend(filters);
        self.grant_filtered();
    }

    /// Adds tools, which pass the same filters. A tool does not replace an existing tool of the same name.
    #[cfg(any(feature = "mcp", feature = "skill-install"))]
    pub(super) fn add_layered(&mut self, tools: &Toolset) {
        self.all = self.all.layered(tools);
        self.grant_filtered();
    }

    /// Replaces the tools with those of the packs and the skills. Without skills, the skill tools appear with the first
    /// skill.
    #[cfg(feature = "skills")]
    pub(super) fn set_skills(&mut self, skills: &Arc<SkillLibrary>) -> Result<(), AssemblyError> {
        let is_empty = skills.current().is_empty();
        let common = skill_tools(skills);
        let mut packed = self.pack_tools.clone();
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
        let later = SkillLibrary::tools_while_nonempty(skills, later);
        self.all = packed.toolset()?.layered(&later);
        self.grant_filtered();
        Ok(())
    }

    /// Reports whether a tool of a pack has this name, independent of the skills.
    #[cfg(feature = "skills")]
    pub(super) fn has_pack_tool(&self, tool: &str) -> bool {
        self.pack_tools.tools.contains_key(tool)
    }

    /// Reports whether a linked tool is among the tools, regardless of the filters.
    pub(super) fn has_linked(&self, definition: &'static ToolDef) -> bool {
        let is_it = |tool: &Arc<dyn Tool>| {
            tool.definition()
                .is_some_and(|own| own.function() == definition.function())
        };
        self.all.tools().iter().any(is_it)
    }

    /// Returns the reason why a tool is excluded, and the filter that excludes it; `None` if the tool passes all
    /// filters.
    pub(super) fn closing_filter(
        &self,
        spec: &ToolSpec,
    ) -> Option<(ExclusionReason, &SourcedFilter)> {
        let closed = self.filters.iter().filter_map(|narrowing| {
            let gate = narrowing.filter.check(spec).err()?;
            Some((gate, narrowing))
        });
        closed.min_by(|(one, _), (other, _)| one.cmp(other))
    }

    /// Returns the error text for a tool that does not exist or is excluded by a filter.
    pub(super) fn describe_missing(&self, name: &str) -> String {
        let there = self.all.get(name);
        let closed = there.as_deref();
        match closed.and_then(|tool| self.closing_filter(tool.spec())) {
            Some((gate, narrowing)) => {
                format!("the tool `{name}` is disabled by a filter: {gate} ({narrowing})")
            }
            None => format!(
                "{}\nhelp: run `tools` for a list",
                self.granted.unknown(name)
            ),
        }
    }

    /// Reports whether any tool of an MCP server can be granted.
    #[cfg(feature = "mcp")]
    pub(super) fn takes_server(&self, name: &str) -> bool {
        let mut filters = self.filters.iter();
        filters.all(|narrowing| narrowing.filter.takes_server(name))
    }

    /// Grants the tools that pass the filters, and replaces the tools that were granted before.
    fn grant_filtered(&mut self) {
        let filters = self.filters.iter();
        self.granted = filters.fold(self.all.clone(), |tools, narrowing| {
            tools.granted(&narrowing.filter)
        });
    }
}

/// Returns the tools that work with whichever skills there are.
#[cfg(feature = "skills")]
fn skill_tools(skills: &Arc<SkillLibrary>) -> Toolset {
    let tools = SkillLibrary::toolset(Arc::clone(skills));
    #[cfg(all(unix, feature = "sandbox"))]
    let tools = {
        let scripts = helve_skill::SkillScripts::new(Arc::clone(skills));
        tools.layered(&scripts.into_toolset())
    };
    tools
}

/// Tools by name, for the detection of duplicate names.
#[derive(Clone)]
struct ToolsByName {
    tools: BTreeMap<Arc<str>, Vec<Arc<dyn Tool>>>,
    /// The functions of the package that no pack has.
    unpacked: HashSet<TypeId>,
}

impl ToolsByName {
    /// Starts with the linked tools of one package; its methods come with the value that a pack binds them to, or with
    /// the app's state.
    fn from_package(package: &str) -> Result<Self, DuplicateTools> {
        let mut tools = Self {
            tools: BTreeMap::new(),
            unpacked: HashSet::new(),
        };
        let own = Registry::from_packages(&[package])?;
        tools.add(own.iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>));
        tools.unpacked = own.iter().map(ToolDef::function).collect();
        Ok(tools)
    }

    /// Adds tools. A tool of a pack replaces the tool of the package with the same function, under whichever name.
    fn add(&mut self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) {
        let function = |tool: &Arc<dyn Tool>| tool.definition().map(ToolDef::function);
        for tool in tools {
            if let Some(replaced) = function(&tool)
                && self.unpacked.remove(&replaced)
            {
                self.tools.retain(|_, same| {
                    same.retain(|other| function(other) != Some(replaced));
                    !same.is_empty()
                });
            }
            let same = self.tools.entry(tool.spec().name.clone()).or_default();
            match same
                .iter()
                .position(|other| function(other).is_some() && function(other) == function(&tool))
            {
                // The same function twice: the tool that is bound to its value replaces the unbound one.
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
        Ok(Toolset::from_tools(self.tools.values().flatten().cloned()))
    }
}
