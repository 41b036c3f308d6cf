//! A tool that takes a section of the settings.

use std::sync::Arc;

use futures_util::FutureExt as _;

use crate::schema::Mistakes;
use crate::tool::{
    Annotations, Availability, Facts, PreparedCall, Risk, SettingsSection, Tool, ToolContext,
    ToolError, ToolWrapper, UnconfiguredSettings,
};

/// A tool that takes a section of the settings.
pub(super) struct ConfiguredTool {
    pub(super) inner: Arc<dyn Tool>,
    pub(super) section: Arc<SettingsSection>,
}

impl ConfiguredTool {
    /// Returns what to set if the settings that the tool needs are missing.
    fn missing_settings(&self, context: &ToolContext) -> Option<String> {
        if self.section.is_in(context) || self.takes_optionally() {
            return None;
        }
        let gaps = context.state::<UnconfiguredSettings>();
        let hint = gaps.and_then(|gaps| gaps.hint(self.section.name()));
        Some(hint.map_or_else(
            || {
                let type_name = self.section.type_name();
                format!("add a `{type_name}` to the state of the app")
            },
            str::to_owned,
        ))
    }

    /// Reports whether the tool works without the settings, because it takes an `Option<&T>`.
    fn takes_optionally(&self) -> bool {
        let definition = self.inner.definition();
        definition.is_some_and(|definition| {
            let mut needs = definition.required_state();
            needs.any(|need| need.optional && (need.type_id)() == self.section.value_type_id())
        })
    }
}

impl ToolWrapper for ConfiguredTool {
    fn inner(&self) -> &dyn Tool {
        &*self.inner
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let Some(hint) = self.missing_settings(context) else {
            return self.inner.prepare(context, arguments);
        };
        // The tool's functions that judge a call may need the settings, too.
        let mut facts = Facts::from_spec(self.spec());
        // The call does nothing, so it needs no approval.
        facts.annotations = Annotations {
            read_only: Some(true),
            open_world: Some(false),
            ..Annotations::NONE
        };
        facts.risk = Risk::Low;
        let message = format!("`{}` is not configured: {hint}", self.spec().name);
        Ok(PreparedCall::new(arguments, facts, move |_| {
            std::future::ready(Err(ToolError::NotAvailable(message))).boxed()
        }))
    }

    fn availability(&self, context: &ToolContext) -> Availability {
        match self.missing_settings(context) {
            Some(hint) => Availability::NotConfigured(hint),
            None => self.inner.availability(context),
        }
    }

    fn is_always_available(&self) -> bool {
        false
    }

    fn settings(&self) -> Vec<Arc<SettingsSection>> {
        let mut sections = self.inner.settings();
        sections.push(Arc::clone(&self.section));
        sections
    }
}
