//! The environment in which skills are used, and the check of their requirements.

mod requirements;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::Skill;

/// The environment in which skills are used: tools, variables, programs, the system.
///
/// A requirement of a kind that is not described counts as met. A skill declares its requirements in
/// its front matter:
///
/// | field | meaning |
/// |---|---|
/// | `required_tools`, `requires.tools` | tools that the skill needs |
/// | `fallback_for_tools` | tools that make the skill superfluous |
/// | `env_required`, `requires.env` | variables that must be set |
/// | `requires.bins` | programs that must be installed |
/// | `external_cli_alternatives`, `requires.anyBins` | programs of which one must be installed |
/// | `permissions` | tools as above (`tools_required`), and the declared access (`fs_read`, `fs_write` and others) |
/// | `os` | the supported systems: `linux`, `macos`, `windows` |
///
/// `requires` and `os` may be top-level fields, or fields under the name of a host in `metadata`.
#[derive(Clone, Default)]
pub struct SkillEnvironment {
    tools: Option<BTreeSet<String>>,
    variables: Option<NameCheck>,
    programs: Option<NameCheck>,
    system: Option<String>,
    reach: Option<ReachCheck>,
}

type NameCheck = Arc<dyn Fn(&str) -> bool + Send + Sync>;
type ReachCheck = Arc<dyn Fn(&str, &str) -> bool + Send + Sync>;

impl SkillEnvironment {
    /// Creates an empty description, which meets all requirements.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the available tools.
    #[must_use]
    pub fn tools<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the function that reports whether a variable is set.
    #[must_use]
    pub fn variables(mut self, is_set: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.variables = Some(Arc::new(is_set));
        self
    }

    /// Sets the function that reports whether a program is installed.
    #[must_use]
    pub fn programs(mut self, is_there: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.programs = Some(Arc::new(is_there));
        self
    }

    /// Sets the system, with the names of `std::env::consts::OS`.
    #[must_use]
    pub fn system(mut self, system: impl Into<String>) -> Self {
        self.system = Some(system.into());
        self
    }

    /// Sets the function that reports whether a skill may declare an access: the kind, such as
    /// `fs_read`, and the path or host. The function grants nothing; a skill with another declaration
    /// is left out.
    #[must_use]
    pub fn reach(mut self, may: impl Fn(&str, &str) -> bool + Send + Sync + 'static) -> Self {
        self.reach = Some(Arc::new(may));
        self
    }

    /// Returns the unmet requirement of a skill, or the tool that makes the skill superfluous; `None`
    /// if the skill can be used.
    #[must_use]
    pub fn unmet_requirement(&self, skill: &Skill) -> Option<String> {
        if self.is_empty() || !requirements::may_have_requirements(skill) {
            return None;
        }
        let needs = requirements::parse(&skill.front_matter());
        self.missing_tools(&needs)
            .or_else(|| self.missing_variables(&needs))
            .or_else(|| self.missing_programs(&needs))
            .or_else(|| self.wrong_system(&needs))
            .or_else(|| self.denied_reach(&needs))
    }

    fn missing_tools(&self, needs: &requirements::SkillRequirements) -> Option<String> {
        let tools = self.tools.as_ref()?;
        let missing = quote_names(needs.tools.iter().filter(|tool| !tools.contains(*tool)));
        let there = quote_names(needs.instead_of.iter().filter(|tool| tools.contains(*tool)));
        if let Some(missing) = missing {
            return Some(format!("missing tools: {missing}"));
        }
        there.map(|there| format!("it is a fallback for tools that are available: {there}"))
    }

    fn missing_variables(&self, needs: &requirements::SkillRequirements) -> Option<String> {
        let is_set = self.variables.as_ref()?;
        let missing = quote_names(needs.variables.iter().filter(|name| !is_set(name)));
        missing.map(|missing| format!("missing environment variables: {missing}"))
    }

    fn missing_programs(&self, needs: &requirements::SkillRequirements) -> Option<String> {
        let is_there = self.programs.as_ref()?;
        let missing = quote_names(needs.programs.iter().filter(|name| !is_there(name)));
        if let Some(missing) = missing {
            return Some(format!("missing programs: {missing}"));
        }
        let any = &needs.any_program;
        if any.is_empty() || any.iter().any(|name| is_there(name)) {
            return None;
        }
        quote_names(any.iter()).map(|any| format!("it needs one of these programs: {any}"))
    }

    fn wrong_system(&self, needs: &requirements::SkillRequirements) -> Option<String> {
        let system = canonical_system_name(self.system.as_deref()?);
        let is_for = |wanted: &String| canonical_system_name(wanted) == system;
        if needs.systems.is_empty() || needs.systems.iter().any(is_for) {
            return None;
        }
        let systems = quote_names(needs.systems.iter())?;
        Some(format!("it supports {systems}, not `{system}`"))
    }

    fn denied_reach(&self, needs: &requirements::SkillRequirements) -> Option<String> {
        let may = self.reach.as_ref()?;
        let refused = needs.reach.iter().filter(|(kind, value)| !may(kind, value));
        let refused = refused.map(|(kind, value)| format!("{kind} {value}"));
        let refused = quote_names(refused.collect::<Vec<_>>().iter())?;
        Some(format!("it declares access that is not allowed: {refused}"))
    }

    fn is_empty(&self) -> bool {
        self.tools.is_none()
            && self.variables.is_none()
            && self.programs.is_none()
            && self.system.is_none()
            && self.reach.is_none()
    }
}

/// Joins quoted names; returns `None` if there are none.
fn quote_names<'n>(names: impl Iterator<Item = &'n String>) -> Option<String> {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Returns the canonical name of a system that has several names.
fn canonical_system_name(system: &str) -> String {
    let system = system.trim().to_ascii_lowercase();
    match system.as_str() {
        "darwin" | "mac" | "osx" => "macos".to_owned(),
        "win32" | "win" => "windows".to_owned(),
        _ => system,
    }
}

impl fmt::Debug for SkillEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillEnvironment")
            .field("tools", &self.tools)
            .field("system", &self.system)
            .finish_non_exhaustive()
    }
}
