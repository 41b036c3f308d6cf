//! Literals, numbers and strings.

use regex_lite::RegexBuilder;
use serde_json::{Map, Value};

use super::super::enforced;
use super::super::keyword::WIDTH;
use super::super::mistake::Mistake;
use super::check::Checker;
use super::describe;

/// A pattern from elsewhere may not cost more memory than this.
const PATTERN_SIZE: usize = 1 << 20;

impl<'s> Checker<'s> {
    /// Checks a value against the values of an `enum`.
    pub(super) fn literal(&mut self, values: &'s [Value], raw: &str) -> bool {
        let value: Option<Value> = serde_json::from_str(raw).ok();
        let same = |one: &Value| value.as_ref().is_some_and(|value| equal(one, value));
        if values.iter().any(same) {
            return true;
        }
        let mistake = Mistake::new(
            self.path.as_str(),
            describe::describe_enum(values),
            describe::describe_value(raw),
        );
        let names = values.iter().filter_map(Value::as_str);
        let nearest = value
            .as_ref()
            .and_then(Value::as_str)
            .and_then(|given| describe::nearest(given, names));
        self.report(match nearest {
            Some(name) => mistake.with_suggestion(format!("did you mean {name:?}?")),
            None => mistake,
        });
        false
    }

    pub(super) fn number(&mut self, map: &'s Map<String, Value>, raw: &str) {
        let Some(number) = raw.parse::<f64>().ok().filter(|number| number.is_finite()) else {
            self.push(
                "a number that a computer can hold",
                &describe::describe_value(raw),
            );
            return;
        };
        if describe::types(map).any(|one| one == "integer")
            && !describe::types(map).any(|one| one == "number")
        {
            let exact = raw.parse::<i128>();
            match map.get(WIDTH).and_then(Value::as_str) {
                // serde takes `5` for an integer, and neither `5.0` nor what the type cannot hold.
                Some(width) => {
                    let beyond = raw.parse::<u128>().is_ok() && width == "uint128";
                    let held = enforced::bounds(width).is_none_or(|(least, most)| {
                        exact
                            .as_ref()
                            .is_ok_and(|exact| (least..=most).contains(exact))
                            || beyond
                    });
                    if !held {
                        let mistake = Mistake::new(
                            self.path.as_str(),
                            describe::integer(map, width),
                            describe::describe_value(raw),
                        );
                        self.report(mistake);
                        return;
                    }
                }
                None if number.fract() != 0.0 => {
                    self.push(
                        &describe::describe_schema(map),
                        &describe::describe_value(raw),
                    );
                    return;
                }
                None => {}
            }
        }
        let bound = |keyword: &str| map.get(keyword).and_then(Value::as_f64);
        let outside = bound("minimum").is_some_and(|least| number < least)
            || bound("maximum").is_some_and(|most| number > most)
            || bound("exclusiveMinimum").is_some_and(|least| number <= least)
            || bound("exclusiveMaximum").is_some_and(|most| number >= most);
        if outside {
            self.push(
                &describe::describe_schema(map),
                &describe::describe_value(raw),
            );
        } else if let Some(step) = bound("multipleOf")
            && !multiple(number, step)
        {
            self.push(
                &format!("a multiple of {step}"),
                &describe::describe_value(raw),
            );
        }
    }

    pub(super) fn string(&mut self, map: &'s Map<String, Value>, raw: &str) {
        let Ok(text) = serde_json::from_str::<String>(raw) else {
            self.push("a string of valid Unicode", &describe::describe_value(raw));
            return;
        };
        let count = |keyword: &str| {
            map.get(keyword)
                .and_then(Value::as_u64)
                .and_then(|count| usize::try_from(count).ok())
        };
        if count("minLength").is_some() || count("maxLength").is_some() {
            let length = text.chars().count();
            if count("minLength").is_some_and(|least| length < least)
                || count("maxLength").is_some_and(|most| length > most)
            {
                let got = format!(
                    "{} of {}",
                    describe::describe_value(raw),
                    describe::plural(length, "character", "characters")
                );
                self.push(&describe::describe_schema(map), &got);
            }
        }
        if let Some(pattern) = map.get("pattern").and_then(Value::as_str)
            && !matches(pattern, &text)
        {
            self.push(
                &format!("a string that matches `{pattern}`"),
                &describe::describe_value(raw),
            );
        }
        let address = match map.get("format").and_then(Value::as_str) {
            // These three are exactly what serde's own types parse.
            Some("ipv4") => text.parse::<std::net::Ipv4Addr>().is_ok(),
            Some("ipv6") => text.parse::<std::net::Ipv6Addr>().is_ok(),
            Some("ip") => text.parse::<std::net::IpAddr>().is_ok(),
            _ => true,
        };
        if !address {
            self.push("an IP address", &describe::describe_value(raw));
        }
    }
}

/// Returns whether a text matches; a pattern that this engine cannot read counts as matched.
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
    // 0.3 is a multiple of 0.1 for everyone but the computer.
    (ratio - ratio.round()).abs() <= 1e-9 * ratio.abs().max(1.0)
}
