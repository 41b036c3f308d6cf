//! Tools in modules, in functions, under `#[cfg]` and out of macros.
#![allow(
    unreachable_pub,
    unused_qualifications,
    clippy::non_minimal_cfg,
    reason = "tools are written here as users write them: public, by full names, and under conditions that always hold"
)]

use helve::prelude::*;

mod weather {
    use helve::prelude::*;

    pub mod deeper {
        /// Says the time.
        #[helve::tool]
        pub fn at_depth() {}
    }

    /// Forecasts.
    #[tool]
    pub(super) async fn forecast(
        /// For which day.
        day: u8,
    ) -> u8 {
        day
    }
}

/// Not here.
#[cfg(any())]
#[tool]
async fn absent(
    /// What is not there.
    value: NoSuchType,
) {
}

/// Not here either.
#[tool]
#[cfg(any())]
async fn absent_below(
    /// What is not there.
    value: u8,
) {
}

/// Here.
#[cfg(all())]
#[tool]
#[cfg(all())]
async fn present(
    /// Not here.
    #[cfg(any())]
    absent: u8,
    /// Here.
    #[cfg(all())]
    value: u8,
    #[cfg(any())] nothing: &Shop,
    #[cfg(all())] cx: &ToolContext,
    /// One of two.
    #[cfg(any())]
    either: u8,
    /// One of two.
    #[cfg(all())]
    either: &str,
) -> String {
    format!("{value} {either} {}", cx.turn_number())
}

struct Shop;

#[tools]
impl Shop {
    /// Sells.
    #[tool]
    fn sell(&self) {}

    /// Not here.
    #[cfg(any())]
    #[tool]
    fn absent(&self) {}

    /// Not here.
    #[tool]
    #[cfg(any())]
    fn absent_below(&self) {}
}

macro_rules! tools_of {
    ($($doc:literal $name:ident: $type:ty = $default:expr => |$value:ident| $body:expr;)*) => {
        $(
            #[doc = $doc]
            #[tool(read_only)]
            async fn $name(
                /// What.
                $value: $type,
                /// What otherwise.
                #[arg(default = $default)]
                otherwise: $type,
                cx: &ToolContext,
            ) -> Result<$type, String> {
                let _ = (cx, otherwise);
                let call = $body;
                Ok(call)
            }
        )*
    };
}

tools_of! {
    "Doubles." doubled: u32 = 1 + 1 => |call| call * 2;
    "Lists." listed: Vec<u32> = vec![1] => |list| list;
}

macro_rules! method_of {
    ($type:ident, $name:ident) => {
        struct $type;

        #[tools]
        impl $type {
            /// Made by a macro.
            #[tool]
            fn $name(
                &self,
                /// What.
                value: u32,
            ) -> u32 {
                value
            }
        }
    };
}

method_of!(Made, made);

fn one() -> helve::Toolset {
    /// In a function.
    #[tool]
    fn inside_one() {}
    toolset![inside_one]
}

fn two() -> helve::Toolset {
    /// In another.
    #[tool]
    fn inside_two(
        /// What.
        value: u8,
    ) -> u8 {
        value
    }

    struct Local;

    #[tools]
    impl Local {
        /// In a function.
        #[tool]
        fn inside_method(&self) {}
    }
    toolset![inside_two].layered(&Local::toolset(std::sync::Arc::new(Local)))
}

#[test]
fn tools_compile_wherever_they_stand() {
    assert_eq!(one().names(), ["inside_one"]);
    assert_eq!(two().names().len(), 2);
    let own = crate::tools_of(file!());
    let names: Vec<_> = own.iter().map(|tool| tool.name()).collect();
    assert_eq!(
        names,
        [
            "at_depth",
            "doubled",
            "forecast",
            "inside_method",
            "inside_one",
            "inside_two",
            "listed",
            "made",
            "present",
            "sell"
        ]
    );
    let present: Vec<_> = crate::named(&own, "present")
        .parameters()
        .iter()
        .map(|p| p.name)
        .collect();
    assert_eq!(present, ["value", "either"]);
    let _ = (
        weather::deeper::at_depth,
        weather::forecast(1),
        Made.made(1),
    );
}
