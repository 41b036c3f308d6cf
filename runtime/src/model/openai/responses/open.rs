//! The items that came so far, and what was told of each.

use serde_json::Value;

use super::event::Kind;
use super::item;
use crate::model::api::OPENAI_RESPONSES;
use crate::model::openai::call_id::CallIds;
use crate::model::openai::{failure, json};
use crate::model::{ModelError, ModelEvent};
use crate::transcript::{CallId, RawJson};

/// No reply has more; what a hostile one costs is bounded so.
const MOST_ITEMS: usize = 4096;

/// The items that came so far.
#[derive(Debug, Default)]
pub(super) struct Items {
    open: Vec<Open>,
    ids: CallIds,
    /// Whether any item is a call.
    pub(super) any_call: bool,
    /// Whether any message holds a refusal.
    pub(super) refused: bool,
}

#[derive(Debug, Default)]
struct Open {
    index: Option<u64>,
    id: Option<String>,
    call: Option<CallId>,
    arguments: String,
    /// Whether its beginning was told of in an event of its own.
    added: bool,
    has_text: bool,
    /// Which of the two kinds of thinking was told, and its last part.
    thinking: Option<(Kind, u64)>,
    done: bool,
}

impl Items {
    /// Takes the whole output at the end of a reply, of which most or nothing was streamed.
    pub(super) fn rest(
        &mut self,
        output: &[&str],
        reply: Option<&str>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        // Items without places cannot be told from those that are new.
        if self
            .open
            .iter()
            .any(|open| open.index.is_none() && open.id.is_none())
        {
            return Ok(());
        }
        for (index, raw) in (0..).zip(output) {
            let item: Value = failure::parse(raw)?;
            let id = json::text(&item, "id");
            // Several servers change the ids of items, and some count every item as the first.
            let is_known = |open: &Open| {
                open.done && (open.index == Some(index) || id.is_some() && open.id.as_deref() == id)
            };
            if !self.open.iter().any(is_known) {
                self.finish(Some(index), &item, raw, reply, out)?;
            }
        }
        Ok(())
    }

    /// Makes room for an item whose place is taken by one that is done, or that began as this one does.
    fn make_room(&mut self, index: Option<u64>, id: Option<&str>, begins: bool) {
        let same_place = |open: &&Open| open.index == index;
        let last = self.open.iter().rev().find(same_place);
        let is_taken = last.is_some_and(|open| {
            let differs = id.is_some() && open.id.is_some() && open.id.as_deref() != id;
            let placeless = index.is_none() && id.is_none();
            (open.done || begins && open.added) && (index.is_some() && differs || placeless)
        });
        if is_taken {
            self.open.push(Open {
                index,
                ..Open::default()
            });
        }
    }

    /// Finds the item that an event is about, or begins it.
    fn open(&mut self, index: Option<u64>, id: Option<&str>) -> Result<&mut Open, ModelError> {
        let by_index = |open: &Open| index.is_some() && open.index == index;
        let by_id = |open: &Open| id.is_some() && open.id.as_deref() == id;
        let found = self.open.iter().rposition(by_index);
        let found = found.or_else(|| self.open.iter().rposition(by_id));
        // An event that names no item is about the last one.
        let last = || self.open.len().checked_sub(1);
        let placeless = index.is_none() && id.is_none();
        let found = found.or_else(|| placeless.then(last).flatten());
        let place = match found {
            Some(place) => place,
            None if self.open.len() >= MOST_ITEMS => {
                return Err(failure::malformed(format!(
                    "it has more than {MOST_ITEMS} items"
                )));
            }
            None => {
                self.open.push(Open {
                    index,
                    id: id.map(str::to_owned),
                    ..Open::default()
                });
                self.open.len() - 1
            }
        };
        Ok(&mut self.open[place])
    }

