//! A secret whose characters may be escaped: as in URLs, JSON, source code or HTML, each in a way of its own.

use crate::outcome::MatchOutcome;
use crate::pattern::{Spellings, match_units};

/// The greatest number of backslashes before an escape: those of JSON in JSON in JSON.
const MAX_BACKSLASHES: usize = 8;

/// Returns the bytes that the form can begin with.
pub(crate) fn first_bytes(secret: &str) -> Vec<u8> {
    let first = secret.bytes().next();
    first.into_iter().chain(*b"%\\&").collect()
}

/// Compares the text from a position on with a secret.
pub(crate) fn match_at(text: &[u8], start: usize, secret: &str) -> MatchOutcome {
    match_units(start, secret.chars(), |character, position, found| {
        spell(text, position, *character, found);
    })
}

/// Adds the spellings of a character.
fn spell(text: &[u8], start: usize, character: char, found: &mut Spellings) {
    let mut buffer = [0; 4];
    let raw = character.encode_utf8(&mut buffer).as_bytes();
    found.add(text, start, raw);
    match text.get(start) {
        Some(b'%') => {
            let percent: String = raw.iter().map(|byte| format!("%{byte:02x}")).collect();
            found.add_any_case(text, start, percent.as_bytes());
            // Encoded twice.
            let twice = percent.replace('%', "%25");
            found.add_any_case(text, start, twice.as_bytes());
        }
        Some(b'+') if character == ' ' => found.add(text, start, b"+"),
        Some(b'&') => spell_entity(text, start, character, found),
        Some(b'\\') => spell_backslashes(text, start, character, raw, found),
        None => found.set_pending(),
        Some(_) => {}
    }
}

fn spell_entity(text: &[u8], start: usize, character: char, found: &mut Spellings) {
    let code = u32::from(character);
    for entity in [
        format!("&#{code};"),
        format!("&#0{code};"),
        format!("&#x{code:x};"),
        format!("&#x0{code:x};"),
    ] {
        found.add_any_case(text, start, entity.as_bytes());
    }
    let named: &[&str] = match character {
        '&' => &["&amp;"],
        '<' => &["&lt;"],
        '>' => &["&gt;"],
        '"' => &["&quot;"],
        '\'' => &["&apos;"],
        _ => &[],
    };
    for entity in named {
        found.add_any_case(text, start, entity.as_bytes());
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
    let slashes = text[start..].iter().take_while(|byte| **byte == b'\\');
    let slashes = slashes.take(MAX_BACKSLASHES).count();
    if character == '\\' {
        let counts = [2, 4, 8].into_iter().filter(|count| *count <= slashes);
        counts.for_each(|count| found.add_end(start + count));
    }
    let mut units = [0; 2];
    let units = character.encode_utf16(&mut units);
    let unicode: String = units.iter().map(|unit| format!("u{unit:04x}")).collect();
    let letter: &[u8] = match character {
        '\n' => b"n",
        '\r' => b"r",
        '\t' => b"t",
        '\u{8}' => b"b",
        '\u{c}' => b"f",
        '\0' => b"0",
        _ => raw,
    };
    for count in 1..=slashes {
        let after = start + count;
        found.add(text, after, letter);
        if units.len() == 1 {
            found.add_any_case(text, after, unicode.as_bytes());
        } else {
            let (high, low) = unicode.split_at(5);
            let slashes = "\\".repeat(count);
            let pair = format!("{high}{slashes}{low}");
            found.add_any_case(text, after, pair.as_bytes());
        }
        found.add_any_case(
            text,
            after,
            format!("u{{{:x}}}", u32::from(character)).as_bytes(),
        );
        let bytes: Vec<String> = raw.iter().map(|byte| format!("x{byte:02x}")).collect();
        let bytes = bytes.join(&"\\".repeat(count));
        found.add_any_case(text, after, bytes.as_bytes());
    }
}
