//! A secret whose characters may be escaped: as in URLs, JSON, source code or HTML, each in a way of its own.

use crate::outcome::MatchOutcome;
use crate::pattern::{SpellingBuffer, Spellings, match_units};

/// The greatest number of backslashes before an escape: those of JSON in JSON in JSON.
const MAX_BACKSLASHES: usize = 8;

/// Returns the bytes that the form can begin with.
pub(crate) fn first_bytes(secret: &str) -> Vec<u8> {
    let first = secret.bytes().next();
    first.into_iter().chain(*b"%\\&").collect()
}

/// Returns the most backslashes of a run that the beginning of a secret can be: those of its own, each escaped, and those
/// before the escape of its next character.
pub(crate) fn longest_run(secret: &str) -> usize {
    let own = secret.bytes().take_while(|byte| *byte == b'\\').count();
    own * (MAX_BACKSLASHES + 1) + MAX_BACKSLASHES
}

/// Compares the text from a position on with a secret.
pub(crate) fn match_at(text: &[u8], start: usize, secret: &str) -> MatchOutcome {
    match_units(start, secret.chars(), |character, position, found| {
        spell(text, position, *character, found);
    })
}

/// Adds the spellings of a character. Nothing is built before the text says which of them it may be: a server chooses the
/// text, and may fill it with the beginnings of escapes.
fn spell(text: &[u8], start: usize, character: char, found: &mut Spellings) {
    let mut buffer = [0; 4];
    let raw = character.encode_utf8(&mut buffer).as_bytes();
    found.add(text, start, raw);
    match text.get(start) {
        Some(b'%') => spell_percent(text, start, raw, found),
        Some(b'+') if character == ' ' => found.add(text, start, b"+"),
        Some(b'&') => spell_entity(text, start, character, found),
        Some(b'\\') => spell_backslashes(text, start, character, raw, found),
        None => found.set_pending(),
        Some(_) => {}
    }
}

fn spell_percent(text: &[u8], start: usize, raw: &[u8], found: &mut Spellings) {
    match text.get(start + 1) {
        Some(next) if !next.is_ascii_hexdigit() => return,
        Some(_) => {}
        None => return found.set_pending(),
    }
    // Encoded once, and twice.
    for sign in [&b"%"[..], b"%25"] {
        let mut spelling = SpellingBuffer::new();
        for byte in raw {
            spelling.push(sign);
            spelling.push_number((*byte).into(), 16, 2);
        }
        found.add_any_case(text, start, spelling.as_bytes());
    }
}

fn spell_entity(text: &[u8], start: usize, character: char, found: &mut Spellings) {
    match text.get(start + 1) {
        Some(b'#') => {
            let code = u32::from(character);
            for (sign, base) in [(&b"&#"[..], 10), (b"&#0", 10), (b"&#x", 16), (b"&#x0", 16)] {
                let mut spelling = SpellingBuffer::new();
                spelling.push(sign);
                spelling.push_number(code, base, 1);
                spelling.push(b";");
                found.add_any_case(text, start, spelling.as_bytes());
            }
        }
        Some(_) => {
            let named: &[u8] = match character {
                '&' => b"&amp;",
                '<' => b"&lt;",
                '>' => b"&gt;",
                '"' => b"&quot;",
                '\'' => b"&apos;",
                _ => return,
            };
            found.add_any_case(text, start, named);
        }
        None => found.set_pending(),
    }
}

/// Adds the spellings that begin with backslashes. Each encoding doubles those of the one before.
fn spell_backslashes(
    text: &[u8],
    start: usize,
    character: char,
    raw: &[u8],
    found: &mut Spellings,
) {
    let slashes = text[start..].iter().take(MAX_BACKSLASHES + 1);
    let run = slashes.take_while(|byte| **byte == b'\\').count();
    if character == '\\' {
        let counts = [2, 4, 8].into_iter().filter(|count| *count <= run);
        counts.for_each(|count| found.add_end(start + count));
        // Half of an escaped backslash, and the other half.
        (1..run).for_each(|count| found.add_end(start + count + 1));
    }
    if run > MAX_BACKSLASHES {
        return;
    }
    let after = start + run;
    let letter: &[u8] = match character {
        '\n' => b"n",
        '\r' => b"r",
        '\t' => b"t",
        '\u{8}' => b"b",
        '\u{c}' => b"f",
        '\0' => b"0",
        _ => raw,
    };
    // This marks what the end of the text leaves open, too.
    found.add(text, after, letter);
    match text.get(after) {
        Some(b'u' | b'U') => spell_unicode(text, after, run, character, found),
        Some(b'x' | b'X') => {
            let mut spelling = SpellingBuffer::new();
            for (index, byte) in raw.iter().enumerate() {
                let slashes = if index == 0 { 0 } else { run };
                spelling.push(&[b'\\'; MAX_BACKSLASHES][..slashes]);
                spelling.push(b"x");
                spelling.push_number((*byte).into(), 16, 2);
            }
            found.add_any_case(text, after, spelling.as_bytes());
        }
        _ => {}
    }
}

/// Adds the spellings of a character behind backslashes as its code, or those of its surrogates.
fn spell_unicode(
    text: &[u8],
    after: usize,
    slashes: usize,
    character: char,
    found: &mut Spellings,
) {
    let mut units = [0; 2];
    let mut spelling = SpellingBuffer::new();
    for (index, unit) in character.encode_utf16(&mut units).iter().enumerate() {
        let slashes = if index == 0 { 0 } else { slashes };
        spelling.push(&[b'\\'; MAX_BACKSLASHES][..slashes]);
        spelling.push(b"u");
        spelling.push_number((*unit).into(), 16, 4);
    }
    found.add_any_case(text, after, spelling.as_bytes());
    let mut braced = SpellingBuffer::new();
    braced.push(b"u{");
    braced.push_number(character.into(), 16, 1);
    braced.push(b"}");
    found.add_any_case(text, after, braced.as_bytes());
}
