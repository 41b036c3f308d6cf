//! Images, shown by `view_image` and prepared in the results of other tools.

mod agents;
mod bytes;
mod hostile;
mod reaching;
mod showing;

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use helve::transcript::ContentBlock;
use helve::{ToolContext, ToolResult};
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::runtime::run;
pub(crate) use hostile::run_as_role;

pub(crate) fn tests() -> Vec<Trial> {
    let mut tests = showing::tests();
    tests.extend(reaching::tests());
    tests.extend(agents::tests());
    tests.extend(hostile::tests());
    tests
}

/// Calls `view_image`.
async fn view(cx: &ToolContext, arguments: Value) -> ToolResult {
    helve_tools::view_image()
        .call("view_image", &arguments.to_string(), cx)
        .await
}

/// Writes a result: its texts, and of images the type and the size.
fn written(result: &ToolResult) -> String {
    match result {
        Err(error) => format!("{}: {error}", error.kind()),
        Ok(output) => blocks_written(&output.content()),
    }
}

fn blocks_written(blocks: &[ContentBlock]) -> String {
    let lines = blocks.iter().map(|block| match block {
        ContentBlock::Text { text } => text.clone(),
        ContentBlock::Image { mime_type, .. } => {
            let image = decoded(block);
            format!("<{mime_type} {} x {}>", image.width(), image.height())
        }
        other => format!("{other:?}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the bytes of an image block.
fn bytes_of(block: &ContentBlock) -> Vec<u8> {
    let ContentBlock::Image { data, .. } = block else {
        panic!("no image: {block:?}");
    };
    STANDARD.decode(data).unwrap()
}

fn decoded(block: &ContentBlock) -> RgbaImage {
    image::load_from_memory(&bytes_of(block))
        .unwrap()
        .into_rgba8()
}

/// Returns the image of a result.
fn image_in(result: &ToolResult) -> ContentBlock {
    let blocks = result.as_ref().unwrap().content();
    let mut images = blocks
        .into_iter()
        .filter(|block| matches!(block, ContentBlock::Image { .. }));
    images.next().unwrap()
}

/// Makes an image whose left upper corner is red, and whose other places have many colors.
fn photo(width: u32, height: u32) -> DynamicImage {
    let byte = |value: u32| u8::try_from(value % 256).unwrap();
    RgbaImage::from_fn(width, height, |x, y| {
        if x < width / 4 && y < height / 4 {
            Rgba([230, 10, 10, 255])
        } else {
            Rgba([0, byte(x * 3 / 2), byte(y + x / 5), 255])
        }
    })
    .into()
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let image = match format {
        ImageFormat::Jpeg => DynamicImage::from(image.to_rgb8()),
        _ => image.clone(),
    };
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// Makes a test of an asynchronous function.
fn trial<F>(name: &'static str, test: fn() -> F) -> Trial
where
    F: Future<Output = ()> + 'static,
{
    Trial::test(format!("image::{name}"), move || run(test()))
}
