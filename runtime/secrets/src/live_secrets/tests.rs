//! Tests of the encodings.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use proptest::prelude::*;

use super::*;

/// How a secret is encoded, with what stands before and after it.
type Encoder = fn(&str, &str, &str) -> String;

fn percent(text: &str, is_encoded: impl Fn(u8) -> bool) -> String {
    let bytes = text.bytes().map(|byte| match is_encoded(byte) {
        true => format!("%{byte:02X}"),
        false => char::from(byte).to_string(),
    });
    bytes.collect()
}

fn percent_lower(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

fn is_reserved(byte: u8) -> bool {
    !byte.is_ascii_alphanumeric() && !b"-._~".contains(&byte)
}

fn json(text: &str) -> String {
    let quoted = serde_json::to_string(text).expect("a string");
    quoted[1..quoted.len() - 1].to_owned()
}

fn hex(text: &str, separator: &str) -> String {
    let bytes: Vec<String> = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    bytes.join(separator)
}

fn decimal(text: &str, separator: &str) -> String {
    let bytes: Vec<String> = text.bytes().map(|byte| byte.to_string()).collect();
    bytes.join(separator)
}

fn wrap(text: &str, line: &str) -> String {
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(6)
        .map(|chunk| std::str::from_utf8(chunk).expect("ASCII"))
        .collect();
    lines.join(line)
}

fn html(text: &str) -> String {
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

fn units(text: &str) -> String {
    text.encode_utf16()
        .map(|unit| format!("\\u{unit:04X}"))
        .collect()
}

const ENCODERS: [(&str, Encoder); 23] = [
    ("raw", |a, s, b| format!("{a}{s}{b}")),
    ("percent", |a, s, b| {
        a.to_owned() + &percent(s, is_reserved) + b
    }),
    ("percent, lower case", |a, s, b| {
        a.to_owned() + &percent_lower(s) + b
    }),
    ("percent, all", |a, s, b| {
        a.to_owned() + &percent(s, |_| true) + b
    }),
    ("percent, twice", |a, s, b| {
        a.to_owned() + &percent(&percent(s, is_reserved), is_reserved) + b
    }),
    ("form", |a, s, b| {
        a.to_owned() + &percent(s, |byte| byte != b' ' && is_reserved(byte)).replace(' ', "+") + b
    }),
    ("JSON", |a, s, b| json(&format!("{a}{s}{b}"))),
    ("JSON in JSON", |a, s, b| json(&json(&format!("{a}{s}{b}")))),
    ("JSON, all", |a, s, b| a.to_owned() + &units(s) + b),
    ("JSON in JSON, all", |a, s, b| {
        json(&(a.to_owned() + &units(s) + b))
    }),
    ("JSON, slashes", |a, s, b| {
        a.to_owned() + &json(s).replace('/', "\\/") + b
    }),
    ("HTML", |a, s, b| a.to_owned() + &html(s) + b),
    ("hex", |_, s, _| hex(s, "")),
    ("hex, upper case", |_, s, _| hex(s, ":").to_uppercase()),
    ("hex, in lines", |_, s, _| wrap(&hex(s, ""), "\n")),
    ("hex, a list in lines", |_, s, _| {
        "0x".to_owned() + &hex(s, ", 0x").replace(", 0x6", ",\n  0x6")
    }),
    ("hex, in lines of JSON", |_, s, _| {
        json(&wrap(&hex(s, ""), "\n"))
    }),
    ("decimal", |_, s, _| decimal(s, ",")),
    ("decimal, in lines", |_, s, _| decimal(s, ",\n    ")),
    ("base64", |a, s, b| STANDARD.encode(format!("{a}{s}{b}"))),
    ("base64url", |a, s, b| URL_SAFE.encode(format!("{a}{s}{b}"))),
    ("base64, percent", |a, s, b| {
        percent(&STANDARD.encode(format!("{a}{s}{b}")), is_reserved)
    }),
    ("base64, in lines", |a, s, b| {
        wrap(&STANDARD.encode(format!("{a}{s}{b}")), "\n  ")
    }),
];

/// Returns what of the encoded text the secret alone determines.
fn core_of(encoder: Encoder, secret: &str, offset: usize) -> String {
    let before = "a".repeat(offset);
    let [one, other] =
        ["\0\0\0", "\u{7f}\u{7f}\u{7f}"].map(|around| encoder(&before, secret, around));
    let common = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(one, other)| one == other);
    one[..common.count()].to_owned()
}

fn live(secret: &str) -> LiveSecrets {
    let live = LiveSecrets::new();
    live.add(&Secret::new(secret));
    live
}

fn secrets() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9_-]{8,40}",
        "[ -~]{8,30}",
        "[a-z\"\\\\/<>&'+ %é€😀\t]{6,20}",
    ]
    .prop_filter("the value is trimmed", |secret| {
        secret.trim().chars().count() >= 6
    })
    .prop_map(|secret| secret.trim().to_owned())
}

