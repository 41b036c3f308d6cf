//! Everything that a tool may return.
#![allow(unused_qualifications, reason = "each way to name a type is here")]

use helve::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;

use futures_core::Stream;
use helve::tool::Denial;

#[data]
struct Answer {
    text: String,
}

#[derive(Debug)]
struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("broken")
    }
}

impl std::error::Error for Broken {}

enum Own {
    Refused,
    Broken,
}

impl From<Own> for ToolError {
    fn from(own: Own) -> Self {
        match own {
            Own::Refused => Self::Denied(Denial::new("no")),
            Own::Broken => Self::failed("broken"),
        }
    }
}

type Fallible<T> = Result<T, Broken>;
type Always = Result<String, Own>;

macro_rules! returns {
    ($($name:ident: $type:ty = $value:expr;)*) => {
        $(
            /// Returns something.
            #[tool]
            async fn $name() -> $type {
                $value
            }
        )*
    };
}

returns! {
    unit: () = ();
    number: u32 = 1;
    text: String = "a".to_owned();
    fixed: &'static str = "a";
    cow: Cow<'static, str> = "a".into();
    list: Vec<u32> = vec![1];
    optional: Option<Answer> = None;
    map: BTreeMap<String, u32> = BTreeMap::new();
    pair: (u32, String) = (1, "a".to_owned());
    own: Answer = Answer { text: "a".to_owned() };
    output: ToolOutput = ToolOutput::plain("a");
    result: ToolResult = Ok(ToolOutput::plain("a"));
    unit_or_error: Result<(), std::io::Error> = Ok(());
    text_or_error: Result<String, Broken> = Err(Broken);
    fixed_or_error: Result<&'static str, String> = Err("a".to_owned());
    cow_or_error: Result<Cow<'static, str>, &'static str> = Err("a");
    list_or_anyhow: anyhow::Result<Vec<u32>> = Ok(vec![]);
    own_or_boxed: Result<Answer, Box<dyn std::error::Error + Send + Sync>> = Err("a".into());
    output_or_tool_error: Result<ToolOutput, ToolError> = Ok(ToolOutput::plain("a"));
    text_or_own: Result<String, Own> = Err(Own::Refused);
    behind_alias: Fallible<Answer> = Err(Broken);
    behind_bare_alias: Always = Err(Own::Broken);
    plain_result: core::result::Result<std::primitive::u8, anyhow::Error> = Ok(1);
}

/// Ends in plain text.
#[tool]
fn stream_of_text() -> impl Stream<Item = Update<String>> {
    futures_util::stream::iter([Update::Done("a".to_owned())])
}

/// Ends in an output.
#[tool]
fn stream_of_output() -> impl Stream<Item = Update<ToolOutput>> + Send {
    futures_util::stream::iter([Update::Done(ToolOutput::plain("a"))])
}

/// Fails before it streams.
#[tool]
async fn stream_or_error() -> Result<futures_util::stream::Empty<Update<Answer>>, Broken> {
    Err(Broken)
}

/// Names its stream.
#[tool]
fn named_stream() -> std::pin::Pin<Box<dyn Stream<Item = Update<u32>> + Send>> {
    Box::pin(futures_util::stream::iter([Update::Done(1)]))
}

#[test]
fn every_kind_of_result_compiles() {
    let own = crate::tools_of(file!());
    assert_eq!(own.len(), 27);
}
