//! A case.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::answers::CaseAnswer;
use crate::expectation::Expectation;
use crate::model::CaseModel;
use crate::turns::{CaseTrigger, CaseTurn};

/// The agent of a case that names none.
const DEFAULT_AGENT: &str = "main";

/// A case: what is said, what the models reply, and what should come of it.
///
/// In JSON, fields that are left out have a plain default, and unknown fields are mistakes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Case {
    /// The id, unique among the cases that run together.
    pub id: String,
    /// What the case is about, for people.
    #[serde(default)]
    pub about: String,
    /// Where the case comes from, such as the test of another project.
    pub source: Option<String>,
    /// Why the case expects something else than its source.
    pub differs: Option<String>,
    /// The name of the agent; `main` by default.
    #[serde(default = "default_agent")]
    pub agent: String,
    /// The prompt of a case with one turn.
    pub prompt: Option<String>,
    /// The steps of a case with more; after the prompt, if there is one.
    #[serde(default)]
    pub turns: Vec<CaseTurn>,
    /// The texts of files by their relative paths, in a folder of the case.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// What the function of the test needs besides, in a form of its own.
    #[serde(default)]
    pub state: Value,
    /// The model of the agent.
    pub model: Option<CaseModel>,
    /// The models of other agents, by their names.
    #[serde(default)]
    pub models: BTreeMap<String, CaseModel>,
    /// The answers to questions. If there is one, the case answers in place of the approver of the agent.
    #[serde(default)]
    pub answers: Vec<CaseAnswer>,
    /// What happens while turns run.
    #[serde(default)]
    pub during: Vec<CaseTrigger>,
    /// What should come of it.
    pub expect: Vec<Expectation>,
}

fn default_agent() -> String {
    DEFAULT_AGENT.to_owned()
}

impl Case {
    /// Returns all steps, the prompt among them.
    pub(crate) fn steps(&self) -> Vec<CaseTurn> {
        let prompt = self.prompt.iter().cloned().map(CaseTurn::Say);
        prompt.chain(self.turns.iter().cloned()).collect()
    }

    /// Returns a mistake that makes the case meaningless.
    pub(crate) fn mistake(&self) -> Option<&'static str> {
        if self.expect.is_empty() {
            return Some("`expect` is empty, so that nothing is checked");
        }
        if self.prompt.is_none() && self.turns.is_empty() {
            return Some("there is neither a `prompt` nor `turns`");
        }
        None
    }
}
