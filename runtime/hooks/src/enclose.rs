//! Encloses what hooks tell the model.

use crate::event::HookEvent;

const TAG: &str = "hook_context";

/// Encloses a text of a hook in a tag that the text itself cannot end.
pub(crate) fn enclose(event: HookEvent, text: &str) -> String {
    let text = text.replace(&format!("</{TAG}"), &format!("&lt;/{TAG}"));
    let text = text.trim_end_matches('\n');
    format!("<{TAG} event=\"{event}\">\n{text}\n</{TAG}>")
}
