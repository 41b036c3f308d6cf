//! One pass over a text, which stops only where a secret can begin.

use std::sync::LazyLock;

use super::forms::{self, FORMS, Settled};
use super::hit::Hit;
use super::{assignment, personal};

/// Which pairs of bytes begin something, as one bit each.
struct Pairs(Box<[u64; 1024]>);

impl Pairs {
    fn new() -> Self {
        let mut pairs = Self(Box::new([0; 1024]));
        for form in FORMS {
            pairs.set(form.first_two());
        }
        pairs.set([b'-', b'-']);
        // Whatever follows: a name stands before it.
        for next in 0..=u8::MAX {
            pairs.set([b'=', next]);
            pairs.set([b':', next]);
        }
        pairs
    }

    fn set(&mut self, pair: [u8; 2]) {
        let number = usize::from(u16::from_be_bytes(pair));
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn has(&self, pair: [u8; 2]) -> bool {
        let number = usize::from(u16::from_be_bytes(pair));
        self.0[number / 64] & (1 << (number % 64)) != 0
    }
}

static PAIRS: LazyLock<Pairs> = LazyLock::new(Pairs::new);

/// Finds secrets by their form and by the names that they are given.
pub(super) fn secrets(text: &str, hits: &mut Vec<Hit>) {
    let pairs = &*PAIRS;
    // Behind this, no block begins: its search is long, and need not be repeated.
    let mut after_block = 0;
    let (mut settled, mut settled_value) = (Settled::default(), 0);
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        let pair = [pair[0], pair[1]];
        if !pairs.has(pair) {
            continue;
        }
        match pair {
            [b'=' | b':', _] => {
                hits.extend(assignment::at(text, at, &mut settled_value));
                if pair == *b":/" {
                    hits.extend(forms::url_password(text, at));
                }
            }
            [b'-', b'-'] => {
                if at >= after_block
                    && let Some(block) = forms::private_key(text, at)
                {
                    after_block = block.range.end;
                    hits.push(block);
                }
            }
            _ => hits.extend(forms::at(text, at, &mut settled)),
        }
    }
}

/// Finds personal data.
pub(super) fn personal(text: &str, hits: &mut Vec<Hit>) {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'@' => hits.extend(personal::email(text, at)),
            b'+' => hits.extend(personal::phone(text, at)),
            b'0'..=b'9' => hits.extend(personal::number(text, at)),
            b'A'..=b'Z' => hits.extend(personal::account(text, at)),
            _ => {}
        }
    }
}
