//! PDF documents that are made to use up their reader: each is read by an app of its own, which answers in time, and
//! which stays small together with its worker.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use helve::sandbox::LocalFs;
use libtest_mimic::Trial;
use serde_json::json;

use crate::pages::document;
use crate::peaks::{children_peak_kib, self_peak_kib};
use crate::support;

/// Names the folder of the document, in a process that a test started to read it.
const ROLE: &str = "HELVE_TEST_READS_BOMB";

/// What app and worker may have in memory together, at their peaks.
const MOST_MIB: u64 = 300;

/// The deadline of a document, and what a busy machine adds.
const PATIENCE: Duration = Duration::from_secs(45);

type Bomb = (&'static str, fn() -> Vec<u8>);

const BOMBS: &[Bomb] = &[
    ("streams_in_streams", streams_in_streams),
    ("an_object_stream_that_expands", object_stream),
    ("pages_that_double", pages_that_double),
    ("a_form_that_draws_itself", form_that_draws_itself),
    ("parents_in_a_circle", parents_in_a_circle),
    ("a_table_that_leads_to_itself", table_that_leads_to_itself),
    ("nested_arrays", nested_arrays),
    ("a_map_of_all_characters", map_of_all_characters),
];

pub(crate) fn tests() -> Vec<Trial> {
    let test = |&(name, bomb): &Bomb| {
        Trial::test(format!("bombs::{name}"), move || {
            is_survived(name, &bomb());
            Ok(())
        })
    };
    BOMBS.iter().map(test).collect()
}

/// Reads the document that a test made, and prints the answer and what it took.
pub(crate) fn run_as_role() -> bool {
    let Some(folder) = std::env::var_os(ROLE) else {
        return false;
    };
    let read = async {
        let files = LocalFs::new(Path::new(&folder)).unwrap();
        let cx = support::granted(Arc::new(files)).build();
        let answer = support::call("read_file", json!({ "path": "bomb.pdf" }), &cx).await;
        println!("{}", support::whole(answer).replace('\n', " "));
    };
    let begun = Instant::now();
    crate::runtime::run(read).unwrap();
    println!(
        "{} {} {}",
        begun.elapsed().as_millis(),
        self_peak_kib(),
        children_peak_kib()
    );
    true
}

fn is_survived(name: &str, bomb: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bomb.pdf"), bomb).unwrap();
    let output = Command::new("/proc/self/exe")
        .env(ROLE, folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let [answer, figures] = lines[..] else {
        panic!("the app did not survive: {output:?}");
    };
    let figures: Vec<u64> = figures.split(' ').map(|n| n.parse().unwrap()).collect();
    let [millis, app, worker] = figures[..] else {
        panic!("{text}");
    };
    let short: String = answer.chars().take(150).collect();
    println!(
        "{name}: {} bytes, {millis} ms, app {} MiB, worker {} MiB: {short}",
        bomb.len(),
        app >> 10,
        worker >> 10,
    );
    assert!(Duration::from_millis(millis) < PATIENCE, "{millis} ms");
    assert!((app + worker) >> 10 < MOST_MIB, "{app} + {worker} KiB");
    assert!(
        answer.starts_with("failed: ") || answer.starts_with("--- page 1 ---"),
        "{answer}"
    );
}

/// Joins objects, numbered from 1, to a document whose catalogue is the first.
fn joined(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"%PDF-1.5\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        out.extend(format!("{} 0 obj\n", index + 1).into_bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let start = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for offset in offsets {
        out.extend(format!("{offset:010} 00000 n \n").into_bytes());
    }
    let trailer = format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    );
    out.extend(trailer.into_bytes());
    out
}

fn stream(dictionary: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = format!("<< {dictionary} /Length {} >>\nstream\n", bytes.len()).into_bytes();
    out.extend(bytes);
    out.extend(b"\nendstream");
    out
}

/// A document of one page with this content; `resources` are its, and `more` the objects from 5 on.
fn one_page(content: Vec<u8>, resources: &str, more: Vec<Vec<u8>>) -> Vec<u8> {
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << {resources} >> >>"
    );
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.into_bytes(),
        content,
    ];
    objects.extend(more);
    joined(&objects)
}

/// Some kilobytes that expand to four gigabytes of spaces.
fn streams_in_streams() -> Vec<u8> {
    let bytes = expanding();
    one_page(
        stream("/Filter [/FlateDecode /FlateDecode /FlateDecode]", &bytes),
        "",
        vec![],
    )
}

fn object_stream() -> Vec<u8> {
    let bytes = expanding();
    let objects = stream(
        "/Type /ObjStm /N 100000000 /First 10 /Filter [/FlateDecode /FlateDecode /FlateDecode]",
        &bytes,
    );
    one_page(stream("", b""), "", vec![objects])
}

/// Four gigabytes of spaces, packed three times.
fn expanding() -> Vec<u8> {
    let once = packed(Periodic::Spaces(4 << 30));
    // A code of 13 bits has a period of 13 bytes, and then one of 15 bits.
    let twice = packed(Periodic::Bytes(&once, 13));
    packed(Periodic::Bytes(&twice, 15))
}

#[derive(Clone, Copy)]
enum Periodic<'a> {
    Spaces(u64),
    Bytes(&'a [u8], usize),
}

