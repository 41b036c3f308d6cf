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

use crate::error::one_line;
use crate::settings::ViewImageSettings;
use crate::show;

/// The greatest number of images of one result.
const MAX_IMAGES: usize = 10;

/// A hook that prepares the images in the results of all tools as `view_image` prepares its own: those of `read_file`,
/// `web_fetch`, MCP servers and tools of the app.
///
/// Each image is decoded in a confined worker, made smaller and encoded again without its metadata, so that no provider
/// refuses a conversation for one of them. Where the main model reads no images, the vision model describes them. An image
/// that cannot be prepared is replaced by the reason, and so are those after the first ten of a result. Resources of MCP
/// servers that are images count as images.
///
/// Where images are never decoded, as on systems other than Linux, they stay as they are.
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
            let is_image = |block| ResultImage::from_block(block).is_some();
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

/// An image of a result.
#[derive(Debug, Clone, Copy)]
struct ResultImage<'b> {
    data: &'b str,
    mime_type: &'b str,
    /// The name of a resource.
    uri: Option<&'b str>,
}

impl<'b> ResultImage<'b> {
    /// Returns the image of a block, if clients of models encode the block as one.
    fn from_block(block: &'b ContentBlock) -> Option<Self> {
        match block {
            ContentBlock::Image { data, mime_type } => Some(Self {
                data,
                mime_type,
                uri: None,
            }),
            ContentBlock::Resource { resource } if resource.text.is_none() => {
                let mime_type = resource.mime_type.as_deref().unwrap_or_default();
                let is_image = mime_type
                    .get(..6)
                    .is_some_and(|kind| kind.eq_ignore_ascii_case("image/"));
                is_image.then(|| Self {
                    data: resource.blob.as_deref().unwrap_or_default(),
                    mime_type,
                    uri: Some(&resource.uri),
                })
            }
            _ => None,
        }
    }

    /// Names the image for the model.
    fn name(&self, tool: &str) -> String {
        match self.uri {
            Some(uri) => format!("the image `{}` of {tool}", one_line(uri)),
            None => format!("an image of {tool}"),
        }
    }
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
        let Some(image) = ResultImage::from_block(&block) else {
            blocks.push(block);
            continue;
        };
        images += 1;
        let name = image.name(tool);
        if images > MAX_IMAGES {
            blocks.push(ContentBlock::text(format!(
                "[{name} is left out: at most {MAX_IMAGES} of a result are shown]"
            )));
            continue;
        }
        match prepare(image.data).await {
            Ok(prepared) => {
                let uri = image.uri.map(|_| ContentBlock::text(format!("[{name}]")));
                blocks.extend(uri);
                blocks.extend(shown(&prepared, &name, cx).await);
            }
            Err(error) if error.is_unsupported() => blocks.push(block),
            Err(error) => {
                let kind: String = image
                    .mime_type
                    .chars()
                    .filter(|c| !c.is_control())
                    .take(60)
                    .collect();
                blocks.push(ContentBlock::text(format!(
                    "[{name}, declared as {kind}, is left out: {error}]"
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
async fn shown(image: &PreparedImage, name: &str, cx: &ToolContext) -> Vec<ContentBlock> {
    use helve::model::ImageReader;

    let reader = show::reader(cx, cx.state::<ViewImageSettings>());
    if matches!(reader, ImageReader::Caller) {
        return vec![image.block()];
    }
    let blocks = show::blocks(&reader, image, name, None).await;
    blocks.unwrap_or_else(|error| vec![ContentBlock::text(format!("[{error}]"))])
}
