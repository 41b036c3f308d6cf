//! A tool that says how far it is, and whose last word is its result.
//!
//! `cargo run --example streaming -- call factorise --number 600851475143`

use futures_core::Stream;
use helve::prelude::*;

/// Finds the prime factors of a number.
#[tool(read_only, timeout = "30s")]
fn factorise(
    /// The number.
    #[arg(min = 2)]
    number: u64,
) -> impl Stream<Item = Update<Vec<u64>>> {
    let mut search = Search {
        left: number,
        candidate: 2,
        factors: Vec::new(),
    };
    futures_util::stream::iter(std::iter::from_fn(move || search.step()))
}

/// A factorisation that stops for breath after each factor.
struct Search {
    left: u64,
    candidate: u64,
    factors: Vec<u64>,
}

impl Search {
    fn step(&mut self) -> Option<Update<Vec<u64>>> {
        while self.left > 1 {
            if self.candidate.saturating_mul(self.candidate) > self.left {
                self.candidate = self.left;
            }
            if self.left.is_multiple_of(self.candidate) {
                self.left /= self.candidate;
                self.factors.push(self.candidate);
                return Some(Update::message(format!(
                    "found {}, {} is left",
                    self.candidate, self.left
                )));
            }
            self.candidate += 1;
        }
        Some(Update::Done(std::mem::take(&mut self.factors)))
    }
}

fn main() -> std::process::ExitCode {
    helve::app!().main()
}
