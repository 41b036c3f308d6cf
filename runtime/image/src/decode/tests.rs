//! What other programs wrote, and what Pillow makes of it.

use std::path::Path;
use std::process::Command;

use image::{Rgba, RgbaImage};

use super::{ImageRequest, decode, read, render, upright_size};
use crate::error::RefusedImage;
use crate::kind::ImageKind;
use crate::region::Region;

fn request(bytes: &[u8], max_edge: u32) -> ImageRequest {
    ImageRequest {
        kind: ImageKind::detect(bytes).expect("an image"),
        max_edge,
        region: None,
        max_pixel_bytes: 64 << 20,
    }
}

/// Returns the pixels that are encoded for a model.
fn pixels(bytes: &[u8], max_edge: u32) -> RgbaImage {
    let (image, orientation) = read(bytes, &request(bytes, max_edge)).expect("an image");
    let part = Region::whole((image.width(), image.height()));
    render(&image, orientation, part, max_edge)
}

fn is_near(pixel: Rgba<u8>, expected: [u8; 3], most: u8) -> bool {
    let mut values = pixel.0.into_iter().zip(expected);
    values.all(|(value, expected)| value.abs_diff(expected) <= most)
}

macro_rules! recorded {
    ($name:literal) => {
        include_bytes!(concat!("../recorded/", $name))
    };
}

#[test]
fn cmyk_is_converted() {
    let image = pixels(recorded!("cmyk.jpg"), 100);
    assert!(
        is_near(*image.get_pixel(12, 8), [255, 0, 0], 6),
        "{:?}",
        image.get_pixel(12, 8)
    );
}

#[test]
fn a_photo_is_turned_upright_without_its_metadata() {
    let bytes = recorded!("turned_progressive.jpg");
    let image = pixels(bytes, 100);
    assert_eq!(image.dimensions(), (16, 32));
    assert!(is_near(*image.get_pixel(8, 4), [220, 20, 20], 8));
    assert!(is_near(*image.get_pixel(8, 28), [20, 20, 220], 8));
    let whole = request(bytes, 100);
    let (encoded, facts) = decode(bytes, &whole).expect("an image");
    assert_eq!((facts.original, facts.frames), ((16, 32), 1));
    let text = String::from_utf8_lossy(&encoded);
    assert!(!text.contains("Ignore") && !text.contains("Exif"));
    // The upper half, as the user sees it.
    let region = Region {
        x: 0,
        y: 0,
        width: 100,
        height: 16,
    };
    let upper = ImageRequest {
        region: Some(region),
        ..whole
    };
    let (encoded, facts) = decode(bytes, &upper).expect("an image");
    assert_eq!((facts.width, facts.height), (16, 16));
    assert!(is_near(
        *pixels(&encoded, 100).get_pixel(8, 8),
        [220, 20, 20],
        12
    ));
    let outside = ImageRequest {
        region: Some(Region { x: 16, ..region }),
        ..whole
    };
    let refused = decode(bytes, &outside).expect_err("no pixel");
    assert_eq!(
        refused,
        RefusedImage::EmptyRegion {
            width: 16,
            height: 32
        }
    );
}

#[test]
fn formats_of_other_programs_are_read() {
    let gray = pixels(recorded!("gray16.png"), 100);
    let values: Vec<u8> = gray.pixels().map(|pixel| pixel.0[1]).collect();
    assert_eq!(values, [0, 0x55, 0xaa, 0xff]);
    let interlaced = pixels(recorded!("interlaced.png"), 100);
    for (x, y, pixel) in interlaced.enumerate_pixels() {
        let value = |place: u32| u8::try_from(place * 30).expect("a color");
        assert_eq!(pixel.0, [value(x), value(y), 0, 255]);
    }
    let clear = pixels(recorded!("transparent.gif"), 100);
    assert_eq!(clear.get_pixel(2, 3).0, [255, 255, 0, 255]);
    assert_eq!(clear.get_pixel(0, 0).0[3], 0);
    let animated = recorded!("animated.webp");
    let (_, facts) = decode(animated, &request(animated, 100)).expect("an image");
    assert_eq!((facts.width, facts.height, facts.frames), (12, 10, 3));
    assert_eq!(pixels(animated, 100).get_pixel(0, 0).0, [10, 200, 30, 255]);
}

#[test]
fn what_is_too_large_is_shown_smaller() {
    // Noise with holes is stored without loss, and in many bytes.
    let mut state = 1_u32;
    let noise = RgbaImage::from_fn(1_400, 1_400, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Rgba((state ^ state >> 7).to_be_bytes())
    });
    let mut bytes = std::io::Cursor::new(Vec::new());
    noise
        .write_to(&mut bytes, image::ImageFormat::Png)
        .expect("a file");
    let bytes = bytes.into_inner();
    assert!(bytes.len() > crate::limits::MAX_OUTPUT_BYTES);
    let (encoded, facts) = decode(&bytes, &request(&bytes, 2_000)).expect("an image");
    assert!(
        encoded.len() <= crate::limits::MAX_OUTPUT_BYTES,
        "{}",
        encoded.len()
    );
    assert_eq!(facts.kind, ImageKind::Jpeg);
    assert!(facts.width >= 700, "{}", facts.width);
}

