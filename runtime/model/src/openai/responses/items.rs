//! The items of a reply so far, and the parts of them that were emitted.

use serde_json::Value;

use super::event::EventKind;
use super::item;
use crate::api::OPENAI_RESPONSES;
use crate::openai::call_id::CallIds;
use crate::openai::{error, json};
use crate::{ModelError, ModelEvent};
use helve_core::transcript::{CallId, RawJson};

/// The greatest number of items in a reply, to limit the cost of a hostile server.
const MAX_ITEMS: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct ItemAccumulator {
    open: Vec<OpenItem>,
    ids: CallIds,
    pub(super) has_calls: bool,
    pub(super) has_refusal: bool,
}

#[derive(Debug, Default)]
struct OpenItem {
    index: Option<u64>,
    id: Option<String>,
    call: Option<CallId>,
    arguments: String,
    /// Whether the start of the item was emitted as a separate event.
    has_started: bool,
    has_text: bool,
    /// The kind of thinking that was emitted, and the index of its last part.
    thinking: Option<(EventKind, u64)>,
    is_done: bool,
}

impl ItemAccumulator {
    /// Processes the whole output at the end of a reply, most or none of which was streamed.
    pub(super) fn finish_output(
        &mut self,
        output: &[&str],
        reply: Option<&str>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        // Items without an index and an id cannot be distinguished from new ones.
        let placeless = |open: &OpenItem| open.index.is_none() && open.id.is_none();
        if self.open.iter().any(placeless) {
            return Ok(());
        }
        for (index, raw) in (0..).zip(output) {
            let item: Value = error::parse(raw)?;
            let id = json::text(&item, "id");
            // Several servers change the ids of items, and some send the same index for all items.
            let is_known = |open: &OpenItem| {
                open.is_done
                    && (open.index == Some(index) || id.is_some() && open.id.as_deref() == id)
            };
            if !self.open.iter().any(is_known) {
                self.complete_item(Some(index), &item, raw, reply, out)?;
            }
        }
        Ok(())
    }

    /// Adds an open item for a new item whose index is taken by a finished item, or by another item that has started.
    fn push_if_taken(&mut self, index: Option<u64>, id: Option<&str>, begins: bool) {
        let same_place = |open: &&OpenItem| open.index == index;
        let last = self.open.iter().rev().find(same_place);
        let is_taken = last.is_some_and(|open| {
            let differs = id.is_some() && open.id.is_some() && open.id.as_deref() != id;
            let placeless = index.is_none() && id.is_none();
            (open.is_done || begins && open.has_started)
                && (index.is_some() && differs || placeless)
        });
        if is_taken {
            self.open.push(OpenItem {
                index,
                ..OpenItem::default()
            });
        }
    }

    fn find_or_start(
        &mut self,
        index: Option<u64>,
        id: Option<&str>,
    ) -> Result<&mut OpenItem, ModelError> {
        let by_index = |open: &OpenItem| index.is_some() && open.index == index;
        let by_id = |open: &OpenItem| id.is_some() && open.id.as_deref() == id;
        let found = self.open.iter().rposition(by_index);
        let found = found.or_else(|| self.open.iter().rposition(by_id));
        // An event without an item belongs to the last item.
        let last = || self.open.len().checked_sub(1);
        let placeless = index.is_none() && id.is_none();
        let found = found.or_else(|| placeless.then(last).flatten());
        let place = match found {
            Some(place) => place,
            None if self.open.len() >= MAX_ITEMS => {
                let what = format!("it has more than {MAX_ITEMS} items");
                return Err(ModelError::Malformed(what));
            }
            None => {
                self.open.push(OpenItem {
                    index,
                    id: id.map(str::to_owned),
                    ..OpenItem::default()
                });
                self.open.len() - 1
            }
        };
        Ok(&mut self.open[place])
    }

