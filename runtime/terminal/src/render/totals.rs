//! The usage of a turn.

use std::time::Duration;

use super::formatting::{format_count, format_duration};
use helve_core::transcript::{Cost, Usage};

/// Renders usage, followed by the time: `1,234 in (800 cached) · 56 out · $0.0123 · 3.2 s`.
pub fn usage_parts(usage: &Usage, cost: Cost, time: Option<Duration>) -> Vec<String> {
    let mut words = Vec::new();
    if usage.input_tokens > 0 || usage.output_tokens > 0 {
        let cached = match usage.cache_read_input_tokens {
            0 => String::new(),
            cached => format!(" ({} cached)", format_count(cached)),
        };
        words.push(format!("{} in{cached}", format_count(usage.input_tokens)));
        words.push(format!("{} out", format_count(usage.output_tokens)));
    }
    if !cost.is_zero() {
        words.push(format_dollars(cost));
    }
    words.extend(time.map(format_duration));
    words
}

/// Renders an amount with its significant digits.
pub fn format_dollars(cost: Cost) -> String {
    let micros = cost.micros();
    match micros {
        0..1_000 => format!("${}.{:06}", micros / 1_000_000, micros % 1_000_000),
        1_000..10_000_000 => {
            let rounded = (micros + 50) / 100;
            format!("${}.{:04}", rounded / 10_000, rounded % 10_000)
        }
        _ => {
            let rounded = micros.saturating_add(5_000) / 10_000;
            format!("${}.{:02}", rounded / 100, rounded % 100)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_turn_says_what_it_took() {
        let none = usage_parts(&Usage::default(), Cost::default(), None);
        assert_eq!(none, [""; 0]);
        let mut usage = Usage::new(1_000, 50);
        usage.cache_read_input_tokens = 800;
        usage += Usage::new(234, 6);
        let cost = Cost::from_micros(12_000) + Cost::from_micros(345);
        let parts = usage_parts(&usage, cost, Some(Duration::from_millis(3_210)));
        assert_eq!(
            parts.join(" · "),
            "1,234 in (800 cached) · 56 out · $0.0123 · 3.2 s"
        );
    }

    #[test]
    fn money_has_the_digits_that_matter() {
        let written = |micros| format_dollars(Cost::from_micros(micros));
        assert_eq!(written(42), "$0.000042");
        assert_eq!(written(9_999_960), "$10.0000");
        assert_eq!(written(12_345_678), "$12.35");
    }

    #[test]
    fn numbers_that_nobody_can_have_meant_stay_numbers() {
        let (mut usage, mut cost) = (Usage::default(), Cost::default());
        for _ in 0..2 {
            usage += Usage::new(u64::MAX, u64::MAX);
            cost += Cost::from_micros(u64::MAX);
        }
        let most = "18,446,744,073,709,551,615";
        let words = usage_parts(&usage, cost, None);
        assert_eq!(words[..2], [format!("{most} in"), format!("{most} out")]);
        assert_eq!(words[2], "$18446744073709.55");
    }
}