/// Writes files in many formats, each beside the size and the pixels that a viewer shows of it.
const ORACLE: &str = r#"
import random, sys
from PIL import Image, ImageOps
random.seed(21)
folder = sys.argv[1]
def noise(mode, size):
    bands = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4, "P": 1}[mode]
    small = (max(1, size[0] // 8), max(1, size[1] // 8))
    image = Image.frombytes({1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[bands], small, random.randbytes(small[0] * small[1] * bands))
    image = image.resize(size, Image.BILINEAR)
    return image.convert("RGB").quantize(64) if mode == "P" else image
cases = [("png", mode, size, turned) for mode in ("L", "LA", "RGB", "RGBA", "P") for size in ((97, 61), (300, 40)) for turned in (1, 6)]
cases += [("jpg", mode, (240, 131), turned) for mode in ("L", "RGB") for turned in range(1, 9)]
cases += [("webp", mode, (150, 90), 1) for mode in ("RGB", "RGBA")] + [("gif", "P", (88, 64), 1)]
for number, (kind, mode, size, turned) in enumerate(cases):
    path = f"{folder}/{number:02}.{kind}"
    options = {"lossless": True} if kind == "webp" else {"quality": 95} if kind == "jpg" else {}
    if turned != 1:
        exif = Image.Exif(); exif[0x0112] = turned; options["exif"] = exif
    if kind == "jpg" and number % 2: options["progressive"] = True
    noise(mode, size).save(path, **options)
    shown = ImageOps.exif_transpose(Image.open(path)).convert("RGBA")
    with open(path + ".raw", "wb") as raw:
        raw.write(shown.width.to_bytes(4, "big") + shown.height.to_bytes(4, "big") + shown.tobytes())
print(len(cases))
"#;

#[test]
fn pixels_are_those_of_pillow() {
    let folder = std::env::temp_dir().join(format!("helve-image-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let python = std::env::var("HELVE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let ran = Command::new(python)
        .args(["-c", ORACLE])
        .arg(&folder)
        .output();
    let ran = ran.ok().filter(|ran| ran.status.success());
    if ran.is_none() {
        println!("not compared: python3 with Pillow is not installed");
        let _ = std::fs::remove_dir_all(&folder);
        return;
    }
    let mut compared = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension != "raw") {
            compare(&path);
            compared += 1;
        }
    }
    std::fs::remove_dir_all(&folder).expect("an unused folder");
    println!("{compared} images have the pixels of Pillow");
    assert!(compared >= 30);
}

/// Compares an image with the pixels that Pillow shows, weighted by their opacity.
fn compare(path: &Path) {
    let bytes = std::fs::read(path).expect("a file");
    let raw = std::fs::read(path.with_extension(format!(
        "{}.raw",
        path.extension().expect("an extension").to_string_lossy()
    )));
    let raw = raw.expect("the pixels");
    let (head, expected) = raw.split_at(8);
    let edge = |at: usize| u32::from_be_bytes(head[at..at + 4].try_into().expect("4 bytes"));
    let image = pixels(&bytes, 1_000);
    assert_eq!(image.dimensions(), (edge(0), edge(4)), "{path:?}");
    let (mut sum, mut largest) = (0, 0);
    for (pixel, expected) in image.pixels().zip(expected.chunks_exact(4)) {
        let weight = |value: u8, alpha: u8| i32::from(value) * i32::from(alpha) / 255;
        for band in 0..4 {
            let value = if band == 3 {
                (i32::from(pixel.0[3]), i32::from(expected[3]))
            } else {
                (
                    weight(pixel.0[band], pixel.0[3]),
                    weight(expected[band], expected[3]),
                )
            };
            let difference = (value.0 - value.1).abs();
            sum += difference;
            largest = largest.max(difference);
        }
    }
    let mean = f64::from(sum) / f64::from(image.width() * image.height() * 4);
    // JPEG does not say how colors between its samples are found.
    let most = if path.extension().is_some_and(|extension| extension == "jpg") {
        (4.0, 48)
    } else {
        (0.1, 1)
    };
    assert!(
        mean < most.0 && largest <= most.1,
        "{path:?}: {mean} in the mean, {largest} at most"
    );
}

#[test]
fn upright_sizes() {
    use image::metadata::Orientation;
    assert_eq!(upright_size((3, 2), Orientation::Rotate90), (2, 3));
    assert_eq!(upright_size((3, 2), Orientation::FlipVertical), (3, 2));
}
