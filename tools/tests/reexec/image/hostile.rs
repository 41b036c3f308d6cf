//! Images that are made to use up their reader: each is shown by an app of its own, which answers in time, and which stays
//! small together with its worker.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use helve::sandbox::LocalFs;
use image::{ImageFormat, RgbImage};
use libtest_mimic::Trial;
use serde_json::json;

use super::bytes::{
    end, exif, gif, header, many_scans, png, segment, with_chunk, with_segments, zeroes,
};
use super::{encoded, photo, run, view, written};
use crate::peaks::{children_peak_kib, self_peak_kib};
use crate::support::{Tree, granted};

/// Names the folder of the image, in a process that a test started to show it.
const ROLE: &str = "HELVE_TEST_SHOWS_IMAGE";

/// What app and worker may have in memory together, at their peaks.
const MOST_MIB: u64 = 360;

/// The limits of processor time of both attempts, and what a busy machine adds.
const PATIENCE: Duration = Duration::from_secs(25);

/// A name, what makes the file, and a part of the answer.
type HostileImage = (&'static str, fn() -> Vec<u8>, &'static str);

const IMAGES: &[HostileImage] = &[
    (
        "png_of_60000_pixels_a_side",
        || png(&[header(60_000, 60_000, 2), (b"IDAT", zeroes(1_000)), end()]),
        "at most 16384",
    ),
    (
        "png_of_268_megapixels",
        || png(&[header(16_384, 16_384, 2), (b"IDAT", zeroes(1_000)), end()]),
        "more than fit",
    ),
    (
        "png_of_41_megapixels_of_zeroes",
        || plain(6_400, 6_400),
        "6400 x 6400 pixels, shown with 1568 x 1568",
    ),
    ("png_of_one_row", || plain(16_384, 1), "shown with 1568 x 1"),
    (
        "png_without_pixels",
        || png(&[header(0, 0, 2), (b"IDAT", zeroes(10)), end()]),
        "cannot be decoded",
    ),
    (
        "png_that_is_truncated",
        || head(encoded(&photo(600, 600), ImageFormat::Png), 2_000),
        "cannot be decoded",
    ),
    (
        "png_with_compressed_text_of_50_mb",
        || {
            let text = [b"a\0\0".as_slice(), &zeroes(50 << 20)].concat();
            with_chunk(&plain(8, 8), b"zTXt", &text)
        },
        "8 x 8 pixels",
    ),
    (
        "png_with_a_profile_of_50_mb",
        || {
            let profile = [b"a\0\0".as_slice(), &zeroes(50 << 20)].concat();
            with_chunk(&plain(8, 8), b"iCCP", &profile)
        },
        "8 x 8 pixels",
    ),
    (
        "png_with_100000_texts",
        || {
            let texts = png(&vec![(b"tEXt", b"a\0b".to_vec()); 100_000]);
            let file = plain(8, 8);
            [&file[..33], &texts[8..], &file[33..]].concat()
        },
        "8 x 8 pixels",
    ),
    (
        "png_with_a_length_of_4_gb",
        || [&plain(8, 8)[..33], b"\xff\xff\xff\xfftEXt", b"a"].concat(),
        "cannot be decoded",
    ),
    (
        "jpeg_of_65500_pixels_a_side",
        || jpeg_header(65_500, 65_500),
        "at most 16384",
    ),
    (
        "jpeg_of_268_megapixels",
        || jpeg_header(16_384, 16_384),
        "more than fit",
    ),
    (
        "jpeg_with_20000_scans",
        || many_scans(4_000, 20_000),
        "cannot be decoded",
    ),
    (
        "jpeg_that_is_truncated",
        || head(encoded(&photo(600, 600), ImageFormat::Jpeg), 3_000),
        "600 x 600 pixels",
    ),
    (
        "jpeg_with_300_descriptions",
        || {
            let one = exif(1, &"a".repeat(60_000));
            with_segments(&encoded(&photo(8, 8), ImageFormat::Jpeg), &vec![one; 300])
        },
        "8 x 8 pixels",
    ),
    (
        "jpeg_with_a_description_in_itself",
        || {
            // The next list of the description is the list itself.
            let looped = segment(
                0xe1,
                b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x87\x69\0\x04\0\0\0\x01\0\0\0\x08\0\0\0\x08",
            );
            with_segments(&encoded(&photo(8, 8), ImageFormat::Jpeg), &[looped])
        },
        "8 x 8 pixels",
    ),
    (
        "gif_with_100000_frames",
        || gif(1, 1, 100_000),
        "the first of 100000 frames",
    ),
    (
        "gif_of_65535_pixels_a_side",
        || gif(65_535, 65_535, 1),
        "at most 16384",
    ),
    (
        "gif_that_is_truncated",
        || head(gif(1, 1, 1), 24),
        "cannot be decoded",
    ),
    (
        "webp_of_16384_pixels_a_side",
        || webp_header(16_384, 16_384),
        "cannot be decoded",
    ),
    (
        "webp_with_100000_frames",
        || {
            let mut chunks = b"VP8X\x0a\0\0\0\x02\0\0\0\x07\0\0\x07\0\0".to_vec();
            chunks.extend(b"ANIM\x06\0\0\0\0\0\0\0\0\0");
            chunks.extend(b"ANMF\x10\0\0\0\0\0\0\0\0\0\x07\0\0\x07\0\0\0\0\0\0".repeat(100_000));
            riff(&chunks)
        },
        "cannot be decoded",
    ),
    (
        "webp_that_is_truncated",
        || head(encoded(&photo(300, 300), ImageFormat::WebP), 500),
        "cannot be decoded",
    ),
    (
        "noise_of_2500_pixels_a_side",
        noise,
        "2500 x 2500 pixels, shown with 1568 x 1568",
    ),
    (
        "magic_bytes_alone",
        || b"\x89PNG\r\n\x1a\n".to_vec(),
        "cannot be decoded",
    ),
];

