//! Lengths of time as people write them.

/// The names of the units, and their lengths in seconds.
const UNITS: [(&[&str], u64); 5] = [
    (&["s", "sec", "secs", "second", "seconds"], 1),
    (&["m", "min", "mins", "minute", "minutes"], 60),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600),
    (&["d", "day", "days"], 86_400),
    (&["w", "week", "weeks"], 604_800),
];

/// The greatest length: ten years.
const MAX_SECONDS: u64 = 10 * 366 * 86_400;

/// Parses a length of time, such as `30m`, `1h30m` or `2 hours`, and returns its seconds.
pub(crate) fn parse_seconds(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut seconds: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !character.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let end = rest.find(|character: char| !character.is_ascii_alphabetic());
        let (unit, after) = rest.split_at(end.unwrap_or(rest.len()));
        let unit = unit.to_ascii_lowercase();
        let (_, length) = UNITS.iter().find(|(names, _)| names.contains(&&*unit))?;
        seconds = seconds.checked_add(number.checked_mul(*length)?)?;
        rest = after.trim_start();
    }
    (1..=MAX_SECONDS).contains(&seconds).then_some(seconds)
}

/// Renders a length of time in the form that [`parse_seconds`] reads: `1h30m`.
pub(crate) fn render_seconds(seconds: u64) -> String {
    let mut rest = seconds;
    let mut text = String::new();
    for (names, length) in UNITS.iter().rev().skip(1) {
        let count = rest / length;
        rest %= length;
        if count > 0 {
            text.push_str(&format!("{count}{}", names[0]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lengths_are_numbers_with_units() {
        for (text, seconds) in [
            ("30m", 1_800),
            ("2h", 7_200),
            ("45s", 45),
            ("1h30m", 5_400),
            (" 2 hours ", 7_200),
            ("1 day 1 s", 86_401),
            ("1w", 604_800),
        ] {
            assert_eq!(parse_seconds(text), Some(seconds), "{text}");
        }
        for text in [
            "",
            "abc",
            "30",
            "m",
            "0m",
            "-1h",
            "1.5h",
            "1x",
            "99999999999999999999d",
            "11000d",
        ] {
            assert_eq!(parse_seconds(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_rendered_is_parsed_again(seconds in 1..=MAX_SECONDS) {
            prop_assert_eq!(parse_seconds(&render_seconds(seconds)), Some(seconds));
        }

        #[test]
        fn no_text_is_too_much(text in ".{0,40}") {
            let _ = parse_seconds(&text);
        }
    }
}
