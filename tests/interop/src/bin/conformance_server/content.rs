//! Tools that give back content of each kind.

use std::time::Duration;

use helve::prelude::*;
use helve::transcript::{ContentBlock, Resource};

/// A red pixel, as a PNG in base64.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==";

/// Silence, as a WAV in base64.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

pub(crate) fn image() -> ContentBlock {
    ContentBlock::Image {
        data: PNG.into(),
        mime_type: "image/png".into(),
    }
}

/// Makes a resource that is given whole.
pub(crate) fn resource(uri: &str, mime_type: &str, text: &str) -> Resource {
    Resource {
        uri: uri.into(),
        mime_type: Some(mime_type.into()),
        text: Some(text.into()),
        blob: None,
    }
}

/// Returns simple text.
#[tool(read_only)]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Returns an image.
#[tool(read_only)]
fn test_image_content() -> ToolOutput {
    ToolOutput::blocks(vec![image()])
}

/// Returns a sound.
#[tool(read_only)]
fn test_audio_content() -> ToolOutput {
    ToolOutput::blocks(vec![ContentBlock::Audio {
        data: WAV.into(),
        mime_type: "audio/wav".into(),
    }])
}

/// Returns an embedded resource.
#[tool(read_only)]
fn test_embedded_resource() -> ToolOutput {
    let text = "This is an embedded resource content.";
    ToolOutput::blocks(vec![ContentBlock::Resource {
        resource: resource("test://embedded-resource", "text/plain", text),
    }])
}

/// Returns content of several kinds.
#[tool(read_only)]
fn test_multiple_content_types() -> ToolOutput {
    let text = r#"{"test":"data","value":123}"#;
    ToolOutput::blocks(vec![
        ContentBlock::text("Multiple content types test:"),
        image(),
        ContentBlock::Resource {
            resource: resource("test://mixed-content-resource", "application/json", text),
        },
    ])
}

/// Always fails.
#[tool(read_only)]
fn test_error_handling() -> Result<String, ToolError> {
    Err(ToolError::failed(
        "This tool intentionally returns an error for testing",
    ))
}

/// Takes a while, which is when a client's stream may be closed and taken up again.
#[tool(read_only)]
async fn test_reconnection() -> &'static str {
    tokio::time::sleep(Duration::from_millis(50)).await;
    "Reconnection test completed"
}
