//! Shows an image to a model that reads images.

use helve::image::PreparedImage;
use helve::model::{ImageReader, LendsModels as _, ModelTier};
use helve::prelude::*;
use helve::transcript::ContentBlock;

use crate::settings::{ImageReaderSetting, ViewImageSettings};
use crate::vision;

/// Returns who reads images in a call, by the settings and the models of the agent.
pub(crate) fn reader(cx: &ToolContext, settings: Option<&ViewImageSettings>) -> ImageReader {
    let by_models = cx.image_reader();
    match (
        settings.map_or_else(Default::default, |settings| settings.reader),
        &by_models,
    ) {
        (ImageReaderSetting::Main, _) => ImageReader::Caller,
        (ImageReaderSetting::Vision, ImageReader::Caller) => {
            let vision = cx.model(ModelTier::Vision);
            // Without an agent there is no model to ask.
            if vision.is_lent() {
                ImageReader::Vision(vision)
            } else {
                ImageReader::Caller
            }
        }
        _ => by_models,
    }
}

/// Returns the blocks of an image: the image itself, or what the vision model saw. `name` is the source of the image.
///
/// # Errors
/// When no model reads images, or the vision model failed.
pub(crate) async fn blocks(
    reader: &ImageReader,
    image: &PreparedImage,
    name: &str,
    question: Option<&str>,
) -> Result<Vec<ContentBlock>, ToolError> {
    let first_line = format!("[{name}: {image}]");
    match reader {
        ImageReader::Vision(vision) => {
            let seen = vision::ask(vision, image, question).await?;
            let text = format!(
                "{first_line}\n[you see no images; these are the words of {}, which looked at it]\n{}",
                seen.model, seen.text
            );
            Ok(vec![ContentBlock::text(text)])
        }
        ImageReader::Unavailable { main } => Err(ToolError::NotAvailable(format!(
            "{first_line} {main} reads no images, and there is no model that looks at them for it; set one, as in \
             `vision = \"provider/model\"` in the table `[models]` of the settings"
        ))),
        _ => Ok(vec![ContentBlock::text(first_line), image.block()]),
    }
}
