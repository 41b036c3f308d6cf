//! The core of [helve](https://docs.rs/helve): what a `#[tool]` function stands on. Depend on `helve`, not on this.
//!
//! The modules form floors, and no module imports upward: [`support`], [`schema`], [`transcript`], [`network`] →
//! [`refusal`], [`dangerous_paths`] → [`sandbox`] → [`capability`] → [`mod@tool`] → [`registry`] → [`mod@toolset`] →
//! [`testing`], [`authority`].

// The tools of the tests are written with the public macro, whose expansion says `::helve::…`.
#[allow(
    unused_extern_crates,
    reason = "the lint does not see the paths that a macro writes"
)]
extern crate self as helve;

pub mod authority;
pub mod capability;
pub mod dangerous_paths;
pub mod network;
pub mod refusal;
pub mod registry;
pub mod sandbox;
pub mod schema;
pub mod support;
pub mod testing;
pub mod tool;
pub mod toolset;
pub mod transcript;

#[doc(hidden)]
pub mod __private;

///
/// It derives `Serialize`, `Deserialize` and `JsonSchema` through helve, so that a crate that depends on helve alone has
/// them; `#[serde(…)]` and `#[schemars(…)]` work on it as ever. Types that derive the three themselves work as they are.
/// `#[data(crate = path)]` serves a renamed dependency.
///
/// ```
/// # extern crate helve_core as helve;
/// /// How hot it is.
/// #[helve::data]
/// #[serde(rename_all = "lowercase")]
/// enum Heat {
///     /// Below ten degrees.
///     Cold,
///     /// Above.
///     Warm,
/// }
/// ```
pub use helve_macros::data;
///
/// The name comes from the function, the description from its docs, the schema from its parameters. What it takes by
/// value (and `&str`, `Option<&str>`, `&[T]`) the model supplies; what it takes by reference (`&T`, `&dyn Trait`,
/// `Option<&T>`, [`&ToolContext`](ToolContext)) the host has. It may be `async` or not, and return anything that
/// serialises, a [`ToolOutput`], a stream of [`Update`]s, or a `Result` of those with any error.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
///
/// struct Library(Vec<String>);
///
/// /// Finds books by a word of their title.
/// #[tool(read_only, title = "Find books")]
/// async fn find_books(
///     /// A word of the title.
///     #[arg(min_len = 2, example = "whale")]
///     word: &str,
///     /// How many at most.
///     #[arg(default = 10, min = 1, max = 100)]
///     limit: usize,
///     library: &Library,
/// ) -> Vec<String> {
///     library.0.iter().filter(|title| title.contains(word)).take(limit).cloned().collect()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let context = helve::testing::context_with(Library(vec!["The white whale".into(), "Emma".into()]));
/// let found = helve::testing::call_with(find_books, serde_json::json!({ "word": "whale" }), &context).await;
/// assert_eq!(found.unwrap().text(), r#"["The white whale"]"#);
/// # }
/// ```
///
/// # Keys of `#[tool(…)]`
///
/// | key | says |
/// |---|---|
/// | `name`, `title`, `description` | what the model and people read, where it is not the function's name and docs |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | MCP's hints; each may be `= false` |
/// | `risk = "low"`, `"medium"`, `"high"` | how much harm a call can do; follows from the hints otherwise |
/// | `risk_with = path` | a `fn(arguments…) -> Risk` that judges a call |
/// | `check = path` | a `fn(&ToolContext, arguments…) -> Check`: the tool's own say in whether a call may run |
/// | `match_rule = path` | a `fn(&ToolContext, rule: &str, arguments…) -> impl Into<Coverage>`: what of a call a rule covers; a `bool` will do |
/// | `suggest_rules = path` | a `fn(arguments…) -> Vec<String>`: rules that would cover a call |
/// | `concurrency = "parallel"`, `"exclusive"` | whether calls run beside others; only readers do otherwise |
/// | `blocking` | that the function blocks, and runs on a thread where it may |
/// | `timeout = "30s"` | how long a call may take |
/// | `max_result_chars = 10_000` | how much of its result the model sees |
/// | `untrusted_output` | that the result may try to steer the model |
/// | `requires(fs, net, process, secrets("NAME"), kv)` | which capabilities of [`ToolContext`] are available; `net("api.github.com", "*.crates.io")` and `process("git")` limit them to these hosts and programs |
/// | `group = "…"` | what it is switched on and off with |
/// | `always` | that it is offered whenever its group is on, however many tools there are |
/// | `cached` | that a result is used again while what the call [read](ToolContext::reads) is the same; only with `read_only` |
/// | `available_if = path` | a `fn(&ToolContext) -> bool`: where it says no, no model sees the tool |
/// | `config_check = path` | a `fn(&ToolContext) -> Result<(), impl Display>`: where it fails, the tool is marked `[NOT CONFIGURED]`, with what to set and where |
/// | `examples = [r#"{ … }"#]` | whole calls, for the model |
/// | `deprecated = "…"` | why not to use it any more |
/// | `crate = path` | where helve is, where it was renamed |
///
/// The functions of `risk_with`, `check`, `match_rule` and `suggest_rules` take the model's arguments by reference, in
/// the tool's order.
///
/// # Keys of `#[arg(…)]`
///
/// `name`, `description`, `default`, `default = expression`, `example = value`, `min`, `max`, `min_len`, `max_len`,
/// `pattern = "…"` (a regular expression that matches anywhere, as JSON Schema has it). What the schema promises is
/// enforced.
pub use helve_macros::tool;
///
/// Methods take `&self`, and otherwise what functions take. The type gets a function `toolset`, which binds its tools to
/// one value; an app that has the type among its state can call them too. `#[tools(crate = path)]` serves a renamed
/// dependency.
///
/// ```
/// # extern crate helve_core as helve;
/// use std::sync::Arc;
/// use helve::prelude::*;
///
/// struct Counter(std::sync::atomic::AtomicU64);
///
/// #[tools]
/// impl Counter {
///     /// Adds to the counter and tells the sum.
///     #[tool]
///     fn add(
///         &self,
///         /// How much.
///         amount: u64,
///     ) -> u64 {
///         self.0.fetch_add(amount, std::sync::atomic::Ordering::Relaxed) + amount
///     }
/// }
///
/// let tools = Counter::toolset(Arc::new(Counter(0.into())));
/// assert_eq!(tools.names(), ["add"]);
/// ```
pub use helve_macros::tools;
pub use registry::Registry;
pub use tool::{
    Annotations, Check, Risk, State, Tool, ToolContext, ToolDef, ToolError, ToolOutput, ToolResult,
    ToolSpec, Update,
};
pub use toolset::Toolset;

/// What a file of tools needs: `use helve::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Tool as _, ToolContext, ToolError, ToolOutput, ToolResult, Toolset, Update, data, tool,
        tools, toolset,
    };
}
