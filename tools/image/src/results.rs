//! Prepares the images in the results of all tools.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use helve::agent::{CallSite, Hook, Next};
use helve::image::{self, ImageError, ImageOptions, MAX_INPUT_BYTES, PreparedImage};
use helve::prelude::*;
use helve::tool::Interruption;
use helve::transcript::ContentBlock;
use helve::{BoxFuture, ToolResult};
use serde_json::value::RawValue;

use crate::settings::ViewImageSettings;
use crate::show;

/// The greatest number of images of one result.
const MAX_IMAGES: usize = 10;

/// A hook that prepares the images in the results of all tools as `view_image` prepares its own: those of `read_file`,
/// `web_fetch`, MCP servers and tools of the app.
///
/// Each image is decoded in a confined worker, made smaller and encoded again without its metadata, so that no provider
/// refuses a conversation for one of them. Where the main model reads no images, the vision model describes them. An image
/// that cannot be prepared is replaced by the reason, and so are those after the first ten of a result.
///
/// Where there is no worker, as on systems other than Linux, the images stay as they are.
///
/// ```
/// # mod helve { pub use ::helve::*; pub mod tools { pub use helve_tools_image as image; } }
/// use helve::agent::Agent;
/// use helve::model::ScriptedModel;
/// use helve::tools::image::PrepareImages;
///
/// let agent = Agent::new("main", ScriptedModel::new()).hook(PrepareImages);
/// # let _ = agent;
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PrepareImages;

impl Hook for PrepareImages {
    fn tool_call<'a>(
        &'a self,
        site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        // Its images are prepared.
        if &*site.call.name == "view_image" {
            return next.run(context);
        }
        Box::pin(async move {
            let output = next.run(context.clone()).await?;
            if !output.content().iter().any(is_image) {
                return Ok(output);
            }
            tokio::select! {
                output = prepare_all(output, &site.call.name, &context) => Ok(output),
                () = context.cancellation().cancelled() => {
                    Err(ToolError::Cancelled(Interruption::cancelled(false)))
                }
            }
        })
    }
}

fn is_image(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Image { .. })
}

/// Prepares the images of a result.
async fn prepare_all(output: ToolOutput, tool: &str, cx: &ToolContext) -> ToolOutput {
    let mut blocks = Vec::new();
    let mut images = 0;
    let mut content = output.content();
    if !output.notes().is_empty() {
        // The notes follow as their last block.
        content.pop();
    }
    for block in content {
        let ContentBlock::Image { data, mime_type } = &block else {
            blocks.push(block);
            continue;
        };
        images += 1;
        if images > MAX_IMAGES {
            blocks.push(ContentBlock::text(format!(
                "[an image of {tool} is left out: at most {MAX_IMAGES} of a result are shown]"
            )));
            continue;
        }
        match prepare(data).await {
            Ok(image) => blocks.extend(shown(&image, tool, cx).await),
            Err(ImageError::NoWorker(_)) => blocks.push(block),
            Err(error) => {
                let kind: String = mime_type
                    .chars()
                    .filter(|c| !c.is_control())
                    .take(60)
                    .collect();
                blocks.push(ContentBlock::text(format!(
                    "[an image of {tool}, declared as {kind}, is left out: {error}]"
                )));
            }
        }
    }
    with_blocks(output, blocks)
}

/// Replaces the blocks of an output before its notes, and keeps everything else.
fn with_blocks(output: ToolOutput, blocks: Vec<ContentBlock>) -> ToolOutput {
    let notes = output.notes().to_vec();
    let exit = output.exit().cloned();
    let parts = output.into_parts();
    let mut replaced = ToolOutput::blocks(blocks);
    for artifact in parts.artifacts {
        replaced = replaced.with_artifact(artifact);
    }
    if let Some(cost) = parts.cost {
        replaced = replaced.with_cost(cost);
    }
    if let Some(label) = &parts.label {
        replaced = replaced.with_label(label);
    }
    if let Some(exit) = exit {
        replaced = replaced.with_exit(exit);
    }
    let structured = parts
        .structured
        .and_then(|json| RawValue::from_string(json).ok());
    if let Some(structured) = structured {
        // Valid JSON is serialized as it is.
        replaced = replaced
            .clone()
            .with_structured(&structured)
            .unwrap_or(replaced);
    }
    notes.into_iter().fold(replaced, ToolOutput::with_note)
}

async fn prepare(data: &str) -> Result<PreparedImage, ImageError> {
    // Some tools return a `data:` URL in place of the base64 data.
    let data = match data.split_once(";base64,") {
        Some((head, rest)) if head.starts_with("data:") => rest,
        _ => data,
    };
    if data.len() / 4 * 3 > MAX_INPUT_BYTES {
        return Err(ImageError::TooManyBytes);
    }
    let bytes = STANDARD.decode(data).map_err(|_| ImageError::NotAnImage)?;
    image::prepare(bytes, ImageOptions::default()).await
}

/// Returns the blocks of an image: the image alone where the model that called reads images.
async fn shown(image: &PreparedImage, tool: &str, cx: &ToolContext) -> Vec<ContentBlock> {
    use helve::model::ImageReader;

    let reader = show::reader(cx, cx.state::<ViewImageSettings>());
    if matches!(reader, ImageReader::Caller) {
        return vec![image.block()];
    }
    let name = format!("an image of {tool}");
    let blocks = show::blocks(&reader, image, &name, None).await;
    blocks.unwrap_or_else(|error| vec![ContentBlock::text(format!("[{error}]"))])
}
