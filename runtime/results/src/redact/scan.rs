//! The scan of a text in one pass, which stops only where a secret can begin.

use std::sync::LazyLock;

use super::forms::{self, FORMS, ScanProgress};
use super::found_secret::FoundSecret;
use super::{assignment, personal};

/// The set of pairs of bytes that can begin a secret, with one bit for each pair.
struct BytePairSet(Box<[u64; 1024]>);

impl BytePairSet {
    fn new() -> Self {
        let mut pairs = Self(Box::new([0; 1024]));
        for form in FORMS {
            pairs.insert(form.first_two());
        }
        pairs.insert([b'-', b'-']);
        // Any byte may follow the sign: the name precedes it.
        for next in 0..=u8::MAX {
            pairs.insert([b'=', next]);
            pairs.insert([b':', next]);
        }
        pairs
    }

    fn insert(&mut self, pair: [u8; 2]) {
        let number = usize::from(u16::from_be_bytes(pair));
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn contains(&self, pair: [u8; 2]) -> bool {
        let number = usize::from(u16::from_be_bytes(pair));
        self.0[number / 64] & (1 << (number % 64)) != 0
    }
}

static START_PAIRS: LazyLock<BytePairSet> = LazyLock::new(BytePairSet::new);

/// Finds secrets by their form and by their names.
pub(super) fn find_secrets(text: &str, hits: &mut Vec<FoundSecret>) {
    let pairs = &*START_PAIRS;
    // No block begins before this offset: its search is long, and must not be repeated.
    let mut after_block = 0;
    let (mut settled, mut settled_value) = (ScanProgress::default(), 0);
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        let pair = [pair[0], pair[1]];
        if !pairs.contains(pair) {
            continue;
        }
        match pair {
            [b'=' | b':', _] => {
                hits.extend(assignment::find_at(text, at, &mut settled_value));
                if pair == *b":/" {
                    hits.extend(forms::find_url_password(text, at));
                }
            }
            [b'-', b'-'] => {
                if at >= after_block
                    && let Some(block) = forms::find_private_key(text, at)
                {
                    after_block = block.range.end;
                    hits.push(block);
                }
            }
            _ => hits.extend(forms::find_at(text, at, &mut settled)),
        }
    }
}

pub(super) fn find_personal_data(text: &str, hits: &mut Vec<FoundSecret>) {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'@' => hits.extend(personal::find_email(text, at)),
            b'+' => hits.extend(personal::find_phone(text, at)),
            b'0'..=b'9' => hits.extend(personal::find_ssn_or_card(text, at)),
            b'A'..=b'Z' => hits.extend(personal::find_iban(text, at)),
            _ => {}
        }
    }
}
