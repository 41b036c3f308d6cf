//! What a test creates its agent from.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use helve_agent::Agent;
use helve_core::tool::ToolContext;
use helve_model::Model;
use serde::de::DeserializeOwned;

use crate::case::Case;
use crate::model::{CaseModel, ObservedModel};

/// What a test creates its agent from.
#[non_exhaustive]
pub struct CaseSetup<'a> {
    /// The case.
    pub case: &'a Case,
    /// The folder with the [files](Case::files) of the case, which is removed after it.
    pub folder: &'a Path,
    pub(crate) models: &'a BTreeMap<String, Arc<ObservedModel>>,
}

impl CaseSetup<'_> {
    /// Returns the model of an agent. A model that the case does not have fails.
    #[must_use]
    pub fn model(&self, agent: &str) -> Arc<dyn Model> {
        match self.models.get(agent) {
            Some(model) => Arc::clone(model) as _,
            None => empty_model(),
        }
    }

    /// Returns the names of all models of the case.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.models.keys().map(|name| &**name)
    }

    /// Returns the [state](Case::state) of the case.
    ///
    /// # Panics
    /// The state does not have this form.
    #[must_use]
    pub fn state<T: DeserializeOwned>(&self) -> T {
        serde_json::from_value(self.case.state.clone())
            .unwrap_or_else(|error| panic!("the state of the case `{}`: {error}", self.case.id))
    }
}

fn empty_model() -> Arc<dyn Model> {
    let script = CaseModel::Script(Vec::new());
    ObservedModel::new(&script, Path::new("")).expect("a script is in no file")
}

/// What a case tests: an agent, and the context of its turns. An [`Agent`] becomes one with an empty context.
pub struct CaseSubject {
    pub(crate) agent: Agent,
    pub(crate) context: ToolContext,
}

impl CaseSubject {
    /// Creates a subject with an empty context.
    #[must_use]
    pub fn new(agent: Agent) -> Self {
        Self {
            agent,
            context: ToolContext::new(),
        }
    }

    /// Sets the context.
    #[must_use]
    pub fn context(mut self, context: ToolContext) -> Self {
        self.context = context;
        self
    }
}

impl From<Agent> for CaseSubject {
    fn from(agent: Agent) -> Self {
        Self::new(agent)
    }
}
