//! Documents that hold a text.

use std::fmt::Write as _;
use std::io;

use serde_json::json;

/// Writes a page whose article is long enough to be one.
pub(super) fn html(title: &str, body: &str) -> String {
    let filler = "<p>The weather of today is fine in most of the country, with clouds in the north and some rain by the sea, \
                  which ends in the evening; tomorrow is warmer, and the wind comes from the west.</p>";
    format!(
        "<!doctype html><html><head><title>{title}</title></head><body><main><article><h1>Weather</h1>{filler}{body}{filler}</article></main></body></html>"
    )
}

/// Writes every character as a reference.
pub(super) fn entities(text: &str) -> String {
    text.chars()
        .map(|c| format!("&#x{:x};", c as u32))
        .collect()
}

/// Puts a character without width into every word.
pub(super) fn zero_width(text: &str) -> String {
    text.replace('e', "\u{200b}e")
}

pub(super) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Writes a document that is shown as an outline, which has the text as a key.
pub(super) fn long_json(text: &str) -> String {
    let rows: Vec<_> = (0..2_000)
        .map(|n| json!({ "day": n, "weather": "fine", "wind": "west" }))
        .collect();
    json!({ text: rows }).to_string()
}

/// Writes an issue of GitHub, or the list of its comments.
pub(super) fn github(text: &str, is_list: bool) -> String {
    let item = json!({
        "id": 1, "number": 7, "title": "It fails", "state": "open", "body": text, "labels": [], "comments": 0,
        "user": { "login": "eve" }, "author_association": "NONE",
        "created_at": "2026-11-20T00:00:00Z", "updated_at": "2026-11-20T00:00:00Z",
    });
    match is_list {
        true => json!([item]).to_string(),
        false => item.to_string(),
    }
}

pub(super) fn feed(text: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>News</title><item><title>Weather</title>\
         <link>https://news.example.com/1</link><description>{text}</description></item></channel></rss>"
    )
}

/// Writes a document of one page.
pub(super) fn pdf(text: &str) -> Vec<u8> {
    let shown = format!("BT /F1 8 Tf 20 720 Td ({text}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{shown}\nendstream", shown.len()),
    ];
    let (mut out, mut offsets) = (String::from("%PDF-1.4\n"), Vec::new());
    for (index, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        let _ = write!(out, "{} 0 obj\n{object}\nendobj\n", index + 1);
    }
    let start = out.len();
    let size = objects.len() + 1;
    let _ = write!(out, "xref\n0 {size}\n0000000000 65535 f \n");
    for offset in offsets {
        let _ = writeln!(out, "{offset:010} 00000 n ");
    }
    let _ = write!(
        out,
        "trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    );
    out.into_bytes()
}

/// Draws a text: one dot a byte, whose shade is the byte.
pub(crate) fn picture(text: &str) -> Vec<u8> {
    const WIDTH: u32 = 64;
    let height = (text.len() as u32).div_ceil(WIDTH);
    let dots = text.bytes().chain(std::iter::repeat(0));
    let dots = dots.take((WIDTH * height) as usize).collect();
    let picture = image::GrayImage::from_raw(WIDTH, height, dots).expect("its size");
    let mut out = io::Cursor::new(Vec::new());
    let written = picture.write_to(&mut out, image::ImageFormat::Png);
    written.expect("memory");
    out.into_inner()
}

/// Reads the text of a [`picture`], as a model does that sees images.
pub(super) fn picture_text(bytes: &[u8]) -> Option<String> {
    let picture = image::load_from_memory(bytes).ok()?.to_rgb8();
    let dots = picture.pixels().map(|dot| dot.0[0]);
    Some(String::from_utf8_lossy(&dots.collect::<Vec<_>>()).into_owned())
}

/// Writes an image of one dot, whose metadata has a text.
pub(super) fn png(text: &str) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let header = [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0];
    // One stored block of two bytes: the filter of the row, and the dot.
    let dot = [0x78, 1, 1, 2, 0, 0xfd, 0xff, 0, 0, 0, 2, 0, 1];
    let comment = [b"Comment\0".as_slice(), text.as_bytes()].concat();
    for (kind, data) in [
        (b"IHDR", header.as_slice()),
        (b"tEXt", &comment),
        (b"IDAT", &dot),
        (b"IEND", &[]),
    ] {
        let chunk = [kind.as_slice(), data].concat();
        out.extend((data.len() as u32).to_be_bytes());
        out.extend(&chunk);
        out.extend(crc32(&chunk).to_be_bytes());
    }
    out
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            let is_odd = crc & 1 == 1;
            crc >>= 1;
            if is_odd {
                crc ^= 0xedb8_8320;
            }
        }
    }
    !crc
}
