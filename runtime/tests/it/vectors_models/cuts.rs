//! Where a body is cut: seeded, so that a failure repeats.

/// A generator of numbers: small, seeded, the same everywhere.
pub(crate) struct SeededRng(u64);

impl SeededRng {
    /// Seeds one by a text, so that each recording has cuts of its own.
    pub(crate) fn of(text: &str) -> Self {
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(hash)
    }

    /// Returns a number below the limit, which is at least one.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap() % limit.max(1)
    }
}

/// Cuts a body at a few or many random borders; pieces may be empty.
pub(crate) fn cut(body: &[u8], numbers: &mut SeededRng) -> Vec<Vec<u8>> {
    let most = [2, 8, 64, 512][numbers.below(4)];
    let mut borders: Vec<_> = (0..=numbers.below(most))
        .map(|_| numbers.below(body.len() + 1))
        .collect();
    borders.sort_unstable();
    borders.push(body.len());
    let mut start = 0;
    let piece = |border: usize| {
        let piece = body[start..border].to_vec();
        start = border;
        piece
    };
    borders.into_iter().map(piece).collect()
}

/// One byte at a time.
pub(crate) fn bytes(body: &[u8]) -> Vec<Vec<u8>> {
    body.iter().map(|byte| vec![*byte]).collect()
}

/// Changes, drops, doubles or moves a few bytes.
pub(crate) fn mutate(body: &[u8], numbers: &mut SeededRng) -> Vec<u8> {
    let mut body = body.to_vec();
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(body.len());
        let length = numbers.below(40).min(body.len().saturating_sub(at));
        match numbers.below(5) {
            0 => drop(body.drain(at..at + length)),
            1 => drop(body.splice(at..at, b"null".iter().copied())),
            2 => {
                let copy = body[at..at + length].to_vec();
                let to = numbers.below(body.len());
                drop(body.splice(to..to, copy));
            }
            3 => drop(body.splice(at..at + length, b"\n\ndata: ".iter().copied())),
            _ => {
                if let Some(byte) = body.get_mut(at) {
                    *byte = [b'"', b'{', b'}', b'[', 0, 0xff, b'9', b'-'][numbers.below(8)];
                }
            }
        }
    }
    body
}
