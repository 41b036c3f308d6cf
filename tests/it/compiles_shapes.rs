//! Functions of every shape, and methods.
#![allow(
    unreachable_pub,
    clippy::needless_arbitrary_self_type,
    clippy::needless_lifetimes,
    clippy::unused_async,
    reason = "each shape is here, those that nobody needs among them"
)]

use helve::prelude::*;
use std::sync::Arc;

use futures_core::Stream;

/// Says the time.
#[tool]
async fn plain() {}

/// Says the time.
#[tool]
fn not_async() -> u8 {
    12
}

/// Says the time.
#[tool(blocking)]
fn blocking() -> u8 {
    12
}

/// Says the time.
#[tool]
pub fn public() {}

/// Says the time.
#[tool]
pub(crate) async fn in_the_crate() {}

/// Counts.
#[tool]
fn streaming(
    /// To what.
    to: u32,
    cx: &ToolContext,
) -> impl Stream<Item = Update<Vec<u32>>> {
    let _ = cx.call_id();
    futures_util::stream::iter([Update::message("begins"), Update::Done((0..to).collect())])
}

/// Counts what it borrows.
#[tool]
async fn streaming_late(
    /// What.
    word: &str,
) -> impl Stream<Item = Update<usize>> {
    futures_util::stream::iter([Update::Done(word.len())])
}

/// Repeats a word.
#[tool]
fn borrowing<'a>(
    /// The word.
    word: &'a str,
    /// Another.
    other: &'a str,
) -> &'a str {
    if word.is_empty() { other } else { word }
}

/// Repeats a word.
#[tool]
async fn borrowing_elided(
    /// The word.
    word: &str,
) -> &str {
    word
}

/// Repeats a word.
#[tool]
async fn borrowing_in_result<'a>(
    /// The word.
    word: Option<&'a str>,
) -> Result<&'a str, String> {
    word.ok_or_else(|| "none".to_owned())
}

struct Counter {
    from: u32,
}

/// Counts.
#[tools]
impl Counter {
    /// No tool, and not a method.
    const fn new(from: u32) -> Self {
        Self { from }
    }

    fn sum(&self, with: &Self) -> u32 {
        self.from + with.from
    }

    /// Counts.
    #[tool(read_only)]
    async fn count(
        &self,
        /// By how much.
        by: u32,
        other: Option<&Self>,
    ) -> Result<Vec<u32>, std::io::Error> {
        Ok(vec![other.map_or(self.from, |other| self.sum(other)), by])
    }

    /// Counts, and needs no counter.
    #[helve::tool(blocking, name = "count_anew")]
    pub fn count_again(
        /// By how much.
        by: u32,
    ) -> u32 {
        Self::new(by).from
    }

    /// Counts slowly.
    #[tool(blocking, check = Self::check)]
    fn count_slowly<'a>(
        &'a self,
        /// By how much.
        by: &str,
    ) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
        Ok(format!("{} {by}", self.from))
    }

    /// Counts.
    #[tool]
    fn count_typed(self: &Self) -> u32 {
        self.from
    }

    fn check(_: &ToolContext, by: &str) -> helve::Check {
        if by.is_empty() {
            helve::Check::deny("by nothing")
        } else {
            helve::Check::Pass
        }
    }
}

#[test]
fn functions_of_every_shape_compile() {
    let tools = Counter::toolset(Arc::new(Counter::new(1)));
    assert_eq!(tools.names().len(), 4);
    assert_eq!(borrowing("", "b"), "b");
    let named = toolset![
        plain,
        not_async,
        blocking,
        public,
        in_the_crate,
        streaming,
        borrowing,
        Counter::count
    ];
    assert_eq!(named.names().len(), 8);
    assert!(crate::tools_of(file!()).len() > 12);
}
