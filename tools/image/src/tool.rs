//! The tool.

use helve::image::{self, DEFAULT_EDGE, ImageOptions, Region};
use helve::prelude::*;
use helve::tool::Interruption;
use helve::transcript::{ContentBlock, Label, Source};

use crate::region::ImageRegion;
use crate::settings::ViewImageSettings;
use crate::source::{ImageSource, Loaded};
use crate::{error, permission, show};

/// Shows an image: a file, an image on the web, or one that the user attached.
///
/// PNG, JPEG, WebP and the first frame of GIF. A large image is made smaller, and the first line says its own size: look
/// closer with `region`, in pixels of the image itself. If you see no images, another model looks at it, and its words are
/// marked as such; say with `question` what you want to know.
#[tool(
    read_only,
    open_world,
    untrusted_output,
    title = "View an image",
    requires(fs, net),
    timeout = "120s",
    check = permission::check,
    match_rule = permission::match_rule,
    suggest_rules = permission::suggest,
    examples = [
        r#"{"source": "screenshots/login.png"}"#,
        r#"{"source": "https://example.com/plan.jpg", "region": {"x": 400, "y": 0, "w": 600, "h": 600}}"#
    ]
)]
pub async fn view_image(
    /// The path of a file, an address with `https://`, or `attachment:` with the id of an attachment.
    #[arg(example = "screenshots/login.png", min_len = 1, max_len = 16_000)]
    source: &str,
    /// What you want to know, for the model that looks at the image if you see none.
    #[arg(max_len = 2_000)]
    question: Option<&str>,
    /// The part to show.
    region: Option<ImageRegion>,
    /// The most pixels of the longer edge.
    #[arg(default = DEFAULT_EDGE, min = 16, max = 2_576)]
    max_edge: u32,
    settings: Option<&ViewImageSettings>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let place = ImageSource::parse(source).map_err(ToolError::failed)?;
    let options = ImageOptions::default()
        .with_max_edge(max_edge)
        .with_region(region.map(Region::from));
    let shown = tokio::select! {
        shown = view(cx, &place, options, question, settings) => shown?,
        () = cx.cancellation().cancelled() => {
            return Err(ToolError::Cancelled(Interruption::cancelled(false)));
        }
    };
    // What is on an image may be of anybody, wherever it lies.
    let label = Label::from(Source::web("view_image", place.name()));
    Ok(ToolOutput::blocks(shown).with_label(&label))
}

/// Loads an image, and returns its blocks.
async fn view(
    cx: &ToolContext,
    source: &ImageSource,
    options: ImageOptions,
    question: Option<&str>,
    settings: Option<&ViewImageSettings>,
) -> Result<Vec<ContentBlock>, ToolError> {
    let name = source.name();
    let bytes = match source.load(cx).await? {
        Loaded::Image(bytes) => bytes,
        Loaded::Svg(text) => {
            return Ok(vec![ContentBlock::text(format!(
                "[{name}: an SVG drawing, which is not drawn; its source text follows]\n{text}"
            ))]);
        }
        Loaded::Elsewhere { to, status } => {
            return Ok(vec![ContentBlock::text(format!(
                "[{name}: status {status}, a redirect to another host, which was not followed]\nredirects to: {to}"
            ))]);
        }
    };
    let image = image::prepare(bytes, options).await;
    let image = image.map_err(|error| error::describe(&name, &error))?;
    show::blocks(&show::reader(cx, settings), &image, &name, question).await
}

/// Returns the toolset of [`view_image`](fn@view_image), with its settings, the table `[view_image]`.
#[must_use]
pub fn toolset() -> Toolset {
    toolset![view_image].settings::<ViewImageSettings>("view_image")
}