    /// Processes a delta of an item, or the end of a part.
    pub(super) fn push_delta(
        &mut self,
        kind: EventKind,
        event: &Value,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let index = json::count(event, &["output_index"]);
        let open = self.find_or_start(index, json::text(event, "item_id"))?;
        if open.is_done {
            return Ok(());
        }
        let delta = json::text(event, "delta").unwrap_or_default();
        match kind {
            EventKind::Text => open.push_text(delta, out),
            EventKind::TextDone if !open.has_text => {
                open.push_text(json::text(event, "text").unwrap_or_default(), out);
            }
            EventKind::Refusal => {
                open.push_text(delta, out);
                self.has_refusal = true;
            }
            EventKind::RefusalDone => {
                if !open.has_text {
                    open.push_text(json::text(event, "refusal").unwrap_or_default(), out);
                }
                self.has_refusal = true;
            }
            EventKind::Summary | EventKind::Reasoning => {
                let part = json::count(event, &["summary_index"]);
                let part = part.or_else(|| json::count(event, &["content_index"]));
                open.push_thinking(kind, part.unwrap_or(0), delta, out);
            }
            EventKind::Arguments => open.push_arguments(delta, out),
            EventKind::ArgumentsDone => {
                return open.finish_arguments(&json::arguments(event.get("arguments")), out);
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn start_item(
        &mut self,
        event: &Value,
        reply: Option<&str>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let Some(item) = event.get("item") else {
            return Ok(());
        };
        let index = json::count(event, &["output_index"]);
        let id = json::text(item, "id");
        self.push_if_taken(index, id, true);
        self.begin_item(index, item, reply, out)?;
        self.find_or_start(index, id)?.has_started = true;
        Ok(())
    }

    fn begin_item(
        &mut self,
        index: Option<u64>,
        item: &Value,
        reply: Option<&str>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let id = json::text(item, "id");
        let mut ids = std::mem::take(&mut self.ids);
        let open = self.find_or_start(index, id)?;
        if let Some(id) = id {
            open.id.get_or_insert_with(|| id.to_owned());
        }
        let is_call = json::text(item, "type") == Some("function_call");
        let name = json::text(item, "name").filter(|_| is_call && open.call.is_none());
        if let Some(name) = name {
            let id = ids.assign(json::text(item, "call_id").or(id), reply);
            out.push(ModelEvent::call(&id, name));
            open.call = Some(id);
            // The arguments that were received before the head of the call.
            let early = std::mem::take(&mut open.arguments);
            open.push_arguments(&early, out);
            open.push_arguments(&json::arguments(item.get("arguments")), out);
            self.has_calls = true;
        }
        self.ids = ids;
        Ok(())
    }

    /// Processes a complete item; `raw` is its text. Parts that were emitted before are not emitted again.
    pub(super) fn finish_item(
        &mut self,
        index: Option<u64>,
        raw: &str,
        reply: Option<&str>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let item: Value = error::parse(raw)?;
        self.push_if_taken(index, json::text(&item, "id"), false);
        self.complete_item(index, &item, raw, reply, out)
    }

    fn complete_item(
        &mut self,
        index: Option<u64>,
        item: &Value,
        raw: &str,
        reply: Option<&str>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let kind = json::text(item, "type");
        self.begin_item(index, item, reply, out)?;
        let open = self.find_or_start(index, json::text(item, "id"))?;
        if std::mem::replace(&mut open.is_done, true) {
            return Ok(());
        }
        let is_new = !open.has_text;
        match kind {
            Some("message") => {
                if is_new {
                    open.push_text(&item::message_text(item), out);
                }
                // A property that the text alone does not contain.
                if json::text(item, "phase").is_some() {
                    out.push(provider_item(raw));
                }
                self.has_refusal |= item::is_refusal(item);
            }
            Some("reasoning") => open.finish_reasoning(item, raw, out),
            Some("function_call") => return open.finish_call(item, out),
            Some(_) => out.push(provider_item(raw)),
            None => return Err(ModelError::malformed("an output item has no type")),
        }
        Ok(())
    }
}

impl OpenItem {
    fn push_text(&mut self, text: &str, out: &mut Vec<ModelEvent>) {
        if !text.is_empty() {
            self.has_text = true;
            let text = text.to_owned();
            out.push(ModelEvent::TextDelta { text });
        }
    }

    /// Emits thinking; a new part starts a new paragraph.
    fn push_thinking(&mut self, kind: EventKind, part: u64, text: &str, out: &mut Vec<ModelEvent>) {
        if text.is_empty() {
            return;
        }
        let text = match self.thinking {
            // The reasoning and its summary would repeat each other.
            Some((known, _)) if known != kind => return,
            Some((_, last)) if last != part => format!("\n\n{text}"),
            _ => text.to_owned(),
        };
        self.thinking = Some((kind, part));
        out.push(ModelEvent::ThinkingDelta { text });
    }

    fn finish_reasoning(&mut self, item: &Value, raw: &str, out: &mut Vec<ModelEvent>) {
        if self.thinking.is_none() {
            for (part, text) in (0..).zip(item::reasoning_texts(item)) {
                self.push_thinking(EventKind::Summary, part, text, out);
            }
        }
        // The item itself serves as the signature of the reasoning, because it is sent back whole.
        out.push(match json::text(item, "encrypted_content") {
            Some(_) => ModelEvent::ThinkingSignature {
                signature: raw.to_owned(),
            },
            None => provider_item(raw),
        });
    }

    fn push_arguments(&mut self, more: &str, out: &mut Vec<ModelEvent>) {
        if more.is_empty() {
            return;
        }
        self.arguments.push_str(more);
        out.extend(self.call.as_ref().map(|id| ModelEvent::arguments(id, more)));
    }

    /// Processes the complete arguments, of which some or no deltas were received.
    fn finish_arguments(
        &mut self,
        whole: &str,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        if let Some(rest) = whole.strip_prefix(&*self.arguments) {
            self.push_arguments(rest, out);
            return Ok(());
        }
        // Some servers format the JSON differently at the end, and some omit it.
        if whole.is_empty() || json::is_same(whole, &self.arguments) {
            return Ok(());
        }
        let call = self.call.as_deref().unwrap_or("?");
        Err(ModelError::malformed(format!(
            "the final arguments of the call `{call}` differ from the streamed ones"
        )))
    }

    fn finish_call(&mut self, item: &Value, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let Some(id) = self.call.clone() else {
            return Err(ModelError::malformed("a call of it has no name"));
        };
        self.finish_arguments(&json::arguments(item.get("arguments")), out)?;
        let extras = item.as_object().map(item::extras).unwrap_or_default();
        if !extras.is_empty() {
            let signature = Value::Object(extras).to_string();
            out.push(ModelEvent::ToolCallSignature { id, signature });
        }
        Ok(())
    }
}

fn provider_item(raw: &str) -> ModelEvent {
    ModelEvent::ProviderItem {
        api: OPENAI_RESPONSES.to_owned(),
        item: RawJson::from(raw),
    }
}
