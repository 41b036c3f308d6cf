//! Skills that are also exposed as tools: `tool: true` in the front matter.

use std::hash::BuildHasher as _;
use std::sync::Arc;

use serde_json::json;

use super::tool::activate;
use super::{Skill, SkillLibrary};
use helve_core::ToolOutput;
use helve_core::support::lock::Mutex;
use helve_core::tool::{Annotations, Tool, ToolError};
use helve_core::toolset::{DynamicTool, DynamicToolError, ToolList, ToolSource, Toolset};

impl SkillLibrary {
    /// Returns the tools of a library: `load_skill`, `read_skill_file`, and one for each skill that is
    /// exposed as a tool. The toolset follows the library.
    ///
    /// Other tools should be [layered](Toolset::layered) above these, so that no skill takes the name
    /// of another tool.
    #[must_use]
    pub fn tools(library: &Arc<Self>) -> Toolset {
        let own = Toolset::new(SkillTools {
            library: Arc::clone(library),
            cached: Mutex::default(),
        });
        Self::toolset(Arc::clone(library)).layered(&own)
    }

    /// Returns a toolset that contains `tools` only while the library has skills.
    #[doc(hidden)]
    pub fn tools_while_nonempty(library: &Arc<Self>, tools: Toolset) -> Toolset {
        Toolset::new(NonemptyLibraryTools {
            library: Arc::clone(library),
            tools,
        })
    }
}

/// A toolset that contains its tools only while a library has skills.
struct NonemptyLibraryTools {
    library: Arc<SkillLibrary>,
    tools: Toolset,
}

impl ToolSource for NonemptyLibraryTools {
    fn list(&self) -> ToolList {
        let (revision, catalog) = self.library.snapshot();
        let tools = match catalog.is_empty() {
            true => Vec::new(),
            false => self.tools.tools(),
        };
        ToolList::new(tools).with_revision(revision)
    }

    fn revision(&self) -> u64 {
        self.library.revision()
    }
}

const READ_ONLY: Annotations = Annotations::new(Some(true), None, None, None);

struct SkillTools {
    library: Arc<SkillLibrary>,
    /// The revision of the snapshot that the tools were made from, and the tools.
    cached: Mutex<Option<(u64, ToolList)>>,
}

impl ToolSource for SkillTools {
    fn list(&self) -> ToolList {
        let (revision, catalog) = self.library.snapshot();
        let mut made = self.cached.lock();
        match &*made {
            Some((of, list)) if *of == revision => list.clone(),
            _ => {
                let skills = catalog.skills();
                let list = build_tools(&self.library, skills).with_revision(revision);
                *made = Some((revision, list.clone()));
                list
            }
        }
    }

    fn revision(&self) -> u64 {
        self.library.revision()
    }
}

fn build_tools<'s>(
    library: &Arc<SkillLibrary>,
    skills: impl Iterator<Item = &'s Skill>,
) -> ToolList {
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    let mut warnings = Vec::new();
    for skill in skills.filter(|skill| skill.is_tool() && skill.is_model_invocable()) {
        match build_tool(library, skill) {
            Ok(tool) => tools.push(Arc::new(tool)),
            Err(error) => warnings.push(format!(
                "the skill `{}` cannot be a tool: {}",
                skill.name(),
                helve_core::tool::chain_text(&error)
            )),
        }
    }
    ToolList::new(tools).with_warnings(warnings)
}

fn build_tool(library: &Arc<SkillLibrary>, skill: &Skill) -> Result<DynamicTool, DynamicToolError> {
    let (library, name) = (Arc::clone(library), skill.name().to_owned());
    let schema = json!({
        "type": "object",
        "properties": {
            "arguments": {
                "type": "string",
                "description": "What the skill is to work on, in its own words."
            }
        }
    });
    let about = skill.description();
    let description = format!("{about}\n\nA skill: gives the instructions to follow.");
    let tool_name = tool_name(&name);
    let tool = DynamicTool::new(tool_name, description, schema, move |cx, arguments| {
        let (library, name) = (Arc::clone(&library), name.clone());
        Box::pin(async move {
            let arguments = arguments["arguments"].as_str().unwrap_or_default();
            let catalog = library.current();
            let loaded = activate(catalog.find_usable(&name).await, &name, arguments, cx).await;
            loaded.map(ToolOutput::plain).map_err(ToolError::from)
        })
    })?;
    Ok(tool.with_annotations(READ_ONLY))
}

/// Returns the name of a skill's tool: the skill's name if all providers accept it, else a shortened
/// name with a hash of the full name, which is the same in every run.
fn tool_name(skill: &str) -> String {
    /// The greatest number of characters of the shortened name, before the hash.
    const KEPT: usize = 48;

    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if skill.len() <= 64 && skill.chars().all(fits) {
        return skill.to_owned();
    }
    let kept: String = skill.chars().filter(|&c| fits(c)).take(KEPT).collect();
    let kept = match kept.trim_matches(['-', '_']) {
        "" => "skill",
        kept => kept,
    };
    let hash = foldhash::quality::FixedState::default().hash_one(skill);
    format!("{kept}_{:08x}", hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::tool_name;

    #[test]
    fn every_name_of_a_skill_makes_a_legal_name_of_a_tool() {
        assert_eq!(tool_name("pdf-forms"), "pdf-forms");
        for name in ["größe", "数据分析", &"a".repeat(80), "é-é"] {
            let tool = tool_name(name);
            let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            assert!(tool.len() <= 64 && tool.chars().all(legal), "{tool}");
        }
        assert_ne!(tool_name("数据分析"), tool_name("数据分板"));
    }
}