/// Packs what repeats itself, as zlib does at best: a copy of 258 bytes takes 13 bits, or a few more.
fn packed(what: Periodic<'_>) -> Vec<u8> {
    let mut out = Bits::default();
    // A last block with the fixed codes.
    out.put(0b011, 3);
    let check = match what {
        Periodic::Spaces(length) => {
            out.literal(b' ');
            (0..(length - 1) / 258).for_each(|_| out.copy(1));
            let length = (length - 1) / 258 * 258 + 1;
            let a = (1 + 32 * (length % 65_521)) % 65_521;
            let triangle =
                u128::from(length) * u128::from(length + 1) / 2 * 32 + u128::from(length);
            ((triangle % 65_521) as u32) << 16 | a as u32
        }
        Periodic::Bytes(bytes, period) => {
            let mut at = 0;
            while at < bytes.len() {
                let repeats = at >= period
                    && bytes.len() - at >= 258
                    && bytes[at..at + 258] == bytes[at - period..at - period + 258];
                if repeats {
                    out.copy(period);
                    at += 258;
                } else {
                    out.literal(bytes[at]);
                    at += 1;
                }
            }
            let (mut a, mut b) = (1_u32, 0_u32);
            for &byte in bytes {
                a = (a + u32::from(byte)) % 65_521;
                b = (b + a) % 65_521;
            }
            b << 16 | a
        }
    };
    // The end of the block.
    out.put(0, 7);
    let mut packed = vec![0x78, 0x01];
    packed.extend(out.bytes());
    packed.extend(check.to_be_bytes());
    packed
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    held: u32,
    count: u32,
}

impl Bits {
    /// Puts bits, the lowest first.
    fn put(&mut self, bits: u32, count: u32) {
        self.held |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// Puts a Huffman code, its highest bit first.
    fn code(&mut self, code: u32, count: u32) {
        self.put(code.reverse_bits() >> (32 - count), count);
    }

    fn literal(&mut self, byte: u8) {
        match u32::from(byte) {
            low @ ..144 => self.code(0x30 + low, 8),
            high => self.code(0x190 + high - 144, 9),
        }
    }

    /// Puts a copy of 258 bytes: length code 285, then the distance.
    fn copy(&mut self, distance: usize) {
        self.code(0b1100_0101, 8);
        match distance {
            1 => self.code(0, 5),
            // Code 7 and two more bits stand for 13 to 16.
            13..17 => {
                self.code(7, 5);
                self.put(u32::try_from(distance - 13).unwrap(), 2);
            }
            other => panic!("no test needs a distance of {other}"),
        }
    }

    fn bytes(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.held as u8);
        }
        self.bytes
    }
}

/// Each node of the tree has the next one twice: 2^60 pages in 60 objects.
fn pages_that_double() -> Vec<u8> {
    let mut objects = vec![b"<< /Type /Catalog /Pages 2 0 R >>".to_vec()];
    for next in 3..63 {
        objects.push(
            format!("<< /Type /Pages /Kids [{next} 0 R {next} 0 R] /Count 2 >>").into_bytes(),
        );
    }
    objects.push(b"<< /Type /Page /MediaBox [0 0 612 792] >>".to_vec());
    joined(&objects)
}

fn form_that_draws_itself() -> Vec<u8> {
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /F 5 0 R >> >>",
        b"/F Do",
    );
    one_page(stream("", b"/F Do"), "/XObject << /F 5 0 R >>", vec![form])
}

fn parents_in_a_circle() -> Vec<u8> {
    joined(&[
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 5 0 R >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>".to_vec(),
        stream("", b"BT /F1 12 Tf (x) Tj ET"),
        b"<< /Type /Pages /Kids [2 0 R] /Count 1 /Parent 2 0 R >>".to_vec(),
    ])
}

/// The table before the table is itself.
fn table_that_leads_to_itself() -> Vec<u8> {
    let plain = document(1, "");
    let start = String::from_utf8_lossy(&plain).rfind("xref\n0").unwrap();
    document(1, &format!("/Prev {start} /XRefStm {start}"))
}

fn nested_arrays() -> Vec<u8> {
    let content = format!("{} {} TJ", "[".repeat(3_000_000), "<<".repeat(1_000_000));
    one_page(stream("", content.as_bytes()), "", vec![])
}

/// A font with a map from every code of four bytes.
fn map_of_all_characters() -> Vec<u8> {
    let ranges = "<00000000> <FFFFFFFF> <0041>\n<0000> <FFFF> <0041>\n".repeat(50);
    let map = format!(
        "/CIDInit /ProcSet findresource begin begincmap\n1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange\n\
         100 beginbfrange\n{ranges}endbfrange\nendcmap end"
    );
    let font = b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts [7 0 R] >>";
    let descendant = b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /W [0 2000000000 500] /DW 1000 /FontDescriptor 8 0 R >>";
    one_page(
        stream("", b"BT /F1 12 Tf <00410042> Tj ET"),
        "/Font << /F1 5 0 R >>",
        vec![
            font.to_vec(),
            stream("", map.as_bytes()),
            descendant.to_vec(),
            b"<< /Type /FontDescriptor /FontName /X >>".to_vec(),
        ],
    )
}