proptest! {
    #[test]
    fn every_encoding_is_found(secret in secrets(), before in "[a-z]{0,4}", after in "[ =}]{0,3}") {
        let live = live(&secret);
        for (name, encode) in ENCODERS {
            let encoded = encode(&before, &secret, &after);
            let found = live.find(encoded.as_bytes());
            prop_assert!(!found.is_empty(), "{name}: {secret:?} in {encoded:?}");
            let masked = live.mask(&encoded).into_owned();
            prop_assert!(!masked.contains(&*secret), "{name}: {masked:?}");
            prop_assert!(live.find(masked.as_bytes()).is_empty(), "{name}: {masked:?}");
        }
    }

    #[test]
    fn what_is_pending_becomes_a_secret(secret in secrets(), cut in 1_usize..200, before in "[a-z]{0,4}") {
        let live = live(&secret);
        for (name, encode) in ENCODERS {
            let encoded = encode(&before, &secret, " ");
            let cut = encoded.floor_char_boundary(cut.min(encoded.len() - 1));
            let first = live.find(encoded.as_bytes())[0].clone();
            if first.start < cut && cut < first.end {
                let pending = live.pending_start(&encoded.as_bytes()[..cut]);
                prop_assert!(pending.is_some_and(|start| start <= first.start), "{name}: {encoded:?} at {cut}");
            }
        }
    }

    #[test]
    fn other_text_is_left_alone(text in "[a-zA-Z0-9+/ \\\\%&\n]{0,300}") {
        let live = live("correct-horse-battery");
        prop_assert!(matches!(live.mask(&text), Cow::Borrowed(_)));
    }
}

/// The first half of an escaped backslash is a backslash itself.
#[test]
fn a_secret_that_ends_within_an_escape_is_pending() {
    let live = live("correct\\");
    assert_eq!(live.pending_start(br"correct\u005"), Some(0));
    assert_eq!(live.pending_start(br"correct\u005C "), None);
}

#[test]
fn the_core_of_an_encoding_is_masked_whole() {
    for offset in 0..3 {
        for (name, encode) in ENCODERS {
            let secret = "s3cr3t/+key=";
            let core = core_of(encode, secret, offset);
            let masked = live(secret).mask(&core).into_owned();
            assert!(masked.contains(MASK), "{name}: {core}: {masked}");
        }
    }
}

#[test]
fn short_values_and_blanks_are_not_secrets() {
    let live = live("abc");
    live.add(&Secret::new("   "));
    assert!(live.is_empty());
    live.add(&Secret::new(" long enough\n"));
    assert_eq!(live.mask("it is long enough."), "it is [REDACTED:secret].");
}

#[test]
fn bytes_that_are_no_text_are_masked() {
    let masked = live("hunter22")
        .mask_bytes(b"\xff\0hunter22\xfe")
        .into_owned();
    assert_eq!(masked, b"\xff\0[REDACTED:secret]\xfe");
}

/// In a long run of backslashes, the end alone can be the beginning of a secret.
#[test]
fn a_secret_is_found_behind_a_long_run() {
    for secret in ["correct-horse", "\\correct", "\\\\correct", "😀 and more"] {
        for slashes in [1, 3, 8, 9, 40, 200] {
            for spelled in [
                secret.to_owned(),
                json(secret),
                units(secret),
                json(&units(secret)),
            ] {
                let text = format!("{}{spelled}", "\\".repeat(slashes));
                let masked = live(secret).mask(&text).into_owned();
                assert!(
                    masked.ends_with(MASK),
                    "{slashes} before {spelled}: {masked}"
                );
            }
        }
    }
}

/// A server chooses the text: nothing in it may cost more than a comparison or so a character.
#[test]
fn the_beginnings_of_escapes_cost_little() {
    let live = live("correct-horse-battery");
    live.add(&Secret::new("\\correct%&horse"));
    for unit in [
        "\\", "%", "&", "%2", "&#", "\\u", "\\x", "c\\", "63", "99,", "Y29y",
    ] {
        let text = unit.repeat((1 << 17) / unit.len());
        let begun = std::time::Instant::now();
        assert!(live.find(text.as_bytes()).is_empty(), "{unit}");
        let took = begun.elapsed();
        assert!(took < std::time::Duration::from_secs(2), "{unit}: {took:?}");
    }
}
