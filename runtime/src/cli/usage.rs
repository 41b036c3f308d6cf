//! What a turn used up, on one line.

use crate::agent::turn::Totals;

/// Writes what a turn used up; nothing where the model did not say.
pub(super) fn line(totals: &Totals) -> Option<String> {
    let usage = totals.usage;
    if totals.tokens() == 0 && totals.cost.is_zero() {
        return None;
    }
    let mut line = format!("tokens: {} in", grouped(usage.input_tokens));
    if usage.cache_read_input_tokens > 0 {
        line.push_str(&format!(
            " ({} cached)",
            grouped(usage.cache_read_input_tokens)
        ));
    }
    line.push_str(&format!(", {} out", grouped(usage.output_tokens)));
    if usage.reasoning_output_tokens > 0 {
        line.push_str(&format!(
            " ({} reasoning)",
            grouped(usage.reasoning_output_tokens)
        ));
    }
    if !totals.cost.is_zero() {
        // A tenth of a cent is as much as anybody wants to know; less than that is not nothing.
        let micros = totals.cost.micros();
        let tenths = micros.div_ceil(1_000);
        line.push_str(&format!(
            "; cost: ${}.{:03}",
            tenths / 1_000,
            tenths % 1_000
        ));
    }
    Some(line)
}

/// Writes a number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Cost, Usage};

    fn said(usage: Usage, micros: u64) -> Option<String> {
        let mut totals = Totals::default();
        totals.usage = usage;
        totals.cost = Cost::from_micros(micros);
        line(&totals)
    }

    #[test]
    fn what_was_used_up_is_on_one_line() {
        assert_eq!(said(Usage::default(), 0), None);
        assert_eq!(
            said(Usage::new(12_345, 678), 0).unwrap(),
            "tokens: 12,345 in, 678 out"
        );
        let mut usage = Usage::new(1_234_567, 1_000);
        usage.cache_read_input_tokens = 1_000_000;
        usage.reasoning_output_tokens = 100;
        assert_eq!(
            said(usage, 1_234_100).unwrap(),
            "tokens: 1,234,567 in (1,000,000 cached), 1,000 out (100 reasoning); cost: $1.235"
        );
        assert_eq!(
            said(Usage::new(1, 1), 7).unwrap(),
            "tokens: 1 in, 1 out; cost: $0.001"
        );
    }
}
