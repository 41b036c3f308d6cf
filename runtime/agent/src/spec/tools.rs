//! The tools of an agent: its toolset, their exposure, filters, and how their results are read.

use std::sync::Arc;

use super::Agent;
use crate::exposure::ToolExposure;
use helve_core::toolset::{ToolFilter, Toolset};
use helve_results::ResultPipeline;
use helve_results::reducer::{DuplicateReducer, Reducers, ResultReducer};

impl Agent {
    /// Sets the tools that the agent may call.
    #[must_use]
    pub fn toolset(mut self, toolset: Toolset) -> Self {
        self.base_toolset = toolset;
        self.rebuild_toolset()
    }

    /// Sets the tool exposure: the groups of tools, and how tools are chosen if there are many.
    ///
    /// By default, up to 15 tools are exposed as they are; above that, the tools that best match the words of the
    /// conversation.
    #[must_use]
    pub fn tool_exposure(mut self, exposure: ToolExposure) -> Self {
        self.exposure = Arc::new(exposure);
        self.rebuild_toolset()
    }

    /// Restricts the tools of the agent, in its toolset and in its groups, to those that a filter admits. If the method
    /// is called again, a tool must pass both filters.
    ///
    /// The model does not see a tool that the filter rejects, and no call reveals it. While this agent runs the turn of
    /// the session, the filter also applies to its delegates. The tools of the agent itself, for reading on in a result
    /// and for delegating a task, are not filtered.
    ///
    /// ```
    /// use helve::agent::Agent;
    /// use helve::model::ScriptedModel;
    /// use helve::toolset::ToolFilter;
    ///
    /// let filter = ToolFilter::new().servers(["tickets"]).without(["mcp__tickets__delete"]);
    /// let agent = Agent::new("main", ScriptedModel::new()).filter(filter);
    /// ```
    #[must_use]
    pub fn filter(mut self, filter: ToolFilter) -> Self {
        self.filters.push(filter);
        self.rebuild_toolset()
    }

    /// Sets the pipeline of results: the budget, the redactor, the spill.
    #[must_use]
    pub fn results(mut self, pipeline: ResultPipeline) -> Self {
        let before = self.results.configured_reducers().cloned();
        self.results = match (pipeline.configured_reducers(), before) {
            (None, Some(before)) => pipeline.reducers(before),
            _ => pipeline,
        };
        self.rebuild_toolset()
    }

    /// Sets the reducers, which shorten results before the model reads them, in place of the existing ones.
    ///
    /// By default, there are none; [`Reducers::built_in`] has the reducers for the tools that come with helve.
    #[must_use]
    pub fn reducers(mut self, reducers: Reducers) -> Self {
        self.results = self.results.reducers(reducers);
        self
    }

    /// Adds a reducer for the results of a tool.
    ///
    /// # Errors
    /// The tool already has a reducer.
    pub fn reducer(
        self,
        tool: impl Into<String>,
        reducer: impl ResultReducer + 'static,
    ) -> Result<Self, DuplicateReducer> {
        let reducers = self.results.configured_reducers().cloned();
        let reducers = reducers.unwrap_or_default();
        Ok(self.reducers(reducers.with_reducer(tool, reducer)?))
    }

    pub(crate) fn rebuild_toolset(mut self) -> Self {
        let given = match self.exposure.has_groups() {
            true => self.base_toolset.layered(&self.exposure.tools()),
            false => self.base_toolset.clone(),
        };
        #[cfg(feature = "skills")]
        let given = match self.exposure.skill_tools() {
            Some(tools) => given.layered(&tools),
            None => given,
        };
        let filters = self.filters.iter();
        let given = filters.fold(given, |given, filter| given.granted(filter));
        let own = self.results.toolset();
        let tools = match own.names().is_empty() {
            true => given,
            false => given.layered(&own),
        };
        let task = self.delegates.tool(self.jobs.is_some());
        let jobs = self.jobs.iter().filter(|_| task.is_some());
        let jobs: Vec<Toolset> = jobs.map(|jobs| jobs.tools()).collect();
        let others = task.into_iter().chain(self.successors.tool());
        let tools = others.fold(tools, |tools, tool| {
            tools.layered(&Toolset::from_tools([tool]))
        });
        self.toolset = jobs.iter().fold(tools, |tools, jobs| tools.layered(jobs));
        self
    }
}
