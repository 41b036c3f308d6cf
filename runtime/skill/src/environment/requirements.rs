//! The requirements of a skill, parsed from its front matter.

use helve_skill_format::{FrontMatter, Value};

use crate::Skill;

/// The requirements of a skill on its environment.
#[derive(Debug, Default)]
pub(super) struct SkillRequirements {
    pub(super) tools: Vec<String>,
    /// The tools that the skill is a fallback for.
    pub(super) instead_of: Vec<String>,
    pub(super) variables: Vec<String>,
    pub(super) programs: Vec<String>,
    /// The programs of which one must be installed.
    pub(super) any_program: Vec<String>,
    pub(super) systems: Vec<String>,
    /// The declared access: the kind, and the path or host.
    pub(super) reach: Vec<(String, String)>,
}

/// Returns whether the front matter may have requirements, because parsing that of an embedded skill is
/// costly.
pub(super) fn may_have_requirements(skill: &Skill) -> bool {
    const WORDS: [&str; 5] = [
        "require",
        "fallback_for_tools",
        "external_cli",
        "os:",
        "permissions",
    ];
    let Some((_, embedded)) = skill.as_embedded() else {
        return true;
    };
    let end = embedded.body_start().min(embedded.source().len());
    let front_matter = embedded.source().get(..end).unwrap_or_default();
    WORDS.iter().any(|word| front_matter.contains(word))
}

pub(super) fn parse(front_matter: &FrontMatter) -> SkillRequirements {
    let mut needs = SkillRequirements::default();
    for field in &front_matter.fields {
        let value = &field.value;
        match field.key.as_str() {
            "required_tools" => add_names(&mut needs.tools, Some(value)),
            "fallback_for_tools" => add_names(&mut needs.instead_of, Some(value)),
            "env_required" => add_names(&mut needs.variables, Some(value)),
            "external_cli_alternatives" => add_names(&mut needs.any_program, Some(value)),
            "permissions" => needs.add_permissions(value),
            "requires" => needs.add_requires(value),
            "os" => add_names(&mut needs.systems, Some(value)),
            "metadata" => needs.add_hosts(value),
            _ => {}
        }
    }
    needs
}

impl SkillRequirements {
    /// Adds the requirements under the names of hosts.
    fn add_hosts(&mut self, metadata: &Value) {
        let Value::Mapping(hosts) = metadata else {
            return;
        };
        for (key, value) in hosts {
            match key.as_str() {
                "requires" => self.add_requires(value),
                "os" => add_names(&mut self.systems, Some(value)),
                _ => {
                    if let Some(requires) = value.get("requires") {
                        self.add_requires(requires);
                    }
                    add_names(&mut self.systems, value.get("os"));
                }
            }
        }
    }

    fn add_permissions(&mut self, permissions: &Value) {
        let Value::Mapping(kinds) = permissions else {
            return;
        };
        for (kind, value) in kinds {
            let mut values = Vec::new();
            add_names(&mut values, Some(value));
            match kind.as_str() {
                "tools_required" => self.tools.extend(values),
                _ => {
                    let reach = values.into_iter().map(|value| (kind.clone(), value));
                    self.reach.extend(reach);
                }
            }
        }
    }

    fn add_requires(&mut self, requires: &Value) {
        add_names(&mut self.tools, requires.get("tools"));
        add_names(&mut self.variables, requires.get("env"));
        add_names(&mut self.programs, requires.get("bins"));
        add_names(&mut self.any_program, requires.get("anyBins"));
    }
}

/// Adds the names of a list, of a single name, or of a list of mappings with names.
fn add_names(names: &mut Vec<String>, value: Option<&Value>) {
    let text = |value: &Value| {
        let text = value.as_text().or_else(|| value.get("name")?.as_text());
        text.map(|text| text.trim().to_owned())
    };
    match value {
        Some(Value::List(list)) => names.extend(list.iter().filter_map(text)),
        Some(Value::Text(list)) => {
            let list = list.split([',', ' ']).map(str::trim);
            names.extend(list.filter(|name| !name.is_empty()).map(str::to_owned));
        }
        _ => {}
    }
}
