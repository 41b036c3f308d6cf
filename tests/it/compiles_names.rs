//! Tools and parameters that are named like what generated code names.

#![allow(
    non_snake_case,
    unreachable_pub,
    unused_qualifications,
    clippy::too_many_arguments,
    reason = "every name is here that may be taken for another"
)]

use helve::prelude::*;

macro_rules! tools {
    ($($name:ident)*) => {
        $(
            /// Named like a local.
            #[tool]
            async fn $name(
                /// A number.
                $name: u32,
            ) -> u32 {
                $name
            }
        )*
    };
}

tools! { value call context slot parse facts error take scope this kind fill json Val Ret Host boxed owner host select bind run ready async_ future }

/// Named like a keyword.
#[tool]
async fn r#match(
    /// A type.
    r#type: &str,
    /// A list.
    r#in: &[u8],
    cx: &ToolContext,
) -> String {
    let _ = (r#in, cx);
    r#type.to_owned()
}

struct Vault;

/// Takes what generated code names.
#[tool(risk_with = judge)]
fn taken(
    /// One.
    call: u32,
    /// Another.
    cx: &str,
    /// A third.
    self_: Option<&str>,
    /// A fourth.
    a: &[u8],
    /// A fifth.
    mut b: u8,
    /// A sixth.
    __helve_call: u8,
    /// A seventh.
    __helve_context: u8,
    /// An eighth.
    value: u8,
    /// A ninth.
    slots: u8,
    /// A tenth.
    error: u8,
    context: &ToolContext,
    state: Option<&Vault>,
) -> String {
    b += 1;
    let _ = (context, state);
    format!("{call}{cx}{self_:?}{a:?}{b}{__helve_call}{__helve_context}{value}{slots}{error}")
}

#[allow(clippy::too_many_arguments)]
fn judge(
    _: &u32,
    _: &str,
    _: Option<&str>,
    _: &[u8],
    _: &u8,
    _: &u8,
    _: &u8,
    _: &u8,
    _: &u8,
    _: &u8,
) -> helve::Risk {
    helve::Risk::Low
}

// What generated code names is in nobody's way, and nobody's names are in its way.
#[allow(dead_code)]
mod shadows {
    pub struct Option;
    pub struct Result;
    pub struct String;
    pub struct Vec;
    pub struct Some;
    pub struct Ok;
    pub struct Box;
    pub mod core {}
    pub mod std {}
    pub mod helve {}

    /// Among names that hide the usual ones.
    #[::helve::tool(read_only, title = "x", timeout = "1s", examples = ["{}"])]
    async fn shadowed(
        /// A number.
        #[arg(default = 2, example = 3, min = 1)]
        number: u32,
        /// A text.
        #[arg(default = "a")]
        text: &str,
    ) -> ::std::string::String {
        ::std::format!("{number}{text}")
    }
}

#[test]
fn odd_names_compile() {
    let own = crate::tools_of(file!());
    let matched = crate::named(&own, "match");
    let names: Vec<_> = matched
        .parameters()
        .iter()
        .map(|parameter| parameter.name)
        .collect();
    assert_eq!(names, ["type", "in"]);
    assert_eq!(
        toolset![value, call, context, slot, r#match].names().len(),
        5
    );
}
