//! The check of literals, numbers and strings.

use regex_lite::RegexBuilder;
use serde_json::{Map, Value};

use super::super::enforced;
use super::super::keyword::{ReadKeywords as _, WIDTH};
use super::check::Checker;
use super::describe;

/// The memory limit of a compiled pattern of an external schema, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

impl<'s> Checker<'s> {
    /// Checks a value against the values of an `enum`.
    pub(super) fn literal(&mut self, values: &'s [Value], raw: &str) -> bool {
        let value: Option<Value> = serde_json::from_str(raw).ok();
        let same = |one: &Value| value.as_ref().is_some_and(|value| equal(one, value));
        if values.iter().any(same) {
            return true;
        }
        let names = values.iter().filter_map(Value::as_str);
        let given = value.as_ref().and_then(Value::as_str);
        let nearest = given.and_then(|given| describe::nearest(given, names));
        let mistake = self.mistake(describe::describe_enum(values), raw);
        self.report(mistake.suggesting(nearest.map(|name| format!("did you mean {name:?}?"))));
        false
    }

    pub(super) fn number(&mut self, map: &'s Map<String, Value>, raw: &str) {
        let Some(number) = raw.parse::<f64>().ok().filter(|number| number.is_finite()) else {
            return self.refuse("a number that a computer can hold", raw);
        };
        if map.has_type("integer") && !map.has_type("number") {
            match map.text(WIDTH) {
                Some(width) if !holds(width, raw) => {
                    return self.refuse(&describe::integer(map, width), raw);
                }
                None if number.fract() != 0.0 => return self.refuse_for(map, raw),
                _ => {}
            }
        }
        let bound = |keyword: &str| map.get(keyword).and_then(Value::as_f64);
        let outside = bound("minimum").is_some_and(|least| number < least)
            || bound("maximum").is_some_and(|most| number > most)
            || bound("exclusiveMinimum").is_some_and(|least| number <= least)
            || bound("exclusiveMaximum").is_some_and(|most| number >= most);
        if outside {
            self.refuse_for(map, raw);
        } else if let Some(step) = bound("multipleOf")
            && !multiple(number, step)
        {
            self.refuse(&format!("a multiple of {step}"), raw);
        }
    }

    pub(super) fn string(&mut self, map: &'s Map<String, Value>, raw: &str) {
        let Ok(text) = serde_json::from_str::<String>(raw) else {
            return self.refuse("a string of valid Unicode", raw);
        };
        let bounds = ["minLength", "maxLength"];
        self.check_length(
            map,
            raw,
            text.chars().count(),
            bounds,
            ["character", "characters"],
        );
        if let Some(pattern) = map.text("pattern")
            && !matches(pattern, &text)
        {
            self.refuse(&format!("a string that matches `{pattern}`"), raw);
        }
        let address = match map.text("format") {
            // For these three formats, the parsers are those of serde's own types.
            Some("ipv4") => text.parse::<std::net::Ipv4Addr>().is_ok(),
            Some("ipv6") => text.parse::<std::net::Ipv6Addr>().is_ok(),
            Some("ip") => text.parse::<std::net::IpAddr>().is_ok(),
            _ => true,
        };
        if !address {
            self.refuse("an IP address", raw);
        }
    }

    /// Checks a length against the bounds of two keywords; returns whether the length exceeds the upper bound.
    pub(super) fn check_length(
        &mut self,
        map: &Map<String, Value>,
        raw: &str,
        length: usize,
        [least, most]: [&str; 2],
        [one, many]: [&str; 2],
    ) -> bool {
        let exceeds = map.count(most).is_some_and(|most| length > most);
        if exceeds || map.count(least).is_some_and(|least| length < least) {
            let length = describe::plural(length, one, many);
            let got = format!("{} of {length}", describe::describe_value(raw));
            self.push(&describe::describe_schema(map), &got);
        }
        exceeds
    }
}

/// Returns whether serde accepts a number as an integer of a width: `5`, and neither `5.0` nor a number out of range.
fn holds(width: &str, raw: &str) -> bool {
    enforced::bounds(width).is_none_or(|(least, most)| {
        let exact = raw.parse::<i128>();
        exact.is_ok_and(|exact| (least..=most).contains(&exact))
            || (width == "uint128" && raw.parse::<u128>().is_ok())
    })
}

/// Returns whether a text matches a pattern; a pattern that the regex engine does not support always matches.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    RegexBuilder::new(pattern)
        .size_limit(PATTERN_SIZE)
        .build()
        .map_or(true, |regex| regex.is_match(text))
}

fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        _ => one == other,
    }
}

fn multiple(number: f64, step: f64) -> bool {
    let ratio = number / step;
    // In floating-point arithmetic, 0.3 is not an exact multiple of 0.1.
    (ratio - ratio.round()).abs() <= 1e-9 * ratio.abs().max(1.0)
}
