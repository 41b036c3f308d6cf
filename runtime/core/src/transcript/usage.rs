//! The usage of a model call or a tool call.

use std::fmt;
use std::ops::{Add, AddAssign};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tokens of a model call, or the sum of several; in the meaning of OpenTelemetry's `gen_ai.usage.*`.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::Usage;
///
/// let mut total = Usage::new(100, 20);
/// total += Usage::new(50, 5);
/// assert_eq!((total.input_tokens, total.output_tokens), (150, 25));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// All input tokens, cached ones included.
    pub input_tokens: u64,
    /// All output tokens, reasoning included.
    pub output_tokens: u64,
    /// The part of the input that came out of the provider's cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_read_input_tokens: u64,
    /// The part of the input that was written to the provider's cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_creation_input_tokens: u64,
    /// The part of the output that was reasoning.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning_output_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl Usage {
    /// Creates a usage of input and output tokens, none of them cached or reasoning.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            input_tokens,
            output_tokens,
            ..Self::default()
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(
            &mut self.cache_read_input_tokens,
            other.cache_read_input_tokens,
        );
        add(
            &mut self.cache_creation_input_tokens,
            other.cache_creation_input_tokens,
        );
        add(
            &mut self.reasoning_output_tokens,
            other.reasoning_output_tokens,
        );
    }
}

/// An amount of money in millionths of a US dollar: an integer, so that sums are exact and the same everywhere.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::Cost;
///
/// let total = Cost::from_micros(1_200_000) + Cost::from_micros(34_500);
/// assert_eq!(total.to_string(), "$1.234500");
/// ```
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Cost(u64);

impl Cost {
    /// The zero amount.
    pub const ZERO: Self = Self(0);

    /// Creates an amount from millionths of a dollar.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Returns the amount in millionths of a dollar.
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Returns whether the amount is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}
