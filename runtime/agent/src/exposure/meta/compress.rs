//! `compress_history`: a compaction that the model asks for.

use futures_util::future::{self, FutureExt as _};
use serde_json::json;

use super::tool::{COMPRESS_HISTORY, MetaTool};
use helve_core::tool::ToolOutput;

const DESCRIPTION: &str = "Sums up the conversation so far, so that there is room for what is to come. Call it alone, at a \
    point where what was read is not needed word by word any more. Which files were touched and which skills are in use \
    is kept in any case.";

/// The result of the tool. The compaction follows, since it is possible only between two messages of the model.
const ACKNOWLEDGEMENT: &str = "The conversation will be summarized before your next message.";

pub(super) fn tool() -> Option<MetaTool> {
    let schema = json!({
        "type": "object",
        "properties": {
            "keep": {
                "type": "string",
                "description": "What the summary must keep, in a few words.",
            },
        },
        "additionalProperties": false,
    });
    MetaTool::new(COMPRESS_HISTORY, DESCRIPTION, schema, |_| {
        future::ready(Ok(ToolOutput::plain(ACKNOWLEDGEMENT))).boxed()
    })
}
