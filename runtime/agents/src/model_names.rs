//! The names of models in agent files.

use std::collections::BTreeMap;

/// The names that agent files give to models, such as `sonnet`, and what they mean.
///
/// By default, `haiku` is the small model of the session, and every other name of a family of Claude is the model of the
/// session. `inherit` always is that model, and `small` the small one.
///
/// ```
/// use helve::agents::{AgentModel, ModelNames};
///
/// let names = ModelNames::new().with("opus", "anthropic/claude-opus-5");
/// assert_eq!(names.find("opus"), Some(AgentModel::Named("anthropic/claude-opus-5".into())));
/// assert_eq!(names.find("sonnet"), Some(AgentModel::Inherited));
/// assert_eq!(names.find("claude-3-5-haiku-20241022"), Some(AgentModel::Small));
/// assert_eq!(names.find("gpt-9"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelNames(BTreeMap<String, String>);

/// The model of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentModel {
    /// The model of the session.
    Inherited,
    /// The small model of the session.
    Small,
    /// A model by its name, `provider/model`.
    Named(String),
}

/// The families of Claude.
const FAMILIES: [&str; 4] = ["haiku", "sonnet", "opus", "fable"];

impl ModelNames {
    /// Creates the default names.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the meaning of a name: `provider/model`, or another name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, meaning: impl Into<String>) -> Self {
        self.0
            .insert(name.into().to_ascii_lowercase(), meaning.into());
        self
    }

    /// Finds the model of a name; `None` if the name is unknown.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<AgentModel> {
        let name = name.trim();
        let lower = name.to_ascii_lowercase();
        match self.0.get(&lower) {
            Some(meaning) => default_meaning(meaning),
            None => {
                let family = FAMILIES.iter().find(|family| is_of_family(&lower, family));
                match family.and_then(|family| self.0.get(*family)) {
                    Some(meaning) if !name.contains('/') => default_meaning(meaning),
                    _ => default_meaning(name),
                }
            }
        }
    }
}

fn default_meaning(name: &str) -> Option<AgentModel> {
    let lower = name.to_ascii_lowercase();
    match &*lower {
        "inherit" | "main" => Some(AgentModel::Inherited),
        "small" => Some(AgentModel::Small),
        _ if name.contains('/') => Some(AgentModel::Named(name.to_owned())),
        lower if is_of_family(lower, "haiku") => Some(AgentModel::Small),
        lower => {
            let mut families = FAMILIES.iter();
            let is_known = families.any(|family| is_of_family(lower, family));
            is_known.then_some(AgentModel::Inherited)
        }
    }
}

/// Returns whether a lower-case name is that of a family, or of one of its models.
fn is_of_family(name: &str, family: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| word == family)
}
