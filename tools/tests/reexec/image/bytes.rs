//! Files of images, written part by part.

/// Writes a PNG file of chunks.
pub(super) fn png(chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in chunks {
        let mut checked = kind.to_vec();
        checked.extend(data);
        bytes.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        bytes.extend(&checked);
        bytes.extend(crc32(&checked).to_be_bytes());
    }
    bytes
}

/// The first chunk of an image with 8 bits a channel.
pub(super) fn header(width: u32, height: u32, color: u8) -> (&'static [u8; 4], Vec<u8>) {
    let mut data = [width.to_be_bytes(), height.to_be_bytes()].concat();
    data.extend([8, color, 0, 0, 0]);
    (b"IHDR", data)
}

pub(super) fn end() -> (&'static [u8; 4], Vec<u8>) {
    (b"IEND", Vec::new())
}

/// Adds a chunk behind the header of a PNG file.
pub(super) fn with_chunk(file: &[u8], kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let chunk = png(&[(kind, data.to_vec())]);
    [&file[..33], &chunk[8..], &file[33..]].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// Compresses zeroes: 258 of them in 13 bits.
pub(super) fn zeroes(count: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    // The last block, with fixed codes.
    bits.push(1, 1);
    bits.push(1, 2);
    // A zero byte, whose code is written from its highest bit on, and repetitions of 258 bytes of the one before.
    bits.push(0b0000_1100, 8);
    for _ in 0..(count - 1) / 258 {
        bits.push(0b1010_0011, 8);
        bits.push(0, 5);
    }
    for _ in 0..(count - 1) % 258 {
        bits.push(0b0000_1100, 8);
    }
    bits.push(0, 7);
    let mut bytes = vec![0x78, 0x01];
    bytes.extend(bits.bytes);
    // The checksum of zeroes.
    let sum = (u32::try_from(count % 65_521).unwrap() << 16) | 1;
    bytes.extend(sum.to_be_bytes());
    bytes
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    /// Adds bits, the lowest first.
    fn push(&mut self, value: u32, count: u32) {
        for bit in 0..count {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().unwrap() |= u8::from(value >> bit & 1 == 1) << (self.used % 8);
            self.used += 1;
        }
    }
}

/// Writes a segment of a JPEG file.
pub(super) fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len() + 2).unwrap().to_be_bytes();
    [&[0xff, marker], &length[..], data].concat()
}

/// Adds segments behind the beginning of a JPEG file.
pub(super) fn with_segments(file: &[u8], segments: &[Vec<u8>]) -> Vec<u8> {
    [&file[..2], &segments.concat(), &file[2..]].concat()
}

/// Returns a segment with an orientation and a description.
pub(super) fn exif(orientation: u16, description: &str) -> Vec<u8> {
    let mut tiff = b"MM\0*\0\0\0\x08\0\x02".to_vec();
    let text = format!("{description}\0");
    tiff.extend([0x01, 0x0e, 0, 2]);
    tiff.extend(u32::try_from(text.len()).unwrap().to_be_bytes());
    tiff.extend(38_u32.to_be_bytes());
    tiff.extend([0x01, 0x12, 0, 3, 0, 0, 0, 1]);
    tiff.extend(orientation.to_be_bytes());
    tiff.extend([0, 0, 0, 0, 0, 0]);
    tiff.extend(text.as_bytes());
    segment(0xe1, &[b"Exif\0\0", &tiff[..]].concat())
}

/// Writes a progressive JPEG file with many scans, each of which passes over all blocks.
pub(super) fn many_scans(edge: u16, scans: usize) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8];
    bytes.extend(segment(0xdb, &[&[0][..], &[1; 64]].concat()));
    let size = edge.to_be_bytes();
    let frame = [8, size[0], size[1], size[0], size[1], 1, 1, 0x11, 0];
    bytes.extend(segment(0xc2, &frame));
    // One code of one bit: no coefficient for DC, and a run of 16,384 blocks or more without one for AC.
    let table = |class: u8, symbol: u8| {
        let mut table = vec![class << 4, 1];
        table.extend([0; 15]);
        table.push(symbol);
        segment(0xc4, &table)
    };
    bytes.extend(table(0, 0));
    bytes.extend(table(1, 0xe0));
    let blocks = usize::from(edge).div_ceil(8).pow(2);
    bytes.extend(segment(0xda, &[1, 1, 0, 0, 0, 0]));
    bytes.extend(vec![0; blocks.div_ceil(8)]);
    for scan in 0..scans {
        let band = u8::try_from(1 + scan % 63).unwrap();
        bytes.extend(segment(0xda, &[1, 1, 0, band, band, 0]));
        bytes.extend(vec![0; (blocks.div_ceil(1 << 14) * 15).div_ceil(8)]);
    }
    bytes.extend([0xff, 0xd9]);
    bytes
}

/// Writes a GIF file with frames of one pixel.
pub(super) fn gif(width: u16, height: u16, frames: usize) -> Vec<u8> {
    let mut bytes = b"GIF89a".to_vec();
    bytes.extend([width.to_le_bytes(), height.to_le_bytes()].concat());
    bytes.extend([0x80, 0, 0, 255, 0, 0, 0, 255, 0]);
    for _ in 0..frames {
        bytes.extend([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0]);
    }
    bytes.push(0x3b);
    bytes
}
