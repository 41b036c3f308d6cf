//! Concatenation of outputs, for tools that return their output in pieces.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{OutputBody, ToolOutput};
use crate::transcript::{ContentBlock, Resource};

impl ToolOutput {
    /// Appends a later output: text is appended to text at the end, a resource to a resource with the same URI; other
    /// blocks are added. Artifacts and notes are added, costs are summed, and the last structured content and the last
    /// exit are used.
    ///
    /// ```
    /// # extern crate helve_core as helve;
    /// use helve::ToolOutput;
    ///
    /// assert_eq!(ToolOutput::plain("one ").append("two".into()).text(), "one two");
    /// ```
    #[must_use]
    pub fn append(mut self, more: Self) -> Self {
        let structured = more.structured_content().or(self.structured_content());
        let structured = structured.map(str::to_owned);
        let costs = self.cost().into_iter().chain(more.cost());
        let cost = costs.reduce(|sum, cost| sum + cost);
        if let Some(more) = more.extra {
            let extra = self.extra();
            extra.artifacts.extend(more.artifacts);
            extra.notes.extend(more.notes);
            extra.cost = cost;
            extra.exit = more.exit.or(extra.exit.take());
            if let Some(label) = more.label {
                extra.label.get_or_insert_default().join(&label);
            }
        }
        self.body = join_bodies(self.body, more.body);
        // If the body is one object, it is the structured content itself.
        if self.structured_content() != structured.as_deref() {
            self.extra().structured = structured;
        }
        self
    }
}

fn join_bodies(first: OutputBody, more: OutputBody) -> OutputBody {
    match (first, more) {
        (OutputBody::Text(first), more) if first.is_empty() => more,
        (first, OutputBody::Text(more)) if more.is_empty() => first,
        (
            OutputBody::Text(first) | OutputBody::Json(first),
            OutputBody::Text(more) | OutputBody::Json(more),
        ) => OutputBody::Text(first + &more),
        (first, more) => {
            let mut blocks = first.into_blocks();
            for block in more.into_blocks() {
                add(&mut blocks, block);
            }
            OutputBody::Blocks(blocks)
        }
    }
}

fn add(blocks: &mut Vec<ContentBlock>, block: ContentBlock) {
    match block {
        ContentBlock::Text { text: more } => match blocks.last_mut() {
            Some(ContentBlock::Text { text }) => text.push_str(&more),
            _ => blocks.push(ContentBlock::Text { text: more }),
        },
        ContentBlock::Resource { resource: more } => {
            let same = blocks.iter_mut().find_map(|block| match block {
                ContentBlock::Resource { resource } if resource.uri == more.uri => Some(resource),
                _ => None,
            });
            match same {
                Some(resource) => append_resource(resource, more),
                None => blocks.push(ContentBlock::Resource { resource: more }),
            }
        }
        other => blocks.push(other),
    }
}

/// Appends a part of a resource: text to text, bytes to bytes.
fn append_resource(resource: &mut Resource, more: Resource) {
    if let Some(more) = more.text {
        resource.text.get_or_insert_default().push_str(&more);
    }
    if let Some(more) = more.blob {
        let blob = resource.blob.take().unwrap_or_default();
        resource.blob = Some(match (STANDARD.decode(&blob), STANDARD.decode(&more)) {
            (Ok(bytes), Ok(more)) => STANDARD.encode([bytes, more].concat()),
            // Invalid base64 is passed on unchanged, for a client that understands it.
            _ => blob + &more,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Artifact;
    use crate::transcript::Cost;

    fn blob(uri: &str, blob: &str) -> ContentBlock {
        ContentBlock::Resource {
            resource: Resource {
                uri: uri.into(),
                mime_type: Some("image/png".into()),
                text: None,
                blob: Some(blob.into()),
            },
        }
    }

    #[test]
    fn text_goes_on_and_other_blocks_follow() {
        let output = ToolOutput::plain("1")
            .append("2".into())
            .append(ToolOutput::blocks(vec![blob("a", "aGVsbG8=")]))
            .append(ToolOutput::blocks(vec![
                blob("a", "d29ybGQ="),
                ContentBlock::text("3"),
            ]));
        assert_eq!(
            output.content(),
            [
                ContentBlock::text("12"),
                blob("a", "aGVsbG93b3JsZA=="),
                ContentBlock::text("3")
            ]
        );
    }

    #[test]
    fn what_belongs_to_the_call_is_added_up() {
        let first = ToolOutput::json(&serde_json::json!({ "n": 1 })).expect("serialises");
        let first = first.with_cost(Cost::from_micros(1)).with_note("one");
        let more = ToolOutput::plain("")
            .with_cost(Cost::from_micros(2))
            .with_note("two")
            .with_artifact(Artifact::new("a", "text/csv", "a.csv"));
        let output = first.append(more);
        assert_eq!(output.cost(), Some(Cost::from_micros(3)));
        assert_eq!(output.notes(), ["one", "two"]);
        assert_eq!(
            (output.artifacts().len(), output.structured_content()),
            (1, Some(r#"{"n":1}"#))
        );
        let output = output.append(" and more".into());
        assert_eq!(
            (&*output.text(), output.structured_content()),
            (r#"{"n":1} and more"#, Some(r#"{"n":1}"#))
        );
    }
}
