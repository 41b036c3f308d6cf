//! The tool with which the model reads on in spilled results.

use std::sync::Arc;

use super::{Spill, SpillError};
use helve_core::support::text;
use helve_core::tool::{ToolContext, ToolError, ToolOutput};
use helve_core::tools;
use helve_core::transcript::CallAddress;

const DEFAULT_PAGE_CHARS: usize = 20_000;

/// Lets the model read on in the spilled results of its own session.
#[derive(Debug, Clone)]
pub struct ResultPager {
    spill: Arc<dyn Spill>,
}

impl ResultPager {
    /// Creates a pager of the spill of a [`ResultPipeline`](super::ResultPipeline).
    pub fn new(spill: Arc<dyn Spill>) -> Self {
        Self { spill }
    }
}

#[tools]
impl ResultPager {
    /// Reads on in a tool result that was cut, from a given character on.
    ///
    /// The notice at the end of a cut result names its `id` and the `offset` where the rest begins.
    #[tool(read_only, always, title = "Read on in a result", risk = "low")]
    async fn read_result(
        &self,
        /// Which result, as its notice says.
        #[arg(example = "t1/2.0")]
        id: &str,
        /// How many characters to skip.
        #[arg(default = 0)]
        offset: usize,
        /// How many characters to read at most.
        #[arg(default = DEFAULT_PAGE_CHARS, min = 1)]
        limit: usize,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let unknown = || ToolError::failed(format!("no result `{id}` is stored in this session"));
        let call: CallAddress = id.parse().map_err(|_| unknown())?;
        let found = self.spill.get(cx.session_id(), &call).await;
        let spilled = found
            .map_err(|error| unreadable(&error))?
            .ok_or_else(unknown)?;
        // The enclosure has to fit as well, otherwise the page itself would be cut.
        let budget = cx
            .result_budget()
            .saturating_sub(helve_untrusted::MAX_ENCLOSURE_CHARS);
        let page = text::page(&spilled.text, offset, limit.min(budget.max(1)));
        let shown = match &spilled.source {
            Some(source) => helve_untrusted::enclose(page.text, &spilled.tool, source),
            None => page.text.to_owned(),
        };
        let end = offset + page.characters;
        let shown = ToolOutput::plain(shown).with_label(&spilled.label);
        Ok(shown.with_note(if end < page.total {
            format!(
                "[characters {offset} to {end} of {}; read on with offset={end}]",
                page.total
            )
        } else {
            format!("[characters {offset} to {end} of {}: the end]", page.total)
        }))
    }
}

/// Logs the error, and returns an error for the model without the path of the spill.
fn unreadable(error: &SpillError) -> ToolError {
    tracing::warn!(%error, cause = %error.source, "a result that was cut cannot be read");
    ToolError::failed("the rest of this result is not available any more")
}