    /// Takes more of an item, or the end of a part of it.
    pub(super) fn more(
        &mut self,
        kind: Kind,
        event: &Value,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let index = json::count(event, &["output_index"]);
        let open = self.open(index, json::text(event, "item_id"))?;
        if open.done {
            return Ok(());
        }
        let delta = json::text(event, "delta").unwrap_or_default();
        match kind {
            Kind::Text => open.text(delta, out),
            Kind::TextDone if !open.has_text => {
                open.text(json::text(event, "text").unwrap_or_default(), out);
            }
            Kind::Refusal => {
                open.text(delta, out);
                self.refused = true;
            }
            Kind::RefusalDone => {
                if !open.has_text {
                    open.text(json::text(event, "refusal").unwrap_or_default(), out);
                }
                self.refused = true;
            }
            Kind::Summary | Kind::Reasoning => {
                let part = json::count(event, &["summary_index"]);
                let part = part.or_else(|| json::count(event, &["content_index"]));
                open.thinking(kind, part.unwrap_or(0), delta, out);
            }
            Kind::Arguments => open.more_arguments(delta, out),
            Kind::ArgumentsDone => {
                return open.whole_arguments(&json::arguments(event.get("arguments")), out);
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes that an item begins.
    pub(super) fn added(
        &mut self,
        event: &Value,
        reply: Option<&str>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let Some(item) = event.get("item") else {
            return Ok(());
        };
        let (index, id) = (
            json::count(event, &["output_index"]),
            json::text(item, "id"),
        );
        self.make_room(index, id, true);
        self.begin(index, item, reply, out)?;
        self.open(index, id)?.added = true;
        Ok(())
    }

    fn begin(
        &mut self,
        index: Option<u64>,
        item: &Value,
        reply: Option<&str>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let id = json::text(item, "id");
        let mut ids = std::mem::take(&mut self.ids);
        let open = self.open(index, id)?;
        if let Some(id) = id {
            open.id.get_or_insert_with(|| id.to_owned());
        }
        let is_call = json::text(item, "type") == Some("function_call");
        let began = match json::text(item, "name").filter(|_| is_call && open.call.is_none()) {
            Some(name) => {
                let sent = json::text(item, "call_id").or(id);
                let id = ids.take(sent, reply);
                open.call = Some(id.clone());
                let name = name.into();
                out.push(ModelEvent::ToolCallStart { id, name });
                // What came before the head of the call.
                let early = std::mem::take(&mut open.arguments);
                open.more_arguments(&early, out);
                open.more_arguments(&json::arguments(item.get("arguments")), out);
                true
            }
            None => false,
        };
        self.ids = ids;
        self.any_call |= began;
        Ok(())
    }

    /// Takes a whole item; `raw` is its text. What was told of it already is not told again.
    pub(super) fn done(
        &mut self,
        index: Option<u64>,
        raw: &str,
        reply: Option<&str>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let item: Value = failure::parse(raw)?;
        self.make_room(index, json::text(&item, "id"), false);
        self.finish(index, &item, raw, reply, out)
    }

    fn finish(
        &mut self,
        index: Option<u64>,
        item: &Value,
        raw: &str,
        reply: Option<&str>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let kind = json::text(item, "type");
        self.begin(index, item, reply, out)?;
        let open = self.open(index, json::text(item, "id"))?;
        if std::mem::replace(&mut open.done, true) {
            return Ok(());
        }
        let is_new = !open.has_text;
        match kind {
            Some("message") => {
                if is_new {
                    open.text(&item::message_text(item), out);
                }
                // What the text alone does not say.
                if json::text(item, "phase").is_some() {
                    out.push(as_it_came(raw));
                }
                self.refused |= item::is_refusal(item);
            }
            Some("reasoning") => open.reasoning(item, raw, out),
            Some("function_call") => return open.call_done(item, out),
            Some(_) => out.push(as_it_came(raw)),
            None => return Err(failure::malformed("an item of it has no type")),
        }
        Ok(())
    }
}

impl Open {
    fn text(&mut self, text: &str, out: &mut Vec<ModelEvent>) {
        if !text.is_empty() {
            self.has_text = true;
            let text = text.to_owned();
            out.push(ModelEvent::TextDelta { text });
        }
    }

    /// Tells thinking; a new part of it is a new paragraph.
    fn thinking(&mut self, kind: Kind, part: u64, text: &str, out: &mut Vec<ModelEvent>) {
        if text.is_empty() {
            return;
        }
        let text = match self.thinking {
            // Both the reasoning and its summary would say everything twice.
            Some((known, _)) if known != kind => return,
            Some((_, last)) if last != part => format!("\n\n{text}"),
            _ => text.to_owned(),
        };
        self.thinking = Some((kind, part));
        out.push(ModelEvent::ThinkingDelta { text });
    }

    fn reasoning(&mut self, item: &Value, raw: &str, out: &mut Vec<ModelEvent>) {
        if self.thinking.is_none() {
            for (part, text) in (0..).zip(item::thoughts(item)) {
                self.thinking(Kind::Summary, part, text, out);
            }
        }
        // The proof of reasoning is the item itself, since it goes back whole.
        out.push(match json::text(item, "encrypted_content") {
            Some(_) => ModelEvent::ThinkingSignature {
                signature: raw.to_owned(),
            },
            None => as_it_came(raw),
        });
    }

    fn more_arguments(&mut self, more: &str, out: &mut Vec<ModelEvent>) {
        if more.is_empty() {
            return;
        }
        self.arguments.push_str(more);
        if let Some(id) = self.call.clone() {
            let arguments = more.to_owned();
            out.push(ModelEvent::ToolCallDelta { id, arguments });
        }
    }

    /// Takes the arguments as a whole, of which pieces came already, or none.
    fn whole_arguments(
        &mut self,
        whole: &str,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        if let Some(rest) = whole.strip_prefix(&*self.arguments) {
            self.more_arguments(rest, out);
            return Ok(());
        }
        // Some servers write the same JSON in another way at the end, and some leave it out.
        if whole.is_empty() || json::is_same(whole, &self.arguments) {
            return Ok(());
        }
        let call = self.call.as_deref().unwrap_or("?");
        Err(failure::malformed(format!(
            "the arguments of the call `{call}` are not what was streamed of them"
        )))
    }

    fn call_done(&mut self, item: &Value, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let Some(id) = self.call.clone() else {
            return Err(failure::malformed("a call of it has no name"));
        };
        self.whole_arguments(&json::arguments(item.get("arguments")), out)?;
        let extras = item.as_object().map(item::extras).unwrap_or_default();
        if !extras.is_empty() {
            let signature = Value::Object(extras).to_string();
            out.push(ModelEvent::ToolCallSignature { id, signature });
        }
        Ok(())
    }
}

fn as_it_came(raw: &str) -> ModelEvent {
    ModelEvent::ProviderItem {
        api: OPENAI_RESPONSES.to_owned(),
        item: RawJson::from(raw),
    }
}
