//! Converts the results of servers' tools.

use rmcp::model::{CallToolResult, ContentBlock as Theirs, ResourceContents};

use helve_core::schema::{self, CanonicalSchema};
use helve_core::tool::{ToolError, ToolOutput, ToolResult};
use helve_core::transcript::{ContentBlock, Resource};

/// Converts a result. Structured content that does not match the output schema is left out, with a remark.
pub(super) fn read(result: CallToolResult, promised: Option<&CanonicalSchema>) -> ToolResult {
    let blocks: Vec<ContentBlock> = result.content.into_iter().filter_map(block).collect();
    if result.is_error == Some(true) {
        return Err(failure(&blocks));
    }
    let structured = result.structured_content.filter(|value| !value.is_null());
    let Some(structured) = structured else {
        return Ok(ToolOutput::blocks(blocks));
    };
    let misfit = promised.and_then(|promised| misfit(promised, &structured));
    if blocks.is_empty() {
        // A model reads content only, so that structured content without other content becomes text.
        let output = ToolOutput::json(&structured)?;
        return Ok(match misfit {
            Some(note) => ToolOutput::blocks(vec![ContentBlock::text(output.into_text()), note]),
            None => output,
        });
    }
    match misfit {
        Some(note) => Ok(ToolOutput::blocks(
            blocks.into_iter().chain([note]).collect(),
        )),
        None => ToolOutput::blocks(blocks).with_structured(&structured),
    }
}

/// Describes how the structured content differs from the schema. The text quotes the server, and is content therefore.
fn misfit(promised: &CanonicalSchema, structured: &serde_json::Value) -> Option<ContentBlock> {
    let mistakes = schema::explain(promised, &structured.to_string());
    (!mistakes.is_empty()).then(|| {
        ContentBlock::text(format!(
            "[the structured content is left out: it does not fit what the tool promises: {mistakes}]"
        ))
    })
}

fn failure(blocks: &[ContentBlock]) -> ToolError {
    let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
    let text = texts.join("\n");
    if text.trim().is_empty() {
        return ToolError::failed("the tool failed and did not say why");
    }
    ToolError::failed(text)
}

/// Converts a content block; returns `None` for a kind of a later protocol.
pub(super) fn block(block: Theirs) -> Option<ContentBlock> {
    Some(match block {
        Theirs::Text(text) => ContentBlock::Text { text: text.text },
        Theirs::Image(image) => ContentBlock::Image {
            data: image.data,
            mime_type: image.mime_type,
        },
        Theirs::Audio(audio) => ContentBlock::Audio {
            data: audio.data,
            mime_type: audio.mime_type,
        },
        Theirs::Resource(embedded) => ContentBlock::Resource {
            resource: resource(embedded.resource)?,
        },
        Theirs::ResourceLink(link) => ContentBlock::ResourceLink {
            uri: link.uri,
            name: link.title.unwrap_or(link.name),
            mime_type: link.mime_type,
        },
        _ => return None,
    })
}

pub(super) fn resource(contents: ResourceContents) -> Option<Resource> {
    match contents {
        ResourceContents::TextResourceContents {
            uri,
            mime_type,
            text,
            ..
        } => Some(Resource {
            uri,
            mime_type,
            text: Some(text),
            blob: None,
        }),
        ResourceContents::BlobResourceContents {
            uri,
            mime_type,
            blob,
            ..
        } => Some(Resource {
            uri,
            mime_type,
            text: None,
            blob: Some(blob),
        }),
        _ => None,
    }
}