/// A PNG file of zeroes.
fn plain(width: u32, height: u32) -> Vec<u8> {
    let bytes = (width as usize * 3 + 1) * height as usize;
    png(&[header(width, height, 2), (b"IDAT", zeroes(bytes)), end()])
}

fn head(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    assert!(bytes.len() > length, "{}", bytes.len());
    bytes.truncate(length);
    bytes
}

/// A JPEG file of two colors whose header has another size.
fn jpeg_header(width: u16, height: u16) -> Vec<u8> {
    let mut file = encoded(&photo(16, 16), ImageFormat::Jpeg);
    let at = file.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    file[at + 5..at + 7].copy_from_slice(&height.to_be_bytes());
    file[at + 7..at + 9].copy_from_slice(&width.to_be_bytes());
    file
}

/// A WebP file without loss whose header has a size.
fn webp_header(width: u32, height: u32) -> Vec<u8> {
    let size = (width - 1) | (height - 1) << 14;
    let mut chunk = b"VP8L\x10\0\0\0\x2f".to_vec();
    chunk.extend(size.to_le_bytes());
    chunk.extend([0; 11]);
    riff(&chunk)
}

fn riff(chunks: &[u8]) -> Vec<u8> {
    let size = u32::try_from(chunks.len() + 4).unwrap().to_le_bytes();
    [b"RIFF", &size[..], b"WEBP", chunks].concat()
}

fn noise() -> Vec<u8> {
    let mut state = 1_u32;
    let image = RgbImage::from_fn(2_500, 2_500, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [red, green, blue, _] = state.to_be_bytes();
        image::Rgb([red, green, blue])
    });
    encoded(&image.into(), ImageFormat::Jpeg)
}

pub(super) fn tests() -> Vec<Trial> {
    IMAGES
        .iter()
        .map(|(name, make, answer)| {
            Trial::test(format!("image::hostile::{name}"), move || {
                is_survived(name, *make, answer);
                Ok(())
            })
        })
        .collect()
}

/// Shows the image `a.png` of the folder that a test names, and prints the answer and what it took.
pub(crate) fn run_as_role() -> bool {
    let Some(folder) = std::env::var_os(ROLE) else {
        return false;
    };
    let begun = Instant::now();
    let show = async {
        let files = LocalFs::new(folder).unwrap();
        let arguments = json!({ "source": "a.png", "max_edge": 1_568 });
        let shown = view(&granted(Arc::new(files)).build(), arguments).await;
        println!("{}", written(&shown).replace('\n', " "));
    };
    run(show).unwrap();
    println!(
        "{} {} {}",
        begun.elapsed().as_millis(),
        self_peak_kib(),
        children_peak_kib()
    );
    true
}

fn is_survived(name: &str, make: fn() -> Vec<u8>, expected: &str) {
    let tree = Tree::new(&[]);
    tree.write("a.png", make());
    let output = Command::new("/proc/self/exe")
        .env(ROLE, tree.root())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let [answer, figures] = lines[..] else {
        panic!("{text}{}", String::from_utf8_lossy(&output.stderr));
    };
    let figures: Vec<u64> = figures
        .split(' ')
        .map(|figure| figure.parse().unwrap())
        .collect();
    let [milliseconds, own, worker] = figures[..] else {
        panic!("{text}");
    };
    let mib = (own + worker) >> 10;
    let shown: String = answer.chars().take(150).collect();
    println!("{name}: {milliseconds} ms, {mib} MiB: {shown}");
    assert!(
        Duration::from_millis(milliseconds) < PATIENCE,
        "{milliseconds} ms: {shown}"
    );
    assert!(mib < MOST_MIB, "{mib} MiB: {shown}");
    assert!(answer.contains(expected), "{answer}");
}
